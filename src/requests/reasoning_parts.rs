//! A message may have the ID of a reasoning item as one of its parts: then a part that the model made after it must follow.

use super::{Need, RequestContext, refused};
use crate::json::cut;
use crate::json::node::Node;
use crate::transcript::{
    Action, Applicability, Code, Diagnostic, EventId, Fix, Flaws, PartKind, Role,
};

pub(crate) const NEED: Need =
    Need { name: "reasoning_parts", reports: &[Code::ReasoningItem], check };

fn check(cx: &RequestContext<'_>) -> Vec<Diagnostic> {
    if !cx.context.target.needs.items {
        return Vec::new();
    }
    let alone = cx.flawed(Flaws::ITEM_ID).filter(|event| is_alone(cx, *event));
    alone
        .map(|event| {
            let message = "reasoning without the item that followed it";
            let mut diagnostic = refused(Code::ReasoningItem, message, event);
            diagnostic.fixes = without_reasoning(cx, event);
            diagnostic
        })
        .collect()
}

/// Whether the model made nothing after the thinking at the end of a message.
fn is_alone(cx: &RequestContext<'_>, event: EventId) -> bool {
    let t = cx.transcript();
    let mut sent = t.event(event).parts.clone().filter(|part| cx.role_of(*part).is_some());
    let ends = sent.next_back().is_some_and(|part| t.part(part).kind == PartKind::Thinking);
    let mut after = cx.sent().skip_while(|other| *other != event).skip(1);
    ends && after.next().is_none_or(|next| t.event(next).role != Role::Assistant)
}

/// Removes the thinking at the end; of a message with nothing else, all.
fn without_reasoning(cx: &RequestContext<'_>, event: EventId) -> Vec<Fix> {
    let t = cx.transcript();
    let parts = t.event(event).parts.clone();
    let thinking = parts.clone().rev();
    let last = thinking.take_while(|part| t.part(*part).kind == PartKind::Thinking).count();
    if last == parts.len() {
        return vec![Fix::new(Applicability::Unsafe, [Action::Remove(event)])];
    }
    cx.fix_record(event, Applicability::Unsafe, |record| {
        let pieces = (cx.context.pieces)(record);
        let homes = pieces.iter().rev().take(last).filter_map(|piece| piece.homes.first());
        let homes: Vec<_> = homes.collect();
        let cut: Vec<u32> = homes.iter().map(|home| home.at).collect();
        homes.first().map(|home| cut::remove_members(home.list, &cut)).unwrap_or_default()
    })
}

/// Whether a part is only the ID of a reasoning item. `holder`: what has the ID and the encrypted content.
pub(crate) fn is_item_id(holder: Option<Node<'_>>, [id, encrypted]: [&str; 2]) -> bool {
    let Some(holder) = holder else {
        return false;
    };
    holder.string(id).is_some_and(|id| id.starts_with("rs"))
        && holder.string(encrypted).is_none_or(|text| text.is_empty())
}
