//! TD502 record-order.

use super::{Rule, claim, layer};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::RecordOrder,
    name: "record-order",
    layer: layer::NAMES,
    severity: Severity::Error,
    summary: "event numbers with gaps or duplicates, or a wrong file name",
    page: "\
Records are numbered, and the numbers have a gap, stand twice, or say something else than the records themselves. The host
stops at the gap, sees only one of two, or does not find the file.

Repair: a missing answer is filled with a marked error result; a copy or a second result is parked; names follow what the
records say.
",
    reported_by: &["formats/codex", "formats/converse", "formats/openhands", "formats/openhands_v0"],
    check: claim::diagnostics,
};
