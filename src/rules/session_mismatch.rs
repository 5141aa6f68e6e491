//! TD307 session-mismatch.

use super::{Rule, claim, layer};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::SessionMismatch,
    name: "session-mismatch",
    layer: layer::IDS,
    severity: Severity::Warning,
    summary: "records from another session",
    page: "\
The id in the first record is not the one in the file's name, or a second first record names another session. Hosts find the
recording by one of them and refuse it, or mix two sessions up.

Repair: --unsafe gives the record the id of the file's name.
",
    reported_by: &["formats/claude_code", "formats/pi"],
    check: claim::diagnostics,
};
