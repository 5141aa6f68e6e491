//! What a record is to the tree.

use super::{attrs, kinds};
use crate::transcript::{EventId, PartId, PartKind, Role, Transcript, Value};

/// Whether a record is a compaction.
pub(super) fn is_boundary(t: &Transcript, event: EventId) -> bool {
    match t.attr_of(event, attrs::SUBTYPE) {
        Some(Value::Text(kind)) => t.ids.get(kind) == kinds::BOUNDARY && t.kind(event) == "system",
        _ => false,
    }
}

/// Whether the user or the model speaks in a record.
pub(super) fn is_spoken(t: &Transcript, event: EventId) -> bool {
    matches!(t.event(event).role, Role::User | Role::Assistant)
}

/// The calls of an answer's line, or the results of a user's.
pub(super) fn pair_parts(t: &Transcript, event: EventId) -> impl Iterator<Item = PartId> + '_ {
    let wanted = match t.event(event).role {
        Role::Assistant => Some(PartKind::Call),
        Role::User => Some(PartKind::Result),
        _ => None,
    };
    t.event(event)
        .parts
        .clone()
        .filter(move |part| Some(t.a_part(*part).kind) == wanted)
}

/// Whether a line of the user's holds a result.
pub(super) fn is_result(t: &Transcript, event: EventId) -> bool {
    t.event(event).role == Role::User && pair_parts(t, event).next().is_some()
}
