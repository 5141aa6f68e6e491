//! One step into facts. Knows no other step.

use super::own;
use crate::dialects::piece::{ArgumentsForm, MemberRef, Piece, PieceHome, Places};
use crate::dialects::placeholders;
use crate::format::FormatContext;
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::shapes::chat;
use crate::transcript::{EventId, FactValue, PartKind, Role, State, Transcript, time};

/// Whether a value is a step.
pub(super) fn owns(step: Node<'_>) -> bool {
    step.get("source").is_some() && step.get("message").is_some()
}

/// Reads a step, or the document around the steps.
pub(super) fn read(step: Node<'_>, t: &mut Transcript) {
    if t.newest_mut().role == Role::HostState {
        t.set_text(own::MODEL, step.at(&["agent", "model_name"]));
        return;
    }
    let source = step.string("source");
    let source = source.unwrap_or_default();
    let kind = t.ids.intern(&source);
    let stamp = step.string("timestamp");
    let event = t.newest_mut();
    event.kind = Some(kind);
    event.set_time(stamp.and_then(|stamp| time::parse(&stamp)));
    event.role = match source.as_ref() {
        "system" => Role::System,
        "agent" => Role::Assistant,
        _ => Role::User,
    };
    if event.state == State::Unreadable {
        return;
    }
    chat::keep_digest(step, t);
    if let Some(number) = step.integer("step_id") {
        t.set_fact(own::NUMBER, FactValue::Number(number));
    }
    for piece in pieces(step) {
        let part = piece.part(t);
        t.add_part(part);
        t.note_flaws(piece.input_flaw(ArgumentsForm::Object));
    }
}

pub(super) fn results(step: Node<'_>) -> Option<Node<'_>> {
    let list = step.at(&["observation", "results"])?;
    (list.kind() == Kind::Array).then_some(list)
}

/// The message and the thinking, then the calls, then what answers them.
pub(super) fn pieces(step: Node<'_>) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    if let Some(message) = step.get("message") {
        let mut piece = Piece::new(PartKind::Text, 0);
        piece.blank = message.is_blank_str();
        pieces.push(piece);
    }
    let thinks = step.get("reasoning_content");
    if thinks.is_some_and(|thinking| !thinking.is_null()) {
        pieces.push(Piece::new(PartKind::Thinking, 0));
    }
    if let Some(list) = step.get("tool_calls") {
        pieces.extend((0..).zip(list.items()).map(|(at, item)| call(item, list, at)));
    }
    if let Some(list) = results(step) {
        pieces.extend((0..).zip(list.items()).filter_map(|(at, item)| result(item, list, at)));
    }
    pieces
}

fn call<'a>(item: Node<'a>, list: Node<'a>, at: u32) -> Piece<'a> {
    let mut piece = Piece::new(PartKind::Call, 0);
    piece.ids = Places::One(MemberRef::of(item, "tool_call_id"));
    piece.names = item.get("function_name").into();
    piece.inputs = Places::One(MemberRef::of(item, "arguments"));
    piece.homes = Places::One(PieceHome { list, at });
    piece
}

/// The result of a call. What names no call belongs to the step, and a sub-agent may report several times.
fn result<'a>(item: Node<'a>, list: Node<'a>, at: u32) -> Option<Piece<'a>> {
    let id = item.get("source_call_id").filter(|id| !id.is_null())?;
    if item.get("subagent_trajectory_ref").is_some() && at > 0 {
        return None;
    }
    let mut piece = Piece::new(PartKind::Result, 0);
    piece.homes = Places::One(PieceHome { list, at });
    piece.ids = Places::One(MemberRef::At(id));
    piece.inputs = Places::One(MemberRef::of(item, "content"));
    piece.origin = placeholders::origin(item.get("content"));
    Some(piece)
}

/// What a step says in words: its message, else what it observed.
pub(super) fn text(context: &FormatContext<'_>, event: EventId) -> Option<String> {
    let record = context.record(event).ok()?;
    let step = record.root();
    let said = step.get("message").filter(|text| !text.is_blank_str());
    let seen = results(step).and_then(|list| list.items().find_map(|item| item.get("content")));
    said.or(seen)?.str().map(std::borrow::Cow::into_owned)
}
