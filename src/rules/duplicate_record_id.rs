//! TD306 duplicate-record-id.

use super::page::{RuleExample, RulePage};
use super::{Rule, layer, reported};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::DuplicateRecordId,
    name: "duplicate-record-id",
    layer: layer::IDS,
    severity: Severity::Error,
    summary: "different records with the same ID",
    page: RulePage {
        fix: "safe or unsafe",
        means: "Two different records have the same ID. The host keeps one of them, and drops or rejects the other. If another program replaced IDs in many records (marks such as \
            `[REDACTED]` or `call_XXXX`, or one ID for all), that is reported once, and nothing \
            is concluded from those IDs.",
        causes: &[
            ("Any host", "two processes on one session"),
            ("Redaction tools", "IDs that were replaced"),
        ],
        repair: "Safe if both records hold the same message: the later one is removed. Otherwise nothing.",
        otherwise: "`transcript-doctor repair --unsafe FILE` gives the later record an ID of its own if nothing refers to it, and removes the record that the host does not use otherwise. If the IDs were replaced by another program, use the original.",
        example: RuleExample {
            from: "pi",
            options: &["--unsafe"],
            diff: br##" {"type":"session","version":3,"id":"s1","timestamp":"2026-01-05T09:00:00Z","cwd":"/w"}
 {"type":"message","id":"m1","parentId":null,"timestamp":"2026-01-05T09:00:01Z","message":{"role":"user","content":"Hi"}}
-{"type":"message","id":"m1","parentId":"m1","timestamp":"2026-01-05T09:00:01Z","message":{"role":"assistant","content":[{"type":"text","text":"Hello"}]}}
+{"type":"message","id":"297bdd3a","parentId":"m1","timestamp":"2026-01-05T09:00:01Z","message":{"role":"assistant","content":[{"type":"text","text":"Hello"}]}}
"##,
        },
    },
    reported_by: &["hosts/claude_code", "shapes/copies", "hosts/pi", "hosts/qwen_code"],
    check: reported::diagnostics,
};
