//! TD011 bad-header.

use super::page::{RuleExample, RulePage};
use super::{Rule, layer, reported};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::BadHeader,
    name: "bad-header",
    layer: layer::IDS,
    severity: Severity::Error,
    summary: "the session header is missing or truncated",
    page: RulePage {
        fix: "safe or unsafe",
        means: "The record that a session must start with is cut off or missing. The host refuses the file, or treats it as empty and overwrites it. Copy the file before you open it \
            with the host.",
        causes: &[
            ("pi, OpenClaw", "a crash in the first write"),
            ("Codex", "a rollout file that was cut at its start"),
            ("Gemini CLI", "a chat that was copied without its first line"),
        ],
        repair: "Safe if the ID, time, and folder of the session are known from the file name, from \
            what is left of the record, or from its neighbors.",
        otherwise: "`transcript-doctor repair --unsafe FILE` makes up what is missing.",
        example: RuleExample {
            from: "pi",
            options: &["--unsafe"],
            diff: br##"+{"type":"session","version":3,"id":"2ceeba80-3d6b-83c8-a1ff-c5ee2a91de99","timestamp":"2026-01-05T09:00:01.000Z","cwd":"/"}
 {"type":"message","id":"m1","parentId":null,"timestamp":"2026-01-05T09:00:01Z","message":{"role":"user","content":"Hi"}}
 {"type":"message","id":"m2","parentId":"m1","timestamp":"2026-01-05T09:00:02Z","message":{"role":"assistant","content":[{"type":"text","text":"Hello"}]}}
"##,
        },
    },
    reported_by: &["shapes/chat", "hosts/codex", "hosts/gemini_cli", "hosts/pi"],
    check: reported::diagnostics,
};
