//! A reasoning item must be followed by the item that the model made after it, and a server that keeps nothing must get it
//! whole, unless it is encrypted.

use super::{Need, RequestContext, refused};
use crate::dialects::responses;
use crate::transcript::{Action, Code, Diagnostic, EventId, facts};

pub(crate) const NEED: Need =
    Need { name: "reasoning_items", reports: &[Code::ReasoningItem, Code::ServerItem], check };

/// Finds reasoning items with an ID and without encrypted content that the provider does not take.
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
        } else if t.has(event, facts::NOT_ENCRYPTED) {
            found.extend(problem(cx, event, is_followed));
        }
    }
    found.reverse();
    found
}

fn problem(cx: &RequestContext<'_>, event: EventId, is_followed: bool) -> Option<Diagnostic> {
    let (code, message) = if !is_followed {
        (Code::ReasoningItem, "a reasoning item without the item that followed it")
    } else if cx.request.unstored {
        // vercel/ai issue 7543: `encrypted_content: null` and `store: false`.
        let message = "a reasoning item without encrypted content, which the server does not store";
        (Code::ServerItem, message)
    } else {
        return None;
    };
    let mut diagnostic = refused(code, message, event);
    diagnostic.fix_with_guess([Action::Remove(event)]);
    Some(diagnostic)
}
