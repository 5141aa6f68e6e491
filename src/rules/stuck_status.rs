//! TD503 stuck-status.

use super::page::Page;
use super::{Rule, layer, reported};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::StuckStatus,
    name: "stuck-status",
    layer: layer::STATE,
    severity: Severity::Warning,
    summary: "status is \"running\" but no process is",
    page: Page {
        fix: "unsafe",
        means: "The saved state says that the conversation is running, waiting, or stuck, but no \
            process has it open and no tool call is pending.",
        causes: &[("OpenHands", "a server that was killed")],
        repair: "Nothing without `--unsafe`.",
        otherwise: "`transcript-doctor repair --unsafe FILE` sets the status to idle.",
        example: None,
    },
    reported_by: &["formats/openhands"],
    check: reported::diagnostics,
};
