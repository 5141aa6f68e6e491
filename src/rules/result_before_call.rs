//! TD204 result-before-call.

use super::{Finding, Rule, RuleContext, claim, layer, place};
use crate::transcript::placement::Departure;
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::ResultBeforeCall,
    name: "result-before-call",
    layer: layer::ORDER,
    severity: Severity::Fatal,
    summary: "tool result before its call",
    page: "\
A result was recorded before the call that it answers: two writers, or records sorted by a clock that jumped.

Repair: the result moves behind its call.
",
    reported_by: &["formats/openhands_v0"],
    check,
};

fn check(rule: &'static Rule, case: &RuleContext<'_>, found: &mut Vec<Finding>) {
    place::find(rule, case, Departure::Early, found);
    // What the host itself puts right.
    claim::diagnostics(rule, case, found);
}
