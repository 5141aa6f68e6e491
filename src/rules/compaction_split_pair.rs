//! TD304 compaction-split-pair.

use super::page::{RuleExample, RulePage};
use super::{Rule, layer, reported};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::CompactionSplitPair,
    name: "compaction-split-pair",
    layer: layer::COMPACTION,
    severity: Severity::Fatal,
    summary: "a compaction separates a tool call from its result",
    page: RulePage {
        fix: "safe or unsafe",
        means: "A compaction, condensation, or truncation separates what must stay together: a tool \
            call and its result, parallel calls, or a tool loop with thinking. Or its summary is \
            in the middle of it.",
        causes: &[
            ("OpenHands", "a condenser that counts events"),
            ("pi, OpenClaw", "a cut between a call and its result"),
            ("Codex", "a compaction while a tool ran"),
            ("LangChain", "`trim_messages`, a summarization middleware"),
        ],
        repair: "The compaction also covers the rest of the pair. If part of the pair came after the compaction, the whole pair is kept instead. A summary in the middle of a pair moves before it. Nothing that the host would have sent is lost.",
        otherwise: "If the transcript does not show where the cut belongs, `transcript-doctor repair --unsafe FILE` moves it.",
        example: RuleExample {
            from: "pi",
            options: &[],
            diff: br##" {"type":"session","version":3,"id":"s1","timestamp":"2026-01-05T09:00:00Z","cwd":"/w"}
 {"type":"message","id":"m1","parentId":null,"timestamp":"2026-01-05T09:00:01Z","message":{"role":"user","content":"Go"}}
 {"type":"message","id":"m2","parentId":"m1","timestamp":"2026-01-05T09:00:02Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"call_1","name":"ls","arguments":{}}]}}
 {"type":"message","id":"m3","parentId":"m2","timestamp":"2026-01-05T09:00:03Z","message":{"role":"toolResult","toolCallId":"call_1","toolName":"ls","content":[{"type":"text","text":"a.txt"}]}}
-{"type":"compaction","id":"m4","parentId":"m3","timestamp":"2026-01-05T09:00:04Z","summary":"Listed files.","firstKeptEntryId":"m3","tokensBefore":100}
+{"type":"compaction","id":"m4","parentId":"m3","timestamp":"2026-01-05T09:00:04Z","summary":"Listed files.","firstKeptEntryId":"m2","tokensBefore":100}
 {"type":"message","id":"m5","parentId":"m4","timestamp":"2026-01-05T09:00:05Z","message":{"role":"user","content":"Go on"}}
"##,
        },
    },
    reported_by: &["shapes/chat", "hosts/claude_code", "hosts/codex", "hosts/converse", "hosts/langchain", "hosts/openhands", "hosts/openhands_v0", "hosts/pi", "format/split_pairs"],
    check: reported::diagnostics,
};
