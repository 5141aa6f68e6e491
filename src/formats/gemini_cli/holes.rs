//! Lines that nobody can read: the host passes over them in silence, and appends to the last one.

use hashbrown::HashSet;

use crate::transcript::pairs::{PairStatus, Pairs};
use crate::transcript::{
    Action, Code, Diagnostic, Effect, EventId, Fix, Id, State, Subject, Transcript,
};

/// Judges each. One whose message is recorded again holds nothing that is lost.
pub(super) fn judge(t: &Transcript, pairs: &Pairs) -> Vec<Diagnostic> {
    let readable =
        |event: &EventId| matches!(t.event(*event).state, State::Whole | State::Recovered);
    let again: HashSet<Id> = t
        .with_inner()
        .filter(readable)
        .filter_map(|event| t.event(event).id)
        .collect();
    let last = t
        .records()
        .filter(|event| t.event(*event).state != State::Padding)
        .last();
    let holes = t
        .records()
        .filter(|event| t.event(*event).state == State::Unreadable);
    holes
        .map(|hole| {
            let damaged = t.is_damaged(hole);
            let is_tail = Some(hole) == last && !damaged;
            let (code, said) = match (is_tail, damaged) {
                (true, _) => (
                    Code::TornTail,
                    "the last record stops in the middle; the next one would be glued to it",
                ),
                (_, true) => (Code::UnreadableRecord, "a damaged record cannot be read"),
                (_, false) => (
                    Code::UnreadableRecord,
                    "a record in the middle cannot be read",
                ),
            };
            let mut diagnostic = Diagnostic::new(code, said, hole);
            diagnostic.about = vec![Subject::Bytes(hole)];
            diagnostic.effect = Effect::Hides(1);
            if is_tail || (!damaged && t.event(hole).id.is_some_and(|id| again.contains(&id))) {
                diagnostic.fixes = vec![Fix::safe(vec![Action::Park(hole)])];
            }
            if !is_tail {
                // What was in it may be the call of an answer, or the answer of a call.
                let unclear = pairs.all().filter_map(|(part, standing)| match standing {
                    PairStatus::Open if t.a_part(part).event < hole => Some(Subject::Open(part)),
                    PairStatus::Orphan if t.a_part(part).event > hole => {
                        Some(Subject::Orphan(part))
                    }
                    _ => None,
                });
                diagnostic.covers.extend(unclear);
            }
            diagnostic
        })
        .collect()
}
