//! The content of a message as parts.

use super::kinds;
use crate::dialects::stubs;
use crate::dialects::{Piece, anthropic};
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::transcript::{Origin, Part, PartKind, Role, Transcript};

/// What a message's content holds.
#[derive(Default)]
pub(super) struct Parts {
    /// Results.
    pub results: u32,
    /// One of them names no call.
    pub bare_results: bool,
}

/// Reads the blocks of a content, or its string, into parts of the open event: one a block. Notes what the provider may
/// refuse in it, which only its neighbors decide.
pub(super) fn read(content: Node<'_>, role: Role, t: &mut Transcript) -> Parts {
    let look = anthropic::look(content, role);
    let found = parts(content, &look.pieces, t);
    look.note(t);
    found
}

fn parts(content: Node<'_>, pieces: &[Piece<'_>], t: &mut Transcript) -> Parts {
    let mut found = Parts::default();
    // A string is one piece.
    let own = (content.kind() != Kind::Array).then_some(content);
    for (piece, block) in pieces.iter().zip(content.items().chain(own)) {
        let mut part = piece.part(t);
        tell(block, &mut part, t);
        if part.kind == PartKind::Result {
            found.results += 1;
            found.bare_results |= part.id.is_none_or(|id| t.ids.is_empty(id));
        }
        t.part(part);
    }
    found
}

/// What this host knows of a part besides.
fn tell(block: Node<'_>, part: &mut Part, t: &mut Transcript) {
    match part.kind {
        // One id in one answer is one call, whatever else the second line says.
        PartKind::Call => {
            part.digest = part
                .id
                .map_or(0, |id| t.ids.digest(t.ids.get(id).as_bytes()))
        }
        PartKind::Result => {
            let failed = block.get("is_error").and_then(|error| error.as_bool()) == Some(true);
            part.origin = origin(block.get("content"), failed);
        }
        _ => part.digest = t.ids.digest(&block.raw()),
    }
    if part.kind == PartKind::Text {
        // Clients leave out white space; an empty text they may send.
        let text = block.get("text").unwrap_or(block);
        part.blank &= !text.is_str("");
    }
}

/// What a result is worth. A tool may have nothing to say: that is no placeholder, but everything else is worth more.
fn origin(content: Option<Node<'_>>, failed: bool) -> Origin {
    let Some(content) = content.filter(|content| !content.is_null()) else {
        return Origin::HostError;
    };
    let mut blocks = content.items();
    let only = match (blocks.next(), blocks.next()) {
        (Some(only), None) => only.get("text").and_then(stubs::ends_of),
        (None, _) if content.kind() == Kind::Array => return Origin::HostError,
        _ => stubs::ends_of(content),
    };
    match only {
        Some(text) if text.is_empty() => Origin::HostError,
        Some(text) if failed && kinds::is_stub(&text) => Origin::Placeholder,
        Some(text) if failed && kinds::is_rejection(&text) => Origin::Rejection,
        _ => Origin::Real,
    }
}

/// The ids that a fragment of a message shows.
pub(super) fn torn(message: Node<'_>, t: &mut Transcript) {
    if let Some(content) = message.get("content") {
        parts(content, &anthropic::pieces(content), t);
    }
}
