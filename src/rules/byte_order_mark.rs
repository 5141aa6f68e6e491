//! TD006 byte-order-mark.

use super::{Rule, claim, layer};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::ByteOrderMark,
    name: "byte-order-mark",
    layer: layer::BYTES,
    severity: Severity::Note,
    summary: "a byte order mark before a record",
    page: "\
An editor on Windows wrote the mark EF BB BF. Most readers skip it at the start of a file, hosts that parse each record by
itself refuse it.

Repair: the mark is cut.
",
    reported_by: &["containers"],
    check: claim::diagnostics,
};
