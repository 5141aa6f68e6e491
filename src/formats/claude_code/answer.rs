//! The error result that answers a call for which nothing was recorded.

use super::lines::{ENVELOPE, envelope, uuid};
use super::records::is_result;
use crate::containers::rewrite::CannotDo;
use crate::dialects::stubs::NO_RESULT;
use crate::formats::FormatContext;
use crate::json::build::Value;
use crate::json::node::Node;
use crate::rewrite::{NewRecord, Plan};
use crate::transcript::{EventId, PartId, PartKind, State, Transcript};

/// The members of a result's line, as the client writes them.
const ORDER: &[&str] = &[
    "parentUuid",
    "isSidechain",
    "userType",
    "entrypoint",
    "cwd",
    "sessionId",
    "version",
    "gitBranch",
    "agentId",
    "type",
    "message",
    "toolUseResult",
    "sourceToolAssistantUUID",
    "uuid",
    "timestamp",
];

/// A result for a call.
pub(super) fn new(context: &FormatContext<'_>, call: PartId) -> NewRecord {
    let t = context.transcript;
    let part = t.a_part(call);
    let line = t.text(t.event(part.event).id);
    let session = super::session(context).unwrap_or_default();
    NewRecord {
        call,
        id: uuid(&[&session, t.text(part.id), line]),
        instead_of: None,
    }
}

/// The line, without its ending. `parent`: the id of the record before it; `stamp`: its time; `models`: lines to look like.
pub(super) fn bytes(
    plan: &Plan<'_>,
    record: &NewRecord,
    models: &[EventId],
    parent: &str,
    stamp: &str,
) -> Result<Vec<u8>, CannotDo> {
    let t = plan.t;
    let part = t.a_part(record.call);
    let line = plan.source.record(part.event)?;
    let around = envelope(line.root());
    let sibling = nearest(models, part.event)
        .map(|model| plan.source.record(model))
        .transpose()?;
    let model = sibling.as_ref().unwrap_or(&line);
    let shape = sibling.as_ref().map(|sibling| sibling.root());
    let block = |key: &str| match key {
        "type" => Some(Value::text("tool_result")),
        "tool_use_id" => Some(Value::text(t.text(part.id))),
        "content" => Some(Value::text(NO_RESULT)),
        "is_error" => Some(Value::Raw("true".into())),
        _ => None,
    };
    let of_block = shape.and_then(|shape| shape.at(&["message", "content"])?.items().next());
    let block = like(
        of_block,
        &["tool_use_id", "type", "content", "is_error"],
        &block,
    );
    let message = |key: &str| match key {
        "role" => Some(Value::text("user")),
        "content" => Some(Value::List(vec![block.clone()])),
        _ => None,
    };
    let message = like(
        shape.and_then(|shape| shape.get("message")),
        &["role", "content"],
        &message,
    );
    let with_source = shape.is_none_or(|shape| shape.get("sourceToolAssistantUUID").is_some());
    let member = |key: &str| match key {
        "parentUuid" => Some(Value::text(parent)),
        "type" => Some(Value::text("user")),
        "message" => Some(message.clone()),
        "toolUseResult" => Some(Value::text(format!("Error: {NO_RESULT}"))),
        "sourceToolAssistantUUID" if with_source => {
            Some(Value::text(t.text(t.event(part.event).id)))
        }
        "uuid" => Some(Value::text(&record.id)),
        "timestamp" => Some(Value::text(stamp)),
        key => around
            .iter()
            .find(|(own, _)| *own == key)
            .map(|(_, value)| value.clone()),
    };
    let whole = like(shape, ORDER, &member);
    Ok(model.look().write(&whole))
}

/// An object with these members in the order of another one; what that one lacks stands where it belongs by default.
fn like(
    shape: Option<Node<'_>>,
    order: &[&'static str],
    member: &dyn Fn(&str) -> Option<Value>,
) -> Value {
    let mut keys: Vec<&'static str> = Vec::new();
    for (key, _) in shape.into_iter().flat_map(|shape| shape.members()) {
        keys.extend(
            order
                .iter()
                .find(|known| key.is_str(known) && !keys.contains(known)),
        );
    }
    for (at, key) in order
        .iter()
        .enumerate()
        .filter(|(_, key)| member(key).is_some())
    {
        if !keys.contains(key) {
            let before = order[..at]
                .iter()
                .rev()
                .find_map(|other| keys.iter().position(|key| key == other));
            keys.insert(before.map_or(0, |before| before + 1), key);
        }
    }
    Value::Object(
        keys.into_iter()
            .filter_map(|key| Some((key, member(key)?)))
            .collect(),
    )
}

/// The lines that hold one result and nothing else, in order.
pub(super) fn models(t: &Transcript) -> Vec<EventId> {
    let fits = |event: &EventId| {
        let parts = t.event(*event).parts.clone();
        t.event(*event).state == State::Whole
            && parts.len() == 1
            && t.a_part(parts.start()).kind == PartKind::Result
            && is_result(t, *event)
    };
    t.records().filter(fits).collect()
}

/// The one that is nearest to a call.
fn nearest(models: &[EventId], call: EventId) -> Option<EventId> {
    let at = models.partition_point(|event| *event < call);
    let before = at.checked_sub(1).map(|at| models[at]);
    match (before, models.get(at).copied()) {
        (Some(before), Some(behind)) if behind.distance(call) < call.distance(before) => {
            Some(behind)
        }
        (before, behind) => before.or(behind),
    }
}

// The envelope is part of the order.
const _: () = assert!(ENVELOPE.len() + 7 == ORDER.len());
