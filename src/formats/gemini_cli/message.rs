//! A message as the host sends it: a turn, and the responses that stand in its `toolCalls`.

use crate::dialects::gemini;
use crate::dialects::{Piece, Places, Spot};
use crate::formats::host_text::{HostText, begins};
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::transcript::PartKind;

/// Where a part of a message stands.
#[derive(Copy, Clone)]
pub(super) enum Seat<'a> {
    /// The content itself, or an item of it.
    Content(Node<'a>),
    /// An item of `toolCalls`, as a call.
    Call(Node<'a>),
    /// The `result` of an item of `toolCalls`, or an item of it.
    Result {
        /// The `result`.
        whole: Node<'a>,
        /// The item, where it is a list.
        item: Option<u32>,
    },
}

/// A part of a message with its place.
pub(super) struct Placed<'a> {
    /// What it is.
    pub piece: Piece<'a>,
    /// Where it stands.
    pub seat: Seat<'a>,
}

impl Placed<'_> {
    /// Whether it is a call of the user, or a response that the model gives: nobody pairs these.
    pub(super) fn is_misplaced(&self, by_model: bool) -> bool {
        let wrong = match self.seat {
            Seat::Content(_) if by_model => gemini::response,
            Seat::Content(_) => gemini::call,
            Seat::Result { .. } => gemini::call,
            Seat::Call(_) => return false,
        };
        let part = match self.seat {
            Seat::Result {
                whole,
                item: Some(at),
            } => whole.items().nth(at as usize),
            Seat::Content(part) | Seat::Call(part) => Some(part),
            Seat::Result { whole, item: None } => Some(whole),
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

/// What is sent of a message, in this order: the parts of its own turn, then the responses. Of
/// these the ones that stand with their own call come first: the host writes them also to the other
/// calls of the batch.
pub(super) fn parts(message: Node<'_>) -> Vec<Placed<'_>> {
    let by_model = is_gemini(message);
    let mut parts = all(message);
    for placed in parts
        .iter_mut()
        .filter(|placed| placed.is_misplaced(by_model))
    {
        placed.piece = Piece::new(PartKind::Media, 0);
    }
    parts
}

/// Whether the model speaks.
pub(super) fn is_gemini(message: Node<'_>) -> bool {
    message.has_str("type", "gemini")
}

/// The same as they are written.
fn all(message: Node<'_>) -> Vec<Placed<'_>> {
    let own = content(message);
    let mut parts: Vec<Placed<'_>> = own
        .iter()
        .map(|part| Placed {
            piece: gemini::piece(*part),
            seat: Seat::Content(*part),
        })
        .collect();
    if !is_gemini(message) {
        return parts;
    }
    let told = own
        .iter()
        .any(|part| gemini::call(*part).is_some() || gemini::is_thought(*part));
    if !told {
        parts.extend(tool_calls(message).map(|call| Placed {
            piece: call_of(call),
            seat: Seat::Call(call),
        }));
    }
    let (with_call, elsewhere): (Vec<_>, Vec<_>) =
        tool_calls(message)
            .flat_map(results)
            .partition(|(placed, call)| {
                let id = call.string("id");
                placed.piece.id().is_none() || placed.piece.id() == id
            });
    parts.extend(
        with_call
            .into_iter()
            .chain(elsewhere)
            .map(|(placed, _)| placed),
    );
    parts
}

fn call_of(call: Node<'_>) -> Piece<'_> {
    let mut piece = Piece::new(PartKind::Call, 0);
    piece.ids = Places::One(Spot::of(call, "id"));
    piece.names = call.get("name").into();
    piece.inputs = Places::One(Spot::of(call, "args"));
    piece
}

/// The responses that stand with a call, each with that call.
fn results(call: Node<'_>) -> Vec<(Placed<'_>, Node<'_>)> {
    let Some(whole) = call.get("result") else {
        return Vec::new();
    };
    match whole.kind() {
        Kind::Array => (0_u32..)
            .zip(whole.items())
            .map(|(at, part)| {
                let seat = Seat::Result {
                    whole,
                    item: Some(at),
                };
                (
                    Placed {
                        piece: gemini::piece(part),
                        seat,
                    },
                    call,
                )
            })
            .collect(),
        Kind::String if whole.span().len() > 2 => {
            let mut piece = Piece::new(PartKind::Result, 0);
            piece.ids = Places::One(Spot::of(call, "id"));
            piece.names = call.get("name").into();
            piece.inputs = Places::One(Spot::At(whole));
            vec![(
                Placed {
                    piece,
                    seat: Seat::Result { whole, item: None },
                },
                call,
            )]
        }
        Kind::Object => {
            vec![(
                Placed {
                    piece: gemini::piece(whole),
                    seat: Seat::Result { whole, item: None },
                },
                call,
            )]
        }
        _ => Vec::new(),
    }
}

/// How many of the parts are of the message's own turn; the rest are the responses to its calls.
pub(super) fn own_parts(parts: &[Placed<'_>]) -> usize {
    parts
        .iter()
        .take_while(|placed| !matches!(placed.seat, Seat::Result { .. }))
        .count()
}

/// Whether the host leaves a message of the user out: nothing in it, a command, or what the host
/// itself says.
pub(super) fn is_passed_over(message: Node<'_>) -> bool {
    let mut text_of_parts = String::new();
    for part in content(message) {
        let text = if part.kind() == Kind::String {
            Some(part)
        } else {
            part.get("text")
        };
        match text
            .and_then(|text| text.str())
            .filter(|_| gemini::response(part).is_none())
        {
            Some(text) => text_of_parts.push_str(&text),
            // The host puts a word in brackets in its place.
            None if gemini::has_data(part) => return false,
            None => {}
        }
        if !text_of_parts.trim_start().is_empty() {
            break;
        }
    }
    let text_of_parts = text_of_parts.trim();
    text_of_parts.is_empty()
        || PASSED
            .iter()
            .any(|own| text_of_parts.starts_with(own.start))
}

/// How commands and the host's own messages begin: it passes them over.
pub(super) const PASSED: &[HostText] = &[
    begins("/"),
    begins("?"),
    begins("<session_context>"),
    begins("<hook_context>"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::scan::{Mode, scan};

    fn with<R>(text: &str, look: impl Fn(Node<'_>) -> R) -> R {
        let bytes = text.as_bytes();
        look(Node::root(&scan(bytes, Mode::Document), &bytes).unwrap())
    }

    #[test]
    fn commands_and_context_are_passed_over() {
        for content in [
            r#""/help""#,
            r#"[]"#,
            r#""  ""#,
            r#"[{"text":" "},{"text":"?"}]"#,
            r#"[{"text":"\n<session_context>x"}]"#,
        ] {
            assert!(
                with(&format!(r#"{{"content":{content}}}"#), is_passed_over),
                "{content}"
            );
        }
        for content in [
            r#""a /b""#,
            r#"[{"functionResponse":{"name":"f"}}]"#,
            r#"[{"inlineData":{}},{"text":"/x"}]"#,
        ] {
            assert!(
                !with(&format!(r#"{{"content":{content}}}"#), is_passed_over),
                "{content}"
            );
        }
    }

    #[test]
    fn own_responses_stand_first() {
        let response = |id: &str| format!(r#"{{"functionResponse":{{"id":"{id}","name":"f"}}}}"#);
        let call = |id: &str| {
            format!(
                r#"{{"id":"{id}","name":"f","result":[{},{}]}}"#,
                response("a"),
                response("b")
            )
        };
        let text = format!(
            r#"{{"type":"gemini","content":"x","toolCalls":[{},{}]}}"#,
            call("a"),
            call("b")
        );
        let ids = with(&text, |message| {
            let parts = parts(message);
            assert_eq!(own_parts(&parts), 3);
            parts
                .iter()
                .filter_map(|p| p.piece.id().map(|id| id.into_owned()))
                .collect::<Vec<_>>()
        });
        assert_eq!(ids, ["a", "b", "a", "b", "b", "a"]);
    }
}
