//! Finds the part of the path that is sent: after the last compaction or reset, with edits of the
//! context.

use std::ops::Range;

use hashbrown::HashSet;

use super::edits::Edits;
use super::own;
use super::path::PiPath;
use crate::transcript::{
    Action, Code, Diagnostic, Effect, EventId, Label, LabelRole, LinkKind, PartId, PartKind, Role,
    Subject, Transcript,
};

/// The part of the path that is sent.
#[derive(Default)]
pub(super) struct SentWindow {
    /// Messages in order, including failed turns.
    pub sequence: Vec<EventId>,
    /// The compaction whose summary comes first.
    pub summary: Option<EventId>,
    /// Positions on the path of the first kept record and of the boundary.
    pub kept: Option<(usize, usize)>,
    /// The edits of records in the window.
    pub edits: Edits,
    pub diagnostic: Option<Diagnostic>,
}

impl SentWindow {
    pub(super) fn find(t: &Transcript, path: &PiPath) -> SentWindow {
        let mut window = SentWindow::default();
        let Some(at) = path.tree.branch.iter().rposition(|event| match t.kind(*event) {
            "compaction" | "reset_boundary" => true,
            "reset" => path.openclaw,
            _ => false,
        }) else {
            window.sequence = sent(t, &path.tree.branch);
            window.edit(t, path, 0..0, 0);
            return window;
        };
        let boundary = path.tree.branch[at];
        let reset = matches!(t.kind(boundary), "reset" | "reset_boundary");
        window.summary = Some(boundary).filter(|_| !reset);
        let mut context = at..at;
        match kept(t, path, at) {
            KeptRecords::From(from) => {
                let kept = sent(t, &path.tree.branch[from..at]);
                window.sequence = if reset { kept_by_reset(t, &kept) } else { kept };
                context = from..at;
                window.kept = Some((from, at)).filter(|_| !reset);
            }
            KeptRecords::Nothing => {}
            KeptRecords::Nowhere => window.diagnostic = (!reset).then(|| lost(t, path, at)),
        }
        window.sequence.extend(sent(t, &path.tree.branch[at + 1..]));
        window.edit(t, path, context, at + 1);
        window
    }

    /// Applies the edits of the context in the kept part of the path and from a position on.
    fn edit(&mut self, t: &Transcript, path: &PiPath, kept: Range<usize>, rest: usize) {
        if !path.openclaw {
            let context = path.tree.branch[kept].iter().chain(&path.tree.branch[rest..]).copied();
            self.edits = Edits::apply(t, context, &mut self.sequence);
        }
    }
}

fn sent(t: &Transcript, events: &[EventId]) -> Vec<EventId> {
    events.iter().copied().filter(|event| t.event(*event).role.is_sent()).collect()
}

/// What a reset keeps: user and assistant messages, and results whose calls are kept.
fn kept_by_reset(t: &Transcript, events: &[EventId]) -> Vec<EventId> {
    let mut asked = HashSet::new();
    let mut kept = Vec::new();
    for event in events {
        let record = t.event(*event);
        let parts = record.parts.clone().map(|part| t.part(part));
        match record.role {
            Role::Assistant => {
                asked.extend(
                    parts.filter(|part| part.kind == PartKind::Call).filter_map(|part| part.id),
                );
                kept.push(*event);
            }
            Role::Tool if parts.filter_map(|part| part.id).any(|id| asked.contains(&id)) => {
                kept.push(*event)
            }
            Role::User if t.kind(*event) == "message" => kept.push(*event),
            _ => {}
        }
    }
    kept
}

enum KeptRecords {
    /// The path from this position on.
    From(usize),
    /// The boundary keeps nothing before it.
    Nothing,
    /// The record that it names is not before it.
    Nowhere,
}

