//! TD101 unanswered-call.

use hashbrown::HashSet;

use super::page::{Example, Page};
use super::{Finding, Rule, RuleContext, Strategy, claim, layer};
use crate::transcript::pairs::{Batch, PairStatus};
use crate::transcript::{
    Action, Code, EventId, Fix, Id, IdRange, Inclusion, LabelRole, PartId, PartKind, Role,
    Severity, Subject, Transcript,
};

pub(super) const RULE: Rule = Rule {
    code: Code::UnansweredCall,
    name: "unanswered-call",
    layer: layer::OPEN,
    severity: Severity::Fatal,
    summary: "tool call without a result",
    page: Page {
        fix: "safe",
        means: "The model called a tool, no result was recorded, and the conversation continued. \
            Every provider requires a result for each call, also for each of several parallel \
            calls.",
        causes: &[
            ("Any host", "a crash or a canceled tool; a session resumed elsewhere while the tool ran"),
        ],
        repair: "Inserts an error result, marked as ours, for each unanswered call of the turn, after \
            its last record. It says that the tool may or may not have run. No call is removed.",
        otherwise: "`transcript-doctor repair --unsafe --strategy remove-turn FILE` removes the whole \
            response instead, with the results of its other calls. The model then no longer sees \
            what it said there.",
        example: Some(Example {
            from: "openai-responses",
            options: &[],
            diff: br##" {"type":"message","role":"user","content":"List the files."}
 {"type":"function_call","call_id":"call_1","name":"ls","arguments":"{}"}
+{"type":"function_call_output","call_id":"call_1","output":"Interrupted: no result was recorded; the tool may or may not have run. (inserted by transcript-doctor, TD101)"}
 {"type":"message","role":"user","content":"Go on."}
"##,
        }),
    },
    reported_by: &["formats/openhands_v0"],
    check,
};

fn check(rule: &'static Rule, case: &RuleContext<'_>, found: &mut Vec<Finding>) {
    let pairs = &case.request.pairs;
    let elsewhere = explained(case);
    for batch in pairs.batches.iter().filter(|batch| !batch.pending) {
        let open = batch
            .calls
            .iter()
            .filter(|call| pairs.status(**call) == PairStatus::Open)
            .copied();
        // What has a result that cannot be read is not answered with those that have none.
        let (explained, open): (Vec<PartId>, Vec<PartId>) =
            open.partition(|call| elsewhere.contains(call));
        let parts = [explained, open]
            .into_iter()
            .filter(|calls| !calls.is_empty());
        found.extend(parts.map(|calls| unanswered(rule, case, batch, &calls)));
    }
    // Calls that no record of their own stands for.
    claim::diagnostics(rule, case, found);
}

/// Open calls of which another finding tells.
fn explained(case: &RuleContext<'_>) -> HashSet<PartId> {
    let diagnostics = case
        .transcript
        .diagnostics
        .iter()
        .chain(&case.request.diagnostics);
    let covers = diagnostics.flat_map(|diagnostic| &diagnostic.covers);
    covers
        .filter_map(|subject| {
            if let Subject::Open(call) = subject {
                Some(*call)
            } else {
                None
            }
        })
        .collect()
}

fn unanswered(
    rule: &'static Rule,
    case: &RuleContext<'_>,
    batch: &Batch,
    open: &[PartId],
) -> Finding {
    let said = if open.len() == 1 {
        "tool call without a result"
    } else {
        "tool calls without results"
    };
    let mut finding = Finding::new(rule, case, said);
    for call in &batch.calls {
        finding.part(case, *call, LabelRole::Call);
        for result in case.request.pairs.results(*call) {
            finding.part(case, *result, case.result_role(*result));
        }
    }
    // The ids are those of the open calls: these are what the provider names.
    finding.calls = open
        .iter()
        .filter_map(|call| case.transcript.a_part(*call).id)
        .collect();
    finding.about = open.iter().map(|call| Subject::Open(*call)).collect();
    finding.fixes = vec![match case.strategy {
        Strategy::RemoveTurn => removed(case, batch, open),
        Strategy::LeastLoss => answered(case, open),
    }];
    let inclusion = |call: &PartId| case.request.inclusion(case.transcript.a_part(*call).event);
    if open
        .iter()
        .all(|call| inclusion(call) == Inclusion::Forgotten)
    {
        finding.severity = Severity::Note;
        finding.effect = crate::transcript::Effect::None;
    }
    finding
}

