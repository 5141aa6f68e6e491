//! A marked error response in the place where the host stores one: the `result` of the call's item
//! of `toolCalls`.

use super::message::tool_calls;
use super::void;
use crate::containers::rewrite::CannotDo;
use crate::dialects::stubs::NO_RESULT;
use crate::json::build::{Value, ValueWriter};
use crate::json::cut::{self, Change};
use crate::json::node::Node;
use crate::json::tape::Kind;

/// A call to be answered: its id, its tool and the bytes of its arguments, as it asks.
pub(super) struct Asked<'a> {
    /// The id, if it has one.
    pub id: Option<String>,
    /// The tool.
    pub name: String,
    /// The arguments.
    pub args: Option<Node<'a>>,
    /// Its item of `toolCalls`, where it is one.
    pub item: Option<Node<'a>>,
}

/// The changes that answer these calls of one message.
///
/// # Errors
/// `toolCalls` is of a type that nothing can be put into.
pub(super) fn changes(
    message: Node<'_>,
    calls: &[Asked<'_>],
    look: &ValueWriter,
) -> Result<Vec<Change>, CannotDo> {
    let mut changes = Vec::new();
    let mut missing: Vec<&Asked<'_>> = Vec::new();
    let mut taken: Vec<u32> = Vec::new();
    for call in calls {
        let fits = |item: &Node<'_>| {
            let same = |key: &str, own: &str| item.has_str(key, own);
            !taken.contains(&item.index())
                && match &call.id {
                    Some(id) => same("id", id),
                    None => {
                        item.get("id").is_none_or(|id| id.is_null()) && same("name", &call.name)
                    }
                }
        };
        match call.item.or_else(|| tool_calls(message).find(fits)) {
            Some(item) => {
                taken.push(item.index());
                changes.extend(fill(item, call, look));
            }
            None => missing.push(call),
        }
    }
    if missing.is_empty() {
        return Ok(changes);
    }
    let time = message.get("timestamp").map_or(Value::NULL, raw);
    match message.get("toolCalls") {
        Some(list) if list.kind() == Kind::Array => {
            let look = list
                .items()
                .next()
                .map_or_else(|| look.clone(), |item| look.at(item));
            let items: Vec<Vec<u8>> = missing
                .iter()
                .map(|call| look.write(&item(call, time.clone())))
                .collect();
            // One insertion: several at one place would touch.
            let gap = list.items().next().map_or("", |_| ",");
            let joined = items.join(&b","[..]);
            let at = list
                .items()
                .last()
                .map_or(list.span().start + 1, |last| last.span().end);
            let with = [gap.as_bytes(), joined.as_slice()].concat();
            changes.push(Change::new(at..at, with));
        }
        old => {
            let items = Value::List(
                missing
                    .iter()
                    .map(|call| item(call, time.clone()))
                    .collect(),
            );
            let list = String::from_utf8_lossy(&look.write(&items)).into_owned();
            changes.push(match old {
                Some(old) if old.is_null() => cut::replace(old, &list),
                Some(_) => return Err(CannotDo("`toolCalls` is no list")),
                None => cut::insert_member(message, None, "toolCalls", &list),
            });
        }
    }
    Ok(changes)
}

fn raw(node: Node<'_>) -> Value {
    Value::Raw(String::from_utf8_lossy(&node.raw()).into_owned().into())
}

/// The part that answers.
fn response(call: &Asked<'_>) -> Value {
    let id = call.id.as_ref().map(|id| ("id", Value::text(id.clone())));
    let message = Value::object([("error", Value::text(NO_RESULT))]);
    let members = [
        ("name", Value::text(call.name.clone())),
        ("response", message),
    ];
    Value::object([(
        "functionResponse",
        Value::object(id.into_iter().chain(members)),
    )])
}

/// A new item of `toolCalls`.
fn item(call: &Asked<'_>, time: Value) -> Value {
    let args = call.args.map_or_else(|| Value::object([]), raw);
    let id = call.id.as_ref().map(|id| ("id", Value::text(id.clone())));
    let members = [
        ("name", Value::text(call.name.clone())),
        ("args", args),
        ("result", Value::List(vec![response(call)])),
        ("status", Value::text("error")),
        ("timestamp", time),
    ];
    Value::object(id.into_iter().chain(members))
}

/// The changes that put the response into an item.
fn fill(item: Node<'_>, call: &Asked<'_>, look: &ValueWriter) -> Vec<Change> {
    let look = item
        .members()
        .next()
        .map_or_else(|| look.clone(), |(key, _)| look.at(key));
    let whole =
        || String::from_utf8_lossy(&look.write(&Value::List(vec![response(call)]))).into_owned();
    let result = match item.get("result") {
        Some(list) if list.kind() == Kind::Array && !void::is_void(list) => {
            let inner = list
                .items()
                .next()
                .map_or_else(|| look.clone(), |first| look.at(first));
            let part = String::from_utf8_lossy(&inner.write(&response(call))).into_owned();
            cut::insert_item(list, u32::MAX, &part)
        }
        Some(empty) => cut::replace(empty, &whole()),
        None => cut::insert_member(item, Some("args"), "result", &whole()),
    };
    let status = item.get("status").filter(|status| !status.is_str("error"));
    std::iter::once(result)
        .chain(status.map(|status| cut::replace(status, "\"error\"")))
        .collect()
}
