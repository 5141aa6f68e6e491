//! TD503 stuck-status.

use super::{Rule, claim, layer};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::StuckStatus,
    name: "stuck-status",
    layer: layer::STATE,
    severity: Severity::Warning,
    summary: "status is \"running\" but no process is",
    page: "\
The host's state says that the conversation is running, waiting or stuck, but nobody holds it and no call is pending.

Repair: --unsafe sets the status to idle.
",
    reported_by: &["formats/openhands"],
    check: claim::diagnostics,
};
