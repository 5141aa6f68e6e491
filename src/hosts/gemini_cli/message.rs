//! A message as the host sends it: its own turn, and the responses in its `toolCalls`.

use crate::dialects::gemini;
use crate::dialects::{MemberRef, Piece, Places};
use crate::format::host_text::{HostText, begins};
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::transcript::PartKind;

/// Where a part of a message is.
#[derive(Copy, Clone)]
pub(super) enum PartLocation<'a> {
    /// The content itself, or an item of it.
    Content(Node<'a>),
    /// An item of `toolCalls`, as a call.
    Call(Node<'a>),
    /// The `result` of an item of `toolCalls`, or an item of it.
    Result {
        /// The `result`.
        whole: Node<'a>,
        /// The index of the item, if it is a list.
        item: Option<u32>,
    },
}

/// A part of a message with its place.
pub(super) struct PlacedPart<'a> {
    pub piece: Piece<'a>,
    pub location: PartLocation<'a>,
}

impl PlacedPart<'_> {
    /// Whether it is a call in a user message, or a response in the content of a model message: the
    /// client pairs neither.
    pub(super) fn is_misplaced(&self, by_model: bool) -> bool {
        let wrong = match self.location {
            PartLocation::Content(_) if by_model => gemini::response,
            PartLocation::Content(_) => gemini::call,
            PartLocation::Result { .. } => gemini::call,
            PartLocation::Call(_) => return false,
        };
        let part = match self.location {
            PartLocation::Result { whole, item: Some(at) } => whole.items().nth(at as usize),
            PartLocation::Content(part) | PartLocation::Call(part) => Some(part),
            PartLocation::Result { whole, item: None } => Some(whole),
        };
        part.and_then(wrong).is_some()
    }
}

/// The items of `toolCalls`.
pub(super) fn tool_calls(message: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    message.items_of("toolCalls")
}

