//! A user message must not directly follow a result, and system messages must come before the first response.

use super::{FormatContext, Need, RequestContext, refused};
use crate::bytes::source::Span;
use crate::dialects::placeholders::BRIDGE;
use crate::json::build::{NewValue, ValueWriter};
use crate::json::cut::{self, RecordChange};
use crate::transcript::pairs::Pairs;
use crate::transcript::request::Sent;
use crate::transcript::{
    Action, Applicability, Code, Diagnostic, EventId, Fix, Flaws, Label, LabelRole, PartKind, Role,
    Transcript,
};

pub(crate) const NEED: Need = Need {
    name: "strict_order",
    reports: &[Code::MalformedRecord, Code::EmptyContent, Code::EndsWithAssistant, Code::RoleOrder],
    check,
};

fn check(cx: &RequestContext<'_>) -> Vec<Diagnostic> {
    let order = cx.request.order.as_slice();
    if !cx.context.target.needs.strict_order {
        return Vec::new();
    }
    let last = order.last().map(|sent| sent.event);
    let mut diagnostics = Vec::new();
    for sent in order {
        diagnostics.extend(check_message(cx, sent.event, Some(sent.event) == last));
    }
    let pairs = order.windows(2);
    diagnostics.extend(pairs.filter_map(|pair| check_order(cx, &pair[0], &pair[1])));
    diagnostics
}

/// Reports what the provider rejects in one message.
fn check_message(cx: &RequestContext<'_>, event: EventId, is_last: bool) -> Vec<Diagnostic> {
    let t = cx.transcript();
    let mut diagnostics = Vec::new();
    if matches!(t.kind(event), "developer" | "function") {
        diagnostics.push(unknown_role(cx.context, event));
    }
    if t.flaws(event).has(Flaws::ONLY_OTHER_CONTENT) {
        let message = "assistant message without content or tool calls";
        diagnostics.push(refused(Code::EmptyContent, message, event));
    }
    if t.flaws(event).has(Flaws::PREFIX) && !is_last {
        let message = "a prefill for the model before the last message";
        diagnostics.push(refused(Code::EndsWithAssistant, message, event));
    }
    diagnostics
}

/// Reports a message that must not follow the one before it.
fn check_order(cx: &RequestContext<'_>, before: &Sent, next: &Sent) -> Option<Diagnostic> {
    let (context, t, pairs) = (cx.context, cx.transcript(), &cx.request.pairs);
    let after_result = before.role == Role::Tool && is_answered(t, pairs, before, next.event);
    match next.role {
        // Most healthy transcripts have this, so it is not reported with `--target strictest`.
        Role::User if after_result && !context.strictest => {
            let message = "user message directly after a tool result";
            let mut diagnostic = refused(Code::RoleOrder, message, next.event);
            let result = Label::new(before.event, LabelRole::Result);
            diagnostic.labels.insert(0, result);
            let action = bridge(context, before.event, next.event);
            diagnostic.fixes = Fix::only(Applicability::Unsafe, action);
            Some(diagnostic)
        }
        Role::System if before.role == Role::Assistant || after_result => {
            let message = "system message after the first response";
            let mut diagnostic = refused(Code::RoleOrder, message, next.event);
            diagnostic.fixes = cx.fix_record(next.event, Applicability::Unsafe, |root| {
                let role = root.get("role");
                let change = role.map(|role| cut::replace(role, "\"user\""));
                change.into_iter().collect()
            });
            Some(diagnostic)
        }
        _ => None,
    }
}

/// Inserts an assistant message before a user message, in the layout of that message.
fn bridge(context: &FormatContext<'_>, before: EventId, next: EventId) -> Option<Action> {
    const MOST: u64 = 4096;
    let (first, second) =
        (context.transcript.event(before).at(), context.transcript.event(next).at());
    let between = Span::new(first.entry, first.end, second.start);
    // In a line file the newline is part of the line.
    let separator = if context.layout.is_lines() {
        b"\n".to_vec()
    } else {
        context
            .entries
            .fetch(between)
            .ok()
            .filter(|_| second.start.saturating_sub(first.end) <= MOST)?
    };
    if !separator.iter().all(|byte| byte.is_ascii_whitespace() || *byte == b',')
        || separator.is_empty()
    {
        return None;
    }
    context.change(next, |root| {
        let members = [("role", NewValue::text("assistant")), ("content", NewValue::text(BRIDGE))];
        let mut with = ValueWriter::of(&root.raw()).write(&NewValue::object(members));
        with.extend(separator);
        vec![RecordChange::new(0..0, with)]
    })
}

/// Whether all calls of a result's batch have their results before this message. If not, that is reported instead.
fn is_answered(t: &Transcript, pairs: &Pairs, sent: &Sent, next: EventId) -> bool {
    let calls = sent.parts.clone().filter(|part| t.part(*part).kind == PartKind::Result);
    let batches =
        calls.filter_map(|result| pairs.call_of(result)).filter_map(|call| pairs.batch_of(call));
    let mut batches = batches.peekable();
    batches.peek().is_some()
        && batches.all(|batch| {
            let mut answers = batch.calls.iter().map(|call| pairs.answer(*call));
            answers.all(|answer| answer.is_some_and(|answer| t.part(answer).event < next))
        })
}

/// Reports a role that this provider does not know.
fn unknown_role(context: &FormatContext<'_>, event: EventId) -> Diagnostic {
    let t = context.transcript;
    let mut diagnostic =
        refused(Code::MalformedRecord, "a role that the provider does not know", event);
    if t.kind(event) == "developer" {
        let action: Option<Action> = context.change(event, |root| {
            root.get("role").map(|role| cut::replace(role, "\"system\"")).into_iter().collect()
        });
        let actions = action.into_iter();
        diagnostic.fixes = vec![Fix::new(Applicability::Unsafe, actions)];
    }
    diagnostic
}
