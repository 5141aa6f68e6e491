//! TD303 stranded-record.

use super::{Rule, claim, layer};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::StrandedRecord,
    name: "stranded-record",
    layer: layer::TREE,
    severity: Severity::Fatal,
    summary: "a record that belongs on the active branch is not on it",
    page: "\
Part of a pair is on the branch that is sent and part is not: a result whose call hangs beside it, a crash recovery that
left the other calls of its batch behind, a placeholder on the branch with the real output beside it.

Repair: the record is hung where its pair is. A branch that was left on purpose is no finding.
",
    reported_by: &["formats/claude_code", "formats/openhands", "formats/pi"],
    check: claim::diagnostics,
};
