//! Assistant messages must have text or a tool call.

use super::{Need, RequestContext, content};
use crate::dialects::members::Members;
use crate::json::cut;
use crate::transcript::{Action, Applicability, Code, Diagnostic, EventId, Flaws, Instance};

pub(crate) const NEED: Need = Need { name: "empty_answers", reports: &[Code::EmptyContent], check };

fn check(cx: &RequestContext<'_>) -> Vec<Diagnostic> {
    let flawed = cx.flawed(Flaws::NOTHING | Flaws::BLANK | Flaws::EMPTY_CALLS);
    flawed.map(|event| in_message(cx, event)).collect()
}

fn in_message(cx: &RequestContext<'_>, event: EventId) -> Diagnostic {
    let flaws = cx.transcript().flaws(event);
    if !flaws.has(Flaws::NOTHING | Flaws::BLANK) {
        let mut diagnostic = content(Code::EmptyContent, "empty list of tool calls", event);
        diagnostic.fixes = cx.fix_record(event, Applicability::Safe, |message| {
            let at = message.members().position(|(key, _)| key.is_str("tool_calls"));
            let at = at.and_then(|at| u32::try_from(at).ok());
            cut::remove_members(message, at.as_slice())
        });
        return diagnostic;
    }
    let message = "assistant message without text or tool calls";
    let mut diagnostic = content(Code::EmptyContent, message, event);
    // The provider itself accepts an empty text; other servers treat it as missing content.
    let is_accepted = !flaws.has(Flaws::NOTHING | Flaws::EMPTY_CALLS);
    if is_accepted && !cx.context.target.needs.answers_say_something {
        diagnostic.instance = Some(Instance::Elsewhere);
    }
    diagnostic.fix_safely_if(is_silent(cx, event), [Action::Remove(event)]);
    diagnostic
}

/// Whether no member of a message says anything, also none that the API does not have.
fn is_silent(cx: &RequestContext<'_>, event: EventId) -> bool {
    let record = cx.context.record(event);
    record.is_ok_and(|record| Members::NONE.is_silent((cx.wire.message)(record.root())))
}
