//! The summary of deepagents, which is sent instead of the messages before its cutoff.

use super::own;
use crate::requests::{places, refused};
use crate::shapes::chat;
use crate::transcript::cuts::{Cuts, Obstacle};
use crate::transcript::pairs::Pairs;
use crate::transcript::{
    Action, Code, Diagnostic, EventId, Instance, Label, LabelRole, PartId, Subject, Transcript,
};

/// Which messages are sent.
pub(super) struct MessageWindow {
    /// Number of messages at the beginning that are left out.
    pub cut: usize,
    /// The document whose summary replaces them.
    pub summary: Option<EventId>,
    /// The recorded index, in records.
    recorded: Option<i64>,
}

impl MessageWindow {
    /// The window over this many messages.
    pub(super) fn of(t: &Transcript, messages: usize) -> MessageWindow {
        let recorded = chat::state_number(t, own::CUTOFF);
        let Some(index) = recorded else {
            return MessageWindow { cut: 0, summary: None, recorded };
        };
        // As in a Python slice, a negative index counts from the end.
        let cut = match usize::try_from(index) {
            Ok(index) => index.min(messages),
            Err(_) => {
                messages.saturating_sub(usize::try_from(index.unsigned_abs()).unwrap_or(usize::MAX))
            }
        };
        MessageWindow { cut, summary: t.host_state(), recorded }
    }
}

/// Reports a cut between a call and its result, within a tool loop, or beyond the list.
pub(super) fn check(
    t: &Transcript,
    pairs: &Pairs,
    all: &[EventId],
    window: &MessageWindow,
) -> Option<Diagnostic> {
    let (state, index) = (t.host_state()?, window.recorded?);
    if usize::try_from(index).is_ok_and(|index| index > all.len()) || index < 0 {
        let mut diagnostic =
            refused(Code::CompactionAnchor, "the summary's cut is beyond the last message", state);
        diagnostic.labels = vec![Label::new(state, LabelRole::State)];
        return Some(diagnostic);
    }
    let is_signed = |part: PartId| t.has(t.part(part).event, own::SIGNED);
    let role = |event: EventId| t.event(event).role;
    let cuts = Cuts::new(t, pairs, all, &role, &is_signed, true);
    let obstacle = cuts.obstacle(window.cut)?;
    // Both sides of the cut; at an end there is only one.
    let around = [window.cut.checked_sub(1), Some(window.cut)];
    let near = around.into_iter().flatten().filter_map(|at| all.get(at));
    let message = match obstacle {
        Obstacle::Loop => "a summary cut through an unfinished tool loop with thinking",
        _ => "a summary separates a tool call from its result",
    };
    let mut diagnostic = refused(Code::CompactionSplitPair, message, state);
    diagnostic.labels = Label::all(near, LabelRole::Record);
    diagnostic.label([state], LabelRole::Compaction);
    diagnostic.about = vec![Subject::State];
    if obstacle == Obstacle::Loop {
        diagnostic.instance = Some(Instance::Harmless);
        return Some(diagnostic);
    }
    let batch: Vec<EventId> = split_messages(t, pairs, all, window.cut);
    diagnostic.covers = places(t, pairs, &batch);
    let offset = Some(cuts.safe_before(window.cut) as u64);
    diagnostic.fix_safely([Action::move_summary(state, offset)]);
    Some(diagnostic)
}

/// The messages with a call or result whose counterpart is on the other side of the cut.
fn split_messages(t: &Transcript, pairs: &Pairs, all: &[EventId], cut: usize) -> Vec<EventId> {
    let Some(first) = all.get(cut) else {
        return Vec::new();
    };
    all.iter()
        .filter(|event| {
            t.event(**event).parts.clone().any(|part| {
                let other = pairs.answer(part).or_else(|| pairs.call_of(part));
                other.is_some_and(|other| (t.part(other).event < *first) != (**event < *first))
            })
        })
        .copied()
        .collect()
}
