//! The containers of Gemini turns.

use crate::bytes::source::EntryId;
use crate::containers::{Layout, PathStep};
use crate::dialects::gemini::owns;
use crate::format::head::Sample;
use crate::format::records::any_of;
use crate::json::node::Node;

/// Members that hold the turns of a request body, a checkpoint of a chat, and one of a tool call, which holds the turns of
/// the client next to what its user saw.
const LISTS: &[&str] = &["contents", "clientHistory", "history"];

/// Says where the turns are, if the transcript is one of this format.
pub(super) fn recognize(head: &Sample<'_>) -> Option<Layout> {
    head.list(document, || head.nodes().any(owns))
}

fn document(entry: EntryId, root: Node<'_>) -> Option<Layout> {
    if any_of(root, owns) {
        return Some(Layout::array(entry));
    }
    let is_list = |key: &&&str| root.get(key).is_some_and(|list| any_of(list, owns));
    if let Some(key) = LISTS.iter().find(is_list) {
        return Some(Layout::enclosed(entry, vec![PathStep::Key(key)]));
    }
    // A request of a batch.
    root.at(&["request", "contents"]).filter(|list| any_of(*list, owns))?;
    let path = vec![PathStep::Key("request"), PathStep::Key("contents")];
    Some(Layout::enclosed(entry, path))
}
