//! How plans change turns.

use super::{own, pieces, role};
use crate::dialects::gemini;
use crate::formats::FormatContext;
use crate::formats::chat::blocks::{self, Writing};
use crate::json::build::Value;
use crate::rewrite::Schema;
use crate::transcript::{PartId, Role};

pub(super) const WRITING: Writing = Writing {
    schema: Schema {
        supports: blocks::SUPPORTS,
        pieces,
        ..Schema::PLAIN
    },
    message: |turn| turn,
    record: |_, message| message,
    role,
    list: "parts",
    beside: &[],
    results: (Role::User, "user"),
    turns: false,
    apart: true,
    hidden_by: &[],
    answer,
    text: |quoted| Value::object([("text", quoted)]),
};

/// A part that answers a call, spelled as the call; with an id only where the call has one.
fn answer(context: &FormatContext<'_>, call: PartId) -> Value {
    let t = context.transcript;
    let part = t.part(call);
    let snake = t.has(part.event, own::SNAKE);
    gemini::answer(part.id.map(|id| t.ids.get(id)), t.text(part.tool), snake)
}
