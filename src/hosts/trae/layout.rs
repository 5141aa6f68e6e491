//! The document of a run: `llm_interactions` has what was sent, and `agent_steps` repeats it as
//! steps.

use crate::bytes::source::EntryId;
use crate::containers::{Layout, PathStep};
use crate::format::head::Sample;
use crate::json::node::Node;
use crate::json::tape::Kind;

/// The member that holds what was sent.
pub(super) const SENT: &str = "llm_interactions";
/// Other members of the document. Those after it are missing from a truncated document.
const BESIDE: &[&str] = &["agent_steps", "task", "provider", "max_steps"];

/// Finds the records, if the transcript is in this format.
pub(super) fn recognize(head: &Sample<'_>) -> Option<Layout> {
    head.list(document, || false)
}

fn document(entry: EntryId, root: Node<'_>) -> Option<Layout> {
    let is_list = root.has_kind(SENT, Kind::Array);
    let known = is_list && BESIDE.iter().any(|key| root.get(key).is_some());
    known.then(|| Layout::enclosed(entry, vec![PathStep::Key(SENT)]))
}

/// Whether a JSON value is an interaction.
pub(super) fn owns(node: Node<'_>) -> bool {
    node.get("input_messages").is_some() && node.get("response").is_some()
}
