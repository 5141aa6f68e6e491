//! Finds the entries on the active path, for both hosts.

use hashbrown::{HashMap, HashSet};

use super::{attrs, kinds, layout};
use crate::formats::{FormatContext, copies};
use crate::transcript::{
    Action, Code, Diagnostic, Effect, EventId, Fact, Fix, Id, IndexVec, Label, LabelRole, LinkKind,
    Role, State, Subject, Transcript, Value,
};

/// The tree of one session and its active path.
#[derive(Default)]
pub(super) struct Path {
    /// Whether OpenClaw wrote it.
    pub openclaw: bool,
    /// Whether it is of version 1: no entry has a parent, and the order of the lines is the
    /// conversation.
    pub flat: bool,
    /// The headers, in order; there should be one.
    pub headers: Vec<EventId>,
    /// The readable entries in order, without copies.
    pub records: Vec<EventId>,
    /// Unreadable lines, in order.
    pub unreadable: Vec<EventId>,
    /// The parent of each event, as the host sees it.
    pub parent: IndexVec<EventId, Option<EventId>>,
    /// From the first entry to the leaf.
    pub branch: Vec<EventId>,
    /// Whether an event is on the path.
    pub on_branch: IndexVec<EventId, bool>,
    /// An entry of the path whose parent does not exist. The host sees nothing before it, or joins
    /// it to the wrong place.
    pub broken: Option<EventId>,
    /// An unreadable line in the chain of parents.
    pub through_unreadable: Option<EventId>,
    pub diagnostics: Vec<Diagnostic>,
    /// Entries by ID; the first of several.
    by_id: HashMap<Id, EventId>,
    /// All entries with an ID that several entries have.
    shared_ids: HashMap<Id, Vec<EventId>>,
}

impl Path {
    pub(super) fn find(context: &FormatContext<'_>) -> Path {
        let t = context.transcript;
        let mut path = Path {
            openclaw: is_openclaws(t, context.name),
            flat: !t
                .links
                .iter()
                .any(|link| matches!(link.kind, LinkKind::Parent | LinkKind::Root)),
            parent: IndexVec::for_each_of(&t.events, None),
            on_branch: IndexVec::for_each_of(&t.events, false),
            ..Path::default()
        };
        path.list(context);
        if path.flat {
            path.branch.clone_from(&path.records);
            path.branch
                .iter()
                .for_each(|event| path.on_branch[*event] = true);
            return path;
        }
        let leaf = if path.openclaw {
            Chain::default().run(&mut path, t)
        } else {
            path.by_links(t)
        };
        path.walk(t, leaf);
        path
    }

    fn list(&mut self, context: &FormatContext<'_>) {
        let t = context.transcript;
        let mut fragments = Vec::new();
        for event in t.events.ids() {
            let record = t.event(event);
            match record.state {
                State::Padding => fragments.push(event),
                State::Unreadable => self.unreadable.push(event),
                _ if record.role == Role::HostState => self.headers.push(event),
                _ => {
                    let known = record.id.and_then(|id| self.by_id.get(&id)).copied();
                    match known.map(|before| copies::twin(context, before, event)) {
                        Some(copy) if copy.is_copy => self
                            .diagnostics
                            .push(copy.repeated("same record stored twice")),
                        _ => self.add(t, event, known),
                    }
                }
            }
        }
        // A fragment counts as its record if there is nothing better.
        for event in fragments.into_iter().chain(self.unreadable.clone()) {
            if let Some(id) = t.event(event).id {
                self.by_id.entry(id).or_insert(event);
            }
        }
    }

    fn add(&mut self, t: &Transcript, event: EventId, known: Option<EventId>) {
        self.records.push(event);
        let Some(id) = t.event(event).id else { return };
        match known {
            Some(first) => self
                .shared_ids
                .entry(id)
                .or_insert_with(|| vec![first])
                .push(event),
            None => _ = self.by_id.insert(id, event),
        }
    }

    /// Groups of different entries with the same ID.
    pub(super) fn shared_ids(&self) -> impl Iterator<Item = &[EventId]> {
        self.shared_ids.values().map(Vec::as_slice)
    }

