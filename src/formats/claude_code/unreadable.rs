//! Lines that nobody can read: clients pass over them.

use super::Session;
use super::ends::Broken;
use super::lost;
use crate::formats::FormatContext;
use crate::transcript::pairs::{PairStatus, Pairs};
use crate::transcript::unreadable::{Left, Unreadable};
use crate::transcript::{Action, Diagnostic, Effect, EventId, Fix, Id, Subject, Transcript};

/// Bytes of a line that are looked at for pieces of a record.
const LOOK: u64 = 1 << 20;

/// Judges each.
pub(super) fn judge(
    context: &FormatContext<'_>,
    session: &Session,
    pairs: &Pairs,
) -> Vec<Diagnostic> {
    let t = context.transcript;
    let unreadable = Unreadable::new(t, pairs, super::CLAUDE_CODE.traits.unreadable);
    let of_hole = |hole: EventId| {
        let broken = session
            .mended
            .broken
            .iter()
            .filter(move |broken| broken.hole == Some(hole));
        broken
            .filter(|broken| lost::matters(session, broken))
            .collect::<Vec<_>>()
    };
    let records = unreadable.records();
    records
        .map(|hole| {
            let parts = (session, pairs, &unreadable);
            diagnostic(context, parts, hole, &of_hole(hole))
        })
        .collect()
}

fn diagnostic(
    context: &FormatContext<'_>,
    (session, pairs, unreadable): (&Session, &Pairs, &Unreadable<'_>),
    hole: EventId,
    children: &[&Broken],
) -> Diagnostic {
    let t = context.transcript;
    let bytes = bytes(context, hole);
    let left = match unreadable.left(hole) {
        Left::Tail if !bytes.ends_with(b"\n") => {
            let mut diagnostic = unreadable.diagnostic(hole);
            diagnostic.effect = Effect::None;
            return diagnostic;
        }
        Left::Tail => Left::Middle,
        left => left,
    };
    let host = super::CLAUDE_CODE.traits.unreadable;
    let mut diagnostic = host.diagnostic(hole, left);
    let rubbish = left == Left::Middle && !t.is_torn(hole) && !names_record(t, &bytes);
    if rubbish {
        diagnostic.message = "a line that is not a record".to_owned();
    }
    diagnostic.covers = children
        .iter()
        .map(|broken| Subject::Parent(broken.event))
        .collect();
    if !rubbish {
        diagnostic.covers.extend(halves(t, session, pairs, hole));
    }
    let hidden = if children.is_empty() {
        1
    } else {
        above(session, hole)
    };
    diagnostic.effect = Effect::Hides(if rubbish && children.is_empty() {
        0
    } else {
        hidden
    });
    let mut relinks = Vec::new();
    for broken in children {
        let (actions, forced) = lost::actions(context, session, broken);
        if forced {
            relinks.extend(actions);
        }
    }
    let park: Vec<Action> = relinks
        .iter()
        .cloned()
        .chain([Action::Remove(hole)])
        .collect();
    if rubbish {
        diagnostic.fixes = vec![Fix::safe(park)];
    } else {
        let hang = (!relinks.is_empty()).then(|| Fix::safe(relinks));
        diagnostic.fixes = hang.into_iter().chain([Fix::with_guess(park)]).collect();
    }
    diagnostic
}

fn above(session: &Session, hole: EventId) -> u32 {
    session.tree.spoken_before(hole).saturating_add(1)
}

/// The line, or the beginning of a very long one with its end.
fn bytes(context: &FormatContext<'_>, hole: EventId) -> Vec<u8> {
    let at = context.transcript.event(hole).at;
    let cut = crate::bytes::source::Span {
        end: at.end.min(at.start.saturating_add(LOOK)),
        ..at
    };
    let mut bytes = context.entries.fetch(cut).unwrap_or_default();
    if cut.end < at.end {
        let last = crate::bytes::source::Span {
            start: at.end - 1,
            ..at
        };
        bytes.extend(context.entries.fetch(last).unwrap_or_default());
    }
    bytes
}

/// Whether a line names a record that is known.
fn names_record(t: &Transcript, bytes: &[u8]) -> bool {
    const UUID: usize = 36;
    let dashes = |word: &&[u8]| [8, 13, 18, 23].iter().all(|at| word[*at] == b'-');
    let mut words = bytes.windows(UUID).filter(dashes);
    words.any(|word| std::str::from_utf8(word).is_ok_and(|id| t.ids.find(id).is_some()))
}

/// Calls and results whose other half stands in a line that cannot be read, or may.
fn halves(t: &Transcript, session: &Session, pairs: &Pairs, hole: EventId) -> Vec<Subject> {
    let shown: Vec<Id> = t
        .event(hole)
        .parts
        .clone()
        .filter_map(|part| t.a_part(part).id)
        .collect();
    let main = &session.tree.main;
    let at = main.partition_point(|event| *event < hole);
    let before = at.checked_sub(1).map(|at| main[at]);
    let behind = main.get(at).copied();
    let beside = |event: EventId, other: Option<EventId>| {
        let batch = t.event(event).batch;
        other == Some(event)
            || (batch.is_some() && other.is_some_and(|other| t.event(other).batch == batch))
    };
    let mut found = Vec::new();
    for (part, standing) in pairs.all() {
        let known = t.a_part(part);
        let named = known.id.is_some_and(|id| shown.contains(&id));
        match standing {
            PairStatus::Open if named || (shown.is_empty() && beside(known.event, before)) => {
                found.push(Subject::Open(part));
            }
            PairStatus::Orphan if named || (shown.is_empty() && behind == Some(known.event)) => {
                found.push(Subject::Orphan(part));
            }
            _ => {}
        }
    }
    found
}