fn kept(t: &Transcript, path: &PiPath, at: usize) -> KeptRecords {
    let boundary = path.tree.branch[at];
    if let Some(index) = t.fact_number(boundary, own::KEPT_INDEX) {
        let Some(event) = usize::try_from(index).ok().and_then(|index| parsed(t).nth(index)) else {
            return KeptRecords::Nowhere;
        };
        let from = path.tree.branch[..at].partition_point(|other| *other < event);
        return if from < at { KeptRecords::From(from) } else { KeptRecords::Nowhere };
    }
    let Some(id) = t.linked(boundary, LinkKind::Kept) else {
        return KeptRecords::Nothing;
    };
    if t.event(boundary).id == Some(id) {
        return KeptRecords::Nothing;
    }
    let from = path.tree.branch[..at].iter().position(|event| t.event(*event).id == Some(id));
    from.map_or(KeptRecords::Nowhere, KeptRecords::From)
}

/// The records that a reader of version 1 counts, including the header.
pub(super) fn parsed(t: &Transcript) -> impl Iterator<Item = EventId> + '_ {
    t.events.ids().filter(|event| t.is_readable(*event))
}

fn lost(t: &Transcript, path: &PiPath, at: usize) -> Diagnostic {
    let boundary = path.tree.branch[at];
    let mut diagnostic = Diagnostic::about(
        Code::CompactionAnchor,
        "the compaction keeps records that are not before it, so only its summary is sent",
        Subject::Content,
        boundary,
    );
    diagnostic.labels = vec![Label::new(boundary, LabelRole::Compaction)];
    diagnostic.effect = Effect::Hides(sent(t, &path.tree.branch[..at]).len() as u32);
    let before = path.tree.branch[..at]
        .iter()
        .rposition(|event| matches!(t.kind(*event), "compaction" | "reset"));
    let rest = &path.tree.branch[before.map_or(0, |before| before + 1)..at];
    if let Some(first) = rest
        .iter()
        .position(|event| t.event(*event).role == Role::User && t.kind(*event) == "message")
    {
        let keep = rest[first..].to_vec();
        diagnostic.fix_with_guess([Action::keep(boundary, keep)]);
    }
    diagnostic
}

/// A boundary between the calls and results of a turn: the results are kept, the calls are not.
pub(super) fn split_turn(t: &Transcript, path: &PiPath, window: &SentWindow) -> Option<Diagnostic> {
    let (from, at) = window.kept?;
    // The response may be before the boundary; what follows it up to the next one is its turn.
    let above = path.tree.branch[..from]
        .iter()
        .rposition(|event| t.event(*event).role == Role::Assistant)?;
    let assistant = path.tree.branch[above];
    let calls = t.parts_of(assistant, PartKind::Call);
    let calls: HashSet<&str> = calls.map(|call| super::call_key(t, call)).collect();
    let mut results: Vec<PartId> = Vec::new();
    for event in &path.tree.branch[from..at] {
        if t.event(*event).role == Role::Assistant {
            break;
        }
        if window.edits.hides(*event) {
            continue;
        }
        results.extend(t.parts_of(*event, PartKind::Result).filter(|result| {
            let key = super::call_key(t, *result);
            !key.is_empty() && calls.contains(key)
        }));
    }
    if results.is_empty() {
        return None;
    }
    let boundary = path.tree.branch[at];
    let failed = t.event(assistant).failed;
    let (code, message) = if failed {
        (Code::FailedTurnWithCalls, "tool results of a failed response are kept without it")
    } else {
        (Code::CompactionSplitPair, "the compaction keeps tool results without their calls")
    };
    let mut diagnostic = Diagnostic::new(code, message, assistant);
    diagnostic.labels = vec![Label::new(assistant, LabelRole::Call)];
    let events = results.iter().map(|part| t.part(*part).event);
    diagnostic.label(events, LabelRole::Result);
    diagnostic.about = results.iter().copied().map(Subject::Orphan).collect();
    diagnostic.covers.clone_from(&diagnostic.about);
    diagnostic.effect = Effect::Refused;
    // A failed response is never sent, so its results cannot get it back.
    let actions = if failed {
        results.into_iter().map(Action::RemovePart).collect()
    } else {
        diagnostic.label([boundary], LabelRole::Compaction);
        let keep = path.tree.branch[above..from].to_vec();
        vec![Action::keep(boundary, keep)]
    };
    diagnostic.fix_safely(actions);
    Some(diagnostic)
}
