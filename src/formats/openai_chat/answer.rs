//! The message that answers a call for which nothing was recorded.

use crate::containers::rewrite::CannotDo;
use crate::dialects::chat::{self as dialect, pieces};
use crate::dialects::stubs::NO_RESULT;
use crate::formats::FormatContext;
use crate::json::build::Value;
use crate::json::members::Members;
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::transcript::{EventId, IdRange, PartId, Role, State, Transcript};

/// Messages on each side of the call among which a result is looked for that shows how results are written.
const NEAR: usize = 64;
/// Members that are copied from a neighbor, in its order.
const MEMBERS: &[&str] = &["role", "tool_call_id", "name", "content"];

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
    let part = t.a_part(call);
    let asker = t.kind(part.event);
    let is_lane = |event: EventId| dialect::is_lane(t.kind(event));
    let alike = |result: EventId| is_lane(result) == dialect::is_lane(asker);
    let neighbor = nearest(t, part.event, &alike)
        .or_else(|| nearest(t, part.event, &|result| !is_lane(result)));
    let model = context.record(neighbor.unwrap_or(part.event))?;
    let shape = Shape::of(model.root(), neighbor.is_some());
    let role = if neighbor.is_some_and(is_lane) {
        asker
    } else {
        "tool"
    };
    let name = t.text(part.tool);
    let named = shape.named || context.target.name == "mistral";
    let members = shape.order.iter().filter_map(|key| {
        let value = match *key {
            "role" => Value::text(role),
            "tool_call_id" => Value::text(t.text(part.id)),
            "name" if named && !name.is_empty() => Value::text(name),
            "content" => shape.content(),
            _ => return None,
        };
        Some((*key, value))
    });
    Ok(model.look().write(&Value::Object(members.collect())))
}

/// The whole result nearest to a message, among those that fit.
fn nearest(t: &Transcript, event: EventId, fits: &dyn Fn(EventId) -> bool) -> Option<EventId> {
    let is_result = |event: &EventId| {
        let record = t.event(*event);
        record.role == Role::Tool
            && record.state == State::Whole
            && record.kind.is_some()
            && fits(*event)
    };
    let behind = t.events.ids_from(event.next()).take(NEAR).find(is_result);
    let before = IdRange::new(EventId::FIRST, event)
        .rev()
        .take(NEAR)
        .find(is_result);
    match (before, behind) {
        (Some(before), Some(behind)) if event.distance(before) < behind.distance(event) => {
            Some(before)
        }
        (before, behind) => behind.or(before),
    }
}

/// How results are written here.
struct Shape {
    /// The members in order.
    order: Vec<&'static str>,
    /// They say the tool's name.
    named: bool,
    /// The type of the one block that holds the text; `None`: the content is a text.
    block: Option<&'static str>,
}

impl Shape {
    fn of(model: Node<'_>, is_result: bool) -> Shape {
        let plain = || Shape {
            order: vec!["role", "tool_call_id", "name", "content"],
            named: false,
            block: None,
        };
        if !is_result || pieces(&Members::of(model), model).len() != 1 {
            return plain();
        }
        let known = |key: Node<'_>| MEMBERS.iter().find(|known| key.is_str(known)).copied();
        let own = model.members().filter_map(|(key, _)| known(key));
        let mut order: Vec<&'static str> = Vec::with_capacity(MEMBERS.len());
        for key in own.chain(MEMBERS.iter().copied()) {
            if !order.contains(&key) {
                order.push(key);
            }
        }
        let named = model
            .get("name")
            .is_some_and(|name| name.kind() == Kind::String);
        let first = model
            .get("content")
            .filter(|content| content.kind() == Kind::Array);
        let first = first
            .and_then(|content| content.items().next())
            .and_then(|block| block.get("type"));
        let block = first.and_then(|kind| {
            ["text", "tool_output"]
                .into_iter()
                .find(|known| kind.is_str(known))
        });
        Shape {
            order,
            named,
            block,
        }
    }

    fn content(&self) -> Value {
        match self.block {
            Some(kind) => Value::List(vec![Value::object([
                ("type", Value::text(kind)),
                ("text", Value::text(NO_RESULT)),
            ])]),
            None => Value::text(NO_RESULT),
        }
    }
}
