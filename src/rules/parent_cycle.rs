//! TD302 parent-cycle.

use super::{Rule, claim, layer};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::ParentCycle,
    name: "parent-cycle",
    layer: layer::TREE,
    severity: Severity::Error,
    summary: "records that are each other's ancestors",
    page: "\
Following the parents comes back to where it began. The edge that cannot be true is the one whose parent stands later.

Repair: --unsafe cuts that edge and hangs the record on the one before it. In a Claude Code session it is safe where the first
record of the file closes the circle, unless the messages would then be hidden.
",
    reported_by: &["formats/claude_code", "formats/openhands", "formats/pi"],
    check: claim::diagnostics,
};
