//! A compaction between a call and its result.

use super::Session;
use crate::transcript::pairs::{PairStatus, Pairs};
use crate::transcript::{
    Action, Code, Diagnostic, Effect, EventId, Fix, Id, Label, LabelRole, PartId, PartKind,
    Subject, Transcript,
};

/// Results after the last compaction whose calls are before it, one diagnostic a response: the client drops the results.
pub(super) fn split(t: &Transcript, session: &Session, pairs: &Pairs) -> Vec<Diagnostic> {
    let Some(boundary) = session.boundary else {
        return Vec::new();
    };
    let branch = &session.tree.branch;
    let Some(at) = branch.iter().position(|event| *event == boundary) else {
        return Vec::new();
    };
    let before = &branch[..at];
    let asks = |result: PartId| {
        let id = t.part(result).id.filter(|id| !t.ids.is_empty(*id))?;
        let calls = before.iter().rev().copied();
        calls.into_iter().find(|event| {
            let mut parts = t.event(*event).parts.clone();
            parts.any(|part| t.part(part).kind == PartKind::Call && t.part(part).id == Some(id))
        })
    };
    let orphans = pairs
        .all()
        .filter(|(_, status)| *status == PairStatus::Orphan);
    let mut split: Vec<(EventId, PartId)> = orphans
        .filter_map(|(result, _)| Some((asks(result)?, result)))
        .collect();
    split.sort_unstable();
    let of_response = |all: &[(EventId, PartId)]| {
        let results: Vec<PartId> = all.iter().map(|(_, result)| *result).collect();
        diagnostic(t, before, boundary, all[0].0, &results)
    };
    split.chunk_by(|a, b| a.0 == b.0).map(of_response).collect()
}

fn diagnostic(
    t: &Transcript,
    before: &[EventId],
    boundary: EventId,
    call: EventId,
    results: &[PartId],
) -> Diagnostic {
    let mut diagnostic = Diagnostic::new(
        Code::CompactionSplitPair,
        "the compaction leaves out a call but not its result",
        boundary,
    );
    diagnostic.labels = vec![
        Label::new(boundary, LabelRole::Compaction),
        Label::new(call, LabelRole::Call),
    ];
    let result = |result: &PartId| Label::new(t.part(*result).event, LabelRole::Result);
    diagnostic.labels.extend(results.iter().map(result));
    diagnostic.covers = results.iter().copied().map(Subject::Orphan).collect();
    diagnostic.about = diagnostic.covers.clone();
    diagnostic.effect = Effect::Refused;
    let asked: Vec<_> = calls(t, call).collect();
    let is_kept = |event: &EventId| {
        let own = t.event(*event).id.is_some() && t.event(*event).id == t.event(call).id;
        let mut parts = t.event(*event).parts.clone();
        let only_results = !parts.is_empty()
            && parts.all(|part| {
                let part = t.part(part);
                part.kind == PartKind::Result && asked.contains(&part.id)
            });
        own || only_results
    };
    let from = before
        .iter()
        .position(|event| *event == call)
        .unwrap_or(before.len());
    let from = before[..from]
        .iter()
        .rposition(|event| !is_kept(event))
        .map_or(0, |at| at + 1);
    let extend = Action::MoveBoundary {
        event: boundary,
        add: Vec::new(),
        keep: before[from..].iter().copied().filter(is_kept).collect(),
        offset: None,
    };
    diagnostic.fixes = vec![Fix::safe(vec![extend])];
    diagnostic
}

fn calls(t: &Transcript, event: EventId) -> impl Iterator<Item = Option<Id>> + '_ {
    let parts = t.event(event).parts.clone().map(|part| t.part(part));
    parts
        .filter(|part| part.kind == PartKind::Call)
        .map(|part| part.id)
}
