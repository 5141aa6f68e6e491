//! Turns of the Gemini API. A part is an object with one member for its data, in camel case or snake case.

use super::piece::{MemberRef, Piece, PieceHome, Places};
use super::placeholders;
use crate::json::build::NewValue;
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::transcript::{Origin, PartKind};

/// The members with the data of a part.
pub(super) const DATA: &[&str] = &[
    "text",
    "inlineData",
    "inline_data",
    "fileData",
    "file_data",
    "functionCall",
    "function_call",
    "functionResponse",
    "function_response",
    "executableCode",
    "executable_code",
    "codeExecutionResult",
    "code_execution_result",
];

/// Members of a part that only have a meaning next to its data.
const BESIDE: &[&str] =
    &["thought", "videoMetadata", "video_metadata", "mediaResolution", "media_resolution"];

/// The placeholder for a missing signature, which makes the API skip its check.
pub(crate) const SKIP: &str = "skip_thought_signature_validator";

/// A member in either spelling, unless it is null.
fn member<'a>(node: Node<'a>, camel: &str, snake: &str) -> Option<Node<'a>> {
    let mut members = [camel, snake].into_iter().filter_map(|key| node.get(key));
    members.find(|value| !value.is_null())
}

/// The call of a part.
pub(crate) fn call(part: Node<'_>) -> Option<Node<'_>> {
    member(part, "functionCall", "function_call")
}

/// The response of a part.
pub(crate) fn response(part: Node<'_>) -> Option<Node<'_>> {
    member(part, "functionResponse", "function_response")
}

/// The thought signature of a part.
pub(crate) fn signature(part: Node<'_>) -> Option<Node<'_>> {
    member(part, "thoughtSignature", "thought_signature").filter(|text| !text.is_blank_str())
}

/// The spelling of the signature's key that fits a part.
pub(crate) fn signature_key(part: Node<'_>) -> &'static str {
    if part.get("function_call").is_some() { "thought_signature" } else { "thoughtSignature" }
}

/// Whether a part is thinking.
pub(crate) fn is_thought(part: Node<'_>) -> bool {
    part.get("thought").is_some_and(|thought| thought.as_bool() == Some(true))
}

/// Whether a part has data.
pub(crate) fn has_data(part: Node<'_>) -> bool {
    DATA.iter().any(|key| part.get(key).is_some_and(|value| !value.is_null()))
}

/// Whether a part is empty: it has no data, and no member that newer versions of the API may know as data.
pub(crate) fn is_empty(part: Node<'_>) -> bool {
    part.kind() == Kind::Object
        && !part
            .members()
            .any(|(key, value)| !value.is_null() && !BESIDE.iter().any(|known| key.is_str(known)))
}

/// Whether a value is a turn of this dialect. At least one part must have data.
pub(crate) fn owns(turn: Node<'_>) -> bool {
    let role = turn.get("role").is_none_or(|role| matches!(role.kind(), Kind::String | Kind::Null));
    let Some(parts) = turn.get("parts").filter(|parts| role && parts.kind() == Kind::Array) else {
        return false;
    };
    parts.items().any(has_data)
        && !parts.items().any(|part| part.get("type").is_some())
        && turn.get("info").is_none()
}

/// The parts of a turn, in order.
pub(crate) fn pieces(turn: Node<'_>) -> Vec<Piece<'_>> {
    turn.get("parts").map(pieces_of).unwrap_or_default()
}

/// The pieces of a list of parts.
pub(crate) fn pieces_of(list: Node<'_>) -> Vec<Piece<'_>> {
    let parts = (0_u32..).zip(list.items());
    parts
        .map(|(at, part)| {
            let mut piece = piece(part);
            piece.homes = Places::One(PieceHome { list, at });
            piece
        })
        .collect()
}

/// The piece of a part. A string is text.
pub(crate) fn piece(part: Node<'_>) -> Piece<'_> {
    if let Some(call) = call(part) {
        let mut piece = Piece::new(PartKind::Call, 0);
        piece.ids = Places::One(MemberRef::of(call, "id"));
        piece.names = call.get("name").into();
        piece.inputs = Places::One(MemberRef::of(call, "args"));
        return piece;
    }
    if let Some(response) = response(part) {
        let mut piece = Piece::new(PartKind::Result, 0);
        piece.ids = Places::One(MemberRef::of(response, "id"));
        piece.names = response.get("name").into();
        piece.inputs = Places::One(MemberRef::of(response, "response"));
        piece.origin = origin(response);
        return piece;
    }
    if is_thought(part) {
        return Piece::new(PartKind::Thinking, 0);
    }
    let text = if part.kind() == Kind::String { Some(part) } else { part.get("text") };
    match text.filter(|text| text.kind() == Kind::String) {
        Some(text) => {
            let mut piece = Piece::new(PartKind::Text, 0);
            piece.blank = text.is_blank_str();
            piece
        }
        None => Piece::new(PartKind::Media, 0),
    }
}

/// A part that answers a call with our error; with an ID only where the call has one. `snake`: spelled in snake_case.
pub(crate) fn answer(id: Option<&str>, tool: &str, snake: bool) -> NewValue {
    let id = id.map(|id| ("id", NewValue::text(id)));
    let said = NewValue::object([("error", NewValue::text(placeholders::NO_RESULT))]);
    let members = [("name", NewValue::text(tool)), ("response", said)];
    let key = if snake { "function_response" } else { "functionResponse" };
    NewValue::object([(key, NewValue::object(id.into_iter().chain(members)))])
}

/// Who wrote a response. Gemini CLI writes errors for calls that the user refused and for results that it lost.
fn origin(response: Node<'_>) -> Origin {
    let mut texts = ["error", "output"].iter().filter_map(|key| response.at(&["response", key]));
    let text = texts.find(|text| text.kind() == Kind::String);
    match text.and_then(placeholders::ends) {
        Some(text) if placeholders::is_placeholder(&text) => Origin::Placeholder,
        Some(text) if text == LOST => Origin::Placeholder,
        Some(text) if text.starts_with(CANCELLED) => Origin::Rejection,
        _ => Origin::Real,
    }
}

/// The start of an error about a call that the user refused.
pub(crate) const CANCELLED: &str = "[Operation Cancelled]";

/// The error that Gemini CLI writes for a response that is missing when it trims a history.
const LOST: &str = "The tool execution result was lost due to context management truncation.";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::scan::{ScanMode, scan};

    fn with<R>(text: &str, look: impl Fn(Node<'_>) -> R) -> R {
        let bytes = text.as_bytes();
        look(Node::root(&scan(bytes, ScanMode::Document), &bytes).unwrap())
    }

    #[test]
    fn both_spellings_count_and_null_does_not() {
        let kinds =
            |text: &str| with(text, |node| pieces(node).iter().map(|p| p.kind).collect::<Vec<_>>());
        let turn = r#"{"parts":[{"function_call":{"name":"f"},"text":null},{"functionCall":null,"text":"x"},
            {"functionResponse":{"name":"f","response":{}}},{"text":"t","thought":true},{"inline_data":{}}]}"#;
        use PartKind::{Call, Media, Result, Text, Thinking};
        assert_eq!(kinds(turn), [Call, Text, Result, Thinking, Media]);
        assert!(with(turn, owns));
    }

    #[test]
    fn other_shapes_are_not_turns() {
        assert!(with(r#"{"role":"model","parts":[{"text":""}]}"#, owns));
        assert!(!with(r#"{"role":"model","parts":[]}"#, owns));
        assert!(!with(r#"{"role":"user","parts":[{"type":"text","text":"x"}]}"#, owns));
        assert!(!with(r#"{"role":"user","content":[{"text":"x"}]}"#, owns));
    }

    #[test]
    fn responses_say_what_they_are_worth() {
        let worth = |response: &str| {
            with(
                &format!(r#"{{"functionResponse":{{"name":"f","response":{response}}}}}"#),
                |part| piece(part).origin,
            )
        };
        assert_eq!(worth(r#"{"output":"x"}"#), Origin::Real);
        assert_eq!(worth(r#"{"error":"[Operation Cancelled] Reason: no"}"#), Origin::Rejection);
        assert_eq!(worth(&format!(r#"{{"error":"{LOST}"}}"#)), Origin::Placeholder);
    }
}
