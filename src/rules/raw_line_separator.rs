//! TD007 raw-line-separator.

use super::{Rule, claim, layer};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::RawLineSeparator,
    name: "raw-line-separator",
    layer: layer::BYTES,
    severity: Severity::Error,
    summary: "a raw U+2028, U+2029 or U+0085 in a string",
    page: "\
Legal JSON, but a host that splits lines by Unicode rules tears the record there. Found only for hosts that do.

Repair: the character is escaped; the text stays the same.
",
    reported_by: &["containers"],
    check: claim::diagnostics,
};
