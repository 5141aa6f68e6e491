//! The message that answers a call for which nothing was recorded.

use crate::containers::rewrite::CannotDo;
use crate::dialects::chat::{self as dialect, pieces};
use crate::dialects::placeholders::NO_RESULT;
use crate::format::FormatContext;
use crate::json::build::NewValue;
use crate::json::node::Node;
use crate::rewrite::{in_order, nearest};
use crate::transcript::{EventId, PartId, Role, State, Transcript};

/// A tool's message as its neighbors are written, or as the message that asks. Where the results of a sub-agent have its
/// role, so has this one.
///
/// # Errors
/// The message that asks cannot be read again.
pub(super) fn bytes(
    context: &FormatContext<'_>,
    call: PartId,
    _: usize,
) -> Result<Vec<u8>, CannotDo> {
    let t = context.transcript;
    let part = t.part(call);
    let asker = t.kind(part.event);
    let is_lane = |event: EventId| dialect::is_lane(t.kind(event));
    let has_lane = dialect::is_lane(asker);
    let neighbor =
        nearest(t, part.event, |event| is_result(t, event) && is_lane(event) == has_lane)
            .or_else(|| nearest(t, part.event, |event| is_result(t, event) && !is_lane(event)));
    let model = context.record(neighbor.unwrap_or(part.event))?;
    let root = model.root();
    let is_alone = neighbor.is_some() && pieces(&dialect::ChatMessage::of(root)).len() == 1;
    let shape = is_alone.then_some(root);
    let is_named = shape.and_then(|shape| shape.string("name")).is_some();
    let name = Some(t.text(part.tool)).filter(|name| !name.is_empty());
    let name = name.filter(|_| is_named || context.target.needs.results_name_tools);
    let role = if neighbor.is_some_and(is_lane) { asker } else { "tool" };
    let mut members =
        vec![("role", NewValue::text(role)), ("tool_call_id", NewValue::text(t.text(part.id)))];
    members.extend(name.map(|name| ("name", NewValue::text(name))));
    members.push(("content", content(shape)));
    Ok(model.writer().write(&in_order(members, shape)))
}

fn is_result(t: &Transcript, event: EventId) -> bool {
    let record = t.event(event);
    record.role == Role::Tool && record.state == State::Whole && record.kind.is_some()
}

/// The text as it is or in a block, as results here have theirs.
fn content(shape: Option<Node<'_>>) -> NewValue {
    let list = shape.and_then(|shape| shape.get("content"));
    let first = list.and_then(|list| list.items().next());
    let kind = first.and_then(|block| block.get("type"));
    let known = ["text", "tool_output"].into_iter();
    let known = kind.and_then(|kind| known.into_iter().find(|known| kind.is_str(known)));
    match known {
        Some(kind) => NewValue::List(vec![NewValue::object([
            ("type", NewValue::text(kind)),
            ("text", NewValue::text(NO_RESULT)),
        ])]),
        None => NewValue::text(NO_RESULT),
    }
}
