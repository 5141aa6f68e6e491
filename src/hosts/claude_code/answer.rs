//! The placeholder result for a call without a recorded result.

use super::lines::{ENVELOPE, envelope, uuid};
use super::records::is_result;
use crate::containers::rewrite::CannotDo;
use crate::dialects::placeholders::NO_RESULT;
use crate::format::FormatContext;
use crate::json::build::NewValue;
use crate::rewrite::{NewRecord, Plan, in_order, nearest};
use crate::transcript::{EventId, PartId, PartKind, State, Transcript};

/// The members of a result's line, in the client's order.
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

/// A new result for a call.
pub(super) fn new(context: &FormatContext<'_>, call: PartId) -> NewRecord {
    let t = context.transcript;
    let part = t.part(call);
    let line = t.text(t.event(part.event).id);
    let session = super::session(context).unwrap_or_default();
    NewRecord { id: uuid(&[&session, t.text(part.id), line]), ..NewRecord::of(call) }
}

/// The line, without its ending. `parent`: the ID of the record before it; `stamp`: its time.
pub(super) fn bytes(
    plan: &Plan<'_>,
    record: &NewRecord,
    parent: &str,
    stamp: &str,
) -> Result<Vec<u8>, CannotDo> {
    let t = plan.t;
    let part = t.part(record.call);
    let line = plan.source.record(part.event)?;
    let around = envelope(line.root());
    let sibling = nearest(t, part.event, |event| is_model(t, event))
        .map(|model| plan.source.record(model))
        .transpose()?;
    let model = sibling.as_ref().unwrap_or(&line);
    let shape = sibling.as_ref().map(|sibling| sibling.root());
    let block = [
        ("tool_use_id", NewValue::text(t.text(part.id))),
        ("type", NewValue::text("tool_result")),
        ("content", NewValue::text(NO_RESULT)),
        ("is_error", NewValue::Raw("true".into())),
    ];
    let of_block = shape.and_then(|shape| shape.at(&["message", "content"])?.items().next());
    let message = [
        ("role", NewValue::text("user")),
        ("content", NewValue::List(vec![in_order(block, of_block)])),
    ];
    let message = in_order(message, shape.and_then(|shape| shape.get("message")));
    let with_source = shape.is_none_or(|shape| shape.get("sourceToolAssistantUUID").is_some());
    let member = |key: &str| match key {
        "parentUuid" => Some(NewValue::text(parent)),
        "type" => Some(NewValue::text("user")),
        "message" => Some(message.clone()),
        "toolUseResult" => Some(NewValue::text(format!("Error: {NO_RESULT}"))),
        "sourceToolAssistantUUID" if with_source => {
            Some(NewValue::text(t.text(t.event(part.event).id)))
        }
        "uuid" => Some(NewValue::text(&record.id)),
        "timestamp" => Some(NewValue::text(stamp)),
        key => around.iter().find(|(own, _)| *own == key).map(|(_, value)| value.clone()),
    };
    let members = ORDER.iter().filter_map(|key| Some((*key, member(key)?)));
    Ok(model.writer().write(&in_order(members, shape)))
}

/// Whether a line has one result and nothing else, so that it can be a model for a new one.
fn is_model(t: &Transcript, event: EventId) -> bool {
    let parts = t.event(event).parts.clone();
    t.event(event).state == State::Whole
        && parts.len() == 1
        && t.part(parts.start()).kind == PartKind::Result
        && is_result(t, event)
}

// The envelope is part of the order.
const _: () = assert!(ENVELOPE.len() + 7 == ORDER.len());
