//! The order of a tree's records while remedies change it: the lines of the file, and the path that is sent.
//!
//! Shared by the formats whose records name their parents. It knows no bytes: it says where each record goes and which
//! record it must name.

use hashbrown::HashSet;

use super::linked::Linked;
use crate::transcript::{EventId, Idx, IndexVec};

/// A record of the new order: an event by its number, or a new record by its number behind the last event.
pub(crate) type Node = EventId;

/// The records in both orders.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    /// All records in the order of storage.
    order: Linked,
    /// The active path, from its first record to its leaf.
    path: Linked,
    /// The records that were taken out.
    gone: HashSet<EventId>,
    changed: bool,
}

impl Chain {
    /// A chain as it was read.
    pub(crate) fn new(order: impl IntoIterator<Item = Node>, path: &[Node]) -> Chain {
        let numbers = |node: Node| node.index();
        Chain {
            order: Linked::of(order.into_iter().map(numbers)),
            path: Linked::of(path.iter().copied().map(numbers)),
            gone: HashSet::new(),
            changed: false,
        }
    }

    /// All records in the order of storage.
    pub(crate) fn order(&self) -> impl Iterator<Item = Node> + '_ {
        self.order.all().map(Node::new)
    }

    /// All records in the order of storage, the last one first.
    pub(crate) fn order_from_last(&self) -> impl Iterator<Item = Node> + '_ {
        self.order.rev().map(Node::new)
    }

    /// The active path, from its first record to its leaf.
    pub(crate) fn path(&self) -> impl Iterator<Item = Node> + '_ {
        self.path.all().map(Node::new)
    }

    /// The records of the path behind this one; none where it is not on it.
    pub(crate) fn path_from(&self, node: Node) -> impl Iterator<Item = Node> + '_ {
        let node = Some(node.index()).filter(|node| self.path.is_there(*node));
        node.into_iter()
            .flat_map(|node| self.path.from(node))
            .map(Node::new)
    }

    /// Whether a record is on the path.
    pub(crate) fn is_on_path(&self, node: Node) -> bool {
        self.path.is_there(node.index())
    }

    /// The end of the path.
    pub(crate) fn leaf(&self) -> Option<Node> {
        self.path.last().map(Node::new)
    }

    /// The one of these records that is the last on the path.
    pub(crate) fn last_of(&self, nodes: impl Iterator<Item = Node>) -> Option<Node> {
        let later = |one: Node, other: Node| {
            if self.path.is_before(one.index(), other.index()) {
                other
            } else {
                one
            }
        };
        nodes.filter(|node| self.is_on_path(*node)).reduce(later)
    }

    /// The first record in storage.
    pub(crate) fn first_stored(&self) -> Option<Node> {
        self.order.first().map(Node::new)
    }

    /// The last record in storage.
    pub(crate) fn last_stored(&self) -> Option<Node> {
        self.order.last().map(Node::new)
    }

    /// Whether a record is in storage.
    pub(crate) fn is_stored(&self, node: Node) -> bool {
        self.order.is_there(node.index())
    }

    /// The record behind this one in storage.
    pub(crate) fn stored_behind(&self, node: Node) -> Option<Node> {
        self.order.behind(node.index()).map(Node::new)
    }

    /// The record before this one in storage.
    pub(crate) fn stored_before(&self, node: Node) -> Option<Node> {
        self.order.before(node.index()).map(Node::new)
    }

    /// Whether anything was taken out, put in or moved.
    pub(crate) fn is_changed(&self) -> bool {
        self.changed
    }

    /// Whether a record was taken out.
    pub(crate) fn is_gone(&self, node: Node) -> bool {
        self.gone.contains(&node)
    }

    /// Takes a record out of both orders.
    pub(crate) fn park(&mut self, event: EventId) {
        self.order.take_out(event.index());
        self.path.take_out(event.index());
        self.gone.insert(event);
        self.changed = true;
    }

    /// Puts a record behind another one of the path. Its line moves only if it does not stand between the lines of its new
    /// neighbors already; then it comes directly behind the line of the one before it.
    pub(crate) fn put_behind(&mut self, node: Node, before: Node) {
        put(&mut self.path, node, before);
        self.changed = true;
        let (node, before) = (node.index(), before.index());
        let line = |wanted: &usize| self.order.is_there(*wanted);
        let low = Some(before).filter(line);
        let high = self.path.behind(node).filter(line);
        let is_between = line(&node)
            && low.is_none_or(|low| self.order.is_before(low, node))
            && high.is_none_or(|high| self.order.is_before(node, high));
        if !is_between {
            put(&mut self.order, Node::new(node), Node::new(before));
        }
    }

    /// Puts a record behind another one and all that follows that one, in both orders, wherever its line stood.
    pub(crate) fn put_behind_all(
        &mut self,
        node: Node,
        before: Node,
        follows: impl Fn(Node) -> bool,
    ) {
        for nodes in [&mut self.order, &mut self.path] {
            nodes.take_out(node.index());
            let last = Some(before.index())
                .filter(|before| nodes.is_there(*before))
                .map(|before| {
                    nodes
                        .from(before)
                        .take_while(|other| follows(Node::new(*other)))
                        .last()
                        .unwrap_or(before)
                });
            match last {
                Some(last) => nodes.put_behind(node.index(), last),
                None => nodes.put_last(node.index()),
            }
        }
        self.changed = true;
    }

    /// Puts a record before another one on the path.
    pub(crate) fn put_before_on_path(&mut self, node: Node, next: Node) {
        self.path.put_before(node.index(), next.index());
    }

    /// Puts a record directly behind another one in storage; without one, before all of them.
    pub(crate) fn store_behind(&mut self, node: Node, before: Option<Node>) {
        match (before, self.order.first()) {
            (Some(before), _) => self.order.put_behind(node.index(), before.index()),
            (None, Some(first)) => self.order.put_before(node.index(), first),
            (None, None) => self.order.put_last(node.index()),
        }
    }

    /// Takes a record out of storage, as if it had never been there.
    pub(crate) fn unstore(&mut self, node: Node) {
        self.order.take_out(node.index());
    }

    /// Puts a record behind all others in storage.
    pub(crate) fn store_last(&mut self, node: Node) {
        self.order.put_last(node.index());
    }

    /// Puts a record in the place of another one, in both orders.
    pub(crate) fn replace(&mut self, old: Node, new: Node) {
        for nodes in [&mut self.order, &mut self.path] {
            if nodes.is_there(old.index()) {
                nodes.put_behind(new.index(), old.index());
                nodes.take_out(old.index());
            }
        }
        self.changed = true;
    }

    /// Says that something was changed that is not in the orders.
    pub(crate) fn change(&mut self) {
        self.changed = true;
    }

    /// The record before this one on the path.
    pub(crate) fn before(&self, node: Node) -> Option<Node> {
        let node = Some(node.index()).filter(|node| self.path.is_there(*node));
        node.and_then(|node| self.path.before(node)).map(Node::new)
    }

    /// Each record of the path with the one before it.
    pub(crate) fn links(&self) -> impl Iterator<Item = (Node, Option<Node>)> + '_ {
        self.path().map(|node| (node, self.before(node)))
    }

    /// The nearest record at or above this one that was not taken out.
    pub(crate) fn kept(
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
    pub(crate) fn fostered(
        &self,
        records: &[EventId],
        parent: &IndexVec<EventId, Option<EventId>>,
    ) -> Vec<(EventId, Option<EventId>)> {
        if self.gone.is_empty() {
            return Vec::new();
        }
        let lost = |event: &EventId| {
            let parent = parent.get(*event).copied().flatten();
            !self.is_on_path(*event)
                && !self.is_gone(*event)
                && parent.is_some_and(|p| self.is_gone(p))
        };
        let children = records.iter().copied().filter(lost);
        children
            .map(|child| (child, self.kept(parent[child], parent)))
            .collect()
    }
}

