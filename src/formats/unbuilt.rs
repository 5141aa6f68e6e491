//! Formats that are recognized but not supported yet, so that they are not checked as a similar format.

use super::named::{Named, NamedSample, has_all, is_role};
use super::vocabulary::WordSet;
use crate::json::node::Node;

/// Roles of Chat Completions messages, which several hosts store among records of their own.
const CHAT: &[&str] = &["system", "user", "assistant", "tool"];
/// A Chat Completions message. Messages of goose also have the time when they were created.
fn is_chat(node: Node<'_>) -> bool {
    is_role(node, CHAT)
        && node.get("created").is_none()
        && (node.get("content").is_some() || node.get("tool_calls").is_some())
}

/// A record of Hermes among Chat Completions messages: the tools and the model.
fn is_hermes_record(node: Node<'_>) -> bool {
    is_role(node, &["session_meta"])
}

fn is_hermes(sample: &NamedSample<'_>) -> bool {
    let keys = ["session_id", "platform", "session_start", "messages"];
    sample.any(is_hermes_record) || sample.first.is_some_and(|first| has_all(first, &keys))
}

pub(super) const ALL: &[Named] = &[Named {
    name: "hermes",
    step: 5,
    instead: None,
    words: Some(WordSet::of(&["session_meta", "platform:"])),
    sign: is_hermes,
    explains: |node| is_hermes_record(node) || is_chat(node),
}];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::source::{EntryId, Source};
    use crate::formats::fit::{Detected, Recognized, detect};
    use crate::formats::head::Sample;
    use crate::formats::{self};

    /// A minimal sample of each.
    const SAMPLES: &[(&str, &str)] = &[(
        "hermes",
        r#"{"role":"session_meta","tools":[],"model":"m","platform":"telegram"}"#,
    )];

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
                matches!(detected, Detected::Is(Recognized::Named(n)) if n.name == *name),
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
