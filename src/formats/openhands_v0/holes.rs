//! Event files that nobody can read or that are gone, and the copies that cache pages still hold.

use super::history::History;
use super::pages;
use crate::bytes::edit::Edit;
use crate::containers::NAME_ID;
use crate::containers::files::NOWHERE;
use crate::formats::FormatContext;
use crate::transcript::pairs::{PairStatus, Pairs};
use crate::transcript::{
    Action, Code, Diagnostic, Effect, EventId, Fix, PartId, Severity, State, Subject, Transcript,
    Value,
};

/// Event files that nobody can read, and files that are gone while a page still holds the event.
pub(super) fn judge(
    context: &FormatContext<'_>,
    pairs: &Pairs,
    history: &History,
) -> Vec<Diagnostic> {
    let t = context.transcript;
    let last = t.records().last();
    let odd: Vec<(PartId, PairStatus)> = pairs
        .all()
        .filter(|(_, standing)| matches!(standing, PairStatus::Open | PairStatus::Orphan))
        .collect();
    let is_hole = |event: &EventId| t.event(*event).state == State::Unreadable;
    let mut diagnostics = Vec::new();
    for hole in history.kept.iter().copied().filter(is_hole) {
        let missing = t.event(hole).at.entry == NOWHERE;
        let copy = number_in_name(t, hole).and_then(|id| pages::copy_of(context.entries, id));
        let tail = Some(hole) == last && !t.is_damaged(hole);
        let (code, said) = match (missing, &copy, tail) {
            (true, ..) => (
                Code::RecordOrder,
                "an event has no file any more, only its copy in a cache page",
            ),
            (_, Some(_), _) => (
                Code::UnreadableRecord,
                "an event cannot be read, its copy in a cache page can",
            ),
            (_, None, true) => (Code::TornTail, "the last event stops in the middle"),
            (_, None, false) if t.is_damaged(hole) => {
                (Code::UnreadableRecord, "a damaged event cannot be read")
            }
            (_, None, false) => (
                Code::UnreadableRecord,
                "an event in the middle cannot be read",
            ),
        };
        let mut diagnostic = Diagnostic::new(code, said, hole);
        diagnostic.about = vec![Subject::Bytes(hole)];
        // What was in it is unknown: it may explain any call without answer before it, any answer without call behind.
        diagnostic.covers = odd
            .iter()
            .filter_map(|(part, standing)| unexplained(t, hole, *part, *standing))
            .collect();
        diagnostic.fixes = vec![match copy {
            Some(copy) => Fix::safe(vec![restored(context, hole, copy)]),
            None if t.is_damaged(hole) => Fix::with_guess(vec![Action::Park(hole)]),
            None => Fix::safe(vec![Action::Park(hole)]),
        }];
        // The host reads the page, not the file.
        match diagnostic.fixes[0].actions[0] {
            Action::Park(_) => diagnostic.effect = Effect::LoadFails,
            _ => diagnostic.severity = Some(Severity::Warning),
        }
        diagnostics.push(diagnostic);
    }
    diagnostics
}

fn unexplained(
    t: &Transcript,
    hole: EventId,
    part: PartId,
    standing: PairStatus,
) -> Option<Subject> {
    match standing {
        PairStatus::Open if t.a_part(part).event < hole => Some(Subject::Open(part)),
        PairStatus::Orphan if t.a_part(part).event > hole => Some(Subject::Orphan(part)),
        _ => None,
    }
}

pub(super) fn number_in_name(t: &Transcript, event: EventId) -> Option<u64> {
    match (
        t.attr_of(event, NAME_ID),
        t.event(event).at.entry == NOWHERE,
    ) {
        (Some(Value::Text(id)), _) => t.ids.get(id).parse().ok(),
        (_, true) => Some(t.event(event).place.number()),
        _ => None,
    }
}

pub(super) fn restored(context: &FormatContext<'_>, hole: EventId, copy: Vec<u8>) -> Action {
    let t = context.transcript;
    let at = t.event(hole).at;
    let edit = if at.entry == NOWHERE {
        Edit::Create {
            name: format!("events/{}.json", t.event(hole).place.number()),
            bytes: copy,
        }
    } else {
        Edit::Bytes { at, with: copy }
    };
    Action::Mend {
        event: hole,
        word: "restore from the cache page",
        edits: vec![edit],
    }
}
