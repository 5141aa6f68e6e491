//! LangChain messages in their four forms, with every place of a call.

mod calls;
mod form;
pub(crate) mod locations;

pub(crate) use form::{Form, MessageShape, Speaker};

use super::piece::{MemberRef, Piece, PieceHome, Places, is_same_json};
use super::{converse, placeholders};
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::transcript::{Origin, PartKind};

/// Nodes of a graph that call the model.
pub(crate) const MODEL_NODES: &[&str] = &["model", "agent", "generate_structured_response"];

/// The parts of a message: the content in order, then calls that are not in a block. A tool message is one result.
pub(crate) fn pieces<'a>(form: &Form<'a>) -> Vec<Piece<'a>> {
    if form.speaker == Speaker::Tool {
        return vec![tool_message(form)];
    }
    let mut pieces = content(form.body);
    if form.speaker == Speaker::Assistant {
        calls::add(form, &mut pieces);
    }
    pieces
}

/// The whole tool message as a result.
fn tool_message<'a>(form: &Form<'a>) -> Piece<'a> {
    let mut piece = Piece::new(PartKind::Result, locations::TOOL_MESSAGE);
    piece.ids = Places::One(MemberRef::of(form.body, "tool_call_id"));
    piece.names = form.body.get("name").into();
    piece.inputs = Places::One(MemberRef::of(form.body, "content"));
    piece.status = form.body.get("status");
    piece.origin = form.body.get("content").map_or(Origin::Real, origin);
    piece
}

/// A result is a placeholder if its only text is one.
fn origin(content: Node<'_>) -> Origin {
    let mut blocks = content.items();
    let only = match (blocks.next(), blocks.next()) {
        (Some(block), None) => block.get("text"),
        _ => Some(content),
    };
    placeholders::origin(only)
}

fn content<'a>(body: Node<'a>) -> Vec<Piece<'a>> {
    let Some(content) = body.get("content").filter(|content| !content.is_null()) else {
        return Vec::new();
    };
    if content.kind() != Kind::Array {
        let mut piece = Piece::new(PartKind::Text, locations::CONTENT);
        piece.blank = content.is_blank_str();
        return vec![piece];
    }
    let blocks = (0_u32..).zip(content.items());
    blocks
        .map(|(at, block)| {
            let mut piece = block_piece(block);
            piece.homes = Places::One(PieceHome { list: content, at });
            piece
        })
        .collect()
}

fn block_piece(block: Node<'_>) -> Piece<'_> {
    if block.kind() == Kind::String {
        let mut piece = Piece::new(PartKind::Text, locations::CONTENT);
        piece.blank = block.is_blank_str();
        return piece;
    }
    // Blocks of Converse have no type; their only member says what they are.
    let Some(kind) = block.string("type") else {
        let mut piece = converse::piece(block);
        piece.locations = match piece.kind {
            PartKind::Call => locations::NATIVE_CALL,
            PartKind::Result => locations::NATIVE_RESULT,
            _ => locations::CONTENT,
        };
        return piece;
    };
    match kind.as_ref() {
        "text" => {
            let mut piece = Piece::new(PartKind::Text, locations::CONTENT);
            piece.blank = block.get("text").is_some_and(|text| text.is_blank_str());
            piece
        }
        "thinking" | "redacted_thinking" | "reasoning_content" | "reasoning" => {
            Piece::new(PartKind::Thinking, locations::CONTENT)
        }
        "tool_use" if block.get("id").is_none() && block.get("toolUseId").is_some() => {
            call(block, locations::CAMEL_CALL, "toolUseId", "input")
        }
        "tool_use" => call(block, locations::TOOL_USE, "id", "input"),
        "tool_call" => call(block, locations::CALL_BLOCK, "id", "args"),
        "invalid_tool_call" => call(block, locations::INVALID_BLOCK, "id", "args"),
        "function_call" => call(block, locations::FUNCTION_BLOCK, "call_id", "arguments"),
        "server_tool_use" => call(block, locations::SERVER_CALL, "id", "input"),
        "tool_result" => {
            let mut piece = Piece::new(PartKind::Result, locations::TOOL_RESULT);
            let key = if block.get("toolUseId").is_some() { "toolUseId" } else { "tool_use_id" };
            piece.ids = Places::One(MemberRef::of(block, key));
            piece.inputs = Places::One(MemberRef::of(block, "content"));
            piece.status = block.get("is_error").or_else(|| block.get("status"));
            piece.origin = block.get("content").map_or(Origin::Real, origin);
            piece
        }
        _ => Piece::new(PartKind::Media, locations::CONTENT),
    }
}

fn call<'a>(holder: Node<'a>, location: u32, id: &'static str, input: &str) -> Piece<'a> {
    let mut piece = Piece::new(PartKind::Call, location);
    piece.ids = Places::One(MemberRef::of(holder, id));
    piece.names = holder.get("name").into();
    piece.inputs = holder.get(input).map(MemberRef::At).into();
    piece
}

/// Pairs of pieces that are one call with two IDs: one is only in `tool_calls`, the other only in a block, and their names
/// and arguments are equal.
pub(crate) fn twins(pieces: &[Piece<'_>]) -> Vec<(usize, usize)> {
    let calls = pieces.iter().enumerate().filter(|(_, piece)| piece.kind == PartKind::Call);
    let (mut entries, mut free) = (Vec::new(), Vec::new());
    for (at, piece) in calls {
        match piece.locations & locations::SENT_SOMEWHERE {
            locations::TOOL_CALLS => entries.push((at, piece)),
            locations::TOOL_USE => free.push(at),
            _ => {}
        }
    }
    let mut found = Vec::new();
    for (at, entry) in entries {
        if let Some(place) = free.iter().position(|block| is_twin(entry, &pieces[*block])) {
            found.push((at, free.remove(place)));
        }
    }
    found
}

/// Whether two pieces are one call under different IDs.
fn is_twin(one: &Piece<'_>, other: &Piece<'_>) -> bool {
    let (Some(MemberRef::At(a)), Some(MemberRef::At(b))) =
        (one.inputs.first(), other.inputs.first())
    else {
        return false;
    };
    one.name().is_some()
        && one.name() == other.name()
        && one.id() != other.id()
        && is_same_json(*a, *b)
}
