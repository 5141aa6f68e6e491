//! Which records each client sends: the last record of the conversation, its ancestors, and siblings of those.

use hashbrown::{HashMap, HashSet};

use super::own;
use super::records::{is_boundary, is_result, is_spoken, pair_ids, with_role};
use super::tree::SessionTree;
use crate::format::FormatContext;
use crate::shapes::tree::chain;
use crate::transcript::{EventId, Id, IndexVec, LinkKind, Role, Transcript};

/// The client whose path it is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum ClientPath {
    /// The client that most people run.
    Current,
    /// Versions up to 2.1.39.
    Strict,
}

/// The path from the first record to the last one.
pub(super) struct ClaudePath {
    /// Its records, the first one first.
    pub records: Vec<EventId>,
    /// For each event, whether it is on the path.
    pub on: IndexVec<EventId, bool>,
    /// The last usable pointer to the last record, if the client reads pointers.
    pub hint: Option<EventId>,
}

impl ClaudePath {
    pub(super) fn find(t: &Transcript, tree: &SessionTree, profile: ClientPath) -> ClaudePath {
        let hint = hint(t, tree).filter(|_| profile == ClientPath::Current);
        let leaf = match profile {
            ClientPath::Current => leaf(t, tree, hint),
            ClientPath::Strict => newest(t, tree),
        };
        let up = if profile == ClientPath::Current { &tree.up } else { &tree.bare };
        let (records, on) =
            chain::path(up, leaf, |event| up[event].filter(|_| !is_boundary(t, event)));
        ClaudePath { records, on, hint }
    }

    /// The last record.
    pub(super) fn end(&self) -> Option<EventId> {
        self.records.last().copied()
    }

    /// The first record.
    pub(super) fn start(&self) -> Option<EventId> {
        self.records.first().copied()
    }

    /// Whether the user left a record behind and went back to the one that the pointer names (run: 2.1.150 to 2.1.332).
    pub(super) fn is_left_behind(&self, t: &Transcript, event: EventId) -> bool {
        is_left_behind(t, self.hint, event)
    }

    /// Whether a record is on it.
    pub(super) fn has(&self, event: EventId) -> bool {
        self.on.get(event).copied().unwrap_or(false)
    }
}

/// The last pointer of the file that points to an existing record. One that leaves all behind ends the search (run:
/// 2.1.332).
fn hint(t: &Transcript, tree: &SessionTree) -> Option<EventId> {
    let pointer = t.ids.find("last-prompt")?;
    let named = |event: &EventId| hinted(t, tree, *event).is_some_and(|leaf| tree.is_main[leaf]);
    t.records()
        .rev()
        .filter(|event| t.event(*event).kind == Some(pointer))
        .find(|event| t.has(*event, own::RESTARTS) || named(event))
        .filter(named)
}

/// The record that a pointer points to.
pub(super) fn hinted(t: &Transcript, tree: &SessionTree, pointer: EventId) -> Option<EventId> {
    t.link_of(pointer, LinkKind::Leaf)?.to.and_then(|id| tree.named(id))
}

fn is_left_behind(t: &Transcript, hint: Option<EventId>, event: EventId) -> bool {
    hint.is_some_and(|hint| event < hint && t.has(hint, own::EXPLICIT))
}

fn leaf(t: &Transcript, tree: &SessionTree, hint: Option<EventId>) -> Option<EventId> {
    let is_end = |event: &EventId| t.kind(*event) != "progress";
    if let Some(top) = hint.and_then(|hint| hinted(t, tree, hint)) {
        let below = tree.below(top, &|_| true);
        let last = tree.main.iter().rev().copied().find(|event| {
            below[*event] && is_end(event) && (*event == top || !is_left_behind(t, hint, *event))
        });
        if last.is_some() {
            return last;
        }
    }
    let last = tree.main.iter().rev().copied().find(is_end)?;
    let time = t.event(last).time();
    let mut best = (time, last);
    if !tree.children(last).is_empty() && time.is_some() {
        let below = tree.below(last, &|_| true);
        for event in tree.main.iter().copied().filter(|event| below[*event] && is_end(event)) {
            if t.event(event).time() > best.0 {
                best = (t.event(event).time(), event);
            }
        }
    }
    Some(best.1)
}

/// The record with the newest time; of equal ones, the first. Without times, the first record.
fn newest(t: &Transcript, tree: &SessionTree) -> Option<EventId> {
    let mut best: Option<(i64, EventId)> = None;
    for event in tree.main.iter().copied() {
        if let Some(time) =
            t.event(event).time().filter(|time| best.is_none_or(|(newest, _)| *time > newest))
        {
            best = Some((time, event));
        }
    }
    best.map(|(_, event)| event).or(tree.main.first().copied())
}

