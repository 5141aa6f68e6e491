//! Links to calls or sessions that contradict IDs, and results that only strict clients cannot pair.

use hashbrown::{HashMap, HashSet};

use super::ClaudeSession;
use super::own;
use super::records::{is_result, pair_ids, pair_parts, with_role};
use super::spare;
use crate::format::{Client, FormatContext};
use crate::transcript::{
    Action, Code, Diagnostic, Effect, EventId, Id, Instance, Label, LabelRole, PartId, Request,
    Role, Subject, Transcript,
};

/// Finds results whose link points to another call than the one with their ID.
pub(super) fn crossed(context: &FormatContext<'_>, session: &ClaudeSession) -> Vec<Diagnostic> {
    let t = context.transcript;
    let tree = &session.tree;
    let mut lines: HashMap<Id, EventId> = HashMap::new();
    let results = session.sequence.iter().copied().filter(|event| is_result(t, *event));
    let results: Vec<EventId> = results.filter(|event| t.has(*event, own::SOURCE)).collect();
    if results.is_empty() {
        return Vec::new();
    }
    for event in with_role(t, &tree.main, Role::Assistant) {
        lines.extend(pair_parts(t, event).filter_map(|call| Some((t.part(call).id?, event))));
    }
    // Each with its part, its ID and the line that it links to.
    let mut wrong: Vec<(PartId, Id, EventId)> = Vec::new();
    for event in results {
        let mut own = pair_parts(t, event);
        let (Some(part), None) = (own.next(), own.next()) else {
            continue;
        };
        let (Some(id), Some(named)) = (t.part(part).id, tree.named_by(t, event, own::SOURCE))
        else {
            continue;
        };
        // Asked first, because a line may have very many calls, each with such a result.
        if lines.get(&id).is_none_or(|line| *line == named) {
            continue;
        }
        let mut calls = pair_ids(t, named).peekable();
        let is_call = t.event(named).role == Role::Assistant && calls.peek().is_some();
        if is_call && !calls.any(|call| call == id) {
            wrong.push((part, id, named));
        }
    }
    let by_line: HashMap<EventId, usize> =
        (0..).zip(&wrong).map(|(at, (_, id, _))| (lines[id], at)).collect();
    let mut reported: HashSet<usize> = HashSet::new();
    let mut diagnostics = Vec::new();
    for (at, (part, id, named)) in wrong.iter().enumerate() {
        if !reported.insert(at) {
            continue;
        }
        // The result whose ID this one should have, and that should have this one's.
        let other = by_line
            .get(named)
            .copied()
            .filter(|other| wrong[*other].2 == lines[id] && reported.insert(*other));
        diagnostics.push(crossed_diagnostic(
            t,
            (*part, *id),
            other.map(|other| (wrong[other].0, wrong[other].1)),
        ));
    }
    diagnostics
}

fn crossed_diagnostic(
    t: &Transcript,
    first: (PartId, Id),
    other: Option<(PartId, Id)>,
) -> Diagnostic {
    let message = "tool result has the ID of one call and points to the record of another";
    let event = |part| t.part(part).event;
    let mut diagnostic = Diagnostic::new(Code::LinkMismatch, message, event(first.0));
    diagnostic.instance = Some(Instance::Corrected);
    diagnostic.about = vec![Subject::Identity(first.0)];
    if let Some(other) = other {
        diagnostic.message = "two tool results have swapped IDs".into();
        diagnostic.label([event(other.0)], LabelRole::Record);
        diagnostic.about.push(Subject::Identity(other.0));
        let rename = |part, to: Id| Action::rename_id(vec![part], t.ids.get(to).to_owned());
        diagnostic.fix_with_guess([rename(first.0, other.1), rename(other.0, first.1)]);
    }
    diagnostic.labels.iter_mut().for_each(|label| label.role = LabelRole::Result);
    diagnostic
}

