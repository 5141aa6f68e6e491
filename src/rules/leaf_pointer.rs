//! TD501 leaf-pointer.

use super::page::Page;
use super::{Rule, layer, reported};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::LeafPointer,
    name: "leaf-pointer",
    layer: layer::STATE,
    severity: Severity::Error,
    summary: "saved state points to a missing record",
    page: Page {
        fix: "safe or unsafe",
        means: "The host's saved state names the newest record of the active branch, and that record \
            does not exist or is not the newest.",
        causes: &[
            (
                "OpenHands",
                "two servers on one folder; `base_state.json` written before the event",
            ),
            (
                "Claude Code",
                "clocks that jump; bookkeeping records appended to an old branch",
            ),
        ],
        repair: "Safe if only one record can be the newest.",
        otherwise: "`transcript-doctor repair --unsafe FILE` takes the newest of the candidates.",
        example: None,
    },
    reported_by: &["formats/claude_code", "formats/openhands"],
    check: reported::diagnostics,
};
