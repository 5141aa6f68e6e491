//! The first records of a sample, and values at paths.

use super::head::Sample;
use super::plain::{LOOK, sampled};
use crate::bytes::source::EntryId;
use crate::containers::{Layout, PathStep};
use crate::json::node::Node;
use crate::json::tape::Kind;

/// Whether one of the first items of a list is such a record.
pub(crate) fn any_of(list: Node<'_>, is_record: impl Fn(Node<'_>) -> bool) -> bool {
    list.kind() == Kind::Array && sampled(list).any(is_record)
}

/// The records to explain: the first whole ones. A cut-off record may only have a sign of its format.
pub(crate) fn records<'h>(head: &'h Sample<'_>, layout: &Layout) -> Vec<Node<'h>> {
    whole(objects(head, layout, LOOK).into_iter())
}

/// The first records that are objects. If there are to be more than others look at, none is skipped.
pub(crate) fn objects<'h>(head: &'h Sample<'_>, layout: &Layout, most: usize) -> Vec<Node<'h>> {
    let root = head.root().or_else(|| head.nodes().next());
    let lists: Vec<Node<'h>> = match layout {
        Layout::Lines(_) => return whole(head.nodes()),
        Layout::Items { path, .. } => {
            root.and_then(|root| crate::format::records::follow(root, path)).into_iter().collect()
        }
        Layout::Joined { lists, .. } => {
            lists.iter().filter_map(|path| follow(root?, path)).collect()
        }
        Layout::Files(_) => Vec::new(),
    };
    let lists = lists.into_iter();
    match most {
        LOOK => lists.flat_map(sampled).filter(is_object).take(most).collect(),
        _ => {
            let records = lists.flat_map(|list| list.items());
            records.filter(is_object).take(most).collect()
        }
    }
}

fn is_object(record: &Node<'_>) -> bool {
    record.kind() == Kind::Object
}

/// The records that are whole objects, or all objects if none is whole.
pub(crate) fn whole<'h>(records: impl Iterator<Item = Node<'h>>) -> Vec<Node<'h>> {
    let objects: Vec<Node<'h>> = records.filter(is_object).take(LOOK).collect();
    let whole: Vec<Node<'h>> = objects.iter().copied().filter(|record| !record.is_open()).collect();
    if whole.is_empty() { objects } else { whole }
}

/// The list of a document at the first of these paths that has a record.
pub(crate) fn list_on(
    ways: &[&[PathStep]],
    entry: EntryId,
    root: Node<'_>,
    is_record: impl Fn(Node<'_>) -> bool,
) -> Option<Layout> {
    let way = ways
        .iter()
        .find(|way| follow(root, way).is_some_and(|list| list.items().any(&is_record)))?;
    Some(Layout::Items { entry, path: way.to_vec(), envelope: !way.is_empty() })
}

/// The value at a path inside another value.
pub(crate) fn follow<'a>(root: Node<'a>, way: &[PathStep]) -> Option<Node<'a>> {
    way.iter().try_fold(root, |node, step| match step {
        PathStep::Key(key) => node.get(key),
        PathStep::At(index) => node.items().nth(*index as usize),
    })
}
