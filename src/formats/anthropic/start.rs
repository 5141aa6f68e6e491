//! How the conversation begins.

use super::order::begins_in_a_pair;
use crate::bytes::edit::Edit;
use crate::bytes::source::Span;
use crate::containers::Layout;
use crate::dialects::anthropic;
use crate::formats::FormatContext;
use crate::formats::chat::faults;
use crate::json::alike::Alike;
use crate::transcript::pairs::Pairs;
use crate::transcript::{Action, Code, Diagnostic, EventId, Fix, Role, State, Subject};

/// Longest white space between two elements that is copied.
const MOST_BLANK: u64 = 4096;

/// The first message is not the user's, or holds results of calls that were cut off.
pub(super) fn judge(scene: &FormatContext<'_>, talk: &[EventId], pairs: &Pairs) -> Option<Diagnostic> {
    let t = scene.transcript;
    let first = *talk.first()?;
    if begins_in_a_pair(t, talk, pairs) {
        let said = "the conversation begins with results of calls that are cut off";
        let mut fault = faults::of(t, Code::OrphanResult, said, first);
        let results = t.event(first).parts.clone();
        fault.covers = results.clone().map(Subject::Orphan).collect();
        let mut remedies: Vec<Action> = results.map(Action::ParkPart).collect();
        remedies.extend(beginning(scene, first));
        fault.treatments = vec![Fix::with_guess(remedies)];
        return Some(fault);
    }
    if t.event(first).role != Role::Assistant {
        return None;
    }
    let mut fault = faults::of(t, Code::BadStart, "the conversation begins with the assistant", first);
    fault.about = vec![Subject::Name(first)];
    let remedy = beginning(scene, first);
    fault.treatments = remedy.map(|remedy| Fix::with_guess(vec![remedy])).into_iter().collect();
    Some(fault)
}

/// A message of the user in front of this record, laid out as it is.
fn beginning(scene: &FormatContext<'_>, first: EventId) -> Option<Action> {
    let t = scene.transcript;
    let at = t.event(first).at;
    if t.event(first).state != State::Whole {
        return None;
    }
    let own = scene.entries.fetch(at).ok()?;
    let layout = Alike::of(own.trim_ascii_end());
    let mut with = layout
        .object(&[("role", layout.quote("user")), ("content", layout.quote(anthropic::LOST_BEGINNING))]);
    match scene.layout {
        Layout::Lines(_) if own.ends_with(b"\r\n") => with.extend_from_slice(b"\r\n"),
        Layout::Lines(_) => with.push(b'\n'),
        _ => with.extend(between(scene, first)),
    }
    let at = Span { end: at.start, ..at };
    let edits = vec![Edit::Bytes { at, with }];
    Some(Action::Mend { event: first, word: "insert", edits })
}

/// What stands between this element and the next.
fn between(scene: &FormatContext<'_>, first: EventId) -> Vec<u8> {
    let t = scene.transcript;
    let from = t.event(first).at;
    let next = t.records().find(|event| *event > first && t.event(*event).state == State::Whole);
    let gap = next.map(|next| Span { start: from.end, end: t.event(next).at.start, ..from });
    let gap = gap.filter(|gap| gap.end.saturating_sub(gap.start) < MOST_BLANK);
    let gap = gap.and_then(|gap| scene.entries.fetch(gap).ok());
    let plain = |gap: &Vec<u8>| gap.trim_ascii() == b",";
    gap.filter(plain).unwrap_or_else(|| b", ".to_vec())
}
