//! TD201 result-not-next.

use super::page::{RuleExample, RulePage};
use super::{Finding, Rule, RuleContext, layer, place, reported};
use crate::transcript::request::Departure;
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::ResultNotNext,
    name: "result-not-next",
    layer: layer::ORDER,
    severity: Severity::Fatal,
    summary: "another message between a tool call and its result",
    page: RulePage {
        fix: "safe",
        means: "A tool result must come directly after its call. Here another message is between \
            them, or the result comes turns later.",
        causes: &[
            ("Any host", "you wrote while the tool ran; a tool that finished long after it was given up"),
        ],
        repair: "The result moves up to its call. What was between them follows it in the same order. \
            Nothing is removed.",
        otherwise: "",
        example: RuleExample {
            from: "openai-chat",
            options: &[],
            diff: br##" {"role":"user","content":"Go"}
 {"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"ls","arguments":"{}"}}]}
+{"role":"tool","tool_call_id":"call_1","content":"a.txt"}
 {"role":"user","content":"Are you done?"}
-{"role":"tool","tool_call_id":"call_1","content":"a.txt"}
"##,
        },
    },
    reported_by: &["hosts/claude_code", "hosts/openhands_v0", "hosts/trae"],
    check,
};

fn check(rule: &'static Rule, cx: &RuleContext<'_>, found: &mut Vec<Finding>) {
    place::find(rule, cx, Departure::Apart, found);
    // What the host itself corrects.
    reported::diagnostics(rule, cx, found);
}
