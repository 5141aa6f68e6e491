//! TD403 bad-input.

use super::page::{RuleExample, RulePage};
use super::{Rule, layer, reported};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::BadInput,
    name: "bad-input",
    layer: layer::CALLS,
    severity: Severity::Fatal,
    summary: "tool call arguments that are not a JSON object",
    page: RulePage {
        fix: "safe or unsafe",
        means: "Tool call arguments are cut off, not JSON, or not an object. Servers that parse them \
            reject the request.",
        causes: &[
            ("Any host", "a stream that stopped in the middle of the arguments"),
            ("Local models", "arguments that were encoded twice"),
        ],
        repair: "Safe if the record has a second copy of the values, if exactly one object is in the text and nothing else (encoded \
            twice, written twice, after `{}`, in a Markdown fence), or if the call never ran.",
        otherwise: "`transcript-doctor repair --unsafe FILE` takes the only object out of other words, or else replaces the arguments with `{}`.",
        example: RuleExample {
            from: "anthropic-messages",
            options: &[],
            diff: br##" {"role":"user","content":"Go"}
-{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"ls","input":"{\"dir\":\".\"}"}]}
+{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"ls","input":{"dir":"."}}]}
 {"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"a.txt"}]}
"##,
        },
    },
    reported_by: &["hosts/langchain", "hosts/openhands", "hosts/sharegpt", "requests/arguments"],
    check: reported::diagnostics,
};
