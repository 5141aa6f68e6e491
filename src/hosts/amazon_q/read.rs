//! One entry into facts. Knows no other entry.

use super::own;
use crate::dialects::piece::{MemberRef, Piece, PieceHome, Places};
use crate::dialects::placeholders;
use crate::format::FormatContext;
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::shapes::chat;
use crate::transcript::{EventId, FactValue, PartKind, Role, State, Transcript};

/// What the user's side of an entry is (`message.rs`, `UserMessageContent`).
const ASKS: &[&str] = &["Prompt", "CancelledToolUses", "ToolUseResults"];
/// What the assistant's side is (`AssistantMessage`).
const ANSWERS: &[&str] = &["Response", "ToolUse"];

/// The only member of an object, which says by its key what it is.
fn variant<'a>(value: Option<Node<'a>>, names: &[&str]) -> Option<Node<'a>> {
    names.iter().find_map(|name| value?.get_kind(name, Kind::Object))
}

/// What the user says, or which results are sent.
pub(super) fn asks(entry: Node<'_>) -> Option<Node<'_>> {
    variant(entry.at(&["user", "content"]), ASKS)
}

/// What the assistant answers.
pub(super) fn answers(entry: Node<'_>) -> Option<Node<'_>> {
    variant(entry.get("assistant"), ANSWERS)
}

/// Whether a value is an entry of the history.
pub(super) fn owns(entry: Node<'_>) -> bool {
    asks(entry).is_some() && answers(entry).is_some()
}

/// Reads an entry, or the document around all.
pub(super) fn read(entry: Node<'_>, t: &mut Transcript) {
    if t.newest_mut().role == Role::HostState {
        let model = entry.at(&["model_info", "model_id"]).or_else(|| entry.get("model"));
        return t.set_text(own::MODEL, model);
    }
    chat::read(entry, t, ("entry", Role::Assistant), pieces);
    if t.newest_mut().state != State::Unreadable {
        if !owns(entry) {
            t.set_fact(own::HALF, FactValue::Yes);
        }
        let asked = asked(entry).len();
        t.set_fact(own::ASKED, FactValue::Number(i64::try_from(asked).unwrap_or(i64::MAX)));
    }
}

/// The parts of an entry: those of the user, then those of the assistant.
pub(super) fn pieces(entry: Node<'_>) -> Vec<Piece<'_>> {
    let mut pieces = asked(entry);
    let Some(answer) = answers(entry) else {
        return pieces;
    };
    if answer.get("content").is_some_and(|text| !text.is_blank_str()) {
        pieces.push(Piece::new(PartKind::Text, 0));
    }
    pieces.extend(listed(answer, "tool_uses", PartKind::Call).map(|(call, piece)| Piece {
        ids: Places::One(MemberRef::of(call, "id")),
        names: call.get("name").into(),
        inputs: Places::One(MemberRef::of(call, "args")),
        takes_any_input: true,
        ..piece
    }));
    pieces
}

/// What the user sends: results, a text, images.
fn asked(entry: Node<'_>) -> Vec<Piece<'_>> {
    let Some(ask) = asks(entry) else {
        return Vec::new();
    };
    let results = listed(ask, "tool_use_results", PartKind::Result).map(|(result, piece)| {
        let said = result.items_of("content").next().and_then(|block| block.get("Text"));
        Piece {
            ids: Places::One(MemberRef::of(result, "tool_use_id")),
            inputs: Places::One(MemberRef::of(result, "content")),
            status: result.get("status"),
            origin: placeholders::origin(said),
            ..piece
        }
    });
    let mut pieces: Vec<Piece<'_>> = results.collect();
    if ask.get("prompt").is_some_and(|prompt| prompt.kind() == Kind::String) {
        pieces.push(Piece::new(PartKind::Text, 0));
    }
    let images = entry.get("user").into_iter();
    pieces.extend(
        images.flat_map(|user| listed(user, "images", PartKind::Media)).map(|(_, piece)| piece),
    );
    pieces
}

/// The items of a list as parts of this kind.
fn listed<'a>(
    object: Node<'a>,
    key: &'static str,
    kind: PartKind,
) -> impl Iterator<Item = (Node<'a>, Piece<'a>)> {
    let list = object.get_kind(key, Kind::Array);
    list.into_iter().flat_map(move |list| {
        (0_u32..).zip(list.items()).map(move |(at, item)| {
            let homes = Places::One(PieceHome { list, at });
            (item, Piece { homes, ..Piece::new(kind, 0) })
        })
    })
}

/// The texts of a result, as the host joins them where it sends them as a prompt.
pub(super) fn said(result: Node<'_>) -> Vec<String> {
    let blocks = result.items_of("content");
    let texts = blocks.filter_map(|block| match block.string("Text") {
        Some(text) => Some(text.into_owned()),
        None => block.get("Json").map(|json| String::from_utf8_lossy(&json.raw()).into_owned()),
    });
    texts.collect()
}

pub(super) fn text(context: &FormatContext<'_>, event: EventId) -> Option<String> {
    let record = context.record(event).ok()?;
    let entry = record.root();
    let ask = asks(entry)?;
    let mut texts: Vec<String> = ask.items_of("tool_use_results").flat_map(said).collect();
    texts.extend(ask.string("prompt").map(|text| text.into_owned()));
    texts.extend(answers(entry).and_then(|own| own.string("content")).map(|own| own.into_owned()));
    texts.retain(|text| !text.is_empty());
    (!texts.is_empty()).then(|| texts.join("\n"))
}
