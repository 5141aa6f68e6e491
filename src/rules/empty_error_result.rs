//! TD406 empty-error-result.

use super::page::{RuleExample, RulePage};
use super::{Rule, layer, reported};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::EmptyErrorResult,
    name: "empty-error-result",
    layer: layer::CALLS,
    severity: Severity::Fatal,
    summary: "error result without content",
    page: RulePage {
        fix: "safe",
        means: "A tool result says that the tool failed and nothing else. Providers reject an error \
            without content.",
        causes: &[
            ("Any host", "a tool that failed without output"),
        ],
        repair: "Inserts a placeholder text that is marked as ours.",
        otherwise: "",
        example: RuleExample {
            from: "anthropic-messages",
            options: &[],
            diff: br##" {"role":"user","content":"Go"}
 {"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"ls","input":{}}]}
-{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"","is_error":true}]}
+{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"(no output was recorded; inserted by transcript-doctor, TD406)","is_error":true}]}
"##,
        },
    },
    reported_by: &["requests/error_results"],
    check: reported::diagnostics,
};
