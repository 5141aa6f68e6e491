//! TD306 duplicate-record-id.

use super::{Rule, claim, layer};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::DuplicateRecordId,
    name: "duplicate-record-id",
    layer: layer::IDS,
    severity: Severity::Error,
    summary: "different records with the same id",
    page: "\
Two records that differ have the same id. The host keeps one of them and drops or refuses the other.

Repair: --unsafe parks the later one.

Where another program replaced the ids, by marks such as `[REDACTED]` or `call_XXXX`, or by one id on at least three records
of more than one kind and on at least half of all that have an id, that is said once, as a warning. Nothing is concluded from
such ids, and no repair rests on them: records are read in the order of the file, and what only their ids, parents or pairs
would tell is not told.
",
    reported_by: &["formats/claude_code", "formats/copies", "formats/pi"],
    check: claim::diagnostics,
};
