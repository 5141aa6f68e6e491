//! What the members of records, messages and their blocks hold: one table for each dialect, and for what each host adds.
//!
//! Whether a file is of a format, whether a message says anything, and what a redacted copy keeps follow from it.

mod ai_sdk;
mod anthropic;
mod chat;
mod converse;
mod gemini;
mod responses;
mod shared;
mod strangers;

pub(crate) use strangers::Strangers;

use crate::json::node::Node;
use crate::json::tape::Kind;

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Holding {
    /// The ID of a record, a call, or a conversation.
    Id,
    /// A time, a number, a word, a mark: it describes a record, and says nothing.
    Envelope,
    /// The name of a tool or of who speaks.
    Name,
    /// A text, thinking, or a list of blocks.
    Text,
    Call,
    /// The result of a call, or results.
    Result,
    /// Arguments and schemas of tools. A string is JSON.
    Arguments,
    /// The same, but a list has records.
    Input,
    /// A list of records, which may be JSON text in a string.
    Records,
    /// Bytes of an image or a document, or where they are.
    Media,
    /// Members that describe a record: usage, settings, state.
    Details,
    /// What a gateway or a library adds to the members of an API.
    Extra,
    /// What an API knows, and refuses: leftovers of broken streams.
    Refused,
    /// Anything: the application decides.
    Free,
}

impl Holding {
    /// Whether the member is what a message or a block is there for, even if its value is empty.
    fn is_said(self) -> bool {
        matches!(
            self,
            Holding::Text
                | Holding::Call
                | Holding::Result
                | Holding::Arguments
                | Holding::Input
                | Holding::Media
        )
    }
}

/// Words that hold the same, separated by spaces.
pub(crate) type Words = (Holding, &'static str);

/// The members of a format.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Members {
    /// Those of its own, in addition to those of most formats.
    pub own: &'static [Words],
    /// The shapes of its messages, if it has no host by whose signs it is recognized.
    pub shapes: &'static [Shape],
}

