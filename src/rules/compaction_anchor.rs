//! TD305 compaction-anchor.

use super::page::{RuleExample, RulePage};
use super::{Rule, layer, reported};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::CompactionAnchor,
    name: "compaction-anchor",
    layer: layer::COMPACTION,
    severity: Severity::Error,
    summary: "a compaction refers to a record that does not exist",
    page: RulePage {
        fix: "unsafe or you decide",
        means: "A compaction names records that do not exist, or a place after the end. What that \
            does depends on the host: pi sends only the summary, and Claude Code leaves the \
            records out.",
        causes: &[
            ("Claude Code, pi, OpenClaw", "records that were removed by hand after the compaction"),
            ("Gemini CLI", "a rewind to a message of another file"),
        ],
        repair: "Nothing: the transcript does not show which records should have been kept.",
        otherwise: "`transcript-doctor repair --unsafe FILE`, where the format allows it, keeps what is \
            directly before the compaction.",
        example: RuleExample {
            from: "pi",
            options: &["--unsafe"],
            diff: br##" {"type":"session","version":3,"id":"s1","timestamp":"2026-01-05T09:00:00Z","cwd":"/w"}
 {"type":"message","id":"m1","parentId":null,"timestamp":"2026-01-05T09:00:01Z","message":{"role":"user","content":"Go"}}
 {"type":"message","id":"m2","parentId":"m1","timestamp":"2026-01-05T09:00:02Z","message":{"role":"assistant","content":[{"type":"text","text":"Hello"}]}}
-{"type":"compaction","id":"m4","parentId":"m2","timestamp":"2026-01-05T09:00:04Z","summary":"Listed files.","firstKeptEntryId":"m9","tokensBefore":100}
+{"type":"compaction","id":"m4","parentId":"m2","timestamp":"2026-01-05T09:00:04Z","summary":"Listed files.","firstKeptEntryId":"m1","tokensBefore":100}
 {"type":"message","id":"m5","parentId":"m4","timestamp":"2026-01-05T09:00:05Z","message":{"role":"user","content":"Go on"}}
"##,
        },
    },
    reported_by: &["hosts/claude_code", "hosts/converse", "hosts/droid", "hosts/gemini_cli", "hosts/langchain", "hosts/langgraph_checkpoints", "hosts/opencode", "hosts/openhands", "hosts/pi"],
    check: reported::diagnostics,
};
