//! TD504 host-state.

use super::{Rule, claim, layer};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::HostState,
    name: "host-state",
    layer: layer::STATE,
    severity: Severity::Error,
    summary: "saved state that is missing, unreadable, or from another conversation",
    page: "\
The file in which the host keeps everything but the events cannot be used. The events are still checked; the settings in it
cannot be rebuilt from them. Restore it from a backup, or start a new conversation over a copy of the events.
",
    reported_by: &["formats/converse", "formats/openhands"],
    check: claim::diagnostics,
};
