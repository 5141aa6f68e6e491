//! Damage that stops the host, or that makes it silently lose events.

use hashbrown::HashSet;

use super::fold::V0Response;
use super::history::{V0History, is_action, number};
use super::own;
use crate::transcript::pairs::{PairStatus, Pairs};
use crate::transcript::{
    Action, Code, Diagnostic, Effect, EventId, Id, Instance, Label, LabelRole, LinkKind, PartKind,
    Subject, Transcript,
};

/// Calls without metadata. If the log has no metadata at all, the agent ran without function
/// calling.
pub(super) fn without_metadata(t: &Transcript, history: &V0History) -> Vec<Diagnostic> {
    let bare = history.kept.iter().copied().filter(|event| t.has(*event, own::NO_METADATA));
    let has_calls = t.parts.iter().any(|part| part.kind == PartKind::Call);
    let most = if has_calls { usize::MAX } else { 1 };
    bare.take(most)
        .map(|event| {
            let message = if has_calls {
                "tool call without `tool_call_metadata`: OpenHands stops here"
            } else {
                "tool calls without `tool_call_metadata`: made without function calling"
            };
            let mut diagnostic =
                Diagnostic::about(Code::MalformedRecord, message, Subject::Content, event);
            diagnostic.instance =
                Some(if has_calls { Instance::Elsewhere } else { Instance::Harmless });
            diagnostic
        })
        .collect()
}

/// Wrong values of `cause`. The model does not see it, but the interface and evaluations pair by
/// it.
pub(super) fn causes(
    t: &Transcript,
    history: &V0History,
    pairs: &Pairs,
    ambiguous: &HashSet<Id>,
) -> Vec<Diagnostic> {
    let id_of = |event: EventId, kind| t.part_of(event, kind).and_then(|part| t.part(part).id);
    let actions =
        history.kept.iter().filter_map(|e| Some((t.event(*e).id?, id_of(*e, PartKind::Call)?)));
    let known: HashSet<(Id, Id)> = actions.collect();
    let mut diagnostics = Vec::new();
    for (result, status) in pairs.all() {
        let PairStatus::Answers(call) = status else {
            continue;
        };
        let event = t.part(result).event;
        let (Some(cause), Some(id)) = (t.fact_id(event, own::CAUSE), t.part(result).id) else {
            continue;
        };
        let to = t.part(call).event;
        // An ID that two events share names neither of them.
        let names_it = t.event(to).id.is_some_and(|id| !ambiguous.contains(&id));
        if known.contains(&(cause, id)) || !names_it {
            continue;
        }
        let mut diagnostic = Diagnostic::new(
            Code::LinkMismatch,
            "`cause` does not name the action that the observation belongs to",
            event,
        );
        diagnostic.labels = Label::all([to], LabelRole::Call);
        diagnostic.label([event], LabelRole::Result);
        diagnostic.about = vec![Subject::Identity(result)];
        let set_link = Action::SetLink { event, link: LinkKind::Call, to: Some(to) };
        diagnostic.fix_safely([set_link]);
        diagnostics.push(diagnostic);
    }
    diagnostics
}

/// Responses with calls that have no record: the host drops these responses.
pub(super) fn unrecorded(
    t: &Transcript,
    history: &V0History,
    responses: &[V0Response],
) -> Vec<Diagnostic> {
    responses.iter().filter(|response| {
        let forgotten = response.events().all(|event| history.forgotten_by(event).is_some());
        !response.unrecorded.is_empty()
            && !response.pending
            && !forgotten
            && !response.is_split(history)
    }).map(|response| {
        let first = response.actions.first().copied().unwrap_or_default();
        let message = "a response includes a tool call that is not recorded, so all its calls are \
            dropped";
        let mut diagnostic =
            Diagnostic::about(Code::UnansweredCall, message, Subject::Content, first);
        diagnostic.labels = Label::halves(t, response.events());
        diagnostic.effect = Effect::Hides(response.events().count() as u32);
        diagnostic
    }).collect()
}

/// Responses that condensations split: one finding for each condensation.
pub(super) fn split(
    t: &Transcript,
    history: &V0History,
    responses: &[V0Response],
) -> Vec<Diagnostic> {
    let mut by_cut: Vec<(EventId, &V0Response)> = Vec::new();
    for response in responses.iter().filter(|response| response.is_split(history)) {
        let cuts = response.events().filter_map(|event| history.forgotten_by(event));
        by_cut.extend(cuts.max().map(|cut| (cut, response)));
    }
    by_cut.sort_by_key(|(cut, _)| *cut);
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    for group in by_cut.chunk_by(|a, b| a.0 == b.0) {
        let cut = group[0].0;
        let mut diagnostic = Diagnostic::new(
            Code::CompactionSplitPair,
            "a condensation forgot only part of a tool call and its result",
            cut,
        );
        let members: Vec<EventId> =
            group.iter().flat_map(|(_, response)| response.events()).collect();
        diagnostic.labels = Label::halves(t, members.iter().copied());
        diagnostic.label([cut], LabelRole::Compaction);
        diagnostic.about = vec![Subject::Content(cut)];
        let parts = members.iter().flat_map(|event| t.event(*event).parts.clone());
        let subjects = [Subject::Place, Subject::Open, Subject::Orphan];
        diagnostic.covers = parts.flat_map(|part| subjects.map(|subject| subject(part))).collect();
        let add: Vec<EventId> = members
            .iter()
            .copied()
            .filter(|event| history.forgotten_by(*event).is_none())
            .collect();
        diagnostic.effect = Effect::Hides(add.len() as u32);
        let fits = widened(t, history, cut, &add).is_some();
        let named = add.iter().all(|event| t.event(*event).id.is_some());
        let extend = vec![Action::leave_out(cut, add)];
        if named {
            diagnostic.fix_safely_if(fits, extend);
        }
        diagnostics.push(diagnostic);
    }
    diagnostics
}

/// How to make a condensation forget these events too.
pub(super) enum Widened {
    /// Add their IDs to its list.
    List,
    /// Change its range to this one.
    Range(i64, i64),
}

/// Computes it; `None` if a range would forget other events too.
pub(super) fn widened(
    t: &Transcript,
    history: &V0History,
    cut: EventId,
    add: &[EventId],
) -> Option<Widened> {
    let Some((first, last)) = history.cuts.iter().find(|known| known.event == cut)?.range else {
        return Some(Widened::List);
    };
    let ids: Vec<i64> = add.iter().filter_map(|event| number(t, *event)).collect();
    let (first, last) =
        ids.iter().fold((first, last), |(low, high), id| (low.min(*id), high.max(*id)));
    let inside = history
        .left(t)
        .into_iter()
        .filter(|e| number(t, *e).is_some_and(|n| first <= n && n <= last));
    let mut others = inside.filter(|event| !add.contains(event));
    others.next().is_none().then_some(Widened::Range(first, last))
}

/// Whether two consecutive records are calls of one response, which the host sends as one message.
pub(super) fn share_response(t: &Transcript, before: EventId, next: EventId) -> bool {
    let batch = |event: EventId| t.event(event).batch.filter(|_| is_action(t, event));
    batch(before).is_some() && batch(before) == batch(next)
}
