//! TD504 host-state.

use super::page::Page;
use super::{Rule, layer, reported};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::HostState,
    name: "host-state",
    layer: layer::STATE,
    severity: Severity::Error,
    summary: "saved state that is missing, unreadable, or from another conversation",
    page: Page {
        fix: "unsafe or you decide",
        means: "The file with the conversation's settings and status cannot be used. The events are \
            still checked, but the settings cannot be rebuilt from them.",
        causes: &[
            (
                "OpenHands",
                "`base_state.json` cut off or copied from another conversation",
            ),
            ("Strands", "`agent.json` cut off"),
        ],
        repair: "Nothing.",
        otherwise: "Restore the file from a backup, or start a new conversation with a copy of the events. `transcript-doctor repair --unsafe FILE` sets a status that the host does not know to idle.",
        example: None,
    },
    reported_by: &["formats/converse", "formats/openhands"],
    check: reported::diagnostics,
};
