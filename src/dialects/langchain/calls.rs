//! The calls of an assistant message. One call may be stored in several places.

use std::borrow::Cow;
use std::collections::HashMap;

use super::form::{Form, MessageShape};
use super::{call, locations};
use crate::dialects::piece::{MemberRef, Piece, PieceHome, Places, is_object_text};
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::transcript::PartKind;

/// Adds the calls outside the content to its pieces. A call that is also in a block belongs to the piece of that block.
pub(super) fn add<'a>(form: &Form<'a>, pieces: &mut Vec<Piece<'a>>) {
    let body = form.body;
    let mut merge = Merge::new(pieces);
    let kwargs = body.get("additional_kwargs");
    let lists = ["tool_calls", "invalid_tool_calls", "tool_call_chunks"];
    // Without a list of its own, the host derives the calls from what the provider sent.
    let is_derived = form.shape != MessageShape::Role
        && !lists.iter().any(|key| body.get(key).is_some_and(|list| list.items().next().is_some()));
    if form.shape == MessageShape::Role {
        merge.list(body.get("tool_calls"), locations::TOOL_CALLS, function_entry);
    } else {
        merge.list(body.get("tool_calls"), locations::TOOL_CALLS, |entry| {
            call(entry, 0, "id", "args")
        });
        merge.list(body.get("invalid_tool_calls"), locations::INVALID, |entry| Piece {
            takes_any_input: true,
            ..call(entry, 0, "id", "args")
        });
        merge.chunks(body.get("tool_call_chunks"));
    }
    let Some(kwargs) = kwargs else { return };
    if let Some(raw) = kwargs.get("tool_calls") {
        for (at, entry) in (0_u32..).zip(raw.items()) {
            let location = if !is_derived {
                locations::RAW
            } else if arguments(entry).is_some_and(is_object_text) {
                locations::DERIVED
            } else {
                locations::DERIVED_INVALID
            };
            merge.add_place(function_entry(entry), location, Some(PieceHome { list: raw, at }));
        }
    }
    for key in ["tool_use", "toolUse"] {
        let Some(hidden) = kwargs.get(key) else {
            continue;
        };
        // One call is written without a list.
        let single = (hidden.kind() == Kind::Object).then_some(hidden);
        for entry in hidden.items().chain(single) {
            let id = if entry.get("id").is_some() { "id" } else { "toolUseId" };
            merge.add_place(call(entry, 0, id, "input"), locations::HIDDEN, None);
        }
    }
    if let Some(function) =
        kwargs.get("function_call").filter(|function| function.kind() == Kind::Object)
    {
        merge.add_place(call(function, 0, "id", "arguments"), locations::FUNCTION, None);
    }
}

/// `{"id", "type":"function", "function":{"name","arguments"}}`.
fn function_entry(entry: Node<'_>) -> Piece<'_> {
    let mut piece = Piece::new(PartKind::Call, 0);
    piece.ids = Places::One(MemberRef::of(entry, "id"));
    let function = entry.get("function");
    piece.names = function.and_then(|function| function.get("name")).into();
    piece.inputs =
        function.and_then(|function| function.get("arguments")).map(MemberRef::At).into();
    piece
}

fn arguments(entry: Node<'_>) -> Option<Node<'_>> {
    entry.get("function")?.get("arguments")
}

/// Merges the places of calls into pieces.
struct Merge<'p, 'a> {
    pieces: &'p mut Vec<Piece<'a>>,
    by_id: HashMap<Cow<'a, str>, SameId>,
}

/// The calls with an ID.
#[derive(Default)]
struct SameId {
    /// Their numbers, in order.
    pieces: Vec<usize>,
    /// How many of them, from the first, are also at a location.
    placed: Vec<(u32, usize)>,
}

impl SameId {
    /// The first call that is not at this location yet. If all are, one more is about to be added.
    fn place(&mut self, location: u32) -> Option<usize> {
        let known = self.placed.iter().position(|(other, _)| *other == location);
        let known = known.unwrap_or_else(|| {
            self.placed.push((location, 0));
            self.placed.len() - 1
        });
        let (_, count) = &mut self.placed[known];
        *count += 1;
        self.pieces.get(*count - 1).copied()
    }
}

impl<'p, 'a> Merge<'p, 'a> {
    fn new(pieces: &'p mut Vec<Piece<'a>>) -> Self {
        let mut by_id: HashMap<_, SameId> = HashMap::new();
        for (at, piece) in pieces.iter().enumerate() {
            let call = Some(piece).filter(|piece| piece.kind == PartKind::Call);
            if let Some(id) = call.and_then(Piece::id).filter(|id| !id.is_empty()) {
                by_id.entry(id).or_default().pieces.push(at);
            }
        }
        Merge { pieces, by_id }
    }

    fn list(&mut self, list: Option<Node<'a>>, location: u32, read: fn(Node<'a>) -> Piece<'a>) {
        let Some(list) = list else { return };
        for (at, entry) in (0_u32..).zip(list.items()) {
            self.add_place(read(entry), location, Some(PieceHome { list, at }));
        }
    }

    /// Chunks of streamed calls. Only the first chunk of a call has its ID; LangChain's loader joins the arguments.
    fn chunks(&mut self, list: Option<Node<'a>>) {
        let Some(list) = list else { return };
        for (at, entry) in (0_u32..).zip(list.items()) {
            if entry.get("id").is_none_or(|id| id.is_null()) {
                continue;
            }
            let args = entry.string("args").unwrap_or_default();
            let location = if args.trim_start().starts_with('[') {
                locations::DERIVED_INVALID
            } else {
                locations::DERIVED
            };
            self.add_place(call(entry, 0, "id", "args"), location, Some(PieceHome { list, at }));
        }
    }

    /// Adds a place of a call. The same ID in another list is the same call; a second time in one list it is another call.
    fn add_place(&mut self, mut found: Piece<'a>, location: u32, home: Option<PieceHome<'a>>) {
        let id = found.id().filter(|id| !id.is_empty());
        let mut same = id.map(|id| self.by_id.entry(id).or_default());
        let known = same.as_mut().and_then(|same| same.place(location));
        match known.and_then(|known| self.pieces.get_mut(known)) {
            Some(piece) => {
                piece.locations |= location;
                piece.homes.extend(home);
                piece.names.extend(found.names.iter().copied());
                // First comes the ID that the client pairs by, and the arguments that it sends.
                if location == locations::TOOL_CALLS {
                    std::mem::swap(&mut piece.ids, &mut found.ids);
                    std::mem::swap(&mut piece.inputs, &mut found.inputs);
                }
                piece.ids.extend(found.ids.iter().copied());
                piece.inputs.extend(found.inputs.iter().copied());
            }
            None => {
                if let Some(same) = same {
                    same.pieces.push(self.pieces.len());
                }
                found.locations = location;
                found.homes = home.into();
                self.pieces.push(found);
            }
        }
    }
}
