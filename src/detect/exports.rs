//! What chat services export for their users. It is a copy: no request is made from it, so nothing in it can be stuck.

use super::named::Named;
use crate::format::Rank;
use crate::format::signs::{has_all, has_strings};
use crate::format::vocabulary::WordSet;
use crate::json::node::Node;
use crate::json::tape::Kind;

const COPY: &str =
    "it is a copy: the service has the conversation, and makes no request from this file";

/// A conversation of ChatGPT: nodes by ID, each with its parent and its children.
fn is_of_chatgpt(node: Node<'_>) -> bool {
    let nodes = node.get("mapping").filter(|nodes| nodes.kind() == Kind::Object);
    let first = nodes.and_then(|nodes| nodes.members().next());
    first.is_some_and(|(_, first)| has_all(first, &["parent", "children"]))
}

/// A conversation of claude.ai.
fn is_of_claude_ai(node: Node<'_>) -> bool {
    has_strings(node, &["uuid", "name"]) && node.has_kind("chat_messages", Kind::Array)
}

/// A chat of Open WebUI: messages by ID, and the one that is shown.
fn is_of_open_webui(node: Node<'_>) -> bool {
    let history = node.at(&["chat", "history"]).or_else(|| node.get("history"));
    history.is_some_and(|history| {
        history.has_kind("messages", Kind::Object) && history.get("currentId").is_some()
    })
}

/// A conversation of LibreChat, or a message of one.
fn is_of_librechat(node: Node<'_>) -> bool {
    has_all(node, &["conversationId", "exportAt", "recursive"])
        || has_all(node, &["messageId", "isCreatedByUser", "text"])
}

/// A prompt that Google AI Studio saves.
fn is_of_ai_studio(node: Node<'_>) -> bool {
    node.at(&["chunkedPrompt", "chunks"]).is_some_and(|chunks| chunks.kind() == Kind::Array)
}

pub(super) const ALL: &[Named] = &[
    Named {
        name: "an export of ChatGPT",
        rank: Rank::Host,
        instead: COPY,
        words: Some(WordSet::of(&["mapping:{"])),
        sign: |s| s.any(is_of_chatgpt),
        explains: is_of_chatgpt,
    },
    Named {
        name: "an export of claude.ai",
        rank: Rank::Host,
        instead: COPY,
        words: Some(WordSet::of(&["chat_messages:["])),
        sign: |s| s.any(is_of_claude_ai),
        explains: is_of_claude_ai,
    },
    Named {
        name: "an export of Open WebUI",
        rank: Rank::Host,
        instead: COPY,
        words: Some(WordSet::of(&["chat:{", "history:{"])),
        sign: |s| s.any(is_of_open_webui),
        explains: is_of_open_webui,
    },
    Named {
        name: "an export of LibreChat",
        rank: Rank::Host,
        instead: COPY,
        words: Some(WordSet::of(&["exportAt:-"])),
        sign: |s| s.first.is_some_and(is_of_librechat),
        explains: is_of_librechat,
    },
    Named {
        name: "a prompt of Google AI Studio",
        rank: Rank::Host,
        instead: COPY,
        words: Some(WordSet::of(&["chunkedPrompt:{"])),
        sign: |s| s.any(is_of_ai_studio),
        explains: is_of_ai_studio,
    },
];

/// A minimal sample of each, as their documentation and public converters show them.
#[cfg(test)]
pub(super) const SAMPLES: &[(&str, &str)] = &[
    (
        "an export of ChatGPT",
        r#"[{"title":"t","create_time":1.5,"mapping":{"a":{"id":"a","message":{"author":{"role":"user"},"content":{"content_type":"text","parts":["x"]}},"parent":null,"children":[]}},"current_node":"a"}]"#,
    ),
    (
        "an export of claude.ai",
        r#"[{"uuid":"u","name":"t","created_at":"2026-01-01T00:00:00Z","chat_messages":[{"uuid":"m","text":"x","sender":"human"}]}]"#,
    ),
    (
        "an export of Open WebUI",
        r#"[{"id":"a","user_id":"u","title":"t","chat":{"title":"t","models":["m"],"history":{"messages":{"b":{"id":"b","parentId":null,"childrenIds":[],"role":"user","content":"x"}},"currentId":"b"},"messages":[{"id":"b","role":"user","content":"x"}]}}]"#,
    ),
    (
        "an export of LibreChat",
        r#"{"conversationId":"c","endpoint":"openAI","title":"t","exportAt":"10:00:00","branches":false,"recursive":false,"messages":[{"messageId":"m","parentMessageId":"p","text":"x","sender":"User","isCreatedByUser":true}]}"#,
    ),
    (
        "a prompt of Google AI Studio",
        r#"{"runSettings":{"model":"models/m"},"systemInstruction":{},"chunkedPrompt":{"chunks":[{"text":"x","role":"user"},{"text":"y","role":"model"}],"pendingInputs":[]}}"#,
    ),
];
