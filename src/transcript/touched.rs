//! Which records a remedy is about, and which of them it changes.

use crate::transcript::index::IdRange;
use hashbrown::HashSet;

use super::{Action, EventId, PartId, State, Transcript};
use crate::json::order::longest_run;

/// The records that a remedy changes, moves, or puts something beside.
pub(crate) fn touched(t: &Transcript, action: &Action) -> Vec<EventId> {
    let event = |part: &PartId| t.a_part(*part).event;
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

/// What only one remedy of a round may change.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// A whole record.
    Record(EventId),
    /// A part of a record. Others may change its other parts in the same round.
    Part(PartId),
}

/// What a remedy changes, as narrowly as the formats can write it.
pub(crate) fn scopes(t: &Transcript, action: &Action) -> Vec<Scope> {
    match action {
        Action::RemovePart(part)
        | Action::AnswerCall {
            call: part,
            in_place_of: None,
        } => vec![Scope::Part(*part)],
        Action::RenameId { parts, .. } => parts.iter().copied().map(Scope::Part).collect(),
        _ => touched(t, action).into_iter().map(Scope::Record).collect(),
    }
}

/// The records that say something else, stand elsewhere or are gone afterwards. Ids, names and numbers are not what a record
/// says, and a placeholder result stands beside its call.
pub(crate) fn changed(t: &Transcript, action: &Action) -> Vec<EventId> {
    match action {
        Action::RenameId { .. }
        | Action::AssignId(_)
        | Action::Renumber(_)
        | Action::SetIdle(_) => Vec::new(),
        Action::AnswerCall { in_place_of, .. } => in_place_of.iter().copied().collect(),
        Action::MoveTogether(_) => {
            let mut events = touched(t, action);
            events.dedup();
            let mut leaves = leaving(t, &events);
            if !leaves.contains(&true) {
                // They stay where they are: what all but the first name or hold changes.
                let first = usize::from(leaves.len() > 1);
                leaves[first..].fill(true);
            }
            events
                .into_iter()
                .zip(leaves)
                .filter(|(_, leaves)| *leaves)
                .map(|(event, _)| event)
                .collect()
        }
        Action::MoveText { from, .. } => vec![*from],
        _ => touched(t, action),
    }
}

/// Which of the gathered records leave their place: those against the old order, and those after a stranger.
pub(crate) fn leaving(t: &Transcript, events: &[EventId]) -> Vec<bool> {
    let members: HashSet<EventId> = events.iter().copied().collect();
    let is_stranger = |event: EventId| {
        let known = t.event(event);
        !members.contains(&event) && (known.role.is_sent() || known.state == State::Unreadable)
    };
    let stays = longest_run(&events.iter().copied().map(Some).collect::<Vec<_>>());
    let first = events
        .iter()
        .zip(&stays)
        .find(|(_, stays)| **stays)
        .map(|(event, _)| *event);
    let mut seen = first.unwrap_or(EventId::FIRST);
    let mut behind = false;
    let mut leaves = Vec::with_capacity(events.len());
    for (event, stays) in events.iter().zip(stays) {
        if stays {
            behind |= IdRange::new(seen, *event).any(is_stranger);
            seen = *event;
        }
        leaves.push(behind || !stays);
    }
    leaves
}
