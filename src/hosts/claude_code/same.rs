//! Records that are stored twice, and different records with the same ID.

use hashbrown::HashMap;

use super::ClaudeSession;
use super::bridge::Bridge;
use crate::format::{Client, FormatContext};
use crate::shapes::copies::{self, By, Same, Twin};
use crate::transcript::{
    Action, Code, Diagnostic, Effect, EventId, Id, Instance, LabelRole, LinkKind, Subject,
    Transcript,
};

/// Reports them, and returns in order the records that do not count: copies, and those whose ID another record keeps.
pub(super) fn judge(
    context: &FormatContext<'_>,
    main: &[EventId],
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<EventId> {
    let t = context.transcript;
    let twins = copies::find(context, main.iter().copied(), By::Id, Same::Bytes);
    let (copies, shared): (Vec<Twin>, Vec<Twin>) = twins.into_iter().partition(|twin| twin.is_copy);
    let mut dropped: Vec<EventId> = copies.iter().map(|copy| copy.event).collect();
    let twice = "same record stored twice";
    diagnostics.extend(copies.iter().map(|copy| copy.repeated(twice)));
    if shared.is_empty() {
        return dropped;
    }
    let mut by_id: HashMap<Id, EventId> = HashMap::with_capacity(main.len());
    for event in main.iter().copied() {
        if let Some(id) = t.event(event).id {
            by_id.entry(id).or_insert(event);
        }
    }
    let mut steps = main.len().saturating_mul(4);
    for twin in shared {
        let (earlier, later) = (twin.before, twin.event);
        let same = has_same_message(context, earlier, later);
        let id = t.event(later).id;
        let is_own_ancestor = same && descends(t, &by_id, later, id, &mut steps);
        let removed = if is_own_ancestor { later } else { earlier };
        dropped.push(removed);
        diagnostics.push(id_diagnostic(earlier, later, removed, same));
    }
    dropped.sort_unstable();
    dropped.dedup();
    dropped
}

fn id_diagnostic(earlier: EventId, later: EventId, removed: EventId, same: bool) -> Diagnostic {
    let message = if same {
        "one message stored in two records with the same ID"
    } else {
        "different records have the same ID"
    };
    let mut diagnostic = Diagnostic::new(Code::DuplicateRecordId, message, earlier);
    diagnostic.label([later], LabelRole::Copy);
    diagnostic.about = vec![Subject::Name(later)];
    diagnostic.covers = vec![Subject::Parent(earlier), Subject::Parent(later)];
    diagnostic.effect = Effect::Hides(1);
    diagnostic.fix_safely_if(same, [Action::Remove(removed)]);
    diagnostic
}

/// Lowers the severity of a copy that is its own ancestor where current clients continue from it with the right record, which
/// is near in time (run: 2.1.332).
pub(super) fn spare_bridged(
    context: &FormatContext<'_>,
    session: &ClaudeSession,
    diagnostics: &mut [Diagnostic],
) {
    let mut found = diagnostics
        .iter_mut()
        .filter(|found| found.code == Code::DuplicateRecordId && !found.fixes.is_empty())
        .peekable();
    if context.client != Client::Current || found.peek().is_none() {
        return;
    }
    let bridge = Bridge::between_all(context, session);
    for diagnostic in found {
        let [first, copy] = [0, 1].map(|at| diagnostic.labels[at].event);
        let removes_copy =
            matches!(diagnostic.fixes[0].actions[..], [Action::Remove(event)] if event == copy);
        let Some(parent) = session.tree.bare[first].filter(|_| removes_copy) else {
            continue;
        };
        if bridge.leads(context, session, (copy, parent), &[first, copy]) {
            diagnostic.instance = Some(Instance::Corrected);
            diagnostic.effect = Effect::None;
        }
    }
}

/// Whether two records have the same message.
fn has_same_message(context: &FormatContext<'_>, a: EventId, b: EventId) -> bool {
    let t = context.transcript;
    let message = |event: EventId| {
        let record = context.record(event).ok()?;
        let root = record.root();
        let message = root.get("message").or_else(|| root.get("attachment"))?;
        Some(message.raw().into_owned())
    };
    t.event(a).kind == t.event(b).kind && message(a).is_some_and(|first| message(b) == Some(first))
}

/// Whether the ancestors of a record include its own ID. `steps`: how many steps are left, for all records together.
fn descends(
    t: &Transcript,
    by_id: &HashMap<Id, EventId>,
    event: EventId,
    id: Option<Id>,
    steps: &mut usize,
) -> bool {
    let named = |event: EventId| t.linked(event, LinkKind::Parent);
    let mut parent = named(event);
    while let Some(wanted) = parent.filter(|_| *steps > 0) {
        if Some(wanted) == id {
            return true;
        }
        *steps -= 1;
        parent = by_id.get(&wanted).and_then(|event| named(*event));
    }
    false
}
