//! TD410 foreign-block.

use super::page::{RuleExample, RulePage};
use super::{Rule, layer, reported};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::ForeignBlock,
    name: "foreign-block",
    layer: layer::CALLS,
    severity: Severity::Fatal,
    summary: "a block or message type that the host or provider does not know",
    page: RulePage {
        fix: "safe, unsafe, or you decide",
        means: "A block or message is written as another program writes it: its type or ID field has \
            another name, or it belongs to another provider. The host leaves it out, or sends \
            what the provider rejects. Anthropic also rejects more than 4 cache breakpoints, which it counts in the \
            tools, the system prompt and the messages together.",
        causes: &[
            ("A change of the provider", "blocks that only the old one knows"),
            ("Converters", "`toolUse` instead of `toolCall`, `tool_use` messages of another API"),
        ],
        repair: "Changes names if nothing else differs. Removes the oldest cache breakpoints of messages.",
        otherwise: "`transcript-doctor repair --unsafe FILE` moves a block to a message where it is allowed, keeps its text, or removes it. For the rest, edit the block: only you know what was meant.",
        example: RuleExample {
            from: "pi",
            options: &[],
            diff: br##" {"type":"session","version":3,"id":"s1","timestamp":"2026-01-05T09:00:00Z","cwd":"/w"}
-{"type":"message","id":"m1","parentId":null,"timestamp":"2026-01-05T09:00:01Z","message":{"role":"assistant","content":[{"type":"toolUse","id":"call_1","name":"ls","input":{}}]}}
+{"type":"message","id":"m1","parentId":null,"timestamp":"2026-01-05T09:00:01Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"call_1","name":"ls","arguments":{}}]}}
 {"type":"message","id":"m2","parentId":"m1","timestamp":"2026-01-05T09:00:02Z","message":{"role":"toolResult","toolCallId":"call_1","toolName":"ls","content":[{"type":"text","text":"a.txt"}]}}
 {"type":"message","id":"m3","parentId":"m2","timestamp":"2026-01-05T09:00:03Z","message":{"role":"user","content":"Go on"}}
"##,
        },
    },
    reported_by: &["hosts/ai_sdk_ui", "hosts/anthropic", "hosts/converse", "hosts/gemini_contents", "hosts/goose", "hosts/langchain", "hosts/pi", "requests/cache_marks", "requests/foreign_parts", "requests/hosted_pairs"],
    check: reported::diagnostics,
};
