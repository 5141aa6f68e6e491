//! Reasoning must have no content for people: the provider takes only its summary and what it encrypted.

use super::{Need, RequestContext, refused};
use crate::dialects::responses::ResponseItem;
use crate::json::cut;
use crate::transcript::{
    Action, Applicability, Code, Diagnostic, Effect, EventId, Fix, Flaws, Instance,
};

pub(crate) const NEED: Need =
    Need { name: "readable_reasoning", reports: &[Code::ReasoningItem], check };

fn check(cx: &RequestContext<'_>) -> Vec<Diagnostic> {
    let Some(hides) = cx.context.target.needs.hides_reasoning else {
        return Vec::new();
    };
    let t = cx.transcript();
    let is_hidden = cx.request.model.map(|model| hides(t.ids.get(model)));
    if is_hidden == Some(false) {
        return Vec::new();
    }
    let readable = cx.flawed(Flaws::READABLE);
    readable
        .map(|event| {
            let message = "a reasoning item with readable content";
            let mut diagnostic = refused(Code::ReasoningItem, message, event);
            if is_hidden.is_none() {
                (diagnostic.instance, diagnostic.effect) =
                    (Some(Instance::Elsewhere), Effect::None);
                diagnostic.message.to_mut().push_str(&cx.context.target.doubt());
            }
            diagnostic.fixes = without_content(cx, event);
            diagnostic
        })
        .collect()
}

/// Removes the content. Without encrypted content, nothing is left that the provider could use.
fn without_content(cx: &RequestContext<'_>, event: EventId) -> Vec<Fix> {
    let mut action = cx.context.change(event, |record| {
        let item = ResponseItem::of((cx.wire.message)(record));
        if !item.is_encrypted() {
            return Vec::new();
        }
        let keys = (0_u32..).zip(item.node.members());
        let content = keys.filter(|(_, (key, _))| key.is_str("content"));
        cut::remove_members(item.node, &content.map(|(at, _)| at).collect::<Vec<_>>())
    });
    action = action.or(Some(Action::Remove(event)));
    Fix::only(Applicability::Unsafe, action)
}
