//! TD204 result-before-call.

use super::page::{RuleExample, RulePage};
use super::{Finding, Rule, RuleContext, layer, place, reported};
use crate::transcript::request::Departure;
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::ResultBeforeCall,
    name: "result-before-call",
    layer: layer::ORDER,
    severity: Severity::Fatal,
    summary: "tool result before its call",
    page: RulePage {
        fix: "safe",
        means: "A tool result was recorded before its call.",
        causes: &[(
            "Any host",
            "two processes that write one session; records sorted by a clock that jumped",
        )],
        repair: "The result moves to directly after its call.",
        otherwise: "",
        example: RuleExample {
            from: "openai-responses",
            options: &[],
            diff: br##" {"type":"message","role":"user","content":"Go"}
+{"type":"function_call","call_id":"call_1","name":"ls","arguments":"{}"}
 {"type":"function_call_output","call_id":"call_1","output":"a.txt"}
-{"type":"function_call","call_id":"call_1","name":"ls","arguments":"{}"}
 {"type":"message","role":"user","content":"Go on."}
"##,
        },
    },
    reported_by: &["hosts/openhands_v0", "hosts/pi"],
    check,
};

fn check(rule: &'static Rule, cx: &RuleContext<'_>, found: &mut Vec<Finding>) {
    place::find(rule, cx, Departure::Early, found);
    // What the host itself corrects.
    reported::diagnostics(rule, cx, found);
}
