//! Formats that are recognized but not supported yet, so that they are not checked as a similar format.

use super::mini_swe_agent::is_response;
use super::named::{Named, NamedSample, has_all, has_block, has_strings, is_role, is_type};
use super::vocabulary::Words;
use crate::json::node::Node;
use crate::json::tape::Kind;

/// Roles of Chat Completions messages, which several hosts store among records of their own.
const CHAT: &[&str] = &["system", "user", "assistant", "tool"];
/// Records of Factory Droid that are not messages.
const DROID: &[&str] = &["todo_state", "compaction_state", "session_end"];
/// Blocks of Anthropic's messages other than texts.
const BLOCKS: &[&str] = &["tool_use", "tool_result", "thinking", "redacted_thinking"];

fn is_list(node: Node<'_>, key: &str) -> bool {
    node.get(key).is_some_and(|list| list.kind() == Kind::Array)
}

/// A Chat Completions message. Messages of goose also have the time when they were created.
fn is_chat(node: Node<'_>) -> bool {
    is_role(node, CHAT)
        && node.get("created").is_none()
        && (node.get("content").is_some() || node.get("tool_calls").is_some())
}

/// A session of Factory Droid: a header, then messages in the shape of Anthropic's.
fn is_droid(node: Node<'_>) -> bool {
    let message = is_type(node, &["message"]) && node.get("message").is_some_and(is_droid_message);
    has_strings(node, &["id"]) && (message || is_droid_header(node) || is_type(node, DROID))
}

/// pi has the same entries, but around its own messages, with blocks and members that Anthropic's do not have.
fn is_droid_message(message: Node<'_>) -> bool {
    let mut blocks = message.items_of("content");
    let own = ["timestamp", "api", "stopReason"]
        .iter()
        .any(|key| message.get(key).is_some());
    is_role(message, &["user", "assistant"])
        && is_list(message, "content")
        && !own
        && blocks
            .all(|block| is_type(block, &["text", "image", "document"]) || is_type(block, BLOCKS))
}

fn is_droid_header(node: Node<'_>) -> bool {
    is_type(node, &["session_start"])
        && ["cwd", "title", "owner"]
            .iter()
            .any(|key| node.get(key).is_some())
}

fn is_droid_sign(node: Node<'_>) -> bool {
    let result =
        |message: Node<'_>| is_role(message, &["user"]) && has_block(message, &["tool_result"]);
    is_droid_header(node)
        || (is_type(node, &["message"]) && node.get("message").is_some_and(result))
}

/// A record of Hermes among Chat Completions messages: the tools and the model.
fn is_hermes_record(node: Node<'_>) -> bool {
    is_role(node, &["session_meta"])
}

fn is_hermes(sample: &NamedSample<'_>) -> bool {
    let keys = ["session_id", "platform", "session_start", "messages"];
    sample.any(is_hermes_record) || sample.first.is_some_and(|first| has_all(first, &keys))
}

/// A message or a part of one in the storage folder of opencode, which has a file for each.
fn is_stored(node: Node<'_>) -> bool {
    let has_id = |prefix: &str| node.string("id").is_some_and(|id| id.starts_with(prefix));
    has_strings(node, &["sessionID"])
        && (has_id("msg_") && is_role(node, &["user", "assistant"])
            || has_id("prt_") && has_strings(node, &["messageID", "type"]))
}

pub(super) const ALL: &[Named] = &[
    Named {
        name: "opencode-storage",
        step: 2,
        instead: Some("export the session (`opencode export SESSION`) and check that"),
        words: Some(Words::of(&["sessionID:"])),
        sign: |s| s.alone && s.first.is_some_and(is_stored),
        explains: is_stored,
    },
    Named {
        name: "factory-droid",
        step: 2,
        instead: None,
        words: Some(Words::of(&["message", "session_start"])),
        sign: |s| s.any(is_droid_sign),
        explains: is_droid,
    },
    Named {
        name: "mini-swe-agent-responses",
        step: 4,
        instead: None,
        words: Some(Words::of(&["trajectory_format:"])),
        sign: |s| s.first_has("trajectory_format") && s.any(is_response),
        explains: |node| {
            ["role", "type", "object"]
                .iter()
                .any(|key| has_strings(node, &[key]))
        },
    },
    Named {
        name: "hermes",
        step: 5,
        instead: None,
        words: Some(Words::of(&["session_meta", "platform:"])),
        sign: is_hermes,
        explains: |node| is_hermes_record(node) || is_chat(node),
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::source::{EntryId, Source};
    use crate::formats::fit::{Detected, What, detect};
    use crate::formats::head::Sample;
    use crate::formats::{self};

    /// A minimal sample of each.
    const SAMPLES: &[(&str, &str)] = &[
        (
            "mini-swe-agent-responses",
            r#"{"trajectory_format":"mini-swe-agent-1.1","info":{},"messages":[{"object":"response","output":[]}]}"#,
        ),
        (
            "opencode-storage",
            r#"{"type":"text","text":"Hi","id":"prt_1","sessionID":"ses_1","messageID":"msg_1"}"#,
        ),
        (
            "opencode-storage",
            "{\n  \"id\": \"msg_1\",\n  \"sessionID\": \"ses_1\",\n  \"role\": \"user\"\n}\n",
        ),
        (
            "factory-droid",
            r#"{"type":"session_start","id":"a","title":"t","owner":"o","version":2}"#,
        ),
        (
            "hermes",
            r#"{"role":"session_meta","tools":[],"model":"m","platform":"telegram"}"#,
        ),
    ];

    #[test]
    fn each_is_recognized_as_nothing_else() {
        for (name, text) in SAMPLES {
            let source = Source::memory(
                "run.json",
                vec![("run.json".to_owned(), text.as_bytes().to_vec())],
            );
            let head = Sample::of_file(&source, EntryId(0), "run.json").unwrap();
            let detected = detect(&head);
            assert!(
                matches!(detected, Detected::Is(What::Named(n)) if n.name == *name),
                "{name}: {detected:?}"
            );
        }
        assert!(
            ALL.iter()
                .all(|unbuilt| SAMPLES.iter().any(|(name, _)| *name == unbuilt.name))
        );
        assert!(
            ALL.iter()
                .all(|unbuilt| formats::by_name(unbuilt.name).is_none()),
            "a built format is listed"
        );
    }
}
