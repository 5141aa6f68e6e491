//! TD010 unknown-record.

use super::{Rule, claim, layer};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::UnknownRecord,
    name: "unknown-record",
    layer: layer::BYTES,
    severity: Severity::Note,
    summary: "a record type or field that this version does not know",
    page: "\
Written by a newer host, or with a private extension. It is carried through byte for byte. A host that does not know it may
refuse the conversation: load it with the version that wrote it. Where it is known to refuse it, the verdict says so: healthy,
but 2 records are of kinds that OpenHands SDK 1.58 does not know.

The same note says that calls and results are plain text in a list of messages (`<tool_call>` tags, Action and Observation
lines, commands in fenced blocks ...): there is nothing to pair, and a healthy verdict says nothing about them.
",
    reported_by: &["formats/chat", "formats/codex", "formats/gemini_cli", "formats/openai_chat", "formats/openai_responses", "formats/openhands", "formats/openhands_v0", "formats/pi"],
    check: claim::diagnostics,
};
