//! TD402 missing-input.

use super::page::{RuleExample, RulePage};
use super::{Rule, layer, reported};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::MissingInput,
    name: "missing-input",
    layer: layer::CALLS,
    severity: Severity::Fatal,
    summary: "tool call without arguments",
    page: RulePage {
        fix: "safe",
        means: "A tool call has no arguments, not even empty ones. Providers reject it; some hosts \
            drop the call and its real result.",
        causes: &[("Any host", "a stream that stopped before the arguments")],
        repair: "The call gets empty arguments: `{}`.",
        otherwise: "",
        example: RuleExample {
            from: "anthropic-messages",
            options: &[],
            diff: br##" {"role":"user","content":"Go"}
-{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"ls"}]}
+{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"ls","input":{}}]}
 {"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"a.txt"}]}
"##,
        },
    },
    reported_by: &["requests/arguments", "requests/item_shape"],
    check: reported::diagnostics,
};
