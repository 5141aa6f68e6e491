//! The containers of item lists, and how they are recognized.

use crate::bytes::source::EntryId;
use crate::containers::{Layout, PathStep};
use crate::dialects::responses::{Sort, is_sign, sort};
use crate::format::head::Sample;
use crate::format::plain::sampled;
use crate::json::node::Node;
use crate::json::tape::Kind;

/// Members of a document that hold its items: those of a request, and those of a stored response.
const LISTS: &[&str] = &["input", "output", "items", "messages", "history"];
/// Members of a request of which one is next to its items.
const REQUEST: &[&str] = &["model", "instructions", "previous_response_id", "max_output_tokens"];

/// Says where the items are, if the transcript is a list of them.
pub(super) fn recognize(head: &Sample<'_>) -> Option<Layout> {
    head.list(document, || head.nodes().any(is_sign))
}

fn document(entry: EntryId, root: Node<'_>) -> Option<Layout> {
    if holds(root) {
        return Some(Layout::array(entry));
    }
    if let Some(key) = LISTS.iter().find(|key| root.get(key).is_some_and(holds)) {
        return Some(Layout::enclosed(entry, vec![PathStep::Key(key)]));
    }
    if asks(root) {
        return Some(Layout::enclosed(entry, vec![PathStep::Key("input")]));
    }
    // A request of a batch.
    let body = root.get("body")?;
    if !body.get("input").is_some_and(holds) && !asks(body) {
        return None;
    }
    Some(Layout::enclosed(entry, vec![PathStep::Key("body"), PathStep::Key("input")]))
}

fn holds(list: Node<'_>) -> bool {
    list.kind() == Kind::Array
        && sampled(list).any(is_sign)
        && sampled(list).all(|item| item.is_open() || sort(item).is_some() || is_new(item))
}

/// Whether this is a request. Its messages look like anybody's; what is next to them does not.
fn asks(body: Node<'_>) -> bool {
    let Some(list) = body.get("input") else {
        return false;
    };
    list.items().next().is_some()
        && sampled(list).all(|item| item.is_open() || sort(item) == Some(Sort::Message))
        && REQUEST.iter().any(|key| body.get(key).is_some_and(|value| !value.is_null()))
}

/// Whether a JSON value may be in a list of items.
pub(super) fn owns(node: Node<'_>) -> bool {
    is_sign(node)
        || sort(node).is_some() && node.get("payload").is_none() && node.get("tool_calls").is_none()
}

/// Whether an item may be of a request.
pub(super) fn explains(node: Node<'_>) -> bool {
    owns(node) || is_new(node) || is_old_codex(node)
}

/// An item of a type that is not known yet.
fn is_new(item: Node<'_>) -> bool {
    let others = ["payload", "content", "data", "lc", "tool_calls"];
    item.has_kind("type", Kind::String) && others.iter().all(|key| item.get(key).is_none())
}

/// What Codex wrote around bare items before it gave them an envelope.
pub(super) fn is_old_codex(node: Node<'_>) -> bool {
    let has = |key: &str| node.get(key).is_some();
    node.has_str("record_type", "state")
        || (has("id")
            && has("timestamp")
            && !has("type")
            && !has("role")
            && (has("instructions") || has("git")))
}