/// Directly behind another record, or behind all where that one is not there.
fn put(nodes: &mut Linked, node: Node, before: Node) {
    let (node, before) = (node.index(), before.index());
    if nodes.is_there(before) {
        nodes.put_behind(node, before)
    } else {
        nodes.put_last(node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::index::ids;

    fn n(number: usize) -> Node {
        Node::new(number)
    }

    fn told(chain: &Chain) -> (Vec<Node>, Vec<Node>) {
        (chain.path().collect(), chain.order().collect())
    }

    #[test]
    fn lines_move_only_where_they_must() {
        let mut chain = Chain::new(ids([0, 1, 2, 3, 4]), &ids([0, 1, 3, 4]));
        chain.put_behind(n(2), n(1));
        assert_eq!(
            told(&chain),
            (ids([0, 1, 2, 3, 4]).to_vec(), ids([0, 1, 2, 3, 4]).to_vec())
        );
        chain.put_behind(n(4), n(1));
        assert_eq!(
            told(&chain),
            (ids([0, 1, 4, 2, 3]).to_vec(), ids([0, 1, 4, 2, 3]).to_vec())
        );
        assert_eq!(chain.before(n(2)), Some(n(4)));
    }

    #[test]
    fn what_hung_on_a_parked_record_hangs_on_what_is_left_above_it() {
        let parent = [None, Some(0), Some(1), Some(2), Some(2)]
            .into_iter()
            .map(|at: Option<usize>| at.map(n))
            .collect();
        let mut chain = Chain::new(ids([0, 1, 2, 3, 4]), &ids([0, 1, 2, 4]));
        chain.park(n(2));
        chain.park(n(1));
        assert_eq!(
            chain.fostered(&ids([0, 1, 2, 3, 4]), &parent),
            [(n(3), Some(n(0)))]
        );
        assert_eq!(
            chain.links().collect::<Vec<_>>(),
            [(n(0), None), (n(4), Some(n(0)))]
        );
    }
}
