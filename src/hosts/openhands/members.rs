//! Changes members that are lists: forgotten IDs, and the thought of a batch.

use crate::containers::rewrite::CannotDo;
use crate::json::cut::{self, RecordChange};
use crate::json::node::Node;
use crate::json::quote::quote;
use crate::rewrite::{PlanSource, separator};
use crate::transcript::EventId;

const NO_THOUGHT: CannotDo = CannotDo("there is no thought");

/// Empties the thought of an event.
pub(super) fn empty_thought(root: Node<'_>) -> Result<Vec<RecordChange>, CannotDo> {
    let thought = root.get("thought").ok_or(NO_THOUGHT)?;
    Ok(vec![cut::replace(thought, "[]")])
}

/// Appends the thought of one event to that of another.
pub(super) fn take_thought(
    source: PlanSource<'_>,
    from: EventId,
    root: Node<'_>,
) -> Result<Vec<RecordChange>, CannotDo> {
    let other = source.record(from)?;
    let thought = other.root().get("thought");
    let items: Vec<String> = thought
        .iter()
        .flat_map(|thought| thought.items())
        .map(|item| String::from_utf8_lossy(&item.raw()).into_owned())
        .collect();
    let own = root.get("thought").ok_or(NO_THOUGHT)?;
    let end = own.items().count() as u32;
    Ok(vec![cut::insert_item(own, end, &items.join(", "))])
}

/// Adds IDs to `forgotten_event_ids` and removes others.
pub(super) fn forget(root: Node<'_>, add: &[String], keep: &[String]) -> Vec<RecordChange> {
    const KEY: &str = "forgotten_event_ids";
    let new: Vec<String> = add.iter().map(|id| quote(id)).collect();
    let Some(list) = root.get(KEY) else {
        let raw = format!("[{}]", new.join(","));
        return vec![cut::insert_member(root, Some("source"), KEY, &raw)];
    };
    let kept =
        (0_u32..).zip(list.items()).filter(|(_, item)| keep.iter().any(|id| item.is_str(id)));
    let kept: Vec<u32> = kept.map(|(at, _)| at).collect();
    let mut changes = cut::remove_members(list, &kept);
    if !new.is_empty() {
        let end = list.items().count() as u32;
        let separator = separator(list).unwrap_or_else(|| ",".to_owned());
        changes.push(cut::insert_item(list, end, &new.join(&separator)));
    }
    changes
}
