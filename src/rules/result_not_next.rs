//! TD201 result-not-next.

use super::{Finding, Rule, RuleContext, claim, layer, place};
use crate::transcript::placement::Departure;
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::ResultNotNext,
    name: "result-not-next",
    layer: layer::ORDER,
    severity: Severity::Fatal,
    summary: "another message between a tool call and its result",
    page: "\
Behind a call its result must follow at once. Here a message or another call stands between, or the result comes turns
later: the user spoke while the tool ran, or a tool finished long after it had been given up.

Repair: the result moves up to its call; what stood between keeps its order behind it. Nothing is taken out.
",
    reported_by: &["formats/claude_code", "formats/openhands_v0", "formats/trae"],
    check,
};

fn check(rule: &'static Rule, case: &RuleContext<'_>, found: &mut Vec<Finding>) {
    place::find(rule, case, Departure::Apart, found);
    // What the host itself puts right.
    claim::diagnostics(rule, case, found);
}
