//! The placeholder output for a call without a recorded output, as a line or as an element of a
//! compaction's list.

use super::times;
use crate::format::FormatContext;
use crate::json::build::NewValue;
use crate::json::node::Node;
use crate::rewrite::in_order;
use crate::shapes::items;
use crate::transcript::{EventId, PartId};

/// The bytes of the output of a call.
pub(super) fn answer(context: &FormatContext<'_>, call: PartId) -> Option<Vec<u8>> {
    let t = context.transcript;
    let event = t.part(call).event;
    if t.event(event).within.is_some() {
        return items::answer::element(context, call, true);
    }
    let output = items::answer::output(context, call, true)?;
    line(context, event, |payload| in_order(output, payload))
}

/// An item of a compaction's list, as a line after this record.
pub(super) fn lifted(
    context: &FormatContext<'_>,
    item: Vec<u8>,
    after: EventId,
) -> Option<Vec<u8>> {
    let item = String::from_utf8(item).ok()?;
    line(context, after, |_| NewValue::Raw(item.into()))
}

/// A line after this record, in the layout of the nearest output, whose payload `payload` gets.
fn line(
    context: &FormatContext<'_>,
    event: EventId,
    payload: impl FnOnce(Option<Node<'_>>) -> NewValue,
) -> Option<Vec<u8>> {
    let like = items::answer::like(context, event)?;
    let payload = payload(like.root().get("payload"));
    let stamp = times::own(context, event)?;
    let members = vec![
        ("timestamp", NewValue::text(stamp)),
        ("type", NewValue::text("response_item")),
        ("payload", payload),
    ];
    let members = in_order(members, Some(like.root()));
    Some(like.writer().write(&members))
}
