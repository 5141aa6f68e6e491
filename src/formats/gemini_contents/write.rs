//! How plans change turns.

use super::{own, pieces, role};
use crate::dialects::gemini;
use crate::formats::FormatContext;
use crate::formats::chat::blocks::Writing;
use crate::json::build::Value;
use crate::rewrite::Schema;
use crate::transcript::PartId;

pub(super) const WRITING: Writing = Writing {
    schema: Schema {
        pieces,
        ..Writing::MESSAGES.schema
    },
    role,
    list: "parts",
    apart: true,
    answer,
    text: |quoted| Value::object([("text", quoted)]),
    ..Writing::MESSAGES
};

/// A part that answers a call, spelled as the call; with an id only where the call has one.
fn answer(context: &FormatContext<'_>, call: PartId) -> Value {
    let t = context.transcript;
    let part = t.part(call);
    let snake = t.has(part.event, own::SNAKE);
    gemini::answer(part.id.map(|id| t.ids.get(id)), t.text(part.tool), snake)
}
