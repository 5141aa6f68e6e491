//! TD501 leaf-pointer.

use super::{Rule, claim, layer};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::LeafPointer,
    name: "leaf-pointer",
    layer: layer::STATE,
    severity: Severity::Error,
    summary: "saved state points to a missing record",
    page: "\
The host's state names the newest record of the active branch, and that record does not exist.

Repair: safe where only one record of the log has no child; otherwise --unsafe takes the youngest of them.
",
    reported_by: &["formats/claude_code", "formats/openhands"],
    check: claim::diagnostics,
};