/// A path with the siblings that the current client adds: the other lines of its responses, and the results of their calls,
/// after the last line of the response on the path. A call without a result is one of them if another call of its response
/// has one, or if its response is the last: then it ran, or was about to. The client itself leaves such a call out in the
/// middle, and answers it at the end (run: 2.1.332).
pub(super) fn with_siblings(
    context: &FormatContext<'_>,
    tree: &SessionTree,
    path: &ClaudePath,
) -> Vec<EventId> {
    let t = context.transcript;
    if !tree
        .main
        .iter()
        .any(|event| !path.has(*event) && (t.event(*event).batch.is_some() || is_result(t, *event)))
    {
        return path.records.clone();
    }
    let mut last = t.ids.table(None);
    for event in path.records.iter().copied() {
        if let Some(batch) = t.event(event).batch {
            last[batch] = Some(event);
        }
    }
    let found = Siblings::of(t, tree, path, &last).choose(t, path, &last);
    if found.is_empty() {
        return path.records.clone();
    }
    let mut out = Vec::with_capacity(path.records.len() + found.len());
    let mut after: HashMap<EventId, Vec<EventId>> = HashMap::new();
    for (place, event) in found {
        after.entry(place).or_default().push(event);
    }
    for event in path.records.iter().copied() {
        out.push(event);
        if let Some(mut more) = after.remove(&event) {
            more.sort_unstable_by_key(|event| (t.event(*event).role != Role::Assistant, *event));
            out.extend(more);
        }
    }
    out
}

/// What may be added.
struct Siblings {
    /// Results and lines of the path's responses that are not on the path, by distance from it, then newest first.
    off: Vec<EventId>,
    /// For each ID, whether a call with it has a result anywhere.
    answered: IndexVec<Id, bool>,
    /// The responses of which a call has a result anywhere, and the one at the end of the path.
    ran: HashSet<Id>,
    /// For each ID, the response of the call with it.
    owner: IndexVec<Id, Option<Id>>,
}

/// The response at the end of a path, after which nothing but its results and lines of the client come.
fn response_at_the_end(t: &Transcript, path: &ClaudePath) -> Option<Id> {
    let last = path.records.iter().rev().copied().find(|event| {
        is_spoken(t, *event) && !is_result(t, *event) && !t.has(*event, own::SYNTHETIC)
    })?;
    t.event(last).batch
}

/// For each response on the path, its last line.
type LastLines = IndexVec<Id, Option<EventId>>;

impl Siblings {
    fn of(t: &Transcript, tree: &SessionTree, path: &ClaudePath, last: &LastLines) -> Siblings {
        let mut found = Siblings {
            off: Vec::new(),
            answered: t.ids.table(false),
            ran: response_at_the_end(t, path).into_iter().collect(),
            owner: t.ids.table(None),
        };
        for event in tree.main.iter().copied() {
            let of_answer = t.event(event).batch.filter(|batch| last[*batch].is_some());
            let result = is_result(t, event);
            let ids = pair_ids(t, event);
            if let Some(batch) = of_answer {
                ids.for_each(|id| found.owner[id] = Some(batch));
            } else if result {
                ids.for_each(|id| found.answered[id] = true);
            }
            if (of_answer.is_some() || result) && !path.has(event) {
                found.off.push(event);
            }
        }
        let owned = found.owner.enumerated().filter(|(id, _)| found.answered[*id]);
        found.ran.extend(owned.filter_map(|(_, batch)| *batch));
        let mut near: HashSet<EventId> = HashSet::new();
        for _ in 0..2 {
            for event in &found.off {
                let parent = tree.bare[*event];
                if parent.is_some_and(|parent| path.has(parent) || near.contains(&parent)) {
                    near.insert(*event);
                }
            }
        }
        found.off.sort_by_key(|event| (!near.contains(event), std::cmp::Reverse(*event)));
        found
    }

    /// The siblings to add, with the line of the path that they follow.
    fn choose(
        self,
        t: &Transcript,
        path: &ClaudePath,
        last: &LastLines,
    ) -> Vec<(EventId, EventId)> {
        let ids = |event: EventId| pair_ids(t, event);
        let content = |event: EventId| {
            let digests: Vec<u64> =
                t.event(event).parts.clone().map(|part| t.part(part).digest).collect();
            (t.event(event).batch, digests)
        };
        let (mut used, mut got) = (HashSet::new(), HashSet::new());
        let mut known = HashSet::new();
        for event in path.records.iter().copied() {
            match t.event(event).role {
                Role::Assistant => {
                    used.extend(ids(event));
                    known.insert(content(event));
                }
                Role::User => got.extend(ids(event)),
                _ => {}
            }
        }
        let mut found = Vec::new();
        for event in with_role(t, &self.off, Role::Assistant) {
            let Some(batch) = t.event(event).batch else {
                continue;
            };
            let Some(place) = last[batch] else {
                continue;
            };
            let ran = self.ran.contains(&batch) || ids(event).all(|id| self.answered[id]);
            if ran && !ids(event).any(|id| used.contains(&id)) && known.insert(content(event)) {
                used.extend(ids(event));
                found.push((place, event));
            }
        }
        for event in with_role(t, &self.off, Role::User) {
            let own: Vec<Id> = ids(event)
                .filter(|id| self.owner[*id].is_some() && used.contains(id) && !got.contains(id))
                .collect();
            let Some(place) = own.first().and_then(|id| last[self.owner[*id]?]) else {
                continue;
            };
            found.push((place, event));
            got.extend(own);
        }
        found
    }
}