    /// The entry that an ID refers to when `child` names it: the last one before the child, if
    /// there are several.
    pub(super) fn resolve(&self, id: Id, child: EventId) -> Option<EventId> {
        if let Some(all) = self.shared_ids.get(&id) {
            let before = all.partition_point(|event| *event < child);
            return before.checked_sub(1).or(Some(0)).map(|at| all[at]);
        }
        self.by_id.get(&id).copied()
    }

    /// The parent that an entry names: `None` if it names none, `Some(None)` if it does not exist.
    fn named_parent(&self, t: &Transcript, event: EventId) -> Option<Option<EventId>> {
        let link = t.link_of(event, LinkKind::Parent)?;
        Some(link.to.and_then(|id| self.resolve(id, event)))
    }

    /// pi: the stored parents count, and the leaf is the last entry.
    fn by_links(&mut self, t: &Transcript) -> Option<EventId> {
        for event in self.records.clone() {
            self.parent[event] = self.named_parent(t, event).flatten();
        }
        self.link_unreadable(t);
        self.records.last().copied()
    }

    /// Unreadable lines may still show their parent.
    fn link_unreadable(&mut self, t: &Transcript) {
        for event in t.events.ids() {
            if matches!(t.event(event).state, State::Unreadable | State::Padding) {
                self.parent[event] = self.named_parent(t, event).flatten();
            }
        }
    }

    fn walk(&mut self, t: &Transcript, leaf: Option<EventId>) {
        let mut at = leaf;
        while let Some(event) = at {
            if self.on_branch[event] {
                at = self.break_cycle(t, event);
                continue;
            }
            self.on_branch[event] = true;
            match t.event(event).state {
                State::Padding => {}
                State::Unreadable => self.through_unreadable = Some(event),
                _ => self.branch.push(event),
            }
            at = self.parent[event];
            if matches!(self.named_parent(t, event), Some(None)) {
                self.broken = self.broken.or(Some(event));
            }
        }
        self.branch.reverse();
    }

    /// Breaks a cycle at the entry whose parent comes after it.
    fn break_cycle(&mut self, t: &Transcript, start: EventId) -> Option<EventId> {
        let mut members = vec![start];
        let mut at = self.parent[start];
        while let Some(event) = at.filter(|event| *event != start) {
            members.push(event);
            at = self.parent[event];
        }
        members.sort_unstable();
        let is_wrong = |event: &EventId| self.parent[*event].is_some_and(|parent| parent >= *event);
        let wrong = members.iter().copied().find(is_wrong).unwrap_or(start);
        let to = self.line_before(wrong);
        let mut diagnostic = Diagnostic::new(
            Code::ParentCycle,
            "the chain of parents returns to this record",
            wrong,
        );
        let others = members.iter().filter(|event| **event != wrong);
        diagnostic
            .labels
            .extend(others.map(|event| Label::new(*event, LabelRole::Record)));
        diagnostic.about = vec![Subject::Parent(wrong)];
        diagnostic.effect = Effect::LoadFails;
        let relink = Action::SetLink {
            event: wrong,
            link: LinkKind::Parent,
            to,
        };
        diagnostic.fixes = vec![Fix::with_guess(vec![relink])];
        self.diagnostics.push(diagnostic);
        // The records before the cycle were not walked yet; the walked part of the cycle is already
        // on the path.
        self.parent[wrong] = to.filter(|to| t.event(*to).id.is_some());
        self.branch.sort_unstable_by(|a, b| b.cmp(a));
        self.parent[wrong].filter(|to| !self.on_branch[*to])
    }

    /// The entry on the line before.
    fn line_before(&self, event: EventId) -> Option<EventId> {
        let at = self.records.partition_point(|record| *record < event);
        at.checked_sub(1).map(|at| self.records[at])
    }

