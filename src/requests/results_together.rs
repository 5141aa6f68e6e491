//! The results of one response are in one turn: the provider counts them.

use super::{Need, RequestContext, refused};
use crate::transcript::pairs::Pairs;
use crate::transcript::{
    Action, Code, Diagnostic, EventId, Fix, IdRange, Label, LabelRole, PartId, PartKind, Subject,
    Transcript,
};

pub(crate) const NEED: Need = Need {
    name: "results_together",
    reports: &[Code::SplitBatch],
    check,
};

fn check(case: &RequestContext<'_>) -> Vec<Diagnostic> {
    let (t, pairs) = (case.transcript(), &case.request.pairs);
    let batches = pairs.batches.iter();
    batches
        .filter_map(|batch| torn(t, pairs, &batch.calls))
        .collect()
}

/// The results of one turn's calls stand in several turns of the user with nothing between.
fn torn(t: &Transcript, pairs: &Pairs, calls: &[PartId]) -> Option<Diagnostic> {
    let mut answers: Vec<PartId> = calls
        .iter()
        .filter_map(|call| pairs.answer(*call))
        .collect();
    answers.sort_unstable();
    let mut events: Vec<EventId> = answers.iter().map(|part| t.a_part(*part).event).collect();
    events.dedup();
    let asks = calls.iter().map(|call| t.a_part(*call).event).max()?;
    // Results elsewhere than directly after their calls are reported for their place.
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
            .any(|part| !matches!(t.a_part(part).kind, PartKind::Call | PartKind::Result))
    });
    if words_between {
        return None;
    }
    let said = "results of one response are in several turns";
    let mut diagnostic = refused(Code::SplitBatch, said, events[0]);
    diagnostic.labels = vec![Label::new(asks, LabelRole::Call)];
    diagnostic.labels.extend(
        events
            .iter()
            .map(|event| Label::new(*event, LabelRole::Result)),
    );
    diagnostic.about = answers.iter().map(|part| Subject::Place(*part)).collect();
    let wanted = calls.iter().copied().chain(answers).collect();
    diagnostic.fixes = vec![Fix::safe(vec![Action::MoveTogether(wanted)])];
    Some(diagnostic)
}
