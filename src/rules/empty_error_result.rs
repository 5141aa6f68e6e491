//! TD406 empty-error-result.

use super::{Rule, claim, layer};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::EmptyErrorResult,
    name: "empty-error-result",
    layer: layer::CALLS,
    severity: Severity::Fatal,
    summary: "error result without content",
    page: "\
A result says that the tool failed, and nothing else. Providers refuse an error without content.

Repair: a marked placeholder text.
",
    reported_by: &["requests/error_results"],
    check: claim::diagnostics,
};
