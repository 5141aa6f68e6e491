//! Which roles may follow which.

use super::{Need, RequestContext, places, refused};
use crate::json::cut;
use crate::json::quote::quote;
use crate::targets::Roles;
use crate::transcript::pairs::PairStatus;
use crate::transcript::{
    Action, Applicability, Code, Diagnostic, EventId, Fix, Label, LabelRole, PartKind, Role,
    Subject,
};

pub(crate) const NEED: Need =
    Need { name: "roles_alternate", reports: &[Code::RoleOrder, Code::SplitBatch], check };

/// A message with its effective role: a message of only results counts as the user's.
type SpokenMessage = (EventId, Role);

fn check(cx: &RequestContext<'_>) -> Vec<Diagnostic> {
    let roles = cx.context.target.needs.roles;
    if roles == Roles::Any {
        return Vec::new();
    }
    let spoken = spoken(cx);
    let misplaced = spoken.iter().filter_map(|message| match roles {
        Roles::Alternate => results_in_assistant_message(cx, *message),
        _ => wrong_side(cx, *message),
    });
    let mut found: Vec<Diagnostic> = misplaced.collect();
    let mut before = None;
    for run in spoken.chunk_by(|a, b| a.1 == b.1) {
        let events: Vec<EventId> = run.iter().map(|(event, _)| *event).collect();
        match roles {
            Roles::Alternate if run[0].1 != Role::System => {
                // The results that are inserted for open calls will stand between.
                for run in events.split_inclusive(|event| is_unanswered(cx, *event)) {
                    found.extend(consecutive(cx, before, run));
                    before = run.last().copied();
                }
            }
            Roles::CallsAfterUser if run[0].1 == Role::Assistant => {
                found.extend(call_after_model(cx, &events));
            }
            _ => {}
        }
        before = events.last().copied();
    }
    found
}

fn spoken(cx: &RequestContext<'_>) -> Vec<SpokenMessage> {
    let mut spoken: Vec<SpokenMessage> = Vec::new();
    let items = cx.request.order.iter().filter(|sent| !sent.summary);
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

/// An assistant message with only results.
fn results_in_assistant_message(
    cx: &RequestContext<'_>,
    (event, role): SpokenMessage,
) -> Option<Diagnostic> {
    let t = cx.transcript();
    if t.event(event).role != Role::Assistant || role != Role::User {
        return None;
    }
    let message = "tool results in an assistant message";
    let mut diagnostic = refused(Code::RoleOrder, message, event);
    if t.event(event)
        .parts
        .clone()
        .all(|part| matches!(cx.request.pairs.status(part), PairStatus::Answers(_)))
    {
        diagnostic.fixes = with_role(cx, event, "user");
    }
    Some(diagnostic)
}

/// Results in a turn of the model, or calls in one of the user.
fn wrong_side(cx: &RequestContext<'_>, (event, role): SpokenMessage) -> Option<Diagnostic> {
    let t = cx.transcript();
    let recorded = t.event(event).role;
    let (wrong, message, word) = match recorded {
        Role::Assistant => (PartKind::Result, "function responses in a model turn", "user"),
        _ => (PartKind::Call, "function call in a user turn", cx.wire.model),
    };
    let parts = t.event(event).parts.clone();
    if !parts.clone().any(|part| t.part(part).kind == wrong) {
        return None;
    }
    let mut diagnostic = refused(Code::RoleOrder, message, event);
    if recorded != role {
        diagnostic.fixes = with_role(cx, event, word);
        return Some(diagnostic);
    }
    // The turn also has content of its role. Orphaned and surplus results are removed from it by other fixes.
    let mut statuses = parts.clone().map(|part| cx.request.pairs.status(part));
    if recorded == Role::Assistant
        && statuses.any(|status| matches!(status, PairStatus::Orphan | PairStatus::Surplus(_)))
    {
        return None;
    }
    // The call must go, so a missing result does not matter.
    let calls = parts.filter(|part| t.part(*part).kind == PartKind::Call);
    diagnostic.covers = calls.map(Subject::Open).collect();
    Some(diagnostic)
}

fn with_role(cx: &RequestContext<'_>, event: EventId, word: &str) -> Vec<Fix> {
    cx.fix_record(event, Applicability::Safe, |record| {
        let message = (cx.wire.message)(record);
        vec![match message.get("role") {
            Some(role) => cut::replace(role, &quote(word)),
            None => cut::insert_member(message, None, "role", &quote(word)),
        }]
    })
}

/// Whether a message has calls that get results from this program.
fn is_unanswered(cx: &RequestContext<'_>, event: EventId) -> bool {
    let (t, pairs) = (cx.transcript(), &cx.request.pairs);
    t.event(event).parts.clone().any(|part| {
        matches!(pairs.status(part), PairStatus::Open)
            && !pairs.batch_of(part).is_some_and(|batch| batch.pending)
    })
}

/// Consecutive messages of one role, which the fix merges. If they have the results of one batch, that is reported instead.
fn consecutive(
    cx: &RequestContext<'_>,
    before: Option<EventId>,
    run: &[EventId],
) -> Option<Diagnostic> {
    let (t, pairs) = (cx.transcript(), &cx.request.pairs);
    let (_, rest) = run.split_first().filter(|(_, rest)| !rest.is_empty())?;
    let mut results = rest.iter().flat_map(|event| t.parts_of(*event, PartKind::Result));
    let has_result = results
        .any(|result| pairs.call_of(result).is_some_and(|call| Some(t.part(call).event) == before));
    let (code, message) = if has_result {
        (Code::SplitBatch, "results of one response are in several messages")
    } else {
        (Code::RoleOrder, "consecutive messages with the same role")
    };
    let around: Vec<EventId> = before.into_iter().chain(run.iter().copied()).collect();
    let mut diagnostic = merged(code, message, run);
    diagnostic.covers = places(t, pairs, &around);
    Some(diagnostic)
}

/// Consecutive turns of the model of which a later one has calls. The fix merges them.
fn call_after_model(cx: &RequestContext<'_>, run: &[EventId]) -> Option<Diagnostic> {
    let t = cx.transcript();
    let last = run.iter().skip(1).rposition(|event| t.part_of(*event, PartKind::Call).is_some())?;
    let run = &run[..last + 2];
    let message = "function call after another model turn";
    let mut diagnostic = merged(Code::RoleOrder, message, run);
    diagnostic.covers = places(t, &cx.request.pairs, run);
    Some(diagnostic)
}

/// A diagnostic with a fix that merges messages.
fn merged(code: Code, message: &'static str, run: &[EventId]) -> Diagnostic {
    let (into, rest) = (run[0], &run[1..]);
    let mut diagnostic = refused(code, message, into);
    diagnostic.labels = run.iter().map(|event| Label::new(*event, LabelRole::Record)).collect();
    diagnostic.about = rest.iter().map(|event| Subject::Content(*event)).collect();
    let merges = rest.iter().map(|from| Action::MoveText { from: *from, into });
    diagnostic.fix_safely(merges);
    diagnostic
}
