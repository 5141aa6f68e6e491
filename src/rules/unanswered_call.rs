//! TD101 unanswered-call.

use hashbrown::HashSet;

use super::page::{RuleExample, RulePage};
use super::{Finding, Rule, RuleContext, Strategy, layer, reported};
use crate::transcript::pairs::{Batch, PairStatus};
use crate::transcript::{
    Action, Code, EventId, Fix, Id, IdRange, Inclusion, LabelRole, PartId, PartKind, Role,
    Severity, Subject, Transcript, distinct,
};

pub(super) const RULE: Rule = Rule {
    code: Code::UnansweredCall,
    name: "unanswered-call",
    layer: layer::OPEN,
    severity: Severity::Fatal,
    summary: "tool call without a result",
    page: RulePage {
        fix: "safe or unsafe",
        means: "The model called a tool, no result was recorded, and the conversation continued. \
            Every provider requires a result for each call, including each of several parallel \
            calls.",
        causes: &[
            ("Any host", "a crash or a canceled tool; a session resumed elsewhere while the tool ran"),
        ],
        repair: "Inserts an error result, marked as ours, for each unanswered call of the turn, after \
            its last record. It says that the tool may or may not have run. No call is removed.",
        otherwise: "If a later result, a fragment, or another member may hold the result, only `transcript-doctor repair --unsafe FILE` answers it. With \
            `--strategy remove-turn`, repair removes the whole response instead, with the results of its other calls. The model then no longer sees \
            what it said there.",
        example: RuleExample {
            from: "openai-responses",
            options: &[],
            diff: br##" {"type":"message","role":"user","content":"List the files."}
 {"type":"function_call","call_id":"call_1","name":"ls","arguments":"{}"}
+{"type":"function_call_output","call_id":"call_1","output":"Interrupted: no result was recorded; the tool may or may not have run. (inserted by transcript-doctor, TD101)"}
 {"type":"message","role":"user","content":"Go on."}
"##,
        },
    },
    reported_by: &["hosts/ai_sdk_ui", "hosts/openhands_v0"],
    check,
};

fn check(rule: &'static Rule, cx: &RuleContext<'_>, found: &mut Vec<Finding>) {
    let pairs = &cx.request.pairs;
    let covered = covered_calls(cx);
    for batch in pairs.batches.iter().filter(|batch| !batch.pending) {
        let open =
            batch.calls.iter().filter(|call| pairs.status(**call) == PairStatus::Open).copied();
        // Calls whose result is unreadable get a finding of their own, because their fix differs.
        let (explained, open): (Vec<PartId>, Vec<PartId>) =
            open.partition(|call| covered.contains(call));
        let parts = [explained, open].into_iter().filter(|calls| !calls.is_empty());
        found.extend(parts.map(|calls| finding(rule, cx, batch, &calls)));
    }
    // Calls that have no record of their own.
    reported::diagnostics(rule, cx, found);
}

/// The open calls that another diagnostic covers.
fn covered_calls(cx: &RuleContext<'_>) -> HashSet<PartId> {
    let diagnostics = cx.transcript.diagnostics.iter().chain(&cx.request.diagnostics);
    let covers = diagnostics.flat_map(|diagnostic| &diagnostic.covers);
    covers
        .filter_map(|subject| if let Subject::Open(call) = subject { Some(*call) } else { None })
        .collect()
}

fn finding(rule: &'static Rule, cx: &RuleContext<'_>, batch: &Batch, open: &[PartId]) -> Finding {
    let message =
        if open.len() == 1 { "tool call without a result" } else { "tool calls without results" };
    let mut finding = Finding::new(rule, cx, message);
    finding.labels.reserve_exact(batch.calls.len());
    for call in &batch.calls {
        finding.add_part(cx, *call, LabelRole::Call);
        for result in cx.request.pairs.results(*call) {
            finding.add_part(cx, *result, cx.result_role(*result));
        }
    }
    // Only the IDs of the open calls, because these are in the provider's error.
    finding.calls = open.iter().filter_map(|call| cx.transcript.part(*call).id).collect();
    finding.about = open.iter().map(|call| Subject::Open(*call)).collect();
    finding.fixes = vec![match cx.strategy {
        Strategy::RemoveTurn => remove_turn(cx, batch, open),
        Strategy::LeastLoss => add_placeholders(cx, open),
    }];
    if open
        .iter()
        .all(|call| cx.request.inclusion(cx.transcript.part(*call).event) == Inclusion::Forgotten)
    {
        finding.severity = Severity::Note;
        finding.effect = crate::transcript::Effect::None;
    }
    finding
}

