//! The first message is the user's.

use super::{Need, RequestContext, refused};
use crate::targets::FirstMessage;
use crate::transcript::pairs::PairStatus;
use crate::transcript::request::Sent;
use crate::transcript::{
    Action, Applicability, Code, Diagnostic, Fix, PartId, PartKind, Role, Severity, Subject,
};

pub(crate) const NEED: Need = Need {
    name: "starts_with_user",
    reports: &[Code::BadStart, Code::OrphanResult],
    check,
};

fn check(case: &RequestContext<'_>) -> Vec<Diagnostic> {
    let needs = case.context.target.needs.first_message;
    if needs == FirstMessage::Any || case.request.start_is_unknown {
        return Vec::new();
    }
    let found = half_pair(case).or_else(|| match first(case) {
        Some(first) if needs == FirstMessage::User => Some(by_model(case, first)),
        first => before_calls(case, first?),
    });
    found.into_iter().collect()
}

/// The first item that is not of results without calls, if the model speaks in it: those are told by themselves.
fn first<'a>(case: &RequestContext<'a>) -> Option<&'a [Sent]> {
    let order = case.request.order.as_slice();
    let is_orphan = |part| case.request.pairs.status(part) == PairStatus::Orphan;
    let at = order.iter().position(|sent| {
        sent.role != Role::System && (sent.role != Role::Tool || !sent.parts.clone().all(is_orphan))
    })?;
    let first = &order[at];
    (!first.summary && first.role == Role::Assistant).then_some(&order[at..])
}

fn by_model(case: &RequestContext<'_>, rest: &[Sent]) -> Diagnostic {
    let first = rest[0].event;
    let mut diagnostic = refused(
        Code::BadStart,
        "the conversation starts with the assistant",
        first,
    );
    diagnostic.about = vec![Subject::Name(first)];
    let begin = case.wire.beginning;
    let action = begin.and_then(|begin| begin(case.context, first));
    diagnostic.fixes = Fix::only(Applicability::Unsafe, action);
    diagnostic
}

/// The words of the model are accepted as a beginning, its calls are not.
fn before_calls(case: &RequestContext<'_>, rest: &[Sent]) -> Option<Diagnostic> {
    let t = case.transcript();
    let pairs = &case.request.pairs;
    let first = rest[0].event;
    let is_call = |part: &PartId| t.a_part(*part).kind == PartKind::Call;
    let run = rest
        .iter()
        .take_while(|sent| sent.role == Role::Assistant)
        .flat_map(|sent| sent.parts.clone());
    let calls: Vec<PartId> = run.filter(is_call).collect();
    let mut diagnostic = refused(
        Code::BadStart,
        "the conversation starts with the model",
        first,
    );
    diagnostic.about = vec![Subject::Name(first)];
    if calls.is_empty() {
        diagnostic.severity = Some(Severity::Note);
    } else if case.request.asks(t, first) {
        let answers = calls
            .iter()
            .flat_map(|call| pairs.results(*call))
            .map(|part| Action::RemovePart(*part));
        let parks = std::iter::once(Action::Remove(first)).chain(answers);
        diagnostic.fixes = vec![Fix::with_guess(parks.collect())];
    }
    Some(diagnostic)
}

/// A first message of nothing but results that no call has, with an answer after it: without them the model begins. Where a
/// message can be written in their place, both are one damage.
fn half_pair(case: &RequestContext<'_>) -> Option<Diagnostic> {
    let t = case.transcript();
    let begin = case
        .wire
        .beginning
        .filter(|_| case.request.needed.is_empty())?;
    let mut events = case
        .sent()
        .filter(|event| t.event(*event).role != Role::System);
    let (first, next) = (events.next()?, events.next()?);
    let results = t.event(first).parts.clone();
    let is_orphan = |part| case.request.pairs.status(part) == PairStatus::Orphan;
    if results.is_empty()
        || !results.clone().all(is_orphan)
        || t.event(next).role != Role::Assistant
    {
        return None;
    }
    let said = "the conversation starts with results of tool calls that were cut off";
    let mut diagnostic = refused(Code::OrphanResult, said, first);
    diagnostic.covers = results.clone().map(Subject::Orphan).collect();
    let mut actions: Vec<Action> = results.map(Action::RemovePart).collect();
    actions.extend(begin(case.context, first));
    diagnostic.fixes = vec![Fix::with_guess(actions)];
    Some(diagnostic)
}
