//! Finds calls and results without an ID off the branch. They are never sent, but the SDK validates
//! every event that it loads.

use super::tree::ConversationTree;
use crate::transcript::{
    Action, Code, Diagnostic, Effect, EventId, Fix, Instance, LinkKind, PartId, PartKind, Subject,
    Transcript,
};

/// Reports null or missing `tool_call_id`s off the branch; those on it are found by pairing.
pub(super) fn check(t: &Transcript, tree: &ConversationTree) -> Vec<Diagnostic> {
    let off = tree.records.iter().copied().filter(|event| !tree.on_branch[*event]);
    off.filter_map(|event| check_event(t, tree, event)).collect()
}

fn check_event(t: &Transcript, tree: &ConversationTree, event: EventId) -> Option<Diagnostic> {
    let part = t.event(event).parts.clone().find(|part| {
        let part = t.part(*part);
        matches!(part.kind, PartKind::Call | PartKind::Result) && part.id.is_none()
    })?;
    let mut diagnostic = Diagnostic::new(
        Code::MissingCallId,
        "an event off the active branch has no tool call ID: the SDK does not load it",
        event,
    );
    diagnostic.about = vec![Subject::Identity(part)];
    diagnostic.instance = Some(Instance::Stops);
    diagnostic.effect = Effect::LoadFails;
    let to = called_id(t, tree, event, part);
    let rename = to.map(|to| Fix::safe([Action::rename_id(vec![part], to)]));
    diagnostic.fixes = rename.into_iter().collect();
    Some(diagnostic)
}

/// The ID of the call that the link of a result names, or the inner ID of a call.
fn called_id(
    t: &Transcript,
    tree: &ConversationTree,
    event: EventId,
    part: PartId,
) -> Option<String> {
    let own = t.part(part).sent_id;
    let linked =
        t.link_of(event, LinkKind::Call).and_then(|link| tree.by_id.get(&link.to?)).copied();
    let call = linked.and_then(|call| t.part_of(call, PartKind::Call));
    let id = own.or_else(|| t.part(call?).id).filter(|id| !t.ids.is_empty(*id))?;
    Some(t.ids.get(id).to_owned())
}
