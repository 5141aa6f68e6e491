//! TD012 repeated-record.

use super::{Rule, claim, layer};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::RepeatedRecord,
    name: "repeated-record",
    layer: layer::IDS,
    severity: Severity::Warning,
    summary: "the same record stored twice",
    page: "\
The same bytes with the same id are there twice: a replayed write, or two dumps pasted together.

Repair: the later copy is parked.
",
    reported_by: &["formats/copies", "formats/pi"],
    check: claim::diagnostics,
};
