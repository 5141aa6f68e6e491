//! Thinking is taken back only with what followed it, unless it is encrypted.

use super::{Need, RequestContext, refused};
use crate::dialects::responses;
use crate::transcript::{Action, Code, Diagnostic, Fix, attr};

pub(crate) const NEED: Need = Need {
    name: "reasoning_items",
    reports: &[Code::ReasoningItem],
    check,
};

/// Finds thinking with an ID, but without its encrypted content, that no item of the model follows.
fn check(case: &RequestContext<'_>) -> Vec<Diagnostic> {
    let t = case.transcript();
    if !case.context.target.needs.items {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut is_followed = false;
    for event in case.sent().rev() {
        if t.kind(event) != responses::REASONING {
            is_followed = responses::is_made_by_model(t.kind(event), t.event(event).role);
            continue;
        }
        if is_followed || t.attr_of(event, attr::NOT_ENCRYPTED).is_none() {
            continue;
        }
        let said = "reasoning item without the item that followed it";
        let mut diagnostic = refused(Code::ReasoningItem, said, event);
        diagnostic.fixes = vec![Fix::with_guess(vec![Action::Remove(event)])];
        found.push(diagnostic);
    }
    found.reverse();
    found
}