/// Several sessions in one file, which is harmless and frequent.
pub(super) fn sessions(context: &FormatContext<'_>, session: &ClaudeSession) -> Option<Diagnostic> {
    let t = context.transcript;
    let id = |event: EventId| t.fact_id(event, own::SESSION);
    let first = session.tree.main.iter().find_map(|event| id(*event))?;
    let other =
        session.tree.main.iter().copied().find(|event| id(*event).is_some_and(|id| id != first))?;
    Some(Diagnostic::about(
        Code::SessionMismatch,
        "records of several sessions in one file",
        Subject::Name,
        other,
    ))
}

/// The calls of one response, and the first of its results on the path of strict clients.
#[derive(Default)]
struct LinkedResponse {
    lines: Vec<EventId>,
    first_result: Option<EventId>,
}

/// Finds results on the path of strict clients, which do not see the branch of the call.
pub(super) fn stranded(
    context: &FormatContext<'_>,
    session: &ClaudeSession,
    request: &Request,
) -> Vec<Diagnostic> {
    let t = context.transcript;
    let strict = &session.strict;
    let is_unseen = |line: EventId| !strict.has(line) && request.api_index(line).is_some();
    if !session.tree.main.iter().any(|line| is_unseen(*line)) {
        return Vec::new();
    }
    let mut calls: HashMap<Id, EventId> = HashMap::new();
    let mut answers: HashMap<Id, LinkedResponse> = HashMap::new();
    for event in session.tree.main.iter().copied() {
        let Some(batch) = t.event(event).batch else {
            continue;
        };
        let own = pair_parts(t, event).filter_map(|call| Some((t.part(call).id?, event)));
        let before = calls.len();
        calls.extend(own);
        if calls.len() > before {
            answers.entry(batch).or_default().lines.push(event);
        }
    }
    // Each response with the line of a call that is not seen, and the result.
    let mut unseen: Vec<(Id, EventId, EventId)> = Vec::new();
    for result in strict.records.iter().copied().filter(|event| is_result(t, *event)) {
        let ids = pair_ids(t, result);
        for line in ids.filter_map(|id| calls.get(&id).copied()) {
            let Some(batch) = t.event(line).batch else {
                continue;
            };
            answers.entry(batch).or_default().first_result.get_or_insert(result);
            if is_unseen(line) {
                unseen.push((batch, line, result));
            }
        }
    }
    let mut reported: HashSet<Id> = HashSet::new();
    unseen.retain(|(batch, ..)| reported.insert(*batch));
    unseen
        .into_iter()
        .map(|(batch, line, result)| {
            stranded_diagnostic(context, session, result, line, answers.get(&batch))
        })
        .collect()
}

fn stranded_diagnostic(
    context: &FormatContext<'_>,
    session: &ClaudeSession,
    result: EventId,
    line: EventId,
    answer: Option<&LinkedResponse>,
) -> Diagnostic {
    let message = "tool result on a branch where strict clients do not see its call: their request \
        is rejected";
    let mut diagnostic = Diagnostic::about(Code::StrandedRecord, message, Subject::Parent, result);
    diagnostic.labels =
        vec![Label::new(line, LabelRole::Call), Label::new(result, LabelRole::Result)];
    diagnostic.instance = Some(Instance::Elsewhere);
    diagnostic.effect = Effect::Refused;
    spare(context, Client::Current, &mut diagnostic);
    let tree = &session.tree;
    let Some((lines, first)) =
        answer.and_then(|answer| Some((&answer.lines, answer.first_result?)))
    else {
        return diagnostic;
    };
    let Some(last) = lines.last().copied() else {
        return diagnostic;
    };
    // All calls of the response, and the current parent of the result, must be ancestors of the last call.
    let mut missing: HashSet<EventId> = lines.iter().copied().chain(tree.bare[first]).collect();
    let mut at = Some(last);
    for _ in 0..lines.len().saturating_mul(4).saturating_add(MOST_BETWEEN) {
        let Some(event) = at.filter(|event| *event != first && !missing.is_empty()) else {
            break;
        };
        missing.remove(&event);
        at = tree.bare[event];
    }
    if missing.is_empty() {
        diagnostic.fix_safely([Action::set_parent(first, Some(last))]);
    }
    diagnostic
}

/// At most this many other lines may be between those of a response.
const MOST_BETWEEN: usize = 64;
