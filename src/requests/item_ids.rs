//! Items of a request may have IDs of their own, which say what they are.

use super::{Need, RequestContext, refused};
use crate::dialects::responses;
use crate::json::cut;
use crate::transcript::{Applicability, Code, Diagnostic};

pub(crate) const NEED: Need = Need {
    name: "item_ids",
    reports: &[Code::BadCallId],
    check,
};

/// Items whose own ids the provider refuses: they are optional and name nothing.
fn check(case: &RequestContext<'_>) -> Vec<Diagnostic> {
    let t = case.transcript();
    if !case.context.target.needs.items {
        return Vec::new();
    }
    let is_refused = |event: &_| {
        let record = t.event(*event);
        record
            .id
            .is_some_and(|id| responses::refuses_id(t.kind(*event), record.role, t.ids.get(id)))
    };
    let without_id = |event| {
        let said = "item id that the provider rejects";
        let mut diagnostic = refused(Code::BadCallId, said, event);
        diagnostic.fixes = case.fixed(event, Applicability::Safe, |record| {
            let item = (case.wire.message)(record);
            let keys = (0_u32..)
                .zip(item.members())
                .filter(|(_, (key, _))| key.is_str("id"));
            cut::remove_members(item, &keys.map(|(at, _)| at).collect::<Vec<_>>())
        });
        diagnostic
    };
    case.sent().filter(is_refused).map(without_id).collect()
}
