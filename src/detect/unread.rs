//! Sessions of programs whose requests are not known well enough to judge them.

use super::named::Named;
use crate::format::Rank;
use crate::format::signs::{has_strings, is_role};
use crate::format::vocabulary::WordSet;
use crate::json::node::Node;
use crate::json::tape::Kind;

const UNKNOWN: &str = "what its host sends is not known well enough to check it";

/// An exchange of Auggie (`~/.augment/sessions`, the program 0.36.0).
fn is_auggie_exchange(node: Node<'_>) -> bool {
    node.get("exchange").is_some_and(|own| has_strings(own, &["request_message"]))
}

/// A message of Continue, with what was attached to it (`core/util/history.ts`).
fn is_continue_item(node: Node<'_>) -> bool {
    node.has_kind("contextItems", Kind::Array)
        && node.get("message").is_some_and(|own| has_strings(own, &["role"]))
}

/// A message that Cursor writes for its agents (`agent-transcripts/ID.jsonl`): it has nothing but a role and blocks.
fn is_cursor_line(node: Node<'_>) -> bool {
    let message = node.get("message");
    is_role(node, &["user", "assistant"])
        && node.members().count() == 2
        && message
            .is_some_and(|own| own.has_kind("content", Kind::Array) && own.members().count() == 1)
}

pub(super) const ALL: &[Named] = &[
    Named {
        name: "a session of Auggie",
        rank: Rank::Host,
        instead: UNKNOWN,
        words: Some(WordSet::of(&["exchange:{"])),
        sign: |s| s.first_has("agentState") && s.any(is_auggie_exchange),
        explains: is_auggie_exchange,
    },
    Named {
        name: "a session of Continue",
        rank: Rank::Host,
        instead: UNKNOWN,
        words: Some(WordSet::of(&["contextItems:["])),
        sign: |s| s.first_has("workspaceDirectory") && s.any(is_continue_item),
        explains: is_continue_item,
    },
    Named {
        name: "an agent transcript of Cursor",
        rank: Rank::Host,
        instead: "it is a log of the conversation, which Cursor keeps in its database",
        words: Some(WordSet::of(&["message:{"])),
        sign: |s| s.path.is_none() && s.half(is_cursor_line),
        explains: is_cursor_line,
    },
    Named {
        name: "the chat history of Aider",
        rank: Rank::Host,
        instead: "it is Markdown, not a list of messages",
        words: None,
        sign: |s| s.start.trim_ascii_start().starts_with(b"# aider chat started at "),
        explains: |_| true,
    },
];

/// A minimal sample of each.
#[cfg(test)]
pub(super) const SAMPLES: &[(&str, &str)] = &[
    (
        "a session of Auggie",
        r#"{"sessionId":"a","created":"t","modified":"t","chatHistory":[{"exchange":{"request_message":"x","response_text":"y","request_id":"r","request_nodes":[],"response_nodes":[]},"completed":true,"sequenceId":1}],"agentState":{"userGuidelines":"","workspaceGuidelines":""}}"#,
    ),
    (
        "a session of Continue",
        r#"{"sessionId":"a","title":"x","workspaceDirectory":"file:///w","history":[{"message":{"role":"user","content":"x","id":"m"},"contextItems":[]},{"message":{"role":"assistant","content":"","toolCalls":[{"id":"c","type":"function","function":{"name":"ls","arguments":"{}"}}]},"contextItems":[]}]}"#,
    ),
    (
        "an agent transcript of Cursor",
        r#"{"role":"assistant","message":{"content":[{"type":"text","text":"x"},{"type":"tool_use","name":"Shell","input":{"command":"ls"}}]}}"#,
    ),
    ("the chat history of Aider", "\n# aider chat started at 2026-04-19 14:32:01\n\n#### x\n\ny\n"),
];
