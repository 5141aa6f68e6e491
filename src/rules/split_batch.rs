//! TD202 split-batch.

use super::page::{RuleExample, RulePage};
use super::{Finding, Rule, RuleContext, layer, place, reported};
use crate::transcript::request::Departure;
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::SplitBatch,
    name: "split-batch",
    layer: layer::ORDER,
    severity: Severity::Fatal,
    summary: "tool calls or results of one turn are not together",
    page: RulePage {
        fix: "safe",
        means: "The parallel tool calls of one response belong in one message, followed by all their \
            results. Here something is between the calls or between the results. Calls that were \
            recorded as several complete turns are healthy.",
        causes: &[
            ("OpenHands", "a response with an unknown tool in the middle of its calls"),
            ("Any host", "results that were appended as they came in, with other messages between them"),
        ],
        repair: "Puts the calls first, in order, then their results, then what was between them. Nothing is removed.",
        otherwise: "",
        example: RuleExample {
            from: "anthropic-messages",
            options: &[],
            diff: br##" {"role":"user","content":"Go"}
 {"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"ls","input":{}},{"type":"tool_use","id":"toolu_2","name":"pwd","input":{}}]}
-{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"a.txt"}]}
+{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"a.txt"},{"type":"tool_result","tool_use_id":"toolu_2","content":"/w"}]}
 {"role":"assistant","content":"Half done."}
-{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_2","content":"/w"}]}
 {"role":"assistant","content":"Done."}
"##,
        },
    },
    reported_by: &["hosts/anthropic", "requests/calls_together", "requests/results_together", "requests/roles_alternate"],
    check,
};

fn check(rule: &'static Rule, cx: &RuleContext<'_>, found: &mut Vec<Finding>) {
    reported::diagnostics(rule, cx, found);
    place::find(rule, cx, Departure::Split, found);
}
