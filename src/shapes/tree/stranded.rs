//! Finds results off the path whose calls are open on it.

use hashbrown::HashMap;

use super::Tree;
use crate::transcript::pairs::Pairs;
use crate::transcript::{
    Action, Code, Diagnostic, Effect, EventId, Label, LabelRole, Origin, PartId, PartKind, Role,
    Subject, Transcript,
};

/// Checks every turn with open calls.
pub(crate) fn check(t: &Transcript, tree: &Tree, pairs: &Pairs) -> Vec<Diagnostic> {
    if tree.flat || !pairs.batches.iter().any(|batch| batch.has_open(pairs)) {
        return Vec::new();
    }
    let mut children: HashMap<EventId, Vec<EventId>> = HashMap::new();
    let records = tree.records.iter().copied();
    for event in records.filter(|event| t.event(*event).role == Role::Tool) {
        if let Some(parent) = tree.parent[event] {
            children.entry(parent).or_default().push(event);
        }
    }
    let batches = pairs.batches.iter().filter_map(|batch| batch.calls.split_first());
    batches
        .filter_map(|(first, rest)| check_turn(t, tree, pairs, &children, *first, rest))
        .collect()
}

fn check_turn(
    t: &Transcript,
    tree: &Tree,
    pairs: &Pairs,
    children: &HashMap<EventId, Vec<EventId>>,
    first: PartId,
    rest: &[PartId],
) -> Option<Diagnostic> {
    let assistant = t.part(first).event;
    let found = off_path_results(t, tree, children, assistant);
    if found.is_empty() {
        return None;
    }
    let mut diagnostic = Diagnostic::new(
        Code::StrandedRecord,
        "tool result on a side branch of its call",
        assistant,
    );
    diagnostic.labels = vec![Label::new(assistant, LabelRole::Call)];
    let (mut relinks, mut is_clear) = (Vec::new(), true);
    let mut last = assistant;
    for call in std::iter::once(&first).chain(rest).copied() {
        if let Some(answer) = pairs.answer(call) {
            last = t.part(answer).event;
            continue;
        }
        let key = |part: PartId| t.text(t.part(part).id).trim();
        let origin =
            |event: EventId| t.part_of(event, PartKind::Result).map(|part| t.part(part).origin);
        let mut fitting: Vec<EventId> = found
            .iter()
            .copied()
            .filter(|event| {
                t.part_of(*event, PartKind::Result)
                    .is_some_and(|part| key(part) == key(call) && !key(part).is_empty())
            })
            .collect();
        fitting.retain(|event| !diagnostic.labels.iter().any(|label| label.event == *event));
        // A real result counts before a placeholder; of two real ones nobody can say which is right.
        let real = fitting.iter().filter(|event| origin(**event) == Some(Origin::Real)).count();
        let best = fitting.iter().copied().find(|e| real == 0 || origin(*e) == Some(Origin::Real));
        let Some(best) = best else { continue };
        is_clear &= real < 2;
        let role = if real == 0 { LabelRole::Placeholder } else { LabelRole::Result };
        diagnostic.label([best], role);
        diagnostic.covers.push(Subject::Open(call));
        relinks.push(Action::set_parent(best, Some(last)));
        last = best;
    }
    if relinks.is_empty() {
        return None;
    }
    diagnostic.about = vec![Subject::Parent(diagnostic.labels[1].event)];
    diagnostic.effect = Effect::Refused;
    if is_clear {
        diagnostic.fix_safely(relinks);
    }
    Some(diagnostic)
}

/// Results off the path whose chain of parents leads through results to the assistant.
fn off_path_results(
    t: &Transcript,
    tree: &Tree,
    children: &HashMap<EventId, Vec<EventId>>,
    assistant: EventId,
) -> Vec<EventId> {
    let mut found = Vec::new();
    let mut next = vec![assistant];
    // Each event has one parent, so the loop visits it once.
    while let Some(event) = next.pop() {
        let results = children
            .get(&event)
            .into_iter()
            .flatten()
            .copied()
            .filter(|result| *result != assistant);
        for result in results.filter(|result| t.event(*result).role == Role::Tool) {
            if !tree.on_branch[result] {
                found.push(result);
            }
            next.push(result);
        }
    }
    found.sort_unstable();
    found
}
