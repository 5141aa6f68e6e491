//! The placeholder result for a call without a recorded result.

use super::tree::ConversationTree;
use crate::dialects::placeholders::{NO_RESULT, cut_off};
use crate::format::FormatContext;
use crate::json::cut_off::said;
use crate::json::quote::{JsonStyle, object};
use crate::rewrite::{NewRecord, made_id};
use crate::transcript::{Code, EventId, PartId, time};

/// A separate result, or one in place of an unreadable record, whose ID it takes.
pub(super) fn new(
    context: &FormatContext<'_>,
    tree: &ConversationTree,
    call: PartId,
    instead_of: Option<EventId>,
) -> NewRecord {
    let t = context.transcript;
    let known = instead_of.and_then(|unreadable| tree.id(t, unreadable));
    let id = known.map(|id| t.ids.get(id).to_owned());
    let action = t.text(t.event(t.part(call).event).id);
    let session = super::session(context).unwrap_or_default();
    NewRecord {
        id: id.unwrap_or_else(|| made_id(&[Code::UnansweredCall.as_str(), &session, action])),
        instead_of,
        ..NewRecord::of(call)
    }
}

/// The event, written after `before`, with a time just after that. If it replaces an unreadable
/// record whose time is still readable, it has that time.
pub(super) fn bytes(
    context: &FormatContext<'_>,
    record: &NewRecord,
    before: Option<EventId>,
    parent: Option<&str>,
) -> Vec<u8> {
    let t = context.transcript;
    let call = t.part(record.call);
    let style = style(context, call.event);
    let shown = record.instead_of.and_then(|unreadable| t.event(unreadable).time());
    let micros = shown.or_else(|| before.and_then(|e| t.event(e).time()).map(|micros| micros + 1));
    let stamp = time::format_naive(micros.or(t.event(call.event).time()).unwrap_or(0));
    let mut members = vec![
        ("id", style.quote(&record.id)),
        ("timestamp", style.quote(&stamp)),
        ("source", style.quote("agent")),
    ];
    if let Some(parent) = parent {
        members.push(("parent_id", style.quote(parent)));
    }
    members.push(("tool_name", style.quote(t.text(call.tool))));
    members.push(("tool_call_id", style.quote(t.text(call.id))));
    members.push(("error", style.quote(&text(context, record.instead_of))));
    members.push(("kind", style.quote("AgentErrorEvent")));
    object(&members, &style)
}

/// What the result says: what is left of the record that it replaces, if that is anything.
fn text(context: &FormatContext<'_>, instead_of: Option<EventId>) -> String {
    let bytes = instead_of.and_then(|event| {
        let at = context.transcript.event(event).at();
        context.entries.fetch(at).ok()
    });
    match bytes.map(said).filter(|said| !said.is_empty()) {
        Some(said) => cut_off(&said),
        None => NO_RESULT.to_owned(),
    }
}

/// The style of the record of the call, which its result gets too.
fn style(context: &FormatContext<'_>, call: EventId) -> JsonStyle {
    let record = context.record(call);
    record.map_or_else(|_| JsonStyle::default(), |record| record.writer().style())
}
