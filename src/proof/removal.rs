//! The proof of one action.

use super::answered::{answered, fragment};
use super::edited::edited;
use super::parts::removed_part;
use super::unread::contents;

use super::{Case, Contents, Proof, Reason};
use crate::rules::Finding;
use crate::transcript::{Action, EventId, Fix, Origin, PartKind, State};

pub(super) fn prove(case: &Case<'_>, finding: &Finding, fix: &Fix, action: &Action) -> Proof {
    match action {
        Action::EditBytes { event, edits, .. } => edited(case, finding, *event, edits),
        Action::Remove(event) => removed_record(case, finding, fix, *event),
        Action::RemovePart(part) => removed_part(case, finding, fix, *part),
        Action::Bypass(event) => fragment(case, *event),
        Action::AnswerCall { call, in_place_of } => answered(case, *call, *in_place_of),
        // They move and link what stays.
        Action::MoveTogether(_)
        | Action::RenameId { .. }
        | Action::SetLink { .. }
        | Action::MoveBoundary { .. }
        | Action::MoveText { .. }
        | Action::AssignId(_)
        | Action::Renumber(_)
        | Action::SetIdle(_) => Proof::Keeps,
    }
}

/// The texts that an action may remove.
pub(super) fn removed(case: &Case<'_>, action: &Action) -> Contents {
    let t = case.context.transcript;
    match action {
        Action::EditBytes { event, .. } | Action::Remove(event) | Action::Bypass(event) => {
            contents(case, *event)
        }
        Action::RemovePart(part) => contents(case, t.part(*part).event),
        Action::AnswerCall { in_place_of, .. } => {
            in_place_of.map_or_else(Contents::default, |event| contents(case, event))
        }
        _ => Contents::default(),
    }
}

fn removed_record(case: &Case<'_>, finding: &Finding, fix: &Fix, event: EventId) -> Proof {
    let t = case.context.transcript;
    if matches!(t.event(event).state, State::Unreadable | State::Padding) {
        return fragment(case, event);
    }
    let own = contents(case, event);
    if own.is_empty() {
        return Proof::Removes(Reason::Nothing, own);
    }
    if own.only_placeholders || is_placeholder_record(case, event) {
        return Proof::Removes(Reason::Placeholder, own);
    }
    let mut others = finding.labels.iter().map(|label| label.event);
    if others.any(|other| {
        (other != event && !is_removed(case, fix, other)) && own.is_in(&contents(case, other))
    }) {
        return Proof::Removes(Reason::Copy, own);
    }
    let mut reason = None;
    for part in t.event(event).parts.clone() {
        match removed_part(case, finding, fix, part) {
            Proof::Removes(own, _) => reason = Some(own),
            _ => return Proof::None,
        }
    }
    reason.map_or(Proof::None, |reason| Proof::Removes(reason, own))
}

/// Whether a record holds nothing but results that hosts insert.
fn is_placeholder_record(case: &Case<'_>, event: EventId) -> bool {
    let t = case.context.transcript;
    let mut parts = t.event(event).parts.clone().peekable();
    parts.peek().is_some()
        && parts.all(|part| {
            let part = t.part(part);
            part.kind == PartKind::Result && part.origin == Origin::Placeholder
        })
}

/// Whether a fix removes a record.
fn is_removed(case: &Case<'_>, fix: &Fix, event: EventId) -> bool {
    let t = case.context.transcript;
    fix.actions.iter().any(|action| match action {
        Action::Remove(own) | Action::Bypass(own) => *own == event,
        Action::RemovePart(part) => t.part(*part).event == event && t.event(event).parts.len() == 1,
        _ => false,
    })
}
