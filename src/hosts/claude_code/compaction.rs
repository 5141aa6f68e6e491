//! Compactions that keep some of the records before them.

use hashbrown::HashMap;

use super::ClaudeSession;
use super::own;
use super::records::{is_boundary, pair_parts, with_role};
use crate::format::FormatContext;
use crate::json::cut::{self, RecordChange};
use crate::json::node::Node;
use crate::json::quote::quote;
use crate::rewrite::set_member;
use crate::shapes::tree::chain;
use crate::transcript::pairs::Pairs;
use crate::transcript::{
    Action, Applicability, Code, Diagnostic, Effect, EventId, Fix, Id, Label, LabelRole, PartId,
    Role, Subject, Transcript,
};

/// Checks the compaction at the start of the current path.
pub(super) fn judge(
    context: &FormatContext<'_>,
    session: &ClaudeSession,
    pairs: &Pairs,
) -> Vec<Diagnostic> {
    let t = context.transcript;
    let Some(boundary) = session.current.start().filter(|start| is_boundary(t, *start)) else {
        return Vec::new();
    };
    match session.tree.segment.filter(|_| session.tree.boundary == Some(boundary)) {
        Some(segment) => split(t, session, pairs, boundary, segment.tail),
        None if t.has(boundary, own::SEGMENT) => {
            vec![anchor(context, session, boundary)]
        }
        None => Vec::new(),
    }
}

/// Finds results that are kept although the response with their calls is not.
fn split(
    t: &Transcript,
    session: &ClaudeSession,
    pairs: &Pairs,
    boundary: EventId,
    tail: EventId,
) -> Vec<Diagnostic> {
    let orphans: Vec<PartId> = pairs.orphans().collect();
    if orphans.is_empty() {
        return Vec::new();
    }
    let mut calls: HashMap<Id, EventId> = HashMap::new();
    let main = &session.tree.main;
    let above = main.partition_point(|event| *event < boundary);
    for event in with_role(t, &main[..above], Role::Assistant) {
        calls.extend(pair_parts(t, event).filter_map(|call| Some((t.part(call).id?, event))));
    }
    let cut: Vec<(PartId, EventId)> = orphans
        .into_iter()
        .filter_map(|result| Some((result, *calls.get(&t.part(result).id?)?)))
        .collect();
    let Some((_, call)) = cut.first().copied() else {
        return Vec::new();
    };
    // The whole response is kept again, from its first line on, if the kept records follow it.
    let same = |event: EventId| {
        let batch = t.event(call).batch;
        event == call || (batch.is_some() && t.event(event).batch == batch)
    };
    let up = chain::up(&session.tree.bare, tail);
    let first = up.filter(|event| same(*event)).last();
    let mut diagnostic = Diagnostic::new(
        Code::CompactionSplitPair,
        "the compaction keeps a tool result but not its call",
        boundary,
    );
    diagnostic.labels = vec![Label::new(boundary, LabelRole::Compaction)];
    for (result, call) in &cut {
        diagnostic.label([*call], LabelRole::Call);
        diagnostic.label([t.part(*result).event], LabelRole::Result);
        diagnostic.covers.push(Subject::Orphan(*result));
    }
    diagnostic.about = diagnostic.covers.clone();
    diagnostic.effect = Effect::Refused;
    if let Some(first) = first {
        diagnostic.fix_safely([Action::keep(boundary, vec![first])]);
    }
    vec![diagnostic]
}

/// A compaction that refers to records that do not exist. Clients then drop what it should keep.
fn anchor(context: &FormatContext<'_>, session: &ClaudeSession, boundary: EventId) -> Diagnostic {
    let t = context.transcript;
    let mut diagnostic = Diagnostic::about(
        Code::CompactionAnchor,
        "the compaction keeps records that are not in the file, so they are not sent",
        Subject::Content,
        boundary,
    );
    diagnostic.labels = vec![Label::new(boundary, LabelRole::Compaction)];
    diagnostic.effect = Effect::Hides(1);
    let named = |fact| session.tree.named_by(t, boundary, fact);
    let (head, anchor, tail) = (named(own::HEAD), named(own::ANCHOR), named(own::TAIL));
    let logical = named(own::LOGICAL).filter(|_| tail.is_none() && anchor.is_some());
    let id = logical.filter(|logical| head.is_some_and(|head| is_above(session, head, *logical)));
    let id = id.and_then(|logical| t.event(logical).id).map(|id| t.ids.get(id));
    let action = context.change(boundary, |root| match id {
        Some(id) => set_tail(root, id),
        None => cut_out(root),
    });
    diagnostic.fixes = Fix::only(Applicability::Unsafe, action);
    diagnostic
}

fn is_above(session: &ClaudeSession, head: EventId, tail: EventId) -> bool {
    let mut up = chain::up(&session.tree.bare, tail);
    up.any(|event| event == head)
}

fn set_tail(root: Node<'_>, id: &str) -> Vec<RecordChange> {
    let segment = root.at(&["compactMetadata", "preservedSegment"]);
    segment.map(|segment| set_member(segment, None, "tailUuid", &quote(id))).into_iter().collect()
}

/// The changes that make a compaction what clients treat it as: one that keeps nothing.
fn cut_out(root: Node<'_>) -> Vec<RecordChange> {
    let Some(data) = root.get("compactMetadata") else {
        return Vec::new();
    };
    let mut victims = Vec::new();
    for (at, (key, _)) in (0_u32..).zip(data.members()) {
        if key.is_str("preservedSegment") || key.is_str("preservedMessages") {
            victims.push(at);
        }
    }
    cut::remove_members(data, &victims)
}
