//! Which records an action affects, and which of them it changes.

use crate::transcript::index::IdRange;
use hashbrown::HashSet;

use super::{Action, EventId, PartId, State, Transcript};
use crate::json::order::longest_run;

/// The records that an action changes or moves, or next to which it inserts one.
pub(crate) fn touched(t: &Transcript, action: &Action) -> Vec<EventId> {
    let event = |part: &PartId| t.part(*part).event;
    match action {
        Action::EditBytes { event, .. }
        | Action::Remove(event)
        | Action::SetLink { event, .. }
        | Action::Bypass(event)
        | Action::MoveBoundary { event, .. }
        | Action::AssignId(event)
        | Action::Renumber(event)
        | Action::SetIdle(event) => vec![*event],
        Action::RemovePart(part) => vec![event(part)],
        Action::MoveTogether(parts) => parts.iter().map(event).collect(),
        Action::AnswerCall { call, in_place_of } => {
            in_place_of.iter().copied().chain([event(call)]).collect()
        }
        Action::RenameId { parts, .. } => parts.iter().map(event).collect(),
        Action::MoveText { from, into } => vec![*from, *into],
    }
}

/// What only one action of a round may change.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum TouchScope {
    /// A whole record.
    Record(EventId),
    /// A part of a record. Others may change its other parts in the same round.
    Part(PartId),
}

/// What an action changes, as narrowly as the formats can write it.
pub(crate) fn scopes(t: &Transcript, action: &Action) -> Vec<TouchScope> {
    match action {
        Action::RemovePart(part) | Action::AnswerCall { call: part, in_place_of: None } => {
            vec![TouchScope::Part(*part)]
        }
        Action::RenameId { parts, .. } => parts.iter().copied().map(TouchScope::Part).collect(),
        _ => touched(t, action).into_iter().map(TouchScope::Record).collect(),
    }
}

/// The records whose content changes, or that are removed. IDs, links, names and numbers do not count as content, nor does the
/// place of a record, and a placeholder result does not change its call.
pub(crate) fn changed(t: &Transcript, action: &Action) -> Vec<EventId> {
    match action {
        Action::RenameId { .. }
        | Action::AssignId(_)
        | Action::Renumber(_)
        | Action::SetIdle(_)
        | Action::SetLink { .. }
        | Action::MoveTogether(_)
        | Action::MoveText { .. } => Vec::new(),
        Action::AnswerCall { in_place_of, .. } => in_place_of.iter().copied().collect(),
        _ => touched(t, action),
    }
}

/// Which of the records that are brought together move: those that change their order, and those after another record
/// that is sent.
pub(crate) fn moved(t: &Transcript, events: &[EventId]) -> Vec<bool> {
    let members: HashSet<EventId> = events.iter().copied().collect();
    let stays = longest_run(&events.iter().copied().map(Some).collect::<Vec<_>>());
    let first = events.iter().zip(&stays).find(|(_, stays)| **stays).map(|(event, _)| *event);
    let mut seen = first.unwrap_or(EventId::FIRST);
    let mut after_other = false;
    let mut moves = Vec::with_capacity(events.len());
    for (event, stays) in events.iter().zip(stays) {
        if stays {
            after_other |= IdRange::new(seen, *event).any(|event| {
                let known = t.event(event);
                !members.contains(&event)
                    && (known.role.is_sent() || known.state == State::Unreadable)
            });
            seen = *event;
        }
        moves.push(after_other || !stays);
    }
    moves
}
