//! Finds the entries on the active path, for both hosts.

use hashbrown::{HashMap, HashSet};

use super::{kinds, layout, own};
use crate::format::FormatContext;
use crate::shapes::tree::{self, SharedId, Tree};
use crate::transcript::{
    Action, Code, Diagnostic, Effect, EventId, Fact, FactValue, Instance, Label, LabelRole,
    LinkKind, PartId, PartKind, Role, Subject, Transcript,
};

/// The records of one session and its active path.
#[derive(Default)]
pub(super) struct PiPath {
    pub openclaw: bool,
    /// The headers, in order; there should be one.
    pub headers: Vec<EventId>,
    /// The entries; those of version 1 have no parents.
    pub tree: Tree,
}

impl PiPath {
    pub(super) fn find(context: &FormatContext<'_>) -> PiPath {
        let t = context.transcript;
        let is_header = |event: EventId| t.event(event).role == Role::HostState;
        let is_title = |event| event == EventId::FIRST && t.kind(event) == kinds::TITLE;
        let mut tree =
            Tree::list(context, SharedId::Different, |event| !is_header(event) && !is_title(event));
        let openclaw = is_openclaws(t, context.name);
        let mut chain = Chain::default();
        let leaf =
            if openclaw && !tree.flat { chain.run(&mut tree, t) } else { tree.link_by_names(t) };
        tree.walk(t, leaf);
        let early =
            chain.early.iter().filter_map(|(call, result)| before_call(t, &tree, *call, *result));
        tree.diagnostics.extend(early.collect::<Vec<_>>());
        let headers = t.events.ids().filter(|event| is_header(*event));
        PiPath {
            openclaw,
            headers: headers.filter(|event| !tree::is_lost(t, *event)).collect(),
            tree,
        }
    }
}

/// Whether OpenClaw wrote a session: by its records, else by the name of its file.
pub(super) fn is_openclaws(t: &Transcript, name: &str) -> bool {
    t.is_known(own::OPENCLAW) || layout::named(name).is_some_and(|named| named.openclaw)
}

/// Builds the chain as OpenClaw does, record by record.
#[derive(Default)]
struct Chain {
    leaf: Option<EventId>,
    append: Option<EventId>,
    /// Descendants of the last reset.
    reset: Option<HashSet<EventId>>,
    seen: HashSet<EventId>,
    /// The target of each leaf record: an entry that names it as its parent continues there.
    points: HashMap<EventId, Option<EventId>>,
    /// Responses, and results of theirs that are stored before them.
    early: Vec<(EventId, EventId)>,
}

impl Chain {
    fn run(&mut self, tree: &mut Tree, t: &Transcript) -> Option<EventId> {
        tree.link_unreadable(t);
        for event in tree.records.clone() {
            match t.kind(event) {
                "leaf" => self.point(tree, t, event),
                kind if kinds::is_canonical(kind) => self.append(tree, t, event),
                _ => {
                    tree.parent[event] = tree.named_parent(t, event).flatten();
                    if t.event(event).id.is_some() {
                        self.append = Some(event);
                    }
                }
            }
            self.seen.insert(event);
        }
        self.leaf
    }

    /// A member of a pointer: `None` if it is invalid, `Some(None)` for null.
    fn target(
        &self,
        tree: &Tree,
        t: &Transcript,
        event: EventId,
        name: Fact,
    ) -> Option<Option<EventId>> {
        match t.value_of(event, name)? {
            FactValue::Text(id) => {
                tree.resolve(id, event).filter(|to| self.seen.contains(to)).map(Some)
            }
            _ => Some(None),
        }
    }

    fn point(&mut self, tree: &mut Tree, t: &Transcript, event: EventId) {
        tree.parent[event] = tree.named_parent(t, event).flatten();
        let Some(target) = self.target(tree, t, event, own::LEAF_TARGET) else {
            return;
        };
        let append = match t.value_of(event, own::LEAF_APPEND) {
            None => target,
            Some(_) => match self.target(tree, t, event, own::LEAF_APPEND) {
                None => return,
                Some(append) => append,
            },
        };
        let target = self.inside(target);
        let append = self.inside(append);
        (self.leaf, self.append) = (target, append);
        self.points.insert(event, target);
    }

