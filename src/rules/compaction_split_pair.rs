//! TD304 compaction-split-pair.

use super::{Rule, claim, layer};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::CompactionSplitPair,
    name: "compaction-split-pair",
    layer: layer::COMPACTION,
    severity: Severity::Fatal,
    summary: "a compaction separates a tool call from its result",
    page: "\
A compaction, condensation or truncation forgot part of what must stay together (a call and its result, a batch, a thinking
loop), or put its summary in the middle of it.

Repair: what is left of the unit is forgotten as well; where the rest came later than the compaction, the unit is
remembered. A summary goes in front of the unit. Nothing is lost that the host would have shown.
",
    reported_by: &["formats/claude_code", "formats/codex", "formats/converse", "formats/langchain", "formats/openhands", "formats/openhands_v0", "formats/pi"],
    check: claim::diagnostics,
};
