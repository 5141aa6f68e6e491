//! The content of a message as parts.

use super::kinds;
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::transcript::{Origin, PartKind, Transcript};

/// What a message's content holds.
#[derive(Default)]
pub(super) struct Parts {
    /// Results.
    pub results: u32,
    /// One of them names no call.
    pub bare_results: bool,
}

/// Reads the blocks of a content, or its string, into parts of the open event: one a block.
pub(super) fn read(_message: Node<'_>, content: Node<'_>, t: &mut Transcript) -> Parts {
    let mut found = Parts::default();
    if content.kind() != Kind::Array {
        let mut part = t.blank_part(PartKind::Text);
        part.blank = content.is_blank_str() && !content.is_str("");
        part.digest = t.ids.digest(&content.raw());
        t.part(part);
        return found;
    }
    for block in content.items() {
        block_part(block, t, &mut found);
    }
    found
}

fn block_part(block: Node<'_>, t: &mut Transcript, found: &mut Parts) {
    let kind = block.get("type").and_then(|kind| kind.str()).unwrap_or_default();
    let kind = match kind.as_ref() {
        "text" => PartKind::Text,
        "thinking" | "redacted_thinking" => PartKind::Thinking,
        "tool_use" => PartKind::Call,
        "tool_result" => PartKind::Result,
        _ => PartKind::Media,
    };
    let mut part = t.blank_part(kind);
    let key = match kind {
        PartKind::Call => Some("id"),
        PartKind::Result => Some("tool_use_id"),
        _ => None,
    };
    let id = key.and_then(|key| block.get(key)).and_then(|id| id.str());
    part.id = id.map(|id| t.ids.intern(&id));
    part.sent_id = part.id;
    part.digest = t.ids.digest(&block.raw());
    match kind {
        PartKind::Text => {
            // Clients leave out white space; an empty text they may send.
            part.blank = block.get("text").is_some_and(|text| text.is_blank_str() && !text.is_str(""));
        }
        PartKind::Call => {
            part.tool = block.get("name").and_then(|name| name.str()).map(|name| t.ids.intern(&name));
            // One id in one answer is one call, whatever else the second line says.
            part.digest = part.id.map_or(0, |id| t.ids.digest(t.ids.get(id).as_bytes()));
        }
        PartKind::Result => {
            found.results += 1;
            found.bare_results |= part.id.is_none_or(|id| t.ids.is_empty(id));
            let error = block.get("is_error").and_then(|error| error.as_bool()) == Some(true);
            let content = block.get("content");
            part.origin = origin(content, error);
            let mut said = content.map(|content| content.raw().into_owned()).unwrap_or_default();
            said.push(u8::from(error));
            part.digest = t.ids.digest(&said);
        }
        _ => {}
    }
    t.part(part);
}

/// What a result is worth.
fn origin(content: Option<Node<'_>>, error: bool) -> Origin {
    // A tool may have nothing to say: that is no placeholder, but everything else is worth more.
    let Some(content) = content.filter(|content| !content.is_null()) else { return Origin::HostError };
    let mut blocks = content.items();
    let only = match (blocks.next(), blocks.next()) {
        (Some(only), None) => only.get("text").and_then(|text| text.str()),
        (None, _) if content.kind() == Kind::Array => return Origin::HostError,
        _ => content.str(),
    };
    match only {
        Some(text) if text.is_empty() => Origin::HostError,
        Some(text) if error && kinds::is_stub(&text) => Origin::Stub,
        Some(text) if error && kinds::is_rejection(&text) => Origin::Rejection,
        _ => Origin::Real,
    }
}

/// The ids that a fragment of a message shows.
pub(super) fn torn(message: Node<'_>, t: &mut Transcript) {
    let mut found = Parts::default();
    for block in message.get("content").into_iter().flat_map(|content| content.items()) {
        block_part(block, t, &mut found);
    }
}
