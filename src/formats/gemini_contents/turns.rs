//! What two or more turns must keep to: who speaks when, results in one turn, signatures of the current steps.

use super::{read, role};
use crate::dialects::gemini;
use crate::formats::FormatContext;
use crate::formats::chat::diagnostics;
use crate::json::node::Node;
use crate::requests::refused;
use crate::transcript::pairs::Pairs;
use crate::transcript::request::Sent;
use crate::transcript::{
    Action, Code, Diagnostic, EventId, Fix, IdRange, Label, LabelRole, PartId, PartKind, Role,
    Subject, Transcript,
};

/// Turns of the model that are, byte for byte and with the same call ids, the one before them.
pub(super) fn copies(
    context: &FormatContext<'_>,
    turns: &[EventId],
) -> (Vec<EventId>, Vec<Diagnostic>) {
    let t = context.transcript;
    let named = |event: EventId| {
        let mut calls = calls_of(t, event).peekable();
        calls.peek().is_some()
            && calls.all(|call| t.a_part(call).id.is_some_and(|id| !t.ids.is_empty(id)))
    };
    let (mut copies, mut found) = diagnostics::copies(context, turns);
    let is_repeated = |event: EventId| role(t, event) == Role::Assistant && named(event);
    copies.retain(|event| is_repeated(*event));
    found.retain(|diagnostic| {
        diagnostic
            .about
            .iter()
            .all(|about| matches!(about, Subject::Content(event) if is_repeated(*event)))
    });
    (copies, found)
}

fn calls_of(t: &Transcript, event: EventId) -> impl Iterator<Item = PartId> + '_ {
    t.event(event)
        .parts
        .clone()
        .filter(|part| t.a_part(*part).kind == PartKind::Call)
}

/// Finds all of it.
pub(super) fn judge(
    context: &FormatContext<'_>,
    _order: &[Sent],
    pairs: &Pairs,
) -> Vec<Diagnostic> {
    let t = context.transcript;
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    diagnostics.extend(
        pairs
            .batches
            .iter()
            .filter_map(|batch| torn_results(t, pairs, &batch.calls)),
    );
    diagnostics
}

/// The results of one turn's calls stand in several turns of the user with nothing between.
fn torn_results(t: &Transcript, pairs: &Pairs, calls: &[PartId]) -> Option<Diagnostic> {
    let mut answers: Vec<PartId> = calls
        .iter()
        .filter_map(|call| pairs.answer(*call))
        .collect();
    answers.sort_unstable();
    let mut events: Vec<EventId> = answers.iter().map(|part| t.a_part(*part).event).collect();
    events.dedup();
    let asks = calls.iter().map(|call| t.a_part(*call).event).max()?;
    // Elsewhere than directly behind: that is told as their place.
    let next = |pair: &[EventId]| {
        let between = IdRange::new(pair[0].next(), pair[1]);
        between
            .into_iter()
            .all(|event| t.event(event).parts.is_empty())
    };
    let in_row = std::iter::once(asks)
        .chain(events.iter().copied())
        .collect::<Vec<_>>();
    if events.len() < 2 || !in_row.is_sorted() || !in_row.windows(2).all(next) {
        return None;
    }
    let words_between = events[..events.len() - 1].iter().any(|event| {
        t.event(*event)
            .parts
            .clone()
            .any(|part| !read::asks(t, part))
    });
    if words_between {
        return None;
    }
    let said = "results of one response are in several turns";
    let mut diagnostic = refused(Code::SplitBatch, said, events[0]);
    diagnostic.labels = vec![Label {
        event: asks,
        role: LabelRole::Call,
    }];
    diagnostic.labels.extend(events.iter().map(|event| Label {
        event: *event,
        role: LabelRole::Result,
    }));
    diagnostic.about = answers.iter().map(|part| Subject::Place(*part)).collect();
    let wanted = calls.iter().copied().chain(answers).collect();
    diagnostic.fixes = vec![Fix::safe(vec![Action::Gather(wanted)])];
    Some(diagnostic)
}

/// The response that is this part of a turn.
pub(super) fn response(turn: Node<'_>, at: usize) -> Option<Node<'_>> {
    turn.get("parts")
        .and_then(|parts| parts.items().nth(at))
        .and_then(gemini::response)
}
