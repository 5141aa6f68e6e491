//! The results of one response must be in one turn, because the provider counts them.

use super::{Need, RequestContext, refused};
use crate::transcript::pairs::Pairs;
use crate::transcript::{
    Action, Code, Diagnostic, EventId, IdRange, Label, LabelRole, PartId, PartKind, Subject,
    Transcript,
};

pub(crate) const NEED: Need =
    Need { name: "results_together", reports: &[Code::SplitBatch], check };

fn check(cx: &RequestContext<'_>) -> Vec<Diagnostic> {
    let (t, pairs) = (cx.transcript(), &cx.request.pairs);
    let batches = pairs.batches.iter();
    batches.filter_map(|batch| find_split(t, pairs, &batch.calls)).collect()
}

/// Finds results of one turn's calls that are in several user turns with nothing between them.
fn find_split(t: &Transcript, pairs: &Pairs, calls: &[PartId]) -> Option<Diagnostic> {
    let mut answers: Vec<PartId> = calls.iter().filter_map(|call| pairs.answer(*call)).collect();
    answers.sort_unstable();
    let mut events: Vec<EventId> = answers.iter().map(|part| t.part(*part).event).collect();
    events.dedup();
    let asks = calls.iter().map(|call| t.part(*call).event).max()?;
    let in_row = std::iter::once(asks).chain(events.iter().copied()).collect::<Vec<_>>();
    // Results that are not directly after their calls are reported as misplaced.
    if events.len() < 2
        || !in_row.is_sorted()
        || !in_row.windows(2).all(|pair| {
            let between = IdRange::new(pair[0].next(), pair[1]);
            between.into_iter().all(|event| t.event(event).parts.is_empty())
        })
    {
        return None;
    }
    let has_text_between = events[..events.len() - 1].iter().any(|event| {
        t.event(*event)
            .parts
            .clone()
            .any(|part| !matches!(t.part(part).kind, PartKind::Call | PartKind::Result))
    });
    if has_text_between {
        return None;
    }
    let message = "results of one response are in several turns";
    let mut diagnostic = refused(Code::SplitBatch, message, events[0]);
    diagnostic.labels = vec![Label::new(asks, LabelRole::Call)];
    diagnostic.labels.extend(events.iter().map(|event| Label::new(*event, LabelRole::Result)));
    diagnostic.about = answers.iter().map(|part| Subject::Place(*part)).collect();
    let wanted = calls.iter().copied().chain(answers).collect();
    diagnostic.fix_safely([Action::MoveTogether(wanted)]);
    Some(diagnostic)
}