    /// The diagnostic for an entry of the path whose parent does not exist.
    pub(super) fn lost_parent(&self, t: &Transcript) -> Option<Diagnostic> {
        let event = self.broken?;
        let mut diagnostic = Diagnostic::new(
            Code::BrokenParent,
            "the parent of this record is not in the file",
            event,
        );
        diagnostic.about = vec![Subject::Parent(event)];
        let hidden = self
            .records
            .iter()
            .filter(|record| **record < event && t.event(**record).role.is_sent());
        diagnostic.effect = Effect::Hides(hidden.count() as u32);
        let tips: HashSet<EventId> = self
            .records
            .iter()
            .filter_map(|e| self.parent[*e])
            .collect();
        let older = |to: &EventId| match (t.event(*to).time, t.event(event).time) {
            (Some(to), Some(own)) => to <= own,
            _ => true,
        };
        // OpenClaw joins the entry to its last leaf, so the line before it has a child: this entry.
        let tip = |to: &EventId| !tips.contains(to) || self.parent[event] == Some(*to);
        if let Some(to) = self.line_before(event).filter(older).filter(tip) {
            let relink = Action::SetLink {
                event,
                link: LinkKind::Parent,
                to: Some(to),
            };
            diagnostic.fixes = vec![Fix::with_guess(vec![relink])];
        }
        Some(diagnostic)
    }
}

/// Whether OpenClaw wrote a session: by its records, else by the name of its file.
pub(super) fn is_openclaws(t: &Transcript, name: &str) -> bool {
    t.is_known(attrs::OPENCLAW) || layout::named(name).is_some_and(|named| named.openclaw)
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
}

impl Chain {
    fn run(mut self, path: &mut Path, t: &Transcript) -> Option<EventId> {
        path.link_unreadable(t);
        for event in path.records.clone() {
            match t.kind(event) {
                "leaf" => self.point(path, t, event),
                kind if kinds::is_canonical(kind) => self.append(path, t, event),
                _ => {
                    path.parent[event] = path.named_parent(t, event).flatten();
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
        path: &Path,
        t: &Transcript,
        event: EventId,
        name: Fact,
    ) -> Option<Option<EventId>> {
        match t.attr_of(event, name)? {
            Value::Text(id) => path
                .resolve(id, event)
                .filter(|to| self.seen.contains(to))
                .map(Some),
            _ => Some(None),
        }
    }

    fn point(&mut self, path: &mut Path, t: &Transcript, event: EventId) {
        path.parent[event] = path.named_parent(t, event).flatten();
        let Some(target) = self.target(path, t, event, attrs::LEAF_TARGET) else {
            return;
        };
        let append = match t.attr_of(event, attrs::LEAF_APPEND) {
            None => target,
            Some(_) => match self.target(path, t, event, attrs::LEAF_APPEND) {
                None => return,
                Some(append) => append,
            },
        };
        let inside = |to: Option<EventId>| match &self.reset {
            Some(inside) if !to.is_some_and(|to| inside.contains(&to)) => self.leaf,
            _ => to,
        };
        let (target, append) = (inside(target), inside(append));
        (self.leaf, self.append) = (target, append);
        self.points.insert(event, target);
    }

    fn append(&mut self, path: &mut Path, t: &Transcript, event: EventId) {
        let named = path.named_parent(t, event);
        let mut parent = match named {
            Some(parent) => parent,
            None if t.link_of(event, LinkKind::Root).is_some() => None,
            None => self.leaf,
        };
        let side = t.attr_of(event, attrs::SIDE).is_some();
        if !side {
            let outside = self
                .reset
                .as_ref()
                .is_some_and(|inside| !parent.is_some_and(|p| inside.contains(&p)));
            let unseen =
                named.is_some() && !parent.is_some_and(|p| self.seen.contains(&p) || is_lost(t, p));
            let appended = parent.is_some() && parent == self.append && self.append != self.leaf;
            if outside || (unseen && self.leaf.is_some()) || appended {
                parent = self.leaf;
            }
        }
        let mut steps = self.points.len();
        while let Some(next) = parent
            .and_then(|parent| self.points.get(&parent))
            .filter(|_| steps > 0)
        {
            parent = *next;
            steps -= 1;
        }
        path.parent[event] = parent.filter(|parent| *parent != event);
        self.append = Some(event);
        if !side {
            self.leaf = Some(event);
        }
        if t.kind(event) == "reset" {
            self.reset = Some(HashSet::from([event]));
        } else if let Some(inside) = &mut self.reset
            && parent.is_some_and(|parent| inside.contains(&parent))
        {
            inside.insert(event);
        }
    }
}

/// Whether a line is unreadable, or only a fragment shows its place.
fn is_lost(t: &Transcript, event: EventId) -> bool {
    matches!(t.event(event).state, State::Unreadable | State::Padding)
}
