//! The order of calls, results and ids: what the host repairs itself, and which IDs and places are
//! wrong or missing.

use hashbrown::HashMap;

use super::fold::V0Response;
use super::history::{V0History, number};
use crate::containers::{Layout, NAME_ID};
use crate::format::FormatContext;
use crate::transcript::pairs::{PairStatus, Pairs};
use crate::transcript::placement::{MOST_INTRUDERS, first_listed};
use crate::transcript::{
    Action, Code, Diagnostic, Effect, EventId, Instance, Label, LabelRole, PartId, PartKind, State,
    Subject, Transcript,
};

/// Records among which they are searched for.
const MOST_SEARCHED: usize = 64;

/// Results that the host moves: those before their call, or after other messages. They are only
/// repaired for the strictest check, because other converters take the events in their order.
pub(super) fn moved_by_host(
    context: &FormatContext<'_>,
    history: &V0History,
    pairs: &Pairs,
) -> Vec<Diagnostic> {
    let t = context.transcript;
    let sequence = KeptSequence::of(t, history);
    let mut diagnostics = Vec::new();
    for (result, status) in pairs.all() {
        let PairStatus::Answers(call) = status else {
            continue;
        };
        if let Some(gap) = sequence.gap(t, pairs, call, result) {
            diagnostics.push(report_gap(context, pairs, (call, result), gap));
        }
    }
    diagnostics
}

/// What is between a call and its result.
enum Gap {
    /// The result is before the call.
    Early,
    /// Messages that belong to neither.
    Intruders { first: Vec<EventId>, has_more: bool },
}

/// The events that the host keeps, in order.
struct KeptSequence<'a> {
    kept: &'a [EventId],
    place: HashMap<EventId, usize>,
    /// How many messages are before each event.
    messages_before: Vec<u32>,
}

fn is_message(t: &Transcript, event: EventId) -> bool {
    t.event(event).role.is_sent() && t.event(event).state != State::Unreadable
}

