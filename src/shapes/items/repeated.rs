//! Items that are stored twice: calls with their outputs, and items with the same ID.

use hashbrown::{HashMap, HashSet};

use super::{ItemLayout, has_pair_part};
use crate::format::FormatContext;
use crate::requests::{item_ids, refused};
use crate::shapes::chat::diagnostics;
use crate::shapes::copies::{self, By, Same};
use crate::transcript::pairs::{PairStatus, Pairs};
use crate::transcript::{
    Action, Applicability, Code, Diagnostic, Effect, EventId, Id, Instance, Label, LabelRole,
    PartId, PartKind, Role, Subject, Transcript,
};

/// Finds them among the items that are sent.
pub(crate) fn judge(
    context: &FormatContext<'_>,
    layout: &ItemLayout,
    pairs: &Pairs,
    sent: &[EventId],
) -> Vec<Diagnostic> {
    let t = context.transcript;
    let mut found = diagnostics::replayed(t, pairs, false);
    // Servers of other models number calls anew in each turn.
    let users: Vec<EventId> =
        sent.iter().copied().filter(|event| t.event(*event).role == Role::User).collect();
    found.retain(|copy| !is_between(&users, copy));
    found.extend(written_twice(t, pairs));
    if context.target.needs.items {
        let known: HashSet<EventId> = found
            .iter()
            .flat_map(|diagnostic| &diagnostic.labels)
            .map(|label| label.event)
            .collect();
        found.extend(shared_ids(context, layout, pairs, sent, &known));
    }
    found
}

/// Whether one of these messages is between a call and what looks like its copy.
fn is_between(messages: &[EventId], copy: &Diagnostic) -> bool {
    let events = copy.labels.iter().map(|label| label.event);
    let Some((first, last)) = events.clone().min().zip(events.max()) else {
        return false;
    };
    let next = messages.partition_point(|event| *event <= first);
    messages.get(next).is_some_and(|event| *event < last)
}

/// Finds calls that are stored twice, byte for byte, with one output for both.
fn written_twice(t: &Transcript, pairs: &Pairs) -> Vec<Diagnostic> {
    type Key = (Option<Id>, u64);
    let open: Vec<(PartId, PairStatus)> =
        pairs.all().filter(|(_, status)| *status == PairStatus::Open).collect();
    if open.is_empty() {
        return Vec::new();
    }
    // Equal in ID, tool and arguments: the same call, written again.
    let key = |call: PartId| (t.part(call).id, t.part(call).digest);
    let mut answered: HashMap<Key, PartId> = HashMap::new();
    for (call, status) in pairs.all() {
        if matches!(status, PairStatus::Answered(_)) && t.part(call).id.is_some() {
            answered.entry(key(call)).or_insert(call);
        }
    }
    let mut found = Vec::new();
    for (call, _) in open {
        let Some(other) = answered.get(&key(call)).copied() else {
            continue;
        };
        let (first, copy) = (call.min(other), call.max(other));
        let message = "tool call recorded twice";
        let mut diagnostic = refused(Code::RepeatedCall, message, t.part(copy).event);
        diagnostic.labels =
            vec![Label::of(t, first, LabelRole::Call), Label::of(t, copy, LabelRole::Copy)];
        diagnostic.about = vec![Subject::Identity(copy)];
        diagnostic.covers = [first, copy]
            .into_iter()
            .flat_map(|call| [Subject::Open(call), Subject::Identity(call), Subject::Place(call)])
            .collect();
        diagnostic.fix_safely([Action::RemovePart(copy)]);
        found.push(diagnostic);
    }
    found
}

/// Finds items with the same ID: copies, or different items. `known`: items that are already reported as repeated.
fn shared_ids(
    context: &FormatContext<'_>,
    layout: &ItemLayout,
    pairs: &Pairs,
    sent: &[EventId],
    known: &HashSet<EventId>,
) -> Vec<Diagnostic> {
    let t = context.transcript;
    let items = sent.iter().copied().filter(|event| {
        let has_id = t.event(*event).id.is_some_and(|id| !t.ids.is_empty(id));
        let names_another = t.kind(*event) == "item_reference";
        let result = t.part_of(*event, PartKind::Result);
        let is_surplus =
            result.is_some_and(|result| matches!(pairs.status(result), PairStatus::Surplus(_)));
        has_id && !names_another && !known.contains(event) && !is_surplus
    });
    let twins = copies::find(context, items, By::Id, Same::Digest);
    twins
        .into_iter()
        .map(|twin| {
            if twin.is_copy {
                return diagnostics::repeated(&twin, "item stored twice");
            }
            let event = twin.event;
            let mut diagnostic = twin.shares_id("two different items have the same ID");
            diagnostic.about = vec![Subject::Content(event)];
            (diagnostic.instance, diagnostic.effect) = (Some(Instance::Rejected), Effect::Refused);
            if !has_pair_part(t, event) || t.kind(event) != "mcp_approval_request" {
                diagnostic.fixes =
                    item_ids::without_id(context, layout.item, event, Applicability::Unsafe);
            }
            diagnostic
        })
        .collect()
}
