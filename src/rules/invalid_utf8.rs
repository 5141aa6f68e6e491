//! TD008 invalid-utf8.

use super::{Rule, claim, layer};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::InvalidUtf8,
    name: "invalid-utf8",
    layer: layer::BYTES,
    severity: Severity::Error,
    summary: "invalid UTF-8",
    page: "\
A record holds bytes that are no UTF-8, mostly a character cut in two by a buffer's end. The rest of it is readable.

Repair: --unsafe replaces them by U+FFFD; what they were is not known.
",
    reported_by: &["containers"],
    check: claim::diagnostics,
};
