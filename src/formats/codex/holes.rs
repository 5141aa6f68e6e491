//! Lines that nobody can read: the host passes over them.

use super::{attrs, header};
use crate::transcript::pairs::{PairStatus, Pairs};
use crate::transcript::{
    Action, Code, Diagnostic, Effect, EventId, Fix, PartId, State, Subject, Transcript, Value,
};

/// Judges each.
pub(super) fn judge(t: &Transcript, pairs: &Pairs) -> Vec<Diagnostic> {
    let last = t
        .records()
        .filter(|event| t.event(*event).state != State::Padding)
        .last();
    let header = header::torn(t);
    let holes = t
        .records()
        .filter(|event| t.event(*event).state == State::Unreadable);
    holes
        .filter(|hole| Some(*hole) != header)
        .map(|hole| {
            let torn = t.is_torn(hole);
            one(t, pairs, hole, torn, torn && Some(hole) == last)
        })
        .collect()
}

/// `torn`: nothing is wrong with it but that it stops; in the middle that is the tail of an old crash.
fn one(t: &Transcript, pairs: &Pairs, hole: EventId, torn: bool, tail: bool) -> Diagnostic {
    let (code, said) = match (tail, torn) {
        (true, _) => (Code::TornTail, "the last record stops in the middle"),
        (false, true) => (
            Code::UnreadableRecord,
            "a record in the middle stops, and the host went on behind it",
        ),
        (false, false) => (Code::UnreadableRecord, "a record cannot be read"),
    };
    let mut diagnostic = Diagnostic::new(code, said, hole);
    diagnostic.about = vec![Subject::Bytes(hole)];
    diagnostic.effect = Effect::Hides(1);
    let shown = match t.attr_of(hole, attrs::CALL) {
        Some(Value::Text(id)) => Some(id),
        _ => None,
    };
    // What was in it may be the answer of a call before it, or the call of an answer behind.
    let may_be = |part: PartId| match shown {
        Some(id) => t.a_part(part).id == Some(id),
        None => !torn,
    };
    for (part, standing) in pairs.all().filter(|(part, _)| may_be(*part)) {
        let behind = t.a_part(part).event > hole;
        match standing {
            PairStatus::Open if !behind => diagnostic.covers.push(Subject::Open(part)),
            PairStatus::Orphan if behind => diagnostic.covers.push(Subject::Orphan(part)),
            _ => {}
        }
    }
    if torn {
        // What shows that a call had a result is not given up as if it had none.
        let park = vec![Action::Park(hole)];
        let is_alone = tail || diagnostic.covers.is_empty();
        diagnostic.fixes = vec![if is_alone {
            Fix::safe(park)
        } else {
            Fix::with_guess(park)
        }];
    }
    diagnostic
}
