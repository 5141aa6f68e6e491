//! Calls in several messages of the model in a row, and their results behind the last of them.

use crate::requests::{places, refused};
use crate::transcript::pairs::Pairs;
use crate::transcript::request::Sent;
use crate::transcript::{
    Action, Code, Diagnostic, EventId, Fix, Label, LabelRole, PartId, PartKind, Role, Subject,
    Transcript,
};

/// Finds such runs, for clients that send each message on its own.
pub(super) fn judge(t: &Transcript, order: &[Sent], pairs: &Pairs) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let mut groups = order.chunk_by(|a, b| a.role == b.role).peekable();
    while let Some(run) = groups.next() {
        let results = groups
            .peek()
            .filter(|next| next[0].role == Role::Tool && !next[0].summary);
        if run[0].role == Role::Assistant && run.len() > 1 {
            diagnostics.extend(results.and_then(|results| one(t, run, results, pairs)));
        }
    }
    diagnostics
}

fn one(t: &Transcript, run: &[Sent], results: &[Sent], pairs: &Pairs) -> Option<Diagnostic> {
    let calls = |sent: &Sent| -> Vec<PartId> {
        sent.parts
            .clone()
            .filter(|part| t.a_part(*part).kind == PartKind::Call)
            .collect()
    };
    let (last, earlier) = run.split_last()?;
    let asks = run
        .iter()
        .filter(|sent| calls(sent).iter().any(|call| pairs.answer(*call).is_some()))
        .count();
    let own: Vec<PartId> = results.iter().flat_map(|sent| sent.parts.clone()).collect();
    let waits = |sent: &&Sent| {
        calls(sent)
            .iter()
            .any(|call| pairs.answer(*call).is_some_and(|r| own.contains(&r)))
    };
    if asks < 2 || !earlier.iter().any(|sent| waits(&sent)) || calls(last).is_empty() {
        return None;
    }
    let said = "tool calls of consecutive messages have their results after the last message";
    let mut diagnostic = refused(Code::SplitBatch, said, run[0].event);
    let label = |sent: &Sent, role| Label {
        event: sent.event,
        role,
    };
    diagnostic.labels = run
        .iter()
        .map(|sent| label(sent, LabelRole::Call))
        .collect();
    diagnostic
        .labels
        .extend(results.iter().map(|sent| label(sent, LabelRole::Result)));
    let events: Vec<EventId> = run.iter().map(|sent| sent.event).collect();
    diagnostic.about = events[1..]
        .iter()
        .map(|event| Subject::Content(*event))
        .collect();
    diagnostic.covers = places(t, pairs, &events);
    let gathers = run.iter().filter_map(|sent| {
        let calls = calls(sent);
        let mut answers: Vec<PartId> = calls
            .iter()
            .filter_map(|call| pairs.answer(*call))
            .collect();
        answers.sort_unstable();
        let parts: Vec<PartId> = calls.into_iter().chain(answers.iter().copied()).collect();
        (!answers.is_empty()).then_some(Action::Gather(parts))
    });
    diagnostic.fixes = vec![Fix::safe(gathers.collect())];
    Some(diagnostic)
}
