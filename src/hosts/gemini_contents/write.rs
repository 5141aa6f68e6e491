//! How plans change turns.

use super::{own, role};
use crate::dialects::gemini;
use crate::format::FormatContext;
use crate::json::build::NewValue;
use crate::shapes::chat::blocks::BlockWriting;
use crate::transcript::PartId;

pub(super) const WRITING: BlockWriting = BlockWriting {
    role,
    list: "parts",
    apart: true,
    answer,
    text: |quoted| NewValue::object([("text", quoted)]),
    ..BlockWriting::MESSAGES
};

/// A part that answers a call, spelled as the call; with an ID only where the call has one.
fn answer(context: &FormatContext<'_>, call: PartId) -> NewValue {
    let t = context.transcript;
    let part = t.part(call);
    let snake = t.has(part.event, own::SNAKE);
    gemini::answer(part.id.map(|id| t.ids.get(id)), t.text(part.tool), snake)
}