/// Adds a placeholder result for every open call.
fn add_placeholders(cx: &RuleContext<'_>, open: &[PartId]) -> Fix {
    let answers = open.iter().map(|call| Action::answer_call(*call));
    // Nor may it are next to a recorded result that lost its ID.
    // A placeholder would decide that a result of a failed response is not the result of this call.
    let safe = open.iter().all(|call| {
        cx.request.no_place.binary_search(call).is_err()
            && (!cx.request.pairs.is_rival(*call))
            && cx.request.pairs.orphans_after(cx.transcript, *call).next().is_none()
    });
    Fix::safe_if(safe, answers)
}

/// Removes the responses with open calls, and every result of their calls, which would otherwise be orphaned.
fn remove_turn(cx: &RuleContext<'_>, batch: &Batch, open: &[PartId]) -> Fix {
    let (t, pairs) = (cx.transcript, &cx.request.pairs);
    let event = |part: &PartId| t.part(*part).event;
    let waiting: HashSet<EventId> = open.iter().map(event).collect();
    let responses: HashSet<Id> = waiting.iter().filter_map(|event| t.event(*event).batch).collect();
    let mut calls = batch.calls.to_vec();
    calls.retain(|call| {
        let is_removed = match t.event(event(call)).batch {
            Some(response) => responses.contains(&response),
            // If records do not have the ID of their response, the message is the response.
            None => batch.last_event.is_some(),
        };
        is_removed || waiting.contains(&event(call))
    });
    let copies = calls.iter().flat_map(|call| pairs.copies(*call));
    let mut events: Vec<EventId> = distinct(calls.iter().chain(copies).map(event));
    events.extend(texts_of_response(cx, &events));
    events.sort_unstable();
    let mut results: Vec<PartId> =
        calls.iter().flat_map(|call| pairs.results(*call)).copied().collect();
    results.retain(|part| events.binary_search(&event(part)).is_err());
    results.sort_unstable();
    results.dedup();
    let removals = events.into_iter().map(Action::Remove);
    Fix::with_guess(removals.chain(results.into_iter().map(Action::RemovePart)))
}

/// The records without calls that belong to the same response as the records with calls.
fn texts_of_response(cx: &RuleContext<'_>, events: &[EventId]) -> Vec<EventId> {
    let t = cx.transcript;
    let (Some(first), Some(last)) = (events.first().copied(), events.last().copied()) else {
        return vec![];
    };
    let Some(own) = t.event(first).batch else {
        return vec![];
    };
    let same = |event: &EventId| {
        t.event(*event).batch == Some(own) && t.event(*event).role == Role::Assistant
    };
    let is_near = |event: &EventId| same(event) || !cx.is_sent(*event);
    let before = IdRange::new(EventId::FIRST, first).rev().take_while(is_near);
    let after = t.events.ids_from(last.next()).take_while(is_near);
    let around = before.chain(between(t, events)).chain(after);
    around.filter(|event| same(event) && !has_calls(t, *event)).collect()
}

/// The records of the model between those with calls, up to the first other one. The text of a response is next to its
/// calls.
fn between<'a>(t: &'a Transcript, events: &'a [EventId]) -> impl Iterator<Item = EventId> + 'a {
    events.windows(2).flat_map(move |pair| {
        IdRange::new(pair[0].next(), pair[1]).take_while(|event| {
            matches!(t.event(*event).role, Role::Assistant | Role::Nobody) && !has_calls(t, *event)
        })
    })
}

fn has_calls(t: &Transcript, event: EventId) -> bool {
    t.part_of(event, PartKind::Call).is_some()
}
