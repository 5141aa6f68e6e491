//! What formats share whose messages are those of [`PlainDialect`]: the reader, and the message that answers a call.

use super::keep_digest;
use crate::containers::rewrite::CannotDo;
use crate::containers::{Layout, PathStep};
use crate::dialects::chat::plain::PlainDialect;
use crate::format::FormatContext;
use crate::format::head::Sample;
use crate::format::records::list_on;
use crate::json::build::NewValue;
use crate::json::node::Node;
use crate::rewrite::{in_order, nearest};
use crate::transcript::{PartId, Role, State, Transcript};

/// A run of the program, or a list of messages in which a call shows whose they are. `is_run`: a document is a run.
pub(crate) fn recognize(
    plain: &PlainDialect,
    head: &Sample<'_>,
    is_run: fn(Node<'_>) -> bool,
) -> Option<Layout> {
    const WAYS: [&[PathStep]; 2] = [&[], &[PathStep::Key("messages")]];
    head.list(
        |entry, root| {
            list_on(&WAYS, entry, root, |message| {
                plain.is_signed(message) || (is_run(root) && plain.owns(message))
            })
        },
        || head.nodes().any(|message| plain.is_signed(message)),
    )
}

pub(crate) fn read(plain: &PlainDialect, message: Node<'_>, t: &mut Transcript) {
    if t.newest_mut().role == Role::HostState {
        return;
    }
    let role = message.string("role").unwrap_or_default();
    let kind = t.ids.intern(&role);
    let event = t.newest_mut();
    event.kind = Some(kind);
    event.role = match role.as_ref() {
        "system" | "developer" => Role::System,
        "assistant" => Role::Assistant,
        "tool" => Role::Tool,
        _ => Role::User,
    };
    if event.state == State::Unreadable {
        return;
    }
    keep_digest(message, t);
    for piece in plain.pieces(message) {
        let part = piece.part(t);
        t.add_part(part);
    }
}

/// Writes a result, with its members in the order of the nearest one.
///
/// # Errors
/// The message that asks cannot be read again.
pub(crate) fn answer(
    context: &FormatContext<'_>,
    call: PartId,
    members: Vec<(&'static str, NewValue)>,
) -> Result<Vec<u8>, CannotDo> {
    let t = context.transcript;
    let asks = t.part(call).event;
    let neighbor = nearest(t, asks, |event| {
        t.event(event).role == Role::Tool && t.event(event).state == State::Whole
    });
    let record = context.record(neighbor.unwrap_or(asks))?;
    let shape = neighbor.map(|_| record.root());
    Ok(record.writer().write(&in_order(members, shape)))
}
