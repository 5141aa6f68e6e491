//! How plans change messages.

use crate::bytes::edit::Edit;
use crate::containers::rewrite::CannotDo;
use crate::dialects::Piece;
use crate::dialects::anthropic::pieces;
use crate::dialects::stubs::NO_RESULT;
use crate::formats::FormatContext;
use crate::formats::chat::blocks::{self, Writing};
use crate::json::build::Value;
use crate::json::node::Node;
use crate::rewrite::Schema;
use crate::transcript::{Action, EventId, IdRange, PartId, PartKind, Request, Role, Transcript};

pub(super) const WRITING: Writing = Writing {
    schema: Schema {
        supports: blocks::SUPPORTS,
        after: None,
        id_after: &[],
        pieces: of_record,
        drops_empty: &[],
    },
    message: |record| record,
    role,
    list: "content",
    turns: true,
    apart: false,
    answer,
    text: |quoted| Value::object([("type", Value::text("text")), ("text", quoted)]),
};

fn of_record(record: Node<'_>) -> Vec<Piece<'_>> {
    record.get("content").map(pieces).unwrap_or_default()
}

fn role(t: &Transcript, event: EventId) -> Role {
    t.event(event).role
}

/// Turns actions into edits.
pub(super) fn plan_edits(
    context: &FormatContext<'_>,
    request: &Request,
    actions: &[Action],
) -> Result<Vec<Edit>, CannotDo> {
    blocks::plan_edits(context, &WRITING, request, actions)
}

/// A marked error result, its members in the order of the nearest result.
fn answer(context: &FormatContext<'_>, call: PartId) -> Value {
    let t = context.transcript;
    let mut members = vec![
        ("type", Value::text("tool_result")),
        ("tool_use_id", Value::text(t.text(t.a_part(call).id))),
        ("content", Value::text(NO_RESULT)),
        ("is_error", Value::Raw("true".into())),
    ];
    let order = nearest(t, call)
        .and_then(|result| keys(context, result))
        .unwrap_or_default();
    let place = |key: &str| {
        order
            .iter()
            .position(|known| known == key)
            .unwrap_or(usize::MAX)
    };
    members.sort_by_key(|(key, _)| place(key));
    Value::object(members)
}

/// The result that stands nearest to a call, in records.
fn nearest(t: &Transcript, call: PartId) -> Option<PartId> {
    let is_result = |part: &PartId| t.a_part(*part).kind == PartKind::Result;
    let behind = t.parts.ids_from(call).find(is_result);
    let before = IdRange::new(PartId::FIRST, call).rev().find(is_result);
    let distance = |part: &PartId| t.a_part(*part).event.distance(t.a_part(call).event);
    behind.into_iter().chain(before).min_by_key(distance)
}

/// The keys of a result's block, in order.
fn keys(context: &FormatContext<'_>, result: PartId) -> Option<Vec<String>> {
    let t = context.transcript;
    let event = t.a_part(result).event;
    let at = t.position(result);
    let record = context.record(event).ok()?;
    let block = record.root().get("content")?.items().nth(at)?;
    let keys = block.members();
    Some(
        keys.filter_map(|(key, _)| Some(key.str()?.into_owned()))
            .collect(),
    )
}
