//! A reasoning item must be followed by the item that the model made after it, unless it is encrypted.

use super::{Need, RequestContext, refused};
use crate::dialects::responses;
use crate::transcript::{Action, Code, Diagnostic, facts};

pub(crate) const NEED: Need =
    Need { name: "reasoning_items", reports: &[Code::ReasoningItem], check };

/// Finds reasoning items with an ID and without encrypted content that are not followed by an item of the model.
fn check(cx: &RequestContext<'_>) -> Vec<Diagnostic> {
    let t = cx.transcript();
    let Some(reasoning) = t.ids.find(responses::REASONING) else {
        return Vec::new();
    };
    if !cx.context.target.needs.items {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut is_followed = false;
    for event in cx.sent().rev() {
        if t.event(event).kind != Some(reasoning) {
            is_followed = responses::is_made_by_model(t.kind(event), t.event(event).role);
            continue;
        }
        if is_followed || !t.has(event, facts::NOT_ENCRYPTED) {
            continue;
        }
        let message = "reasoning item without the item that followed it";
        let mut diagnostic = refused(Code::ReasoningItem, message, event);
        diagnostic.fix_with_guess([Action::Remove(event)]);
        found.push(diagnostic);
    }
    found.reverse();
    found
}
