//! Lines that nobody can read: the host passes over them.

use super::header;
use super::path::Path;
use crate::transcript::pairs::{PairStatus, Pairs};
use crate::transcript::{Action, Code, Diagnostic, Effect, EventId, Fix, Subject, Transcript};

/// Judges each.
pub(super) fn judge(t: &Transcript, path: &Path, pairs: &Pairs) -> Vec<Diagnostic> {
    let last = path.records.iter().chain(&path.headers).max();
    let header = header::torn(t, path);
    let holes = path
        .holes
        .iter()
        .copied()
        .filter(|hole| Some(*hole) != header);
    let is_last = |hole: EventId| last.is_none_or(|last| *last < hole);
    holes
        .map(|hole| one(path, pairs, hole, is_last(hole), t.is_damaged(hole)))
        .collect()
}

fn one(path: &Path, pairs: &Pairs, hole: EventId, is_last: bool, damaged: bool) -> Diagnostic {
    let tail = is_last && !damaged;
    let (code, said) = match (tail, damaged) {
        (true, _) => (Code::TornTail, "the last record stops in the middle"),
        (_, true) => (Code::UnreadableRecord, "a damaged record cannot be read"),
        (_, false) => (
            Code::UnreadableRecord,
            "a record in the middle cannot be read",
        ),
    };
    let mut diagnostic = Diagnostic::new(code, said, hole);
    diagnostic.about = vec![Subject::Bytes(hole)];
    diagnostic.effect = Effect::Hides(1);
    if tail {
        diagnostic.fixes = vec![Fix::safe(vec![Action::Park(hole)])];
        return diagnostic;
    }
    // What was in it may be the call of an answer, or the answer of a call.
    diagnostic.covers = path.broken.map(Subject::Parent).into_iter().collect();
    if path.through_hole.is_some() || path.broken.is_some() || path.flat {
        let unclear = pairs.all().filter_map(|(part, standing)| match standing {
            PairStatus::Open => Some(Subject::Open(part)),
            PairStatus::Orphan => Some(Subject::Orphan(part)),
            _ => None,
        });
        diagnostic.covers.extend(unclear);
    }
    diagnostic
}
