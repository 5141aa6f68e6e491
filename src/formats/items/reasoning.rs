//! Thinking that the provider takes back only with what followed it.

use super::attrs;
use crate::dialects::responses;
use crate::formats::FormatContext;
use crate::formats::chat::diagnostics;
use crate::transcript::{Action, Code, Diagnostic, EventId, Fix};

/// Finds thinking with an id, but without its encrypted content, that no item of the model follows.
pub(super) fn judge(context: &FormatContext<'_>, sent: &[EventId]) -> Vec<Diagnostic> {
    let t = context.transcript;
    let mut found = Vec::new();
    let mut followed = false;
    for event in sent.iter().rev().copied() {
        if t.kind(event) != "reasoning" {
            followed = responses::is_made_by_model(t.kind(event), t.event(event).role);
            continue;
        }
        if followed || t.attr_of(event, attrs::BARE).is_none() {
            continue;
        }
        let mut diagnostic = diagnostics::of(
            t,
            Code::ReasoningItem,
            "thinking without what followed it",
            event,
        );
        diagnostic.fixes = vec![Fix::with_guess(vec![Action::Park(event)])];
        found.push(diagnostic);
    }
    found.reverse();
    found
}