/// A marked error result for every open call.
fn answered(case: &RuleContext<'_>, open: &[PartId]) -> Fix {
    let answers = open
        .iter()
        .map(|call| Action::AnswerCall {
            call: *call,
            in_place_of: None,
        })
        .collect();
    let has_place = |call: &PartId| case.request.no_place.binary_search(call).is_err();
    // A placeholder for a call would decide whose a result of a failed response is.
    let is_settled = |call: &PartId| !case.request.pairs.is_rival(*call);
    let safe = open.iter().all(|call| has_place(call) && is_settled(call));
    if safe {
        Fix::safe(answers)
    } else {
        Fix::with_guess(answers)
    }
}

/// The responses that wait for a result go, and every result of their calls: one that stayed would be an orphan.
fn removed(case: &RuleContext<'_>, batch: &Batch, open: &[PartId]) -> Fix {
    let (t, pairs) = (case.transcript, &case.request.pairs);
    let event = |part: &PartId| t.a_part(*part).event;
    let waiting: HashSet<EventId> = open.iter().map(event).collect();
    let responses: HashSet<Id> = waiting
        .iter()
        .filter_map(|event| t.event(*event).batch)
        .collect();
    // Where no record names its response, the message is it.
    let goes = |call: &&PartId| match t.event(event(call)).batch {
        Some(response) => waiting.contains(&event(call)) || responses.contains(&response),
        None => waiting.contains(&event(call)) || batch.last_event.is_some(),
    };
    let calls: Vec<PartId> = batch.calls.iter().filter(goes).copied().collect();
    let copies = calls.iter().flat_map(|call| pairs.copies(*call));
    let mut events: Vec<EventId> = calls.iter().chain(copies).map(event).collect();
    events.sort_unstable();
    events.dedup();
    events.extend(words(case, &events));
    events.sort_unstable();
    let mut results: Vec<PartId> = calls
        .iter()
        .flat_map(|call| pairs.results(*call))
        .copied()
        .collect();
    results.retain(|part| events.binary_search(&event(part)).is_err());
    results.sort_unstable();
    results.dedup();
    let parked = events.into_iter().map(Action::Remove);
    Fix::with_guess(
        parked
            .chain(results.into_iter().map(Action::RemovePart))
            .collect(),
    )
}

/// The records around those with calls that say something in the same response.
fn words(case: &RuleContext<'_>, events: &[EventId]) -> Vec<EventId> {
    let t = case.transcript;
    let (Some(first), Some(last)) = (events.first().copied(), events.last().copied()) else {
        return vec![];
    };
    let Some(own) = t.event(first).batch else {
        return vec![];
    };
    let same = |event: &EventId| {
        t.event(*event).batch == Some(own) && t.event(*event).role == Role::Assistant
    };
    let is_near = |event: &EventId| same(event) || !case.is_sent(*event);
    let before = IdRange::new(EventId::FIRST, first)
        .rev()
        .take_while(is_near);
    let behind = t.events.ids_from(last.next()).take_while(is_near);
    let around = before.chain(between(t, events)).chain(behind);
    around
        .filter(|event| same(event) && !calls(t, *event))
        .collect()
}

/// The records between those with calls, up to the next one that is no result: a response's words stand beside its calls.
fn between<'a>(t: &'a Transcript, events: &'a [EventId]) -> impl Iterator<Item = EventId> + 'a {
    let is_own = |event: &EventId| {
        matches!(t.event(*event).role, Role::Assistant | Role::Nobody) && !calls(t, *event)
    };
    events
        .windows(2)
        .flat_map(move |pair| IdRange::new(pair[0].next(), pair[1]).take_while(is_own))
}

fn calls(t: &Transcript, event: EventId) -> bool {
    t.event(event)
        .parts
        .clone()
        .any(|part| t.a_part(part).kind == PartKind::Call)
}
