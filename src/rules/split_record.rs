//! TD004 split-record.

use super::{Rule, claim, layer};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::SplitRecord,
    name: "split-record",
    layer: layer::BYTES,
    severity: Severity::Error,
    summary: "a raw line feed splits one record over several lines",
    page: "\
A control character stands raw inside a string: JSON demands that it is escaped. A raw line feed tears a record of a line
file over several lines; in a file of its own the host's parser refuses the record.

Repair: the character is escaped, and the lines are one again. Safe, because the union is one record and nothing else.
",
    reported_by: &["containers"],
    check: claim::diagnostics,
};
