//! TD301 broken-parent.

use super::{Rule, claim, layer};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::BrokenParent,
    name: "broken-parent",
    layer: layer::TREE,
    severity: Severity::Error,
    summary: "a parent that does not exist, or a second first record",
    page: "\
A record names a parent that does not exist, or says that it is the first although history stands before it. The host
refuses to load the conversation, or silently hides all that stands above.

Repair: safe where exactly one record before it has no child, so that nothing else can be meant, and where a result hangs
beside its call. Otherwise --unsafe takes the youngest candidate.
",
    reported_by: &["formats/claude_code", "formats/openhands", "formats/pi"],
    check: claim::diagnostics,
};