impl<'a> KeptSequence<'a> {
    fn of(t: &Transcript, history: &'a V0History) -> KeptSequence<'a> {
        let kept = history.kept.as_slice();
        let mut messages = 0;
        let mut messages_before = vec![0];
        messages_before.extend(kept.iter().map(|event| {
            messages += u32::from(is_message(t, *event));
            messages
        }));
        KeptSequence { kept, place: kept.iter().copied().zip(0..).collect(), messages_before }
    }

    /// What the host would move. `None`: the result follows its call.
    fn gap(&self, t: &Transcript, pairs: &Pairs, call: PartId, result: PartId) -> Option<Gap> {
        let place = |part: PartId| self.place.get(&t.part(part).event).copied();
        let (from, to) = (place(call)?, place(result)?);
        if to < from {
            return Some(Gap::Early);
        }
        let messages = |at: usize| self.messages_before.get(at).copied().unwrap_or(0);
        if messages(to) <= messages(from + 1) {
            return None;
        }
        let between = self.kept.get(from + 1..to).unwrap_or_default();
        // A batch may have been recorded call by call. The search for other records is bounded.
        let others = between.iter().copied().take(MOST_SEARCHED);
        let others = others
            .filter(|event| is_message(t, *event) && !belongs_to_batch(t, pairs, call, *event));
        let mut first: Vec<EventId> = others.take(MOST_INTRUDERS + 1).collect();
        let has_more = first.len() > MOST_INTRUDERS || between.len() > MOST_SEARCHED;
        first.truncate(MOST_INTRUDERS);
        (!first.is_empty()).then_some(Gap::Intruders { first, has_more })
    }
}

/// Whether an event has a call of the batch of `call`, a result of such a call, or a call that is not sent.
fn belongs_to_batch(t: &Transcript, pairs: &Pairs, call: PartId, event: EventId) -> bool {
    let batch = |call: PartId| pairs.batch_of(call).map(std::ptr::from_ref);
    t.event(event).parts.clone().any(|part| {
        let is_unsent = pairs.status(part) == PairStatus::None;
        batch(pairs.call_of(part).unwrap_or(part)) == batch(call)
            || is_unsent && t.part(part).kind == PartKind::Call
    })
}

fn report_gap(
    context: &FormatContext<'_>,
    pairs: &Pairs,
    (call, result): (PartId, PartId),
    gap: Gap,
) -> Diagnostic {
    let t = context.transcript;
    let (code, message) = match (&gap, context.strictest) {
        (Gap::Early, false) => (
            Code::ResultBeforeCall,
            "tool result before its call; OpenHands moves it after the call",
        ),
        (Gap::Early, true) => (Code::ResultBeforeCall, "tool result before its call"),
        (Gap::Intruders { .. }, false) => (
            Code::ResultNotNext,
            "another message between a tool call and its result; OpenHands moves it before \
            the call",
        ),
        (Gap::Intruders { .. }, true) => {
            (Code::ResultNotNext, "another message between a tool call and its result")
        }
    };
    let (call_event, result_event) = (t.part(call).event, t.part(result).event);
    let mut diagnostic = Diagnostic::new(code, message, call_event);
    diagnostic.labels =
        vec![Label::new(call_event, LabelRole::Call), Label::new(result_event, LabelRole::Result)];
    if let Gap::Intruders { first, has_more } = gap {
        if has_more {
            diagnostic.message.to_mut().push_str(&first_listed(MOST_INTRUDERS));
        }
        diagnostic.label(first, LabelRole::Intruder);
    }
    diagnostic.about = vec![Subject::Place(result)];
    if context.strictest {
        diagnostic.effect = Effect::Refused;
        let batch: &[PartId] = pairs.batch_of(call).map_or(&[], |batch| &batch.calls);
        let results = batch.iter().filter_map(|call| pairs.answer(*call));
        let move_together = Action::MoveTogether(batch.iter().copied().chain(results).collect());
        diagnostic.fix_safely([move_together]);
    } else {
        diagnostic.instance = Some(Instance::Spared);
    }
    diagnostic
}

/// IDs that do not fit their place: a file that holds another event than its name says, or a list
/// that is out of order.
pub(super) fn check_ids(context: &FormatContext<'_>) -> Vec<Diagnostic> {
    let t = context.transcript;
    let mut diagnostics = Vec::new();
    let Layout::Files(files) = context.layout else {
        let numbered: Vec<(i64, EventId)> =
            t.records().filter_map(|event| Some((number(t, event)?, event))).collect();
        let falls = numbered.windows(2).find(|pair| pair[1].0 < pair[0].0);
        if let Some(pair) = falls {
            let mut diagnostic = Diagnostic::new(
                Code::RecordOrder,
                "IDs are not in ascending order; the list order is used",
                pair[1].1,
            );
            diagnostic.about = vec![Subject::Name(pair[1].1)];
            diagnostic.instance = Some(Instance::Harmless);
            diagnostics.push(diagnostic);
        }
        return diagnostics;
    };
    for event in t.records().filter(|event| t.event(*event).state == State::Whole) {
        let Some(in_name) = t.fact_id(event, NAME_ID) else {
            continue;
        };
        let Some(id) = t.event(event).id.filter(|id| *id != in_name) else {
            continue;
        };
        let mut diagnostic = Diagnostic::about(
            Code::RecordOrder,
            "the file name has a different ID than the event",
            Subject::Name,
            event,
        );
        let taken =
            t.ids.get(id).parse().is_ok_and(|id: u64| {
                files.files.binary_search_by_key(&id, |file| file.index).is_ok()
            });
        if !taken && number(t, event).is_some_and(|id| id >= 0) {
            diagnostic.fix_safely([Action::Renumber(event)]);
        }
        diagnostics.push(diagnostic);
    }
    diagnostics
}

/// Open calls in a folder without a free ID after their response: their result can only go to the
/// end.
pub(super) fn no_place(
    context: &FormatContext<'_>,
    pairs: &Pairs,
    responses: &[V0Response],
) -> Vec<PartId> {
    let t = context.transcript;
    if !matches!(context.layout, Layout::Files(_)) {
        return Vec::new();
    }
    let mut free = super::answer::FreeIds::of(t);
    let highest = free.highest();
    let mut calls = Vec::new();
    for (batch, response) in pairs.batches.iter().zip(responses) {
        let numbers = response.events().filter_map(|event| number(t, event));
        let last = numbers.max().unwrap_or(highest);
        calls.extend(batch.open(pairs).filter(|_| free.take(last) > highest));
    }
    calls.sort_unstable();
    calls
}
