//! Calls that a user had to approve, and that have no result: the versions of the SDK differ.

use super::{own, read};
use crate::dialects::placeholders::NEVER_APPROVED;
use crate::format::FormatContext;
use crate::json::cut::{self, RecordChange};
use crate::json::node::Node;
use crate::json::quote::quote;
use crate::rewrite::set_member;
use crate::transcript::{
    Action, Code, Diagnostic, Effect, EventId, Instance, Label, LabelRole, PartId, PartKind, Role,
    Subject,
};

/// What the user said of a call.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Said {
    Nothing,
    No,
}

fn said(part: Node<'_>) -> Option<Said> {
    let approved = part.get("approval").and_then(|own| own.get("approved"));
    match part.string("state")?.as_ref() {
        "approval-requested" => Some(Said::Nothing),
        "approval-responded" if approved?.as_bool() == Some(false) => Some(Said::No),
        _ => None,
    }
}

/// Whether a message has such a call.
pub(super) fn has_asked(message: Node<'_>) -> bool {
    let parts = message.get("parts").into_iter();
    parts.flat_map(|list| list.items()).any(|part| said(part).is_some())
}

/// The calls that a later message replaced, in order, and what is reported of them.
pub(super) fn check(
    context: &FormatContext<'_>,
    messages: &[EventId],
) -> (Vec<PartId>, Vec<Diagnostic>) {
    let t = context.transcript;
    let last_prompt = messages.iter().rfind(|event| t.event(**event).role == Role::User);
    let (mut calls, mut diagnostics) = (Vec::new(), Vec::new());
    for event in messages.iter().filter(|event| t.has(**event, own::ASKED)) {
        let is_replaced = last_prompt.is_some_and(|prompt| event < prompt);
        let Ok(record) = context.record(*event) else {
            continue;
        };
        if !is_replaced {
            continue;
        }
        let pieces = read::pieces(record.root());
        for (part, piece) in t.event(*event).parts.clone().zip(pieces) {
            let home = piece.homes.first();
            let own = home.and_then(|home| home.list.items().nth(home.at as usize));
            let Some(said) = own.and_then(said).filter(|_| piece.kind == PartKind::Call) else {
                continue;
            };
            calls.push(part);
            let mut diagnostic = diagnostic(said, *event);
            diagnostic.labels = vec![Label::of(t, part, LabelRole::Call)];
            diagnostic.about = vec![Subject::Open(part)];
            diagnostic.fix_safely([Action::answer_call(part)]);
            diagnostics.push(diagnostic);
        }
    }
    (calls, diagnostics)
}

fn diagnostic(said: Said, event: EventId) -> Diagnostic {
    let message = match said {
        Said::Nothing => {
            "a tool call that the user never approved: AI SDK 7 leaves it out, AI SDK 6 stops here"
        }
        Said::No => "a tool call that the user denied: AI SDK 7 says so, AI SDK 6 stops here",
    };
    let mut diagnostic = Diagnostic::new(Code::UnansweredCall, message, event);
    (diagnostic.instance, diagnostic.effect) = match said {
        Said::Nothing => (Some(Instance::Dropped), Effect::Hides(1)),
        Said::No => (Some(Instance::Elsewhere), Effect::None),
    };
    diagnostic
}

/// Lets such a call end as denied, which all versions take. Why is marked as ours, unless it was the user.
pub(super) fn deny(part: Node<'_>) -> Option<Vec<RecordChange>> {
    let said = said(part)?;
    let mut changes = vec![cut::replace(part.get("state")?, "\"output-denied\"")];
    if said == Said::Nothing {
        let approval = part.get("approval")?;
        let ours = format!("false,\"reason\":{}", quote(NEVER_APPROVED));
        changes.push(set_member(approval, Some("id"), "approved", &ours));
    }
    Some(changes)
}
