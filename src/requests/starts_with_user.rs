//! The first message must be from the user.

use super::{Need, RequestContext, refused};
use crate::targets::FirstMessage;
use crate::transcript::pairs::PairStatus;
use crate::transcript::request::Sent;
use crate::transcript::{
    Action, Applicability, Code, Diagnostic, Fix, Instance, PartId, PartKind, Role, Subject,
};

pub(crate) const NEED: Need =
    Need { name: "starts_with_user", reports: &[Code::BadStart, Code::OrphanResult], check };

fn check(cx: &RequestContext<'_>) -> Vec<Diagnostic> {
    let needs = cx.context.target.needs.first_message;
    if needs == FirstMessage::Any || cx.request.start_is_unknown {
        return Vec::new();
    }
    let found = cut_off_results(cx).or_else(|| match first_answer(cx) {
        Some(first) if needs == FirstMessage::User => Some(by_model(cx, first)),
        first => before_calls(cx, first?),
    });
    found.into_iter().collect()
}

/// The request from its first item on, if that is from the model. Results without a call before it are skipped, because they
/// are reported on their own.
fn first_answer<'a>(cx: &RequestContext<'a>) -> Option<&'a [Sent]> {
    let order = cx.request.order.as_slice();
    let at = order.iter().position(|sent| {
        sent.role != Role::System
            && (sent.role != Role::Tool
                || !sent
                    .parts
                    .clone()
                    .all(|part| cx.request.pairs.status(part) == PairStatus::Orphan))
    })?;
    let first = &order[at];
    (!first.summary && first.role == Role::Assistant).then_some(&order[at..])
}

fn by_model(cx: &RequestContext<'_>, rest: &[Sent]) -> Diagnostic {
    let first = rest[0].event;
    let mut diagnostic =
        refused(Code::BadStart, "the conversation starts with the assistant", first);
    diagnostic.about = vec![Subject::Name(first)];
    let begin = cx.wire.beginning;
    let action = begin.and_then(|begin| begin(cx.context, first));
    diagnostic.fixes = Fix::only(Applicability::Unsafe, action);
    diagnostic
}

/// For providers that accept text of the model as the first message, but not calls.
fn before_calls(cx: &RequestContext<'_>, rest: &[Sent]) -> Option<Diagnostic> {
    let t = cx.transcript();
    let pairs = &cx.request.pairs;
    let first = rest[0].event;
    let run = rest
        .iter()
        .take_while(|sent| sent.role == Role::Assistant)
        .flat_map(|sent| sent.parts.clone());
    let calls: Vec<PartId> = run.filter(|part| t.part(*part).kind == PartKind::Call).collect();
    let mut diagnostic = refused(Code::BadStart, "the conversation starts with the model", first);
    diagnostic.about = vec![Subject::Name(first)];
    if calls.is_empty() {
        diagnostic.instance = Some(Instance::Spared);
    } else if cx.request.asks(t, first) {
        let answers = calls
            .iter()
            .flat_map(|call| pairs.results(*call))
            .map(|part| Action::RemovePart(*part));
        diagnostic.fix_with_guess(std::iter::once(Action::Remove(first)).chain(answers));
    }
    Some(diagnostic)
}

/// A first message of only orphaned results, with an assistant message after it. If the results can be replaced with a user
/// message, this is reported as one problem.
fn cut_off_results(cx: &RequestContext<'_>) -> Option<Diagnostic> {
    let t = cx.transcript();
    let begin = cx.wire.beginning.filter(|_| cx.request.needed.is_empty())?;
    let mut events = cx.sent().filter(|event| t.event(*event).role != Role::System);
    let (first, next) = (events.next()?, events.next()?);
    let results = t.event(first).parts.clone();
    if results.is_empty()
        || !results.clone().all(|part| cx.request.pairs.status(part) == PairStatus::Orphan)
        || t.event(next).role != Role::Assistant
    {
        return None;
    }
    let message = "the conversation starts with results of tool calls that were cut off";
    let mut diagnostic = refused(Code::OrphanResult, message, first);
    diagnostic.covers = results.clone().map(Subject::Orphan).collect();
    let mut actions: Vec<Action> = results.map(Action::RemovePart).collect();
    actions.extend(begin(cx.context, first));
    diagnostic.fix_with_guess(actions);
    Some(diagnostic)
}
