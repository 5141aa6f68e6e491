//! How the results of a step change.

use super::read;
use crate::containers::rewrite::CannotDo;
use crate::dialects::Piece;
use crate::dialects::placeholders::NO_RESULT;
use crate::format::FormatContext;
use crate::json::build::NewValue;
use crate::json::cut::{self, ArrayItem, RecordChange, arrange};
use crate::json::node::Node;
use crate::shapes::chat::inside::InsideRecord;
use crate::transcript::{EventId, PartId, PartKind};

/// The changes of a step. New results come after those that are there.
pub(super) fn changes(
    context: &FormatContext<'_>,
    event: EventId,
    step: Node<'_>,
    inside: &InsideRecord,
) -> Result<Vec<RecordChange>, CannotDo> {
    let t = context.transcript;
    let record = context.record(event)?;
    let mut new = Vec::new();
    for result in &inside.arriving {
        new.push(recorded(context, *result)?);
    }
    new.extend(inside.answered.iter().map(|call| {
        NewValue::object([
            ("source_call_id", NewValue::text(t.text(t.part(*call).id))),
            ("content", NewValue::text(NO_RESULT)),
        ])
    }));
    let pieces = read::pieces(step);
    let calls = removed(context, event, inside, &pieces, PartKind::Call);
    let calls = step.get("tool_calls").map(|list| cut::remove_members(list, &calls));
    let mut changes = calls.unwrap_or_default();
    let gone = removed(context, event, inside, &pieces, PartKind::Result);
    if new.is_empty() && gone.is_empty() {
        return Ok(changes);
    }
    // Written like the results that are there.
    if let Some(list) = read::results(step) {
        let look = list
            .items()
            .next()
            .map_or_else(|| record.writer().at(list), |item| record.writer().at(item));
        let kept = (0..list.items().count() as u32).filter(|at| !gone.contains(at));
        let new = new.iter().map(|result| ArrayItem::New(look.write(result)));
        let items: Vec<ArrayItem> = kept.map(ArrayItem::Old).chain(new).collect();
        changes.extend(arrange(list, &items));
        return Ok(changes);
    }
    // A step without results has no list that they could be put into.
    let observation = NewValue::object([("results", NewValue::List(new))]);
    changes.push(match step.get("observation") {
        Some(other) => {
            RecordChange { at: other.span(), with: record.writer().at(other).write(&observation) }
        }
        None => {
            let calls = step.get("tool_calls").ok_or(CannotDo("a step has no calls"))?;
            let raw = record.writer().at(calls).write(&observation);
            let raw = String::from_utf8_lossy(&raw);
            cut::insert_member(step, Some("tool_calls"), "observation", &raw)
        }
    });
    Ok(changes)
}

/// Where the removed parts of this kind are in their list, in order.
fn removed(
    context: &FormatContext<'_>,
    event: EventId,
    inside: &InsideRecord,
    pieces: &[Piece<'_>],
    kind: PartKind,
) -> Vec<u32> {
    let t = context.transcript;
    let parts = &t.event(event).parts;
    let mut places = Vec::new();
    for part in inside.gone.iter().filter(|part| t.part(**part).kind == kind) {
        if let Some(piece) = pieces.get(parts.position_of(*part)) {
            places.extend(piece.homes.iter().map(|home| home.at));
        }
    }
    places.sort_unstable();
    places
}

/// A result of another step, as it is recorded.
fn recorded(context: &FormatContext<'_>, result: PartId) -> Result<NewValue, CannotDo> {
    let t = context.transcript;
    let event = t.part(result).event;
    let record = context.record(event)?;
    let pieces = read::pieces(record.root());
    let piece = pieces.get(t.event(event).parts.position_of(result));
    let home = piece.and_then(|piece| piece.homes.first().copied());
    let item = home.and_then(|home| home.list.items().nth(home.at as usize));
    let raw = item.ok_or(CannotDo("a result cannot be found again"))?.raw();
    Ok(NewValue::Raw(String::from_utf8_lossy(&raw).into_owned().into()))
}
