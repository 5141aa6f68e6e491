//! Changes of single members of an event.

use crate::containers::rewrite::CannotDo;
use crate::json::cut::{self, RecordChange};
use crate::json::node::Node;
use crate::json::quote::quote;
use crate::rewrite::{separator, set_member};

/// Renames a call id: in the metadata if the record is about this call (`own`), and in the response
/// that it contains, where the call is number `which` (from 0) of those with this ID.
pub(super) fn rename(
    root: Node<'_>,
    old: &str,
    new: &str,
    own: bool,
    which: usize,
) -> Result<Vec<RecordChange>, CannotDo> {
    let metadata =
        root.get("tool_call_metadata").ok_or(CannotDo("the record has no `tool_call_metadata`"))?;
    let mut changes = Vec::new();
    let id = metadata.get("tool_call_id").filter(|id| own && id.is_str(old));
    changes.extend(id.map(|id| cut::replace(id, &quote(new))));
    let choice =
        metadata.at(&["model_response", "choices"]).and_then(|choices| choices.items().next());
    let calls = choice.and_then(|choice| choice.at(&["message", "tool_calls"]));
    let ids = calls.iter().flat_map(|calls| calls.items()).filter_map(|call| call.get("id"));
    let id = ids.filter(|id| id.is_str(old)).nth(which);
    changes.extend(id.map(|id| cut::replace(id, &quote(new))));
    changes.sort_by_key(|change| change.at.start);
    Ok(changes)
}

/// How to make a condensation forget more.
pub(super) enum Forget {
    /// Add these IDs to its list.
    Add(Vec<i64>),
    /// Forget the IDs from the first to the last.
    Range(i64, i64),
    /// Replace the range by this list.
    Instead(Vec<i64>),
}

/// Changes what a condensation forgets.
pub(super) fn forget(root: Node<'_>, change: &Forget) -> Result<Vec<RecordChange>, CannotDo> {
    const LIST: &str = "forgotten_event_ids";
    const ENDS: [&str; 2] = ["forgotten_events_start_id", "forgotten_events_end_id"];
    let args = root.get("args").ok_or(CannotDo("the condensation has no `args`"))?;
    let mut changes = Vec::new();
    match change {
        Forget::Add(ids) => {
            let list = args.get(LIST).ok_or(CannotDo("the condensation has no list of IDs"))?;
            let ids = join(ids, &separator(list).unwrap_or_else(|| ", ".to_owned()));
            changes.push(cut::insert_item(list, list.items().count() as u32, &ids));
        }
        Forget::Range(first, last) => {
            for (key, number) in ENDS.into_iter().zip([first, last]) {
                if args.integer(key) != Some(*number) {
                    changes.push(set_member(args, None, key, &number.to_string()));
                }
            }
        }
        Forget::Instead(ids) => {
            for key in ENDS {
                changes.push(set_member(args, None, key, "null"));
            }
            let list = format!("[{}]", join(ids, ", "));
            changes.push(set_member(args, None, LIST, &list));
        }
    }
    changes.sort_by_key(|change| change.at.start);
    Ok(changes)
}

fn join(ids: &[i64], separator: &str) -> String {
    ids.iter().map(i64::to_string).collect::<Vec<_>>().join(separator)
}
