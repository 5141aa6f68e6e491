//! TD014 missing-final-newline.

use super::{Rule, claim, layer};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::MissingFinalNewline,
    name: "missing-final-newline",
    layer: layer::BYTES,
    severity: Severity::Note,
    summary: "no newline at end of file",
    page: "\
The last record is whole but no line feed follows. The next append would be glued to it where the host does not look.

Repair: only on request (--only TD014): a line ending in the file's own style.
",
    reported_by: &["containers"],
    check: claim::diagnostics,
};
