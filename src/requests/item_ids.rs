//! The IDs of items must have the prefix of their type.

use super::{FormatContext, Need, RequestContext, refused};
use crate::dialects::responses;
use crate::json::cut;
use crate::json::node::Node;
use crate::transcript::{Applicability, Code, Diagnostic, EventId, Fix};

pub(crate) const NEED: Need = Need { name: "item_ids", reports: &[Code::BadCallId], check };

/// Finds items with IDs that the provider rejects. These IDs are optional, and nothing refers to them.
fn check(cx: &RequestContext<'_>) -> Vec<Diagnostic> {
    let t = cx.transcript();
    if !cx.context.target.needs.items {
        return Vec::new();
    }
    cx.sent()
        .filter_map(|event| {
            let id = t.ids.get(t.event(event).id?);
            let message = responses::id_refusal(t.kind(event), id)?;
            let mut diagnostic = refused(Code::BadCallId, message, event);
            let item = cx.wire.message;
            diagnostic.fixes = without_id(cx.context, item, event, Applicability::Safe);
            Some(diagnostic)
        })
        .collect()
}

/// The fix that removes the ID of an item.
pub(crate) fn without_id(
    context: &FormatContext<'_>,
    item: for<'a> fn(Node<'a>) -> Node<'a>,
    event: EventId,
    applicability: Applicability,
) -> Vec<Fix> {
    let action = context.change(event, |record| {
        let item = item(record);
        let keys = (0_u32..).zip(item.members());
        let ids = keys.filter(|(_, (key, _))| key.is_str("id"));
        cut::remove_members(item, &ids.map(|(at, _)| at).collect::<Vec<_>>())
    });
    Fix::only(applicability, action)
}
