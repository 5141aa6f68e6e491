//! TD105 conflicting-results.

use super::{Case, Finding, Rule, layer, two_results};
use crate::transcript::Severity;

/// The rule; its page is the manual.
pub const RULE: Rule = Rule {
    code: "TD105",
    name: "conflicting-results",
    layer: layer::RESULTS,
    severity: Severity::Fatal,
    summary: "two real results of one call differ",
    page: "\
A tool's output is there twice for one call, and the two say different things. Providers take one; which of them the model
should see, the recording does not tell.

Repair: none by itself. --prefer first|last keeps one and parks the other.
",
    check,
};

fn check(rule: &'static Rule, case: &Case<'_>, found: &mut Vec<Finding>) {
    two_results::find(rule, case, true, found);
}
