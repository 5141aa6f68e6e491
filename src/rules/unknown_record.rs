//! TD010 unknown-record.

use super::page::{RuleExample, RulePage};
use super::{Rule, layer, reported};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::UnknownRecord,
    name: "unknown-record",
    layer: layer::BYTES,
    severity: Severity::Note,
    summary: "a record type or field that this version does not know",
    page: RulePage {
        fix: "nothing to fix",
        means: "A record type or field that this version does not know: a newer host wrote it, or a \
            private extension. It is kept byte for byte. A host that does not know it may refuse \
            the session; if that is certain, the verdict says so. The same note marks lists of \
            messages whose tool calls are plain text (`<tool_call>` tags, Action and Observation \
            lines, commands in fenced blocks): there is nothing to pair.",
        causes: &[
            ("Any host", "a session continued with an older version of the agent"),
        ],
        repair: "Nothing. Open the session with the version that wrote it.",
        otherwise: "",
        example: RuleExample {
            from: "pi",
            options: &[],
            diff: br##" {"type":"session","version":3,"id":"s1","timestamp":"2026-01-05T09:00:00Z","cwd":"/w"}
 {"type":"message","id":"m1","parentId":null,"timestamp":"2026-01-05T09:00:01Z","message":{"role":"user","content":"Hi"}}
 {"type":"telemetry","id":"m2","parentId":"m1","timestamp":"2026-01-05T09:00:02Z"}
 {"type":"message","id":"m3","parentId":"m2","timestamp":"2026-01-05T09:00:03Z","message":{"role":"assistant","content":[{"type":"text","text":"Hello"}]}}
"##,
        },
    },
    reported_by: &["shapes/chat", "hosts/cline_roo", "hosts/codex", "hosts/openai_chat", "hosts/openai_responses", "hosts/openhands", "hosts/pi"],
    check: reported::diagnostics,
};
