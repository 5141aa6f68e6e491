//! How the results and calls of an entry change.

use super::read;
use crate::containers::rewrite::CannotDo;
use crate::dialects::placeholders::NO_RESULT;
use crate::format::FormatContext;
use crate::json::build::NewValue;
use crate::json::cut::{self, RecordChange};
use crate::json::node::Node;
use crate::shapes::chat::inside::InsideRecord;
use crate::transcript::{EventId, PartId, PartKind};

/// What the host sends of results without a text (`replace_content_with_tool_use_results`).
const REDACTED: &str = "<tool result redacted>";

/// The changes of an entry. New results come after those that are there.
pub(super) fn changes(
    context: &FormatContext<'_>,
    event: EventId,
    entry: Node<'_>,
    inside: &InsideRecord,
) -> Result<Vec<RecordChange>, CannotDo> {
    let t = context.transcript;
    let gone = |kind| {
        let parts = inside.gone.iter().copied().filter(move |part| t.part(*part).kind == kind);
        places(context, event, entry, parts)
    };
    let mut changes = without_calls(context, event, entry, &gone(PartKind::Call))?;
    let gone = gone(PartKind::Result);
    if gone.is_empty() && inside.arriving.is_empty() && inside.answered.is_empty() {
        return Ok(changes);
    }
    let ask = read::asks(entry).ok_or(CannotDo("an entry without a message"))?;
    let results = (0_u32..).zip(ask.items_of("tool_use_results"));
    let kept = results.filter(|(at, _)| !gone.contains(at));
    let mut results: Vec<NewValue> = kept.map(|(_, result)| NewValue::copy(result)).collect();
    for result in &inside.arriving {
        results.push(recorded(context, *result)?);
    }
    results.extend(inside.answered.iter().map(|call| {
        let text = NewValue::object([("Text", NewValue::text(NO_RESULT))]);
        NewValue::object([
            ("tool_use_id", NewValue::text(t.text(t.part(*call).id))),
            ("content", NewValue::List(vec![text])),
            ("status", NewValue::text("Error")),
        ])
    }));
    let prompt = ask.get("prompt").filter(|prompt| prompt.str().is_some()).map(NewValue::copy);
    let list = ("tool_use_results", NewValue::List(results.clone()));
    let content = match (results.is_empty(), prompt) {
        (true, None) => return Err(CannotDo("a message would be empty")),
        (true, Some(prompt)) => ("Prompt", NewValue::object([("prompt", prompt)])),
        (false, None) => ("ToolUseResults", NewValue::object([list])),
        (false, Some(prompt)) => {
            ("CancelledToolUses", NewValue::object([("prompt", prompt), list]))
        }
    };
    let old = entry.at(&["user", "content"]).ok_or(CannotDo("an entry without a message"))?;
    let record = context.record(event)?;
    let with = record.writer().at(old).write(&NewValue::object([content]));
    changes.push(RecordChange { at: old.span(), with });
    Ok(changes)
}

/// The changes that remove calls; an answer without calls is a response.
fn without_calls(
    context: &FormatContext<'_>,
    event: EventId,
    entry: Node<'_>,
    gone: &[u32],
) -> Result<Vec<RecordChange>, CannotDo> {
    let answer = read::answers(entry).filter(|_| !gone.is_empty());
    let list = answer.and_then(|answer| answer.get("tool_uses"));
    let (Some(answer), Some(list)) = (answer, list) else {
        return Ok(Vec::new());
    };
    if list.items().count() > gone.len() {
        return Ok(cut::remove_members(list, gone));
    }
    let copied = |key| answer.get(key).map_or(NewValue::NULL, NewValue::copy);
    let members = [("message_id", copied("message_id")), ("content", copied("content"))];
    let old = entry.get("assistant").ok_or(CannotDo("an entry without an answer"))?;
    let record = context.record(event)?;
    let response = NewValue::object([("Response", NewValue::object(members))]);
    Ok(vec![RecordChange { at: old.span(), with: record.writer().at(old).write(&response) }])
}

/// Where these parts are in their lists, in order.
fn places(
    context: &FormatContext<'_>,
    event: EventId,
    entry: Node<'_>,
    parts: impl Iterator<Item = PartId>,
) -> Vec<u32> {
    let pieces = read::pieces(entry);
    let all = &context.transcript.event(event).parts;
    let pieces = parts.filter_map(|part| pieces.get(all.position_of(part)));
    let mut places: Vec<u32> =
        pieces.flat_map(|piece| piece.homes.iter().map(|home| home.at)).collect();
    places.sort_unstable();
    places
}

/// A result of another entry, as it is recorded.
fn recorded(context: &FormatContext<'_>, result: PartId) -> Result<NewValue, CannotDo> {
    let event = context.transcript.part(result).event;
    let record = context.record(event)?;
    let entry = record.root();
    let at = places(context, event, entry, std::iter::once(result));
    let ask = read::asks(entry).zip(at.first());
    let item = ask.and_then(|(ask, at)| ask.items_of("tool_use_results").nth(*at as usize));
    item.map(NewValue::copy).ok_or(CannotDo("a result cannot be found again"))
}

/// The changes that make a prompt of an entry's results, as the host does with those of the first entry.
pub(super) fn as_prompt(
    context: &FormatContext<'_>,
    event: EventId,
    entry: Node<'_>,
) -> Vec<RecordChange> {
    let (Some(old), Some(ask), Ok(record)) =
        (entry.at(&["user", "content"]), read::asks(entry), context.record(event))
    else {
        return Vec::new();
    };
    let mut texts: Vec<String> = ask.items_of("tool_use_results").flat_map(read::said).collect();
    texts.extend(ask.string("prompt").map(|text| text.into_owned()));
    texts.retain(|text| !text.is_empty());
    let text = if texts.is_empty() { REDACTED.to_owned() } else { texts.join("\n") };
    let prompt = NewValue::object([("prompt", NewValue::text(text))]);
    let content = NewValue::object([("Prompt", prompt)]);
    vec![RecordChange { at: old.span(), with: record.writer().at(old).write(&content) }]
}
