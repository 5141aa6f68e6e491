//! What breaks the path of a chat, and whose records are in the file.

use hashbrown::HashMap;

use super::{QwenSession, is_one_message, own};
use crate::format::home::is_uuid;
use crate::format::{FormatContext, split_pairs};
use crate::json::cut;
use crate::json::quote::quote;
use crate::shapes::tree::Tree;
use crate::transcript::pairs::Pairs;
use crate::transcript::{
    Action, Applicability, Code, Diagnostic, Effect, EventId, Fix, Id, Instance, Label, LabelRole,
    LinkKind, State, Subject, Transcript,
};

/// A parent that is not in the file. Where the chat is a copy of another one, that of its first record may be there.
pub(super) fn lost_parent(t: &Transcript, tree: &Tree, pairs: &Pairs) -> Option<Diagnostic> {
    let mut diagnostic = tree.lost_parent(t, pairs)?;
    let is_copy = t.is_known(own::OF_COPY) && tree.records.first() == tree.broken.as_ref();
    if is_copy {
        diagnostic.instance = Some(Instance::Harmless);
        diagnostic.effect = Effect::None;
        diagnostic.fixes.clear();
    }
    Some(diagnostic)
}

/// Records whose parent cannot be read: the client forgets everything before them, although the fragment still shows what
/// came before it.
pub(super) fn through_holes(t: &Transcript, tree: &Tree) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (at, event) in tree.branch.iter().enumerate() {
        let Some(hole) = tree.parent[*event].filter(|parent| is_hole(t, *parent)) else {
            continue;
        };
        let mut diagnostic =
            Diagnostic::new(Code::BrokenParent, "the parent of this record cannot be read", *event);
        diagnostic.label([hole], LabelRole::Record);
        diagnostic.about = vec![Subject::Parent(*event)];
        let hidden = tree.branch[..at].iter().filter(|other| t.event(**other).role.is_sent());
        diagnostic.effect = Effect::Hides(hidden.count() as u32);
        if let Some(to) = tree.parent[hole].filter(|to| !is_hole(t, *to)) {
            diagnostic.fix_safely([Action::set_parent(*event, Some(to))]);
        }
        found.push(diagnostic);
    }
    found
}

fn is_hole(t: &Transcript, event: EventId) -> bool {
    t.event(event).state == State::Unreadable
}

/// Fragments of one message that name different parents: that of the first counts.
pub(super) fn fragments(context: &FormatContext<'_>, tree: &Tree) -> Vec<Diagnostic> {
    let t = context.transcript;
    let mut found = Vec::new();
    for all in tree.shared_ids() {
        let first = all[0];
        let parent = t.linked(first, LinkKind::Parent);
        for event in all.iter().copied() {
            if t.linked(event, LinkKind::Parent) == parent {
                continue;
            }
            let mut diagnostic = Diagnostic::about(
                Code::DuplicateRecordId,
                "records with the same UUID have different parents: only the first one counts",
                Subject::Name,
                event,
            );
            diagnostic.labels =
                vec![Label::new(first, LabelRole::Record), Label::new(event, LabelRole::Copy)];
            let raw = parent.map_or_else(|| "null".to_owned(), |id| quote(t.ids.get(id)));
            let set = context.change(event, |record| {
                let old = record.get("parentUuid");
                old.map(|old| cut::replace(old, &raw)).into_iter().collect()
            });
            diagnostic.fixes = Fix::only(Applicability::Unsafe, set);
            found.push(diagnostic);
        }
    }
    found.sort_unstable_by_key(|diagnostic| diagnostic.labels[1].event);
    found
}

/// Records of another session than the others: the client refuses the whole file.
pub(super) fn several(context: &FormatContext<'_>, tree: &Tree) -> Option<Diagnostic> {
    let t = context.transcript;
    let mut counts: HashMap<Id, u32> = HashMap::new();
    let all: Vec<(EventId, Id)> =
        t.records().filter_map(|event| Some((event, t.fact_id(event, own::SESSION)?))).collect();
    all.iter().for_each(|(_, id)| *counts.entry(*id).or_default() += 1);
    if counts.len() < 2 {
        return None;
    }
    // The one in the name of the file, else that of most records, else the first.
    let stem = context.name.strip_suffix(".jsonl").unwrap_or_default();
    let named = t.ids.find(stem).filter(|id| is_uuid(stem) && counts.contains_key(id));
    let own = named.or_else(|| all.iter().rev().map(|(_, id)| *id).max_by_key(|id| counts[id]))?;
    let others: Vec<EventId> =
        all.iter().filter(|(_, id)| *id != own).map(|(event, _)| *event).collect();
    let mut diagnostic = Diagnostic::new(
        Code::SessionMismatch,
        "records of several sessions in one file",
        others[0],
    );
    diagnostic.labels = Label::all(others.iter(), LabelRole::Record);
    diagnostic.about = others.iter().map(|event| Subject::Name(*event)).collect();
    diagnostic.effect = Effect::LoadFails;
    let own = quote(t.ids.get(own));
    let actions: Option<Vec<Action>> = others
        .iter()
        .map(|event| {
            let is_needed = tree.on_branch[*event] || !t.has(*event, own::LINK);
            if !is_needed {
                return Some(Action::Remove(*event));
            }
            context.change(*event, |record| {
                let old = record.get("sessionId");
                old.map(|old| cut::replace(old, &own)).into_iter().collect()
            })
        })
        .collect();
    diagnostic.fixes = actions.map(Fix::with_guess).into_iter().collect();
    Some(diagnostic)
}

/// Results whose calls the last compaction of the path leaves out.
pub(super) fn split(t: &Transcript, session: &QwenSession, pairs: &Pairs) -> Vec<Diagnostic> {
    let branch = &session.tree.branch;
    let at = branch.iter().position(|event| Some(*event) == session.boundary);
    let Some(at) = at else {
        return Vec::new();
    };
    split_pairs::check(t, branch[at], &branch[..at], pairs, &|call, event| {
        is_one_message(t, call, event)
    })
}
