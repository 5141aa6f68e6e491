//! The calls of an assistant message. One call may be stored in several places.

use super::form::{Form, MessageShape};
use super::{call, locations};
use crate::dialects::piece::{MemberRef, Piece, PieceHome, Places, is_object_text};
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::transcript::PartKind;

/// Adds the calls outside the content to its pieces. A call that is also in a block belongs to the piece of that block.
pub(super) fn add<'a>(form: &Form<'a>, pieces: &mut Vec<Piece<'a>>) {
    let body = form.body;
    let mut merge = Merge { pieces };
    let kwargs = body.get("additional_kwargs");
    let lists = ["tool_calls", "invalid_tool_calls", "tool_call_chunks"];
    let stored = |key: &str| {
        body.get(key)
            .is_some_and(|list| list.items().next().is_some())
    };
    let is_derived = form.shape != MessageShape::Role && !lists.iter().any(|key| stored(key));
    if form.shape == MessageShape::Role {
        merge.list(
            body.get("tool_calls"),
            locations::TOOL_CALLS,
            function_entry,
        );
    } else {
        merge.list(body.get("tool_calls"), locations::TOOL_CALLS, |entry| {
            call(entry, 0, "id", "args")
        });
        merge.list(
            body.get("invalid_tool_calls"),
            locations::INVALID,
            |entry| Piece {
                takes_any_input: true,
                ..call(entry, 0, "id", "args")
            },
        );
        merge.chunks(body.get("tool_call_chunks"));
    }
    let Some(kwargs) = kwargs else { return };
    if let Some(raw) = kwargs.get("tool_calls") {
        for (at, entry) in (0_u32..).zip(raw.items()) {
            let location = match is_derived {
                false => locations::RAW,
                true if arguments(entry).is_some_and(is_object_text) => locations::DERIVED,
                true => locations::DERIVED_INVALID,
            };
            merge.add_place(
                function_entry(entry),
                location,
                Some(PieceHome { list: raw, at }),
            );
        }
    }
    for key in ["tool_use", "toolUse"] {
        let Some(hidden) = kwargs.get(key) else {
            continue;
        };
        let single = (hidden.kind() == Kind::Object).then_some(hidden);
        for entry in hidden.items().chain(single) {
            let id = if entry.get("id").is_some() {
                "id"
            } else {
                "toolUseId"
            };
            merge.add_place(call(entry, 0, id, "input"), locations::HIDDEN, None);
        }
    }
    if let Some(function) = kwargs
        .get("function_call")
        .filter(|function| function.kind() == Kind::Object)
    {
        merge.add_place(
            call(function, 0, "id", "arguments"),
            locations::FUNCTION,
            None,
        );
    }
}

/// `{"id", "type":"function", "function":{"name","arguments"}}`.
fn function_entry(entry: Node<'_>) -> Piece<'_> {
    let mut piece = Piece::new(PartKind::Call, 0);
    piece.ids = Places::One(MemberRef::of(entry, "id"));
    let function = entry.get("function");
    piece.names = function.and_then(|function| function.get("name")).into();
    piece.inputs = function
        .and_then(|function| function.get("arguments"))
        .map(MemberRef::At)
        .into();
    piece
}

fn arguments(entry: Node<'_>) -> Option<Node<'_>> {
    entry.get("function")?.get("arguments")
}

/// Merges the places of calls into pieces.
struct Merge<'p, 'a> {
    pieces: &'p mut Vec<Piece<'a>>,
}

impl<'a> Merge<'_, 'a> {
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
            self.add_place(
                call(entry, 0, "id", "args"),
                location,
                Some(PieceHome { list, at }),
            );
        }
    }

    /// Adds a place of a call. The same ID in another list is the same call; a second time in one list it is another call.
    fn add_place(&mut self, mut found: Piece<'a>, location: u32, home: Option<PieceHome<'a>>) {
        let id = found.id().filter(|id| !id.is_empty());
        let known = self.pieces.iter_mut().find(|piece| {
            piece.kind == PartKind::Call
                && piece.locations & location == 0
                && id.is_some()
                && piece.id() == id
        });
        match known {
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
                found.locations = location;
                found.homes = home.into();
                self.pieces.push(found);
            }
        }
    }
}
