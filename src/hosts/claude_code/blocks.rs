//! The content of a message as parts.

use super::kinds;
use crate::dialects::placeholders;
use crate::dialects::{Piece, anthropic};
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::transcript::{Origin, Part, PartKind, Role, Transcript};

/// The results in a message's content.
#[derive(Default)]
pub(super) struct ResultBlocks {
    /// The number of results.
    pub results: u32,
    /// One of them has no call ID.
    pub bare_results: bool,
}

/// The parts of a record.
pub(super) fn pieces(record: Node<'_>) -> Vec<Piece<'_>> {
    record.at(&["message", "content"]).map(anthropic::pieces).unwrap_or_default()
}

/// Reads a content, which is a list of blocks or a string, into parts of the current event, one for each block. Notes what
/// the provider may reject in it; its neighbors decide.
pub(super) fn read(content: Node<'_>, role: Role, t: &mut Transcript) -> ResultBlocks {
    let look = anthropic::look(content, role);
    let found = parts(content, &look.pieces, t);
    look.note(t);
    found
}

fn parts(content: Node<'_>, pieces: &[Piece<'_>], t: &mut Transcript) -> ResultBlocks {
    let mut found = ResultBlocks::default();
    // A string is one piece.
    let own = (content.kind() != Kind::Array).then_some(content);
    for (piece, block) in pieces.iter().zip(content.items().chain(own)) {
        // What copies have in common depends on the kind here.
        let mut part = piece.part_with(0, t);
        refine(piece, block, &mut part, t);
        if part.kind == PartKind::Result {
            found.results += 1;
            found.bare_results |= part.id.is_none_or(|id| t.ids.is_empty(id));
        }
        t.add_part(part);
    }
    found
}

/// Adds what only this host records about a part.
fn refine(piece: &Piece<'_>, block: Node<'_>, part: &mut Part, t: &mut Transcript) {
    match part.kind {
        // One ID in one response is one call, even if the second line differs.
        PartKind::Call => {
            part.digest = part.id.map_or(0, |id| t.ids.digest(t.ids.get(id).as_bytes()))
        }
        PartKind::Result => {
            part.digest = t.digest_later(|ids| piece.digest(ids));
            let failed = block.boolean("is_error") == Some(true);
            part.origin = origin(block.get("content"), failed);
        }
        _ => part.digest = t.ids.digest(&block.raw()),
    }
    if part.kind == PartKind::Text {
        // Clients leave out white space, but may send an empty text.
        let text = block.get("text").unwrap_or(block);
        part.blank &= !text.is_str("");
    }
}

/// Who wrote a result. An empty result is not a placeholder, because a tool may have no output, but any other one is better.
fn origin(content: Option<Node<'_>>, failed: bool) -> Origin {
    let Some(content) = content.filter(|content| !content.is_null()) else {
        return Origin::HostError;
    };
    let mut blocks = content.items();
    let only = match (blocks.next(), blocks.next()) {
        (Some(only), None) => only.get("text"),
        (None, _) if content.kind() == Kind::Array => return Origin::HostError,
        _ => Some(content),
    };
    match only {
        Some(text) if text.is_str("") => Origin::HostError,
        Some(text) if failed => match placeholders::ends(text) {
            Some(text) if kinds::is_placeholder(&text) => Origin::Placeholder,
            Some(text) if kinds::is_rejection(&text) => Origin::Rejection,
            _ => Origin::Real,
        },
        _ => Origin::Real,
    }
}

/// Reads the IDs in a fragment of a message.
pub(super) fn torn(message: Node<'_>, t: &mut Transcript) {
    if let Some(content) = message.get("content") {
        parts(content, &anthropic::pieces(content), t);
    }
}
