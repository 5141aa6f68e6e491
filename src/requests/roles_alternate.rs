//! Who may speak after whom.

use super::{Need, RequestContext, places, refused};
use crate::json::cut;
use crate::json::quote::quote;
use crate::targets::Roles;
use crate::transcript::pairs::PairStatus;
use crate::transcript::{
    Action, Applicability, Code, Diagnostic, EventId, Fix, Label, LabelRole, PartId, PartKind,
    Role, Subject,
};

pub(crate) const NEED: Need = Need {
    name: "roles_alternate",
    reports: &[Code::RoleOrder, Code::SplitBatch],
    check,
};

/// A message and who really speaks in it: one of nothing but results is the user's.
type Spoken = (EventId, Role);

fn check(case: &RequestContext<'_>) -> Vec<Diagnostic> {
    let roles = case.context.target.needs.roles;
    if roles == Roles::Any {
        return Vec::new();
    }
    let spoken = spoken(case);
    let misplaced = spoken.iter().filter_map(|message| match roles {
        Roles::Alternate => results_of_the_model(case, *message),
        _ => wrong_side(case, *message),
    });
    let mut found: Vec<Diagnostic> = misplaced.collect();
    let mut before = None;
    for run in spoken.chunk_by(|one, next| one.1 == next.1) {
        let events: Vec<EventId> = run.iter().map(|(event, _)| *event).collect();
        found.extend(match roles {
            Roles::Alternate if run[0].1 != Role::System => one_role(case, before, &events),
            Roles::CallsAfterUser if run[0].1 == Role::Assistant => call_after_model(case, &events),
            _ => None,
        });
        before = events.last().copied();
    }
    found
}

fn spoken(case: &RequestContext<'_>) -> Vec<Spoken> {
    let mut spoken: Vec<Spoken> = Vec::new();
    let items = case.request.order.iter().filter(|sent| !sent.summary);
    for sent in items.filter(|sent| sent.role != Role::Nobody) {
        match spoken.last_mut().filter(|(event, _)| *event == sent.event) {
            Some(_) if sent.role == Role::Tool => {}
            Some((_, role)) => *role = sent.role,
            None if sent.role == Role::Tool => spoken.push((sent.event, Role::User)),
            None => spoken.push((sent.event, sent.role)),
        }
    }
    spoken
}

/// A message of the assistant that holds nothing but results.
fn results_of_the_model(case: &RequestContext<'_>, (event, role): Spoken) -> Option<Diagnostic> {
    let t = case.transcript();
    if t.event(event).role != Role::Assistant || role != Role::User {
        return None;
    }
    let said = "tool results in an assistant message";
    let mut diagnostic = refused(Code::RoleOrder, said, event);
    let answers = |part| matches!(case.request.pairs.status(part), PairStatus::Answers(_));
    if t.event(event).parts.clone().all(answers) {
        diagnostic.fixes = with_role(case, event, "user");
    }
    Some(diagnostic)
}

/// Results in a turn of the model, or calls in one of the user.
fn wrong_side(case: &RequestContext<'_>, (event, role): Spoken) -> Option<Diagnostic> {
    let t = case.transcript();
    let recorded = t.event(event).role;
    let (wrong, said, word) = match recorded {
        Role::Assistant => (
            PartKind::Result,
            "function responses in a model turn",
            "user",
        ),
        _ => (
            PartKind::Call,
            "function call in a user turn",
            case.wire.model,
        ),
    };
    let parts = t.event(event).parts.clone();
    if !parts.clone().any(|part| t.a_part(part).kind == wrong) {
        return None;
    }
    let mut diagnostic = refused(Code::RoleOrder, said, event);
    if recorded != role {
        diagnostic.fixes = with_role(case, event, word);
        return Some(diagnostic);
    }
    // Beside what this role may say: only a result that is moved to its call leaves it.
    let standing = |part| case.request.pairs.status(part);
    let moves = |part| matches!(standing(part), PairStatus::Orphan | PairStatus::Surplus(_));
    if recorded == Role::Assistant && parts.clone().any(moves) {
        return None;
    }
    // What the API refuses here waits for no result.
    let calls = parts.filter(|part| t.a_part(*part).kind == PartKind::Call);
    diagnostic.covers = calls.map(Subject::Open).collect();
    Some(diagnostic)
}

fn with_role(case: &RequestContext<'_>, event: EventId, word: &str) -> Vec<Fix> {
    case.fixed(event, Applicability::Safe, |record| {
        let message = (case.wire.message)(record);
        vec![match message.get("role") {
            Some(role) => cut::replace(role, &quote(word)),
            None => cut::insert_member(message, None, "role", &quote(word)),
        }]
    })
}

/// Messages of one role in a row become one. Where they hold the results of one batch, that is what is told.
fn one_role(
    case: &RequestContext<'_>,
    before: Option<EventId>,
    run: &[EventId],
) -> Option<Diagnostic> {
    let (t, pairs) = (case.transcript(), &case.request.pairs);
    let is_answer = |part: PartId| {
        let call = pairs.call_of(part);
        t.a_part(part).kind == PartKind::Result
            && call.is_some_and(|call| Some(t.a_part(call).event) == before)
    };
    let answers = |event: &EventId| t.event(*event).parts.clone().any(is_answer);
    let (_, rest) = run.split_first().filter(|(_, rest)| !rest.is_empty())?;
    let (code, said) = if rest.iter().any(answers) {
        (
            Code::SplitBatch,
            "results of one response are in several messages",
        )
    } else {
        (Code::RoleOrder, "consecutive messages with the same role")
    };
    let around: Vec<EventId> = before.into_iter().chain(run.iter().copied()).collect();
    let mut diagnostic = merged(code, said, run);
    diagnostic.covers = places(t, pairs, &around);
    Some(diagnostic)
}

/// Turns of the model in a row of which a later one has calls: they become one.
fn call_after_model(case: &RequestContext<'_>, run: &[EventId]) -> Option<Diagnostic> {
    let t = case.transcript();
    let asks = |event: &EventId| t.part_of(*event, PartKind::Call).is_some();
    let last = run.iter().skip(1).rposition(asks)?;
    let run = &run[..last + 2];
    let said = "function call after another model turn";
    let mut diagnostic = merged(Code::RoleOrder, said, run);
    diagnostic.covers = places(t, &case.request.pairs, run);
    Some(diagnostic)
}

/// Messages that become one.
fn merged(code: Code, said: &str, run: &[EventId]) -> Diagnostic {
    let (into, rest) = (run[0], &run[1..]);
    let mut diagnostic = refused(code, said, into);
    let record = |event: &EventId| Label::new(*event, LabelRole::Record);
    diagnostic.labels = run.iter().map(record).collect();
    diagnostic.about = rest.iter().map(|event| Subject::Content(*event)).collect();
    let merges = rest
        .iter()
        .map(|from| Action::MoveText { from: *from, into });
    diagnostic.fixes = vec![Fix::safe(merges.collect())];
    diagnostic
}
