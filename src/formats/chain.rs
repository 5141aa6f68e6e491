//! The order of a tree's records while remedies change it: the lines of the file, and the path that is sent.
//!
//! Shared by the formats whose records name their parents. It knows no bytes: it says where each record goes and which
//! record it must name.

use crate::transcript::{EventId, IndexVec};
use hashbrown::HashSet;

/// A record of the new order: an event by its number, or a new record by its number behind the last event.
pub type Node = EventId;

/// The records in both orders.
#[derive(Clone, Debug, Default)]
pub struct Chain {
    /// All records in the order of storage.
    pub order: Vec<Node>,
    /// The active path, from its first record to its leaf.
    pub path: Vec<Node>,
    /// The records that were taken out.
    gone: HashSet<EventId>,
    changed: bool,
}

impl Chain {
    /// A chain as it was read.
    pub fn new(order: Vec<Node>, path: Vec<Node>) -> Chain {
        Chain { order, path, ..Chain::default() }
    }

    /// Whether anything was taken out, put in or moved.
    pub fn is_changed(&self) -> bool {
        self.changed
    }

    /// Whether a record was taken out.
    pub fn is_gone(&self, node: Node) -> bool {
        self.gone.contains(&node)
    }

    /// Takes a record out of both orders.
    pub fn park(&mut self, event: EventId) {
        self.order.retain(|node| *node != event);
        self.path.retain(|node| *node != event);
        self.gone.insert(event);
        self.changed = true;
    }

    /// Puts a record behind another one of the path. Its line moves only if it does not stand between the lines of its new
    /// neighbours already; then it comes directly behind the line of the one before it.
    pub fn put_behind(&mut self, node: Node, before: Node) {
        self.path.retain(|other| *other != node);
        let at = self.path.iter().position(|other| *other == before).map_or(self.path.len(), |at| at + 1);
        let next = self.path.get(at).copied();
        self.path.insert(at, node);
        self.changed = true;
        let line = |wanted: Node| self.order.iter().position(|other| *other == wanted);
        let low = line(before);
        let high = next.and_then(line).unwrap_or(self.order.len());
        if line(node).is_some_and(|own| low.is_none_or(|low| low < own) && own < high) {
            return;
        }
        self.order.retain(|other| *other != node);
        let at = self.order.iter().position(|other| *other == before).map_or(self.order.len(), |at| at + 1);
        self.order.insert(at, node);
    }

    /// Puts a record behind another one and all that follows that one, in both orders, wherever its line stood.
    pub fn put_behind_all(&mut self, node: Node, before: Node, follows: impl Fn(Node) -> bool) {
        for nodes in [&mut self.order, &mut self.path] {
            nodes.retain(|other| *other != node);
            let mut at = nodes.iter().position(|other| *other == before).map_or(nodes.len(), |at| at + 1);
            while nodes.get(at).is_some_and(|other| follows(*other)) {
                at += 1;
            }
            nodes.insert(at, node);
        }
        self.changed = true;
    }

    /// Says that the orders were changed by hand.
    pub fn change(&mut self) {
        self.changed = true;
    }

    /// The record before this one on the path.
    pub fn before(&self, node: Node) -> Option<Node> {
        let at = self.path.iter().position(|other| *other == node)?;
        at.checked_sub(1).map(|before| self.path[before])
    }

    /// Each record of the path with the one before it.
    pub fn links(&self) -> impl Iterator<Item = (Node, Option<Node>)> + '_ {
        let before = std::iter::once(None).chain(self.path.iter().copied().map(Some));
        self.path.iter().copied().zip(before)
    }

    /// The nearest record at or above this one that was not taken out.
    pub fn kept(
        &self,
        mut node: Option<EventId>,
        parent: &IndexVec<EventId, Option<EventId>>,
    ) -> Option<EventId> {
        let mut steps = self.gone.len();
        while let Some(event) = node.filter(|event| self.is_gone(*event) && steps > 0) {
            node = parent.get(event).copied().flatten();
            steps -= 1;
        }
        node.filter(|event| !self.is_gone(*event))
    }

    /// Records off the path whose parent was taken out, with the nearest one above that is left.
    pub fn fostered(
        &self,
        records: &[EventId],
        parent: &IndexVec<EventId, Option<EventId>>,
    ) -> Vec<(EventId, Option<EventId>)> {
        if self.gone.is_empty() {
            return Vec::new();
        }
        let live: HashSet<Node> = self.path.iter().copied().collect();
        let lost = |event: &EventId| {
            let parent = parent.get(*event).copied().flatten();
            !live.contains(event) && !self.is_gone(*event) && parent.is_some_and(|p| self.is_gone(p))
        };
        let children = records.iter().copied().filter(lost);
        children.map(|child| (child, self.kept(parent[child], parent))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::Idx;
    use crate::transcript::index::ids;

    fn n(number: usize) -> Node {
        Node::new(number)
    }

    #[test]
    fn lines_move_only_where_they_must() {
        let mut chain = Chain::new(ids([0, 1, 2, 3, 4]).to_vec(), ids([0, 1, 3, 4]).to_vec());
        chain.put_behind(n(2), n(1));
        assert_eq!(
            (chain.path.as_slice(), chain.order.as_slice()),
            (&ids([0, 1, 2, 3, 4])[..], &ids([0, 1, 2, 3, 4])[..])
        );
        chain.put_behind(n(4), n(1));
        assert_eq!(
            (chain.path.as_slice(), chain.order.as_slice()),
            (&ids([0, 1, 4, 2, 3])[..], &ids([0, 1, 4, 2, 3])[..])
        );
        assert_eq!(chain.before(n(2)), Some(n(4)));
    }

    #[test]
    fn what_hung_on_a_parked_record_hangs_on_what_is_left_above_it() {
        let parent = [None, Some(0), Some(1), Some(2), Some(2)]
            .into_iter()
            .map(|at: Option<usize>| at.map(n))
            .collect();
        let mut chain = Chain::new(ids([0, 1, 2, 3, 4]).to_vec(), ids([0, 1, 2, 4]).to_vec());
        chain.park(n(2));
        chain.park(n(1));
        assert_eq!(chain.fostered(&ids([0, 1, 2, 3, 4]), &parent), [(n(3), Some(n(0)))]);
        assert_eq!(chain.links().collect::<Vec<_>>(), [(n(0), None), (n(4), Some(n(0)))]);
    }
}
