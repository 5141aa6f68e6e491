//! TD005 nul-padding.

use super::{Rule, claim, layer};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::NulPadding,
    name: "nul-padding",
    layer: layer::BYTES,
    severity: Severity::Error,
    summary: "NUL bytes around a record",
    page: "\
After a power loss some file systems leave NUL bytes where data was promised but never written.

Repair: the NUL bytes are cut. They hold nothing.
",
    reported_by: &["containers"],
    check: claim::diagnostics,
};
