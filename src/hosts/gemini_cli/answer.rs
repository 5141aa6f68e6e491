//! Writes a marked error response where the host stores responses: in the `result` of the call's
//! item of `toolCalls`.

use super::message::tool_calls;
use super::void;
use crate::containers::rewrite::CannotDo;
use crate::dialects::gemini;
use crate::json::build::{NewValue, ValueWriter};
use crate::json::cut::{self, RecordChange};
use crate::json::node::Node;
use crate::json::tape::Kind;

/// A call that needs a result.
pub(super) struct UnansweredCall<'a> {
    /// Its ID, if any.
    pub id: Option<String>,
    /// The name of the tool.
    pub name: String,
    pub args: Option<Node<'a>>,
    /// Its item of `toolCalls`, if there is one.
    pub item: Option<Node<'a>>,
}

impl UnansweredCall<'_> {
    /// Whether an item of `toolCalls` is the one of this call.
    fn is_of(&self, item: Node<'_>) -> bool {
        match &self.id {
            Some(id) => item.has_str("id", id),
            None => {
                item.get("id").is_none_or(|id| id.is_null()) && item.has_str("name", &self.name)
            }
        }
    }
}

/// The changes that add results for these calls of one message.
///
/// # Errors
/// `toolCalls` is neither a list nor null.
pub(super) fn changes(
    message: Node<'_>,
    calls: &[UnansweredCall<'_>],
    writer: &ValueWriter,
) -> Result<Vec<RecordChange>, CannotDo> {
    let mut changes = Vec::new();
    let mut missing: Vec<&UnansweredCall<'_>> = Vec::new();
    let mut taken: Vec<u32> = Vec::new();
    for call in calls {
        let item = call.item.or_else(|| {
            tool_calls(message).find(|item| !taken.contains(&item.index()) && call.is_of(*item))
        });
        match item {
            Some(item) => {
                taken.push(item.index());
                changes.extend(fill(item, call, writer));
            }
            None => missing.push(call),
        }
    }
    if missing.is_empty() {
        return Ok(changes);
    }
    let time = message.get("timestamp").map_or(NewValue::NULL, NewValue::copy);
    match message.get("toolCalls") {
        Some(list) if list.kind() == Kind::Array => {
            let writer = list.items().next().map_or_else(|| writer.clone(), |item| writer.at(item));
            let items: Vec<Vec<u8>> =
                missing.iter().map(|call| writer.write(&item(call, time.clone()))).collect();
            // Make one insertion, because several at one place would overlap.
            let gap = list.items().next().map_or("", |_| ",");
            let joined = items.join(&b","[..]);
            let at = list.items().last().map_or(list.span().start + 1, |last| last.span().end);
            let with = [gap.as_bytes(), joined.as_slice()].concat();
            changes.push(RecordChange::new(at..at, with));
        }
        old => {
            let items =
                NewValue::List(missing.iter().map(|call| item(call, time.clone())).collect());
            let list = String::from_utf8_lossy(&writer.write(&items)).into_owned();
            changes.push(match old {
                Some(old) if old.is_null() => cut::replace(old, &list),
                Some(_) => return Err(CannotDo("`toolCalls` is not a list")),
                None => cut::insert_member(message, None, "toolCalls", &list),
            });
        }
    }
    Ok(changes)
}

/// The part that answers.
fn response(call: &UnansweredCall<'_>) -> NewValue {
    gemini::answer(call.id.as_deref(), &call.name, false)
}

/// A new item of `toolCalls`.
fn item(call: &UnansweredCall<'_>, time: NewValue) -> NewValue {
    let args = call.args.map_or_else(|| NewValue::object([]), NewValue::copy);
    let id = call.id.as_ref().map(|id| ("id", NewValue::text(id.clone())));
    let members = [
        ("name", NewValue::text(call.name.clone())),
        ("args", args),
        ("result", NewValue::List(vec![response(call)])),
        ("status", NewValue::text("error")),
        ("timestamp", time),
    ];
    NewValue::object(id.into_iter().chain(members))
}

/// The changes that put the response into an item.
fn fill(item: Node<'_>, call: &UnansweredCall<'_>, writer: &ValueWriter) -> Vec<RecordChange> {
    let writer = item.members().next().map_or_else(|| writer.clone(), |(key, _)| writer.at(key));
    let result = match item.get("result") {
        Some(list) if list.kind() == Kind::Array && !void::is_void(list) => {
            let inner =
                list.items().next().map_or_else(|| writer.clone(), |first| writer.at(first));
            let part = String::from_utf8_lossy(&inner.write(&response(call))).into_owned();
            cut::insert_item(list, u32::MAX, &part)
        }
        other => {
            let whole = writer.write(&NewValue::List(vec![response(call)]));
            let whole = String::from_utf8_lossy(&whole);
            match other {
                Some(empty) => cut::replace(empty, &whole),
                None => cut::insert_member(item, Some("args"), "result", &whole),
            }
        }
    };
    let status = item.get("status").filter(|status| !status.is_str("error"));
    std::iter::once(result).chain(status.map(|status| cut::replace(status, "\"error\""))).collect()
}
