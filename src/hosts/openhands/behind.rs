//! A saved HEAD that stayed behind the events.
//!
//! The SDK writes each event at once, but `leaf_event_id` only after the whole step. Killed while a tool runs, it leaves HEAD
//! before the calls of the step: what comes next is appended there, and the model never learns of them (SDK 1.58.2, run).
//! A step that is still running looks the same, so the repair needs proof that its process has ended.

use super::tree::ConversationTree;
use crate::format::FormatContext;
use crate::shapes::tree::chain;
use crate::transcript::pairs::Pairs;
use crate::transcript::{
    Action, Code, Confidence, Diagnostic, Effect, EventId, Instance, Label, LabelRole, LinkKind,
    PartId, PartKind, Role, State, Subject, Transcript, facts,
};

/// Times of events have no zone. In the westernmost one, clocks are this many microseconds behind UTC.
const WESTERNMOST: i64 = 12 * 3600 * 1_000_000;

/// The events of the step after the saved HEAD, oldest first; none if HEAD is where it belongs.
pub(super) fn step(t: &Transcript, tree: &ConversationTree, head: EventId) -> Vec<EventId> {
    let status = t.host_state().and_then(|state| t.fact_text(state, facts::STATUS));
    if status != Some("running") {
        return Vec::new();
    }
    // Who goes back to an earlier event on purpose (`navigate_to`) leaves another status, and a later branch may be there.
    let tip = tree.newest(t).filter(|tip| *tip > head);
    let up = tip.into_iter().flat_map(|tip| chain::up(&tree.parent, tip));
    let mut step: Vec<EventId> = up.take_while(|event| *event != head).collect();
    step.reverse();
    let continues = step.first().is_some_and(|first| tree.parent[*first] == Some(head));
    let is_one = continues && is_one_step(t, &step);
    if is_one { step } else { Vec::new() }
}

/// Whether these events are of one step: one response, and what its tools said.
fn is_one_step(t: &Transcript, step: &[EventId]) -> bool {
    let mut response = None;
    step.iter().all(|event| {
        let record = t.event(*event);
        let mut is_same = || *response.get_or_insert(record.batch) == record.batch;
        match record.role {
            _ if record.state != State::Whole => false,
            Role::Assistant => is_same(),
            Role::Tool | Role::Nobody => true,
            _ => false,
        }
    })
}

/// Reports HEAD before a step, with the calls that ran or may still be running.
pub(super) fn check(
    context: &FormatContext<'_>,
    tree: &ConversationTree,
    pairs: &Pairs,
) -> Option<Diagnostic> {
    let t = context.transcript;
    let state = t.host_state()?;
    let tip = *tree.step.last()?;
    let calls: Vec<PartId> =
        tree.step.iter().flat_map(move |event| t.parts_of(*event, PartKind::Call)).collect();
    let pending = pairs.batches.last().filter(|batch| batch.pending);
    let open: Vec<PartId> = pending.into_iter().flat_map(|batch| batch.open(pairs)).collect();
    let mut diagnostic = Diagnostic::new(Code::LeafPointer, "", state);
    diagnostic.labels = vec![Label::new(state, LabelRole::State)];
    diagnostic.label(calls.iter().map(|call| t.part(*call).event), LabelRole::Call);
    diagnostic.about = vec![Subject::Leaf];
    if !has_ended(context) {
        diagnostic.message =
            "the saved head is before the last step, which may still be running".into();
        diagnostic.instance = Some(Instance::Harmless);
        return Some(diagnostic);
    }
    diagnostic.message = if open.is_empty() {
        "the saved head is before the last step"
    } else {
        "the saved head is before the tool calls of a killed step"
    }
    .into();
    diagnostic.effect = Effect::Hides(
        tree.step.iter().filter(|event| t.event(**event).role.is_sent()).count() as u32,
    );
    diagnostic.covers = open.iter().copied().map(Subject::Open).collect();
    let head = Action::SetLink { event: state, link: LinkKind::Leaf, to: Some(tip) };
    // HEAD alone would make the next run execute the calls again.
    let answers = open.iter().copied().map(Action::answer_call);
    // A whole step may also have been left on purpose.
    diagnostic.fix_safely_if(!open.is_empty(), std::iter::once(head).chain(answers));
    if open.is_empty() {
        diagnostic.confidence = Confidence::Likely;
    }
    Some(diagnostic)
}

/// Whether the process that wrote the events is known to have ended.
pub(super) fn has_ended(context: &FormatContext<'_>) -> bool {
    let t = context.transcript;
    let last = t.events.iter().filter_map(|event| event.time()).max();
    let ended = last.zip(context.ended_before);
    !context.live && ended.is_some_and(|(last, ended)| last.saturating_add(WESTERNMOST) < ended)
}
