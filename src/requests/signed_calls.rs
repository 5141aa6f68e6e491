//! The first call of each step must have the signature of the thinking before it, for models that sign calls.

use super::{Need, RequestContext, refused};
use crate::dialects::gemini;
use crate::json::cut;
use crate::json::quote::quote;
use crate::transcript::request::Sent;
use crate::transcript::{
    Applicability, Code, Diagnostic, EventId, LabelRole, PartKind, Role, Transcript, facts,
};

pub(crate) const NEED: Need = Need { name: "signed_calls", reports: &[Code::Thinking], check };

/// Finds steps of the current turn without a signature. The provider does not check older turns.
fn check(cx: &RequestContext<'_>) -> Vec<Diagnostic> {
    let t = cx.transcript();
    let Some(signs_calls) = cx.context.target.needs.signs_calls else {
        return Vec::new();
    };
    let current = current_turn(cx);
    let is_signed = match cx.request.model {
        Some(model) => signs_calls(t.ids.get(model)),
        None => {
            let mut sent = current.iter();
            cx.context.asked || sent.any(|sent| t.has(sent.event, facts::SIGNED_CALL))
        }
    };
    if !is_signed {
        return Vec::new();
    }
    let unsigned = current.iter().filter(|sent| t.has(sent.event, facts::UNSIGNED_CALL));
    let mut steps: Vec<EventId> = unsigned.map(|sent| sent.event).collect();
    steps.dedup();
    steps.into_iter().map(|step| without_signature(cx, step)).collect()
}

/// The items after the last text of the user.
fn current_turn<'a>(cx: &RequestContext<'a>) -> &'a [Sent] {
    let t = cx.transcript();
    let order = cx.request.order.as_slice();
    let spoken = order.iter().rposition(|sent| sent.role == Role::User && says(t, sent.event));
    &order[spoken.map_or(0, |at| at + 1)..]
}

/// Whether a message has a text, and no result.
fn says(t: &Transcript, event: EventId) -> bool {
    let mut parts = t.event(event).parts.clone().map(|part| t.part(part));
    parts.clone().any(|part| part.kind == PartKind::Text && !part.blank)
        && !parts.any(|part| part.kind == PartKind::Result)
}

fn without_signature(cx: &RequestContext<'_>, event: EventId) -> Diagnostic {
    let message = "the first function call of a step has no thought signature";
    let mut diagnostic = refused(Code::Thinking, message, event);
    diagnostic.labels[0].role = LabelRole::Call;
    diagnostic.fixes = cx.fix_record(event, Applicability::Unsafe, |record| {
        let pieces = (cx.context.pieces)(record);
        let call = pieces.iter().find(|piece| piece.kind == PartKind::Call);
        let home = call.and_then(|call| call.homes.first());
        let Some(part) = home.and_then(|home| home.list.items().nth(home.at as usize)) else {
            return Vec::new();
        };
        let key = gemini::signature_key(part);
        vec![match part.get(key) {
            Some(blank) => cut::replace(blank, &quote(gemini::SKIP)),
            None => cut::insert_member(part, None, key, &quote(gemini::SKIP)),
        }]
    });
    diagnostic
}
