//! TD402 missing-input.

use super::{Rule, claim, layer};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::MissingInput,
    name: "missing-input",
    layer: layer::CALLS,
    severity: Severity::Fatal,
    summary: "tool call without arguments",
    page: "\
A call has no arguments at all, not even empty ones. Providers refuse it; some hosts drop the call and its real result with
it.

Repair: the call gets empty arguments, {}.
",
    reported_by: &["formats/items", "requests/arguments"],
    check: claim::diagnostics,
};