/// One shape of a message, a block, or an object in them.
#[derive(Debug)]
pub(crate) struct Shape {
    /// Which objects have it. The first shape of a list counts.
    pub is: ShapeOf,
    /// Its required members; one of each group.
    pub needs: &'static [&'static [&'static str]],
    /// What its members hold, those of the envelope aside.
    pub members: &'static [(Holding, &'static [&'static str])],
    /// The shapes of the objects in its members.
    pub inside: &'static [(&'static str, &'static [Shape])],
}

/// Which objects have a shape.
#[derive(Debug)]
pub(crate) enum ShapeOf {
    /// Those whose member has one of these words.
    Word(&'static str, &'static [&'static str]),
    /// Those without this member.
    Without(&'static str),
    /// All others.
    All,
}

impl Shape {
    const fn new(
        is: ShapeOf,
        needs: &'static [&'static [&'static str]],
        members: &'static [(Holding, &'static [&'static str])],
    ) -> Shape {
        Shape { is, needs, members, inside: &[] }
    }

    const fn with(self, inside: &'static [(&'static str, &'static [Shape])]) -> Shape {
        Shape { inside, ..self }
    }

    fn fits(&self, object: Node<'_>) -> bool {
        match self.is {
            ShapeOf::Word(key, words) => {
                object.get(key).is_some_and(|value| words.iter().any(|word| value.is_str(word)))
            }
            ShapeOf::Without(key) => object.get(key).is_none(),
            ShapeOf::All => true,
        }
    }

    /// What a member of this shape holds; `None`: it has no such member.
    pub(crate) fn holds(&self, key: &[u8]) -> Option<Holding> {
        let mut rows = self.members.iter();
        let row = rows.find(|(_, keys)| keys.iter().any(|known| known.as_bytes() == key));
        row.map(|(holds, _)| *holds)
    }
}

/// What a member holds in most formats.
pub(crate) fn shared(key: &[u8]) -> Option<Holding> {
    shared::TABLE.get(key).copied()
}

impl Members {
    /// No members of its own.
    pub(crate) const NONE: Members = Members { own: &[], shapes: &[] };

    /// Members of its own.
    pub(crate) const fn own(own: &'static [Words]) -> Members {
        Members { own, shapes: &[] }
    }

    /// The same with these shapes of messages.
    pub(crate) const fn shaped(self, shapes: &'static [Shape]) -> Members {
        Members { shapes, ..self }
    }

    /// All members with what they hold. The last one with a name counts.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&'static str, Holding)> + use<> {
        shared::rows(self.own)
    }

    /// What a member with this key holds; `None`: it is not known.
    pub(crate) fn holds(&self, key: &[u8]) -> Option<Holding> {
        let own = self.own.iter().rev().find(|(_, words)| {
            let mut words = words.split_ascii_whitespace();
            words.any(|word| word.as_bytes() == key)
        });
        own.map(|(holds, _)| *holds).or_else(|| shared(key))
    }

    /// Whether nothing outside the envelope of a record holds anything: no text, call or result in any member, known or not.
    pub(crate) fn is_silent(&self, record: Node<'_>) -> bool {
        !self.says(record, Holding::Free)
    }

    /// Whether a value of a member that holds this says anything.
    fn says(&self, value: Node<'_>, holds: Holding) -> bool {
        match (holds, value.kind()) {
            (Holding::Call, Kind::Object) => value.members().next().is_some(),
            (_, Kind::Object) => value.members().any(|(key, value)| {
                let known = self.holds(&key.text_bytes());
                // Inside what somebody said, an unknown key is somebody's, too.
                let inner = match (known, holds) {
                    (Some(known), _) => known,
                    (None, holds) if holds.is_said() => holds,
                    (None, _) => Holding::Free,
                };
                self.says(value, inner)
            }),
            (_, Kind::Array) => value.items().any(|item| self.says(item, holds)),
            (Holding::Id | Holding::Envelope | Holding::Name, _) => false,
            (_, Kind::String) if holds.is_said() || holds == Holding::Records => {
                !value.is_blank_str()
            }
            (_, Kind::String) => !is_label(value),
            _ => false,
        }
    }
}

/// The longest label.
const LABEL: u32 = 64;

/// Whether a string is at most one word, and not a sentence of one.
fn is_label(string: Node<'_>) -> bool {
    let span = string.span();
    let text = string.text_bytes();
    let text = text.trim_ascii();
    let has_end = text.ends_with(b".") || text.ends_with(b"!") || text.ends_with(b"?");
    span.end - span.start <= LABEL && !has_end && !text.iter().any(u8::is_ascii_whitespace)
}

/// The shapes of each dialect.
pub(crate) mod shapes {
    pub(crate) use super::ai_sdk::{MODEL_MESSAGES, UI_MESSAGES};
    pub(crate) use super::anthropic::MESSAGES as ANTHROPIC;
    pub(crate) use super::chat::MESSAGES as CHAT;
    pub(crate) use super::converse::MESSAGES as CONVERSE;
    pub(crate) use super::gemini::CONTENTS;
    pub(crate) use super::responses::ITEMS;

    /// Those that providers take.
    pub(super) static OF_APIS: [&[super::Shape]; 5] =
        [&CHAT, &ANTHROPIC, &CONVERSE, &CONTENTS, &ITEMS];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::scan::{ScanMode, scan};

    fn with<R>(text: &str, look: impl FnOnce(Node<'_>) -> R) -> R {
        let bytes = text.as_bytes();
        let tape = scan(bytes, ScanMode::Document);
        look(Node::root(&tape, &bytes).unwrap())
    }

    #[test]
    fn an_answer_without_any_text_is_silent() {
        for text in [
            r#"{"role":"assistant"}"#,
            r#"{"role":"assistant","content":"","id":"a","created_at":"2026-03-01 10:00:00"}"#,
            r#"{"role":"assistant","content":[],"usage":{"total_tokens":3},"label":"draft"}"#,
            r#"{"role":"assistant","content":[{"type":"text","text":" "}],"refusal":null}"#,
            r#"{"role":"assistant","content":null,"tool_calls":[],"response_metadata":{"finish_reason":"stop"}}"#,
        ] {
            assert!(with(text, |message| Members::NONE.is_silent(message)), "{text}");
        }
    }

    #[test]
    fn a_text_in_any_member_is_something() {
        for text in [
            r#"{"role":"assistant","text":"Hi"}"#,
            r#"{"role":"assistant","content":null,"parts":[{"type":"text","text":"Hi"}]}"#,
            r#"{"role":"assistant","content":"","note":"two words"}"#,
            r#"{"role":"assistant","content":"","reasoning_content":"so it is"}"#,
            r#"{"role":"assistant","content":"","additional_kwargs":{"tool_calls":[{"id":"a"}]}}"#,
            r#"{"role":"assistant","content":"","picture":{"source":{"data":"iVBORw0KGgo"}}}"#,
        ] {
            assert!(!with(text, |message| Members::NONE.is_silent(message)), "{text}");
        }
    }

    #[test]
    fn a_result_without_the_id_of_its_call_is_two_places() {
        let output =
            r#"{"role":"system","content":[{"type":"tool_result","id":"a","output":"1"}]}"#;
        assert!(strangers(&[output], &shapes::ANTHROPIC).1);
        let flat = r#"{"role":"assistant","tool_calls":[{"id":"a","name":"f","arguments":{}}]}"#;
        assert!(!strangers(&[flat], &shapes::CHAT).1);
        let flat =
            r#"{"role":"assistant","tool_calls":[{"id":"a","name":"f","arguments":{"x":"y"}}]}"#;
        assert!(strangers(&[flat], &shapes::CHAT).1);
    }

    fn strangers(texts: &[&str], shapes: &'static [Shape]) -> (Vec<String>, bool) {
        let mut strangers = Strangers::default();
        for text in texts {
            with(text, |message| strangers.add(message, shapes));
        }
        (strangers.names_beside(&[]), strangers.are_many())
    }

    #[test]
    fn names_in_what_cannot_be_read_count() {
        let many = |names: &[&str], shapes: &'static [Shape]| {
            let mut strangers = Strangers::default();
            names.iter().for_each(|name| strangers.add_name(name, shapes));
            strangers.are_many()
        };
        for name in ["callId", "tool_call", "toolCalls"] {
            assert!(many(&[name], &shapes::CONVERSE), "{name}");
        }
        assert!(!many(&["toolUse", "toolUseId", "toolResult", "meta", "id"], &shapes::CONVERSE));
        assert!(!many(&["tool_calls", "function", "tool_call_id", "content"], &shapes::CHAT));
        // Messages of another API do not make a file foreign.
        assert!(!many(&["tool_use_id", "toolUseId", "call_id"], &shapes::CHAT));
    }

    #[test]
    fn members_beside_complete_ones_are_no_strangers() {
        let texts = [
            r#"{"role":"user","content":"Hi","parts":[{"type":"text","text":"Hi"}],"createdAt":"t"}"#,
            r#"{"role":"assistant","content":"I look","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"},"toolCallId":"a"}],"run":{"text":"x y"}}"#,
            r#"{"role":"tool","tool_call_id":"a","content":"1","toolCallId":"a","output":"1 2"}"#,
            r#"{"role":"assistant","content":"done","text":"done","metadata":{"text":"x y"}}"#,
        ];
        assert_eq!(strangers(&texts, &shapes::CHAT), (Vec::new(), false));
    }

    #[test]
    fn members_instead_of_empty_ones_are_strangers() {
        let texts = [
            r#"{"role":"assistant","content":"I look","toolCalls":[{"id":"a"}]}"#,
            r#"{"role":"tool","toolCallId":"a","content":"1"}"#,
            r#"{"role":"assistant","content":"","text":"done"}"#,
            r#"{"role":"assistant","content":"x","tool_uses":[{"name":"f","args":{}}]}"#,
            r#"{"role":"tool","callId":"a","content":"1"}"#,
        ];
        let (names, are_many) = strangers(&texts, &shapes::CHAT);
        assert_eq!(names, ["toolCalls", "toolCallId", "text", "tool_uses", "callId"]);
        assert!(are_many);
        let text = r#"{"role":"user","content":"Hi"}"#;
        let (names, are_many) = strangers(&[text, texts[2]], &shapes::CHAT);
        assert_eq!((names.len(), are_many), (1, false));
    }

    #[test]
    fn the_only_call_must_be_where_the_dialect_has_it() {
        let call = r#"{"role":"assistant","content":[{"tool_call":{"tool_name":"f"}}]}"#;
        let own = r#"{"role":"assistant","content":[{"toolUse":{"toolUseId":"a","name":"f","input":{}}}]}"#;
        assert!(strangers(&[call], &shapes::CONVERSE).1);
        assert!(!strangers(&[call, own], &shapes::CONVERSE).1);
    }

    #[test]
    fn a_cut_off_message_may_have_the_strangers() {
        let call = r#"{"role":"assistant","content":[{"tool_call":{"tool_name":"#;
        assert!(strangers(&[call], &shapes::CONVERSE).1);
        let result = r#"{"role":"tool","toolCallId":"a","toolName":"f","cont"#;
        assert_eq!(strangers(&[result], &shapes::CHAT).0, ["toolCallId"]);
        // What it would say may be in what is lost.
        let note = r#"{"role":"assistant","note":"two words","cont"#;
        assert_eq!(strangers(&[note], &shapes::CHAT), (Vec::new(), false));
    }

    #[test]
    fn one_stranger_is_enough_where_nothing_is_said() {
        let empty = r#"{"role":"assistant","content":[]}"#;
        let other = r#"{"role":"assistant","content":"","text":"done"}"#;
        assert!(strangers(&[other], &shapes::CHAT).1);
        let torn = |line: &str| {
            let mut strangers = Strangers::default();
            with(empty, |message| strangers.add(message, &shapes::CHAT));
            with(line, |line| strangers.add_line(line, &shapes::CHAT));
            strangers.are_many()
        };
        assert!(torn(r#"{"level":"warn","time":"2026-03-01","msg":"sl"#));
        assert!(!torn(r#"{"tool_call_id":"a","name":"f","cont"#));
        assert!(!torn(r#"{"role":"user","level":"warn","cont"#));
    }

    #[test]
    fn one_stranger_is_enough_where_all_lack_a_member() {
        let other = r#"{"role":"assistant","content":[{"note":"two words"}]}"#;
        let text = r#"{"role":"user","content":[{"text":"x"}]}"#;
        assert!(strangers(&[other, text, text], &shapes::CHAT).1);
        assert!(!strangers(&[other, text], &shapes::CHAT).1);
        let typed = r#"{"role":"user","content":[{"type":"text","text":"x"}]}"#;
        assert!(!strangers(&[other, typed, typed], &shapes::CHAT).1);
        assert!(!strangers(&[text, text, text], &shapes::CHAT).1);
    }
}
