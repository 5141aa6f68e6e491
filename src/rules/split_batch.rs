//! TD202 split-batch.

use super::{Finding, Rule, RuleContext, claim, layer, place};
use crate::transcript::placement::Departure;
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::SplitBatch,
    name: "split-batch",
    layer: layer::ORDER,
    severity: Severity::Fatal,
    summary: "tool calls or results of one turn are not together",
    page: "\
Calls of one response belong in one message, followed by all their results. Here something stands between the calls, so the
parts are no complete turns. OpenHands writes this itself when a tool in the middle of a batch is unknown.

Repair: calls first, in order, then their results, then what stood between. A batch recorded as several complete turns is
healthy and left alone.
",
    reported_by: &["formats/anthropic", "formats/gemini_contents", "formats/langchain", "requests/calls_together", "requests/roles_alternate"],
    check,
};

fn check(rule: &'static Rule, case: &RuleContext<'_>, found: &mut Vec<Finding>) {
    claim::diagnostics(rule, case, found);
    place::find(rule, case, Departure::Split, found);
}
