//! TD305 compaction-anchor.

use super::{Rule, claim, layer};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::CompactionAnchor,
    name: "compaction-anchor",
    layer: layer::COMPACTION,
    severity: Severity::Error,
    summary: "a compaction refers to a record that does not exist",
    page: "\
A compaction names records that the recording does not hold, or a place behind its end. Whether that harms depends on the
host.
",
    reported_by: &["formats/claude_code", "formats/converse", "formats/gemini_cli", "formats/langchain", "formats/openhands", "formats/pi"],
    check: claim::diagnostics,
};
