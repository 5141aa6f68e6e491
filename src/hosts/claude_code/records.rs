//! What kind of node a record is in the tree.

use super::{kinds, own};
use crate::transcript::{EventId, Id, LinkKind, PartId, PartKind, Role, Transcript};

/// Whether a record is a compaction.
pub(super) fn is_boundary(t: &Transcript, event: EventId) -> bool {
    t.fact_text(event, own::SUBTYPE) == Some(kinds::BOUNDARY) && t.kind(event) == "system"
}

/// Whether a record is the summary of a compaction that begins the conversation anew: versions 1.0.80 to 1.0.90 write no
/// other record of it.
pub(super) fn is_first_summary(t: &Transcript, event: EventId) -> bool {
    t.has(event, own::SUMMARY) && t.link_of(event, LinkKind::Parent).is_none()
}

/// Whether a record is a message of the user or the model.
pub(super) fn is_spoken(t: &Transcript, event: EventId) -> bool {
    matches!(t.event(event).role, Role::User | Role::Assistant)
}

/// The calls of an assistant line, or the results of a user line.
pub(super) fn pair_parts(t: &Transcript, event: EventId) -> impl Iterator<Item = PartId> + '_ {
    let wanted = match t.event(event).role {
        Role::Assistant => Some(PartKind::Call),
        Role::User => Some(PartKind::Result),
        _ => None,
    };
    t.event(event).parts.clone().filter(move |part| Some(t.part(*part).kind) == wanted)
}

/// The IDs of these calls or results.
pub(super) fn pair_ids(t: &Transcript, event: EventId) -> impl Iterator<Item = Id> + '_ {
    pair_parts(t, event).filter_map(|part| t.part(part).id)
}

/// Those of these records that have a role.
pub(super) fn with_role<'a>(
    t: &'a Transcript,
    records: &'a [EventId],
    role: Role,
) -> impl DoubleEndedIterator<Item = EventId> + 'a {
    let records = records.iter().copied();
    records.filter(move |event| t.event(*event).role == role)
}

/// Whether a line is a user line with a result.
pub(super) fn is_result(t: &Transcript, event: EventId) -> bool {
    t.event(event).role == Role::User && pair_parts(t, event).next().is_some()
}
