//! The model says something, or calls a tool.

use super::{Need, RequestContext, content};
use crate::json::cut;
use crate::json::node::Node;
use crate::transcript::{Action, Applicability, Code, Diagnostic, EventId, Fix, Flaws, Severity};

pub(crate) const NEED: Need = Need {
    name: "empty_answers",
    reports: &[Code::EmptyContent],
    check,
};

fn check(case: &RequestContext<'_>) -> Vec<Diagnostic> {
    let flawed = case.flawed(Flaws::NOTHING | Flaws::BLANK | Flaws::EMPTY_CALLS);
    flawed.map(|event| in_message(case, event)).collect()
}

fn in_message(case: &RequestContext<'_>, event: EventId) -> Diagnostic {
    let flaws = case.transcript().flaws(event);
    if !flaws.has(Flaws::NOTHING | Flaws::BLANK) {
        let mut diagnostic = content(Code::EmptyContent, "empty list of tool calls", event);
        diagnostic.fixes = case.fixed(event, Applicability::Safe, |message| {
            let is_list = |(key, _): (Node<'_>, _)| key.is_str("tool_calls");
            let at = message.members().position(is_list);
            let at = at.and_then(|at| u32::try_from(at).ok());
            cut::remove_members(message, at.as_slice())
        });
        return diagnostic;
    }
    let said = "assistant message without text or tool calls";
    let mut diagnostic = content(Code::EmptyContent, said, event);
    // An empty text is accepted by the provider itself; others count it as no content.
    let is_taken = !flaws.has(Flaws::NOTHING | Flaws::EMPTY_CALLS);
    if is_taken && !case.context.target.needs.answers_say_something {
        diagnostic.severity = Some(Severity::Warning);
    }
    diagnostic.fixes = vec![Fix::safe(vec![Action::Remove(event)])];
    diagnostic
}
