//! The containers of Gemini turns.

use crate::bytes::source::EntryId;
use crate::containers::{Layout, PathStep};
use crate::dialects::gemini::owns;
use crate::format::head::Sample;
use crate::format::records::any_of;
use crate::json::node::Node;

/// Members that hold the turns of a request body, a checkpoint of a chat, and one of a tool call, which holds the turns of
/// the client beside what its user saw.
const LISTS: &[&str] = &["contents", "clientHistory", "history"];

/// Says where the turns are, if the recording is one of this format.
pub(super) fn recognize(head: &Sample<'_>) -> Option<Layout> {
    head.list(document, || head.nodes().any(owns))
}

fn document(entry: EntryId, root: Node<'_>) -> Option<Layout> {
    let holds = |list| any_of(list, owns);
    if holds(root) {
        return Some(Layout::array(entry));
    }
    let path = match LISTS.iter().find(|key| root.get(key).is_some_and(holds)) {
        Some(key) => vec![PathStep::Key(key)],
        // A request of a batch.
        None => {
            let list = root.at(&["request", "contents"]).filter(|list| holds(*list));
            list.map(|_| vec![PathStep::Key("request"), PathStep::Key("contents")])?
        }
    };
    Some(Layout::enclosed(entry, path))
}
