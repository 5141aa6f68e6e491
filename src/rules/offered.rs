//! Which fixes are offered. A repair can do what a finding offers: no fix that the format cannot write, that would leave no
//! record, or that waits for another fix which is less safe.

use std::collections::{BTreeMap, BTreeSet};

use super::{Finding, RuleContext, layer};
use crate::transcript::index::IdRange;
use crate::transcript::touched::touched;
use crate::transcript::{
    Action, Applicability, EventId, Fix, Place, Role, Severity, State, Subject, Transcript, facts,
};

/// Keeps the fixes that can be written.
pub(super) fn keep_possible(cx: &RuleContext<'_>, finding: &mut Finding) {
    let (t, format) = (cx.transcript, cx.format);
    finding.fixes.retain(|fix| {
        fix.actions.iter().all(|action| {
            format.supports.contains(&action.kind())
                && has_target(t, action)
                && (format.traits.has_place)(t, action)
        }) && (cx.request.is_part || leaves_some(t, fix))
    });
}

fn has_target(t: &Transcript, action: &Action) -> bool {
    match action {
        Action::SetLink { to: Some(to), .. } => t.event(*to).id.is_some(),
        _ => true,
    }
}

/// Whether a file still has records after a fix, and a list elements. Without any, it would not be recognized.
fn leaves_some(t: &Transcript, fix: &Fix) -> bool {
    let removed = fix.actions.iter().filter_map(|action| removed(t, action));
    let removed: BTreeSet<EventId> = removed.collect();
    let Some(first) = removed.first().copied() else {
        return true;
    };
    let list = |event: EventId| t.value_of(event, facts::IN_SECOND).is_some();
    let is_item = matches!(t.event(first).place(), Place::Item(_));
    let stays = |event: EventId| {
        let record = t.event(event);
        let is_beside = !is_item || (record.role != Role::HostState && list(event) == list(first));
        is_beside
            && record.within.is_none()
            && record.state != State::Padding
            && !removed.contains(&event)
    };
    // The record after it or before it nearly always stays.
    let all = t.events.ids();
    IdRange::new(first, all.end()).any(stays) || IdRange::new(all.start(), first).rev().any(stays)
}

/// The record that an action removes.
fn removed(t: &Transcript, action: &Action) -> Option<EventId> {
    match action {
        Action::Remove(event) => Some(*event),
        Action::RemovePart(part) => {
            let event = t.part(*part).event;
            (t.event(event).parts.len() == 1).then_some(event)
        }
        _ => None,
    }
}

/// Records with a guessed parent, each with the applicability of the fix that replaces the guess. Moving, removing, or
/// inserting records around them would turn the guess into a fact. `is_open` says of a finding about a parent whether its
/// fix is not certain to be applied.
pub(crate) fn guessed_parents(
    findings: &[Finding],
    is_open: impl Fn(&Finding) -> bool,
) -> BTreeMap<EventId, Applicability> {
    let mut guessed = BTreeMap::new();
    let about_parents = findings.iter().filter(|finding| {
        finding.layer <= layer::TREE && finding.severity >= Severity::Error && is_open(finding)
    });
    for finding in about_parents {
        for subject in &finding.about {
            if let Subject::Parent(event) = subject {
                guessed.insert(*event, finding.applicability());
            }
        }
    }
    guessed
}

/// The applicability of the fix which a fix of a finding waits for, if there is one.
pub(crate) fn waits_for(
    t: &Transcript,
    finding: &Finding,
    fix: &Fix,
    guessed: &BTreeMap<EventId, Applicability>,
) -> Option<Applicability> {
    // Edits inside a record are right wherever the record is in the tree.
    if guessed.is_empty()
        || finding.layer <= layer::TREE
        || fix.actions.iter().all(|action| matches!(action, Action::EditBytes { .. }))
    {
        return None;
    }
    let labels = finding.labels.iter().map(|label| label.event);
    let beside = fix.actions.iter().flat_map(|action| touched(t, action));
    let waited = labels.chain(beside).filter_map(|event| guessed.get(&event));
    waited.max().copied()
}

/// A fix that waits for another one is not safer than that one.
pub(super) fn order(t: &Transcript, findings: &mut [Finding]) {
    let guessed =
        guessed_parents(findings, |finding| finding.applicability() > Applicability::Safe);
    if guessed.is_empty() {
        return;
    }
    for finding in findings {
        for at in (0..finding.fixes.len()).rev() {
            match waits_for(t, finding, &finding.fixes[at], &guessed) {
                Some(Applicability::Manual) => _ = finding.fixes.remove(at),
                Some(worst) => {
                    let own = &mut finding.fixes[at].applicability;
                    *own = worst.max(*own);
                }
                None => {}
            }
        }
    }
}