    /// After a reset, a pointer to a record before it counts for nothing.
    fn inside(&self, to: Option<EventId>) -> Option<EventId> {
        match &self.reset {
            Some(inside) if !to.is_some_and(|to| inside.contains(&to)) => self.leaf,
            _ => to,
        }
    }

    fn append(&mut self, tree: &mut Tree, t: &Transcript, event: EventId) {
        let named = tree.named_parent(t, event);
        let mut parent = match named {
            Some(parent) => parent,
            None if t.link_of(event, LinkKind::Root).is_some() => None,
            None => self.leaf,
        };
        let side = t.has(event, own::SIDE);
        let mut call = None;
        // A side record belongs to its parent and does not move the end of the path.
        if !side {
            let outside = self
                .reset
                .as_ref()
                .is_some_and(|inside| !parent.is_some_and(|p| inside.contains(&p)));
            let unseen = named.is_some()
                && !parent.is_some_and(|p| self.seen.contains(&p) || tree::is_lost(t, p));
            let appended = parent.is_some() && parent == self.append && self.append != self.leaf;
            call = parent.filter(|parent| unseen && answers(t, event, *parent));
            self.early.extend(call.map(|call| (call, event)));
            if call.is_none() && (outside || (unseen && self.leaf.is_some()) || appended) {
                parent = self.leaf;
            }
        }
        // Pointers may form a circle, so there are no more steps than pointers.
        let mut steps = self.points.len();
        while let Some(next) =
            parent.and_then(|parent| self.points.get(&parent)).filter(|_| steps > 0)
        {
            parent = *next;
            steps -= 1;
        }
        tree.parent[event] = parent.filter(|parent| *parent != event);
        self.append = Some(event);
        if !side {
            self.leaf = Some(event);
        }
        if t.kind(event) == "reset" {
            self.reset = Some(HashSet::from([event]));
        } else if let Some(inside) = &mut self.reset
            && (call.is_some() || parent.is_some_and(|parent| inside.contains(&parent)))
        {
            inside.insert(event);
        }
    }
}

/// Whether a record is the result of a call in this response.
fn answers(t: &Transcript, result: EventId, response: EventId) -> bool {
    let mut results = t.parts_of(result, PartKind::Result).map(|part| super::call_key(t, part));
    let calls = t.parts_of(response, PartKind::Call).map(|part| super::call_key(t, part));
    results.any(|result| !result.is_empty() && calls.clone().any(|call| call == result))
}

/// A result on a line before its call, which it names as its parent. The chain of OpenClaw 2026.9.6 takes such a parent for
/// missing, so the call is off the path and the result is left out; pi and OpenClaw 2026.6.11 follow it. The parent counts
/// here, because the repair moves the line.
fn before_call(
    t: &Transcript,
    tree: &tree::Tree,
    call: EventId,
    result: EventId,
) -> Option<Diagnostic> {
    if !tree.on_branch[call] || !tree.on_branch[result] {
        return None;
    }
    let mut diagnostic = Diagnostic::new(
        Code::ResultBeforeCall,
        "tool result on a line before its call: OpenClaw 2026.9.6 sends neither",
        result,
    );
    diagnostic.labels =
        vec![Label::new(result, LabelRole::Result), Label::new(call, LabelRole::Call)];
    let own = t.parts_of(result, PartKind::Result);
    let parts: Vec<PartId> = t.parts_of(call, PartKind::Call).chain(own).collect();
    diagnostic.about = parts.iter().copied().map(Subject::Place).collect();
    diagnostic.instance = Some(Instance::Dropped);
    diagnostic.effect = Effect::Hides(2);
    diagnostic.fix_safely([Action::MoveTogether(parts)]);
    Some(diagnostic)
}
