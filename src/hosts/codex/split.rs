//! A compaction between a call and its output: the host drops the output.

use hashbrown::HashMap;

use super::history::RolloutHistory;
use crate::format::FormatContext;
use crate::shapes::items;
use crate::transcript::pairs::Pairs;
use crate::transcript::{
    Action, Code, Diagnostic, Effect, EventId, Id, Label, LabelRole, PartId, PartKind, State,
    Subject,
};

/// Finds outputs whose calls the newest compaction removed. The fix moves the calls after it.
pub(super) fn check(
    context: &FormatContext<'_>,
    history: &RolloutHistory,
    pairs: &Pairs,
) -> Option<Diagnostic> {
    let t = context.transcript;
    let base = history.base?;
    let orphans: Vec<PartId> = pairs
        .orphans()
        .filter(|part| t.part(*part).event > base && t.event(t.part(*part).event).within.is_none())
        .collect();
    if orphans.is_empty() {
        return None;
    }
    let mut older: HashMap<Id, Vec<PartId>> = HashMap::new();
    for (number, part) in t.parts.enumerated().filter(|(_, part)| part.kind == PartKind::Call) {
        let event = t.event(part.event);
        if part.event < base && event.within.is_none() && event.state == State::Whole {
            part.id.into_iter().for_each(|id| older.entry(id).or_default().push(number));
        }
    }
    let mut separated: Vec<(PartId, PartId)> = Vec::new();
    for result in orphans {
        let Some(calls) = t.part(result).id.and_then(|id| older.get_mut(&id)) else {
            continue;
        };
        // Each call has one output; take the newest of its kind.
        if let Some(at) = calls.iter().rposition(|call| items::fits(t, *call, result)) {
            separated.push((calls.remove(at), result));
        }
    }
    separated.sort_unstable();
    let (first, _) = *separated.first()?;
    let mut diagnostic = Diagnostic::new(
        Code::CompactionSplitPair,
        "a compaction separates a tool call from its result",
        t.part(first).event,
    );
    let (calls, results): (Vec<PartId>, Vec<PartId>) = separated.into_iter().unzip();
    let calls: Vec<EventId> = calls.into_iter().map(|call| t.part(call).event).collect();
    diagnostic.labels = Label::all(&calls, LabelRole::Call);
    diagnostic.label([base], LabelRole::Compaction);
    diagnostic.label(results.iter().map(|result| t.part(*result).event), LabelRole::Result);
    diagnostic.about = results.into_iter().map(Subject::Orphan).collect();
    diagnostic.covers.clone_from(&diagnostic.about);
    diagnostic.effect = Effect::Refused;
    diagnostic.fix_safely([Action::keep(base, calls)]);
    Some(diagnostic)
}
