//! Plans changes of messages.

use crate::dialects::placeholders::NO_RESULT;
use crate::format::FormatContext;
use crate::json::build::NewValue;
use crate::rewrite::{in_order, nearest};
use crate::shapes::chat::blocks::BlockWriting;
use crate::transcript::{PartId, PartKind};

pub(in crate::hosts) const WRITING: BlockWriting =
    BlockWriting { turns: true, answer, ..BlockWriting::MESSAGES };

/// A placeholder result, with its members in the order of the nearest result.
fn answer(context: &FormatContext<'_>, call: PartId) -> NewValue {
    answer_with(context, call, None)
}

/// A marked error result, its members, and this one, in the order of the nearest result.
pub(in crate::hosts) fn answer_with(
    context: &FormatContext<'_>,
    call: PartId,
    more: Option<(&'static str, NewValue)>,
) -> NewValue {
    let t = context.transcript;
    let own = [
        ("type", NewValue::text("tool_result")),
        ("tool_use_id", NewValue::text(t.text(t.part(call).id))),
        ("content", NewValue::text(NO_RESULT)),
        ("is_error", NewValue::Raw("true".into())),
    ];
    let members = own.into_iter().chain(more);
    let result = |event| t.part_of(event, PartKind::Result);
    let near = nearest(t, t.part(call).event, |event| result(event).is_some());
    let record = near.and_then(|event| context.record(event).ok());
    let block = record.as_ref().and_then(|record| {
        let at = t.position(result(near?)?);
        record.root().get("content")?.items().nth(at)
    });
    in_order(members, block)
}