/// The parts of `content`.
fn content(message: Node<'_>) -> Vec<Node<'_>> {
    match message.get("content") {
        Some(list) if list.kind() == Kind::Array => list.items().collect(),
        Some(one) if matches!(one.kind(), Kind::String | Kind::Object) => vec![one],
        _ => Vec::new(),
    }
}

/// The parts of a message in the order in which they are sent: its own turn, then the responses.
/// Responses stored with their own call come first, because the host also writes them to the other
/// calls of the batch.
pub(super) fn parts(message: Node<'_>) -> Vec<PlacedPart<'_>> {
    let by_model = is_gemini(message);
    let mut parts = all(message);
    for placed in parts.iter_mut().filter(|placed| placed.is_misplaced(by_model)) {
        placed.piece = Piece::new(PartKind::Media, 0);
    }
    parts
}

/// The pieces of a message.
pub(super) fn pieces(message: Node<'_>) -> Vec<Piece<'_>> {
    parts(message).into_iter().map(|placed| placed.piece).collect()
}

/// Whether the message is the model's.
pub(super) fn is_gemini(message: Node<'_>) -> bool {
    message.has_str("type", "gemini")
}

/// The same parts, including misplaced ones.
fn all(message: Node<'_>) -> Vec<PlacedPart<'_>> {
    let own = content(message);
    let mut parts: Vec<PlacedPart<'_>> = own
        .iter()
        .map(|part| PlacedPart {
            piece: gemini::piece(*part),
            location: PartLocation::Content(*part),
        })
        .collect();
    if !is_gemini(message) {
        return parts;
    }
    let has_own_calls =
        own.iter().any(|part| gemini::call(*part).is_some() || gemini::is_thought(*part));
    if !has_own_calls {
        parts.extend(
            tool_calls(message).map(|call| PlacedPart {
                piece: call_of(call),
                location: PartLocation::Call(call),
            }),
        );
    }
    let (with_call, elsewhere): (Vec<_>, Vec<_>) =
        tool_calls(message).flat_map(results).partition(|(placed, call)| {
            let id = call.string("id");
            placed.piece.id().is_none() || placed.piece.id() == id
        });
    parts.extend(with_call.into_iter().chain(elsewhere).map(|(placed, _)| placed));
    parts
}

fn call_of(call: Node<'_>) -> Piece<'_> {
    let mut piece = Piece::new(PartKind::Call, 0);
    piece.ids = Places::One(MemberRef::of(call, "id"));
    piece.names = call.get("name").into();
    piece.inputs = Places::One(MemberRef::of(call, "args"));
    piece
}

/// The responses stored with a call, each with that call.
fn results(call: Node<'_>) -> Vec<(PlacedPart<'_>, Node<'_>)> {
    let Some(whole) = call.get("result") else {
        return Vec::new();
    };
    match whole.kind() {
        Kind::Array => (0_u32..)
            .zip(whole.items())
            .map(|(at, part)| {
                let location = PartLocation::Result { whole, item: Some(at) };
                (PlacedPart { piece: gemini::piece(part), location }, call)
            })
            .collect(),
        // Two quotes are an empty string, which answers nothing.
        Kind::String if whole.span().len() > 2 => {
            let mut piece = Piece::new(PartKind::Result, 0);
            piece.ids = Places::One(MemberRef::of(call, "id"));
            piece.names = call.get("name").into();
            piece.inputs = Places::One(MemberRef::At(whole));
            vec![(PlacedPart { piece, location: PartLocation::Result { whole, item: None } }, call)]
        }
        Kind::Object => {
            vec![(
                PlacedPart {
                    piece: gemini::piece(whole),
                    location: PartLocation::Result { whole, item: None },
                },
                call,
            )]
        }
        _ => Vec::new(),
    }
}

/// The number of parts in the message's own turn; the others are responses to its calls.
pub(super) fn own_parts(parts: &[PlacedPart<'_>]) -> usize {
    parts
        .iter()
        .take_while(|placed| !matches!(placed.location, PartLocation::Result { .. }))
        .count()
}

/// Whether the host does not send a user message: it is empty, a command, or the host's own text.
pub(super) fn is_skipped(message: Node<'_>) -> bool {
    let mut text_of_parts = String::new();
    for part in content(message) {
        let text = if part.kind() == Kind::String { Some(part) } else { part.get("text") };
        match text.and_then(|text| text.str()).filter(|_| gemini::response(part).is_none()) {
            Some(text) => text_of_parts.push_str(&text),
            // The host replaces data by a word in brackets.
            None if gemini::has_data(part) => return false,
            None => {}
        }
        if !text_of_parts.trim_start().is_empty() {
            break;
        }
    }
    let text_of_parts = text_of_parts.trim();
    text_of_parts.is_empty()
        || SKIPPED.iter().any(|skipped| text_of_parts.starts_with(skipped.start))
}

/// Beginnings of commands and of the host's own messages, which it does not send.
pub(super) const SKIPPED: &[HostText] =
    &[begins("/"), begins("?"), begins("<session_context>"), begins("<hook_context>")];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::scan::{ScanMode, scan};

    fn with<R>(text: &str, look: impl Fn(Node<'_>) -> R) -> R {
        let bytes = text.as_bytes();
        look(Node::root(&scan(bytes, ScanMode::Document), &bytes).unwrap())
    }

    #[test]
    fn commands_and_context_are_skipped() {
        for content in [
            r#""/help""#,
            r#"[]"#,
            r#""  ""#,
            r#"[{"text":" "},{"text":"?"}]"#,
            r#"[{"text":"\n<session_context>x"}]"#,
        ] {
            assert!(with(&format!(r#"{{"content":{content}}}"#), is_skipped), "{content}");
        }
        for content in [
            r#""a /b""#,
            r#"[{"functionResponse":{"name":"f"}}]"#,
            r#"[{"inlineData":{}},{"text":"/x"}]"#,
        ] {
            assert!(!with(&format!(r#"{{"content":{content}}}"#), is_skipped), "{content}");
        }
    }

    #[test]
    fn responses_with_their_own_call_come_first() {
        let response = |id: &str| format!(r#"{{"functionResponse":{{"id":"{id}","name":"f"}}}}"#);
        let call = |id: &str| {
            format!(r#"{{"id":"{id}","name":"f","result":[{},{}]}}"#, response("a"), response("b"))
        };
        let text = format!(
            r#"{{"type":"gemini","content":"x","toolCalls":[{},{}]}}"#,
            call("a"),
            call("b")
        );
        let ids = with(&text, |message| {
            let parts = parts(message);
            assert_eq!(own_parts(&parts), 3);
            parts.iter().filter_map(|p| p.piece.id().map(|id| id.into_owned())).collect::<Vec<_>>()
        });
        assert_eq!(ids, ["a", "b", "a", "b", "b", "a"]);
    }
}
