//! TD105 conflicting-results.

use super::{Finding, Rule, RuleContext, layer, two_results};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::ConflictingResults,
    name: "conflicting-results",
    layer: layer::RESULTS,
    severity: Severity::Fatal,
    summary: "two different results for one tool call",
    page: "\
A tool's output is there twice for one call, and the two say different things. Providers take one; which of them the model
should see, the recording does not tell.

Repair: none by itself. The choices are shown with the first words of each, numbered: --prefer NUMBER keeps that one and
parks the others, --call ID says for which call. --prefer first|last does it for all. Equal results are one choice.
",
    reported_by: &[],
    check,
};

fn check(rule: &'static Rule, case: &RuleContext<'_>, found: &mut Vec<Finding>) {
    two_results::find(rule, case, true, found);
}
