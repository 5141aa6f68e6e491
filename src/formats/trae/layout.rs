//! The document of a run: what was sent in `llm_interactions`, the same told as steps in `agent_steps`.

use crate::bytes::source::EntryId;
use crate::containers::{Layout, Step};
use crate::formats::head::Sample;
use crate::json::node::Node;
use crate::json::tape::Kind;

/// The member that holds what was sent.
pub(super) const SENT: &str = "llm_interactions";
/// Members that stand beside it; those behind it are not there in a torn document.
const BESIDE: &[&str] = &["agent_steps", "task", "provider", "max_steps"];

/// Says where the records are, if the recording is one of this format.
pub(super) fn recognize(head: &Sample<'_>) -> Option<Layout> {
    head.list(document, || false)
}

fn document(entry: EntryId, root: Node<'_>) -> Option<Layout> {
    let is_list = root
        .get(SENT)
        .is_some_and(|list| list.kind() == Kind::Array);
    let known = is_list && BESIDE.iter().any(|key| root.get(key).is_some());
    known.then(|| Layout::enclosed(entry, vec![Step::Key(SENT)]))
}

/// Whether a JSON value is an interaction.
pub(super) fn owns(node: Node<'_>) -> bool {
    node.get("input_messages").is_some() && node.get("response").is_some()
}
