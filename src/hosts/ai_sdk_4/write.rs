//! Changes of calls, which newer releases of version 4 keep twice.

use super::{body, copy_of};
use crate::containers::rewrite::CannotDo;
use crate::dialects::placeholders::NO_RESULT;
use crate::format::FormatContext;
use crate::json::cut::{self, RecordChange};
use crate::json::node::Node;
use crate::json::quote::quote;
use crate::rewrite::{Schema, set_member};
use crate::shapes::chat::inside::{self, InsideRecord};
use crate::transcript::EventId;

pub(in crate::hosts) const SCHEMA: Schema = Schema { supports: inside::SUPPORTS, ..Schema::PLAIN };

/// Lets calls end, and removes others with their copies.
pub(in crate::hosts) fn changes(
    context: &FormatContext<'_>,
    event: EventId,
    message: Node<'_>,
    inside: &InsideRecord,
) -> Result<Vec<RecordChange>, CannotDo> {
    let body = body(message);
    let parts = &context.transcript.event(event).parts;
    let pieces = (context.pieces)(message);
    let homes = |part| {
        pieces.get(parts.position_of(part)).map(|piece| &piece.homes[..]).unwrap_or_default()
    };
    let mut changes = Vec::new();
    for call in &inside.answered {
        let home = homes(*call).first().ok_or(CannotDo("a call cannot be found again"))?;
        let item = home
            .list
            .items()
            .nth(home.at as usize)
            .ok_or(CannotDo("a call cannot be found again"))?;
        changes.extend(end(body, item));
    }
    for list in ["parts", "toolInvocations"].iter().filter_map(|key| body.get(key)) {
        let gone = inside.gone.iter().flat_map(|part| homes(*part));
        let gone = gone.filter(|home| home.list.index() == list.index());
        let gone: Vec<u32> = gone.map(|home| home.at).collect();
        if !gone.is_empty() {
            changes.extend(cut::remove_members(list, &gone));
        }
    }
    Ok(changes)
}

/// Lets a call end with the result that its copy has, or else with an error that is marked as ours, in both places.
fn end(message: Node<'_>, item: Node<'_>) -> Vec<RecordChange> {
    let call = item.get("toolInvocation").unwrap_or(item);
    let copy =
        copy_of(message, call).map(|(copy, _)| copy).filter(|copy| copy.index() != call.index());
    let known = copy.and_then(|copy| copy.get("result"));
    let result = known.map(|known| String::from_utf8_lossy(&known.raw()).into_owned());
    let result = result.unwrap_or_else(|| quote(NO_RESULT));
    let mut changes = Vec::new();
    for own in [Some(call), copy.filter(|_| known.is_none())].into_iter().flatten() {
        changes.push(set_member(own, None, "state", "\"result\""));
        let after = ["toolName", "args"].into_iter().rfind(|key| own.get(key).is_some());
        changes.push(set_member(own, after, "result", &result));
    }
    changes
}
