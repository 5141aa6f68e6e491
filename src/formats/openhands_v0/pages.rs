//! Cache pages: `event_cache/<start>-<end>.json`, a list of the events from `start` up to but
//! without `end`.
//!
//! The host believes a page more than the event files that it covers, and does without one that is
//! not there.

use crate::json::record::Record;
use std::collections::BTreeMap;
use std::ops::Range;

use crate::bytes::edit::Edit;
use crate::bytes::source::{Entries, EntryId, Span};
use crate::containers::Layout;
use crate::formats::FormatContext;
use crate::json::node::Node;
use crate::json::scan::{Mode, scan};
use crate::json::tape::Kind;
use crate::transcript::{
    Action, Code, Diagnostic, Effect, EventId, Fix, Label, LabelRole, Severity, State, Subject,
};

/// Events of a page.
const SIZE: u64 = 25;
/// Largest page that is looked at.
const MOST: u64 = 256 << 20;

/// The bytes of an entry that is not larger than this.
pub(super) fn whole(entries: &dyn Entries, entry: EntryId, most: u64) -> Option<Vec<u8>> {
    let end = entries.len(entry);
    if end > most {
        None
    } else {
        entries
            .fetch(Span {
                entry,
                start: 0,
                end,
            })
            .ok()
    }
}

/// All pages with the ids that they cover.
fn pages(entries: &dyn Entries) -> Vec<(EntryId, Range<u64>)> {
    let of = |entry: EntryId| Some((entry, range_of(entries.name(entry))?));
    let mut pages: Vec<_> = entries.ids().into_iter().filter_map(of).collect();
    pages.sort_by_key(|(_, range)| range.start);
    pages
}

/// Whether a page with this name covers an id.
pub(super) fn covers(page: &str, id: u64) -> bool {
    range_of(page).is_some_and(|range| range.contains(&id))
}

fn range_of(page: &str) -> Option<Range<u64>> {
    let (start, end) = page
        .strip_prefix("event_cache/")?
        .strip_suffix(".json")?
        .split_once('-')?;
    let (start, end) = (start.parse::<u64>().ok()?, end.parse::<u64>().ok()?);
    // The host asks for no other name.
    let asked = start % SIZE == 0 && start.checked_add(SIZE) == Some(end);
    asked.then_some(start..end)
}

/// The events of a page by the id that the host takes them for. `None`: it cannot read the page.
fn events(entries: &dyn Entries, page: EntryId, range: &Range<u64>) -> Option<Vec<(u64, Vec<u8>)>> {
    let page = Record::parse(whole(entries, page, MOST)?)
        .filter(|page| page.is_whole() && page.root().kind() == Kind::Array)?;
    let items = page.root().items().map(|item| item.raw().into_owned());
    Some(range.clone().zip(items).collect())
}

fn names_itself(id: u64, event: &[u8]) -> bool {
    let tape = scan(event, Mode::Document);
    let own = Node::root(&tape, &event)
        .and_then(|root| root.get("id"))
        .and_then(|id| id.as_u64());
    own == Some(id)
}

/// Ids below the highest that have no file, but whose event a page still holds: the host reads it
/// from there.
pub(super) fn held_only_there(entries: &dyn Entries, has_file: impl Fn(u64) -> bool) -> Vec<u64> {
    let mut lost = Vec::new();
    for (page, range) in pages(entries) {
        if range.clone().all(&has_file) {
            continue;
        }
        let held = events(entries, page, &range).unwrap_or_default();
        lost.extend(
            held.iter()
                .filter(|(id, event)| !has_file(*id) && names_itself(*id, event))
                .map(|(id, _)| *id),
        );
    }
    lost
}

/// The copy of an event in a page.
pub(super) fn copy_of(entries: &dyn Entries, id: u64) -> Option<Vec<u8>> {
    let (page, range) = pages(entries)
        .into_iter()
        .find(|(_, range)| range.contains(&id))?;
    let mut held = events(entries, page, &range)?;
    let at = held
        .iter()
        .position(|(own, event)| *own == id && names_itself(id, event))?;
    Some(held.swap_remove(at).1)
}

/// The pages that would contradict a change of these ids.
pub(super) fn covering(entries: &dyn Entries, ids: &[u64]) -> Vec<Edit> {
    let covers = |range: &Range<u64>| ids.iter().any(|id| range.contains(id));
    pages(entries)
        .into_iter()
        .filter(|(_, range)| covers(range))
        .map(|(page, _)| Edit::Remove(page))
        .collect()
}

/// Pages that say something else than the event files, or that nobody can read.
pub(super) fn judge(context: &FormatContext<'_>) -> Vec<Diagnostic> {
    if !matches!(context.layout, Layout::Files(_)) {
        return Vec::new();
    }
    let t = context.transcript;
    let files: BTreeMap<u64, EventId> = t
        .records()
        .map(|no| (t.event(no).place.number(), no))
        .collect();
    let mut diagnostics = Vec::new();
    for (page, range) in pages(context.entries) {
        let Some((_, first)) = files.range(range.clone()).next() else {
            continue;
        };
        let held = events(context.entries, page, &range);
        let diagnostic = match held {
            None => Some(stale(
                page,
                *first,
                "a cache page cannot be read, and OpenHands stops there",
            )),
            // The host passes over an empty page.
            Some(held) if held.is_empty() => None,
            Some(held) => differs(context, &files, &held, &range)
                .map(|event| stale(page, event, "a cache page differs from the event's file")),
        };
        diagnostics.extend(diagnostic.map(|mut diagnostic| {
            let unreadable = diagnostic.message.contains("cannot be read");
            diagnostic.severity = unreadable.then_some(Severity::Error);
            diagnostic.effect = if unreadable {
                Effect::LoadFails
            } else {
                Effect::None
            };
            diagnostic
        }));
    }
    diagnostics
}

/// The first event of the page's range that its file tells in another way.
fn differs(
    context: &FormatContext<'_>,
    files: &BTreeMap<u64, EventId>,
    held: &[(u64, Vec<u8>)],
    range: &Range<u64>,
) -> Option<EventId> {
    let t = context.transcript;
    let mut whole = files
        .range(range.clone())
        .filter(|(_, event)| t.event(**event).state == State::Whole);
    whole.find_map(|(id, event)| {
        let copy = usize::try_from(id - range.start)
            .ok()
            .and_then(|at| held.get(at));
        let own = context.record(*event).ok()?;
        let own = own.bytes();
        let same = copy.is_some_and(|(_, copy)| copy == own || bare(copy) == bare(own));
        (!same).then_some(*event)
    })
}

/// The bytes of JSON without the white space between its tokens.
fn bare(json: &[u8]) -> Vec<u8> {
    let (mut inside, mut escaped) = (false, false);
    let mut bare = Vec::with_capacity(json.len());
    for byte in json {
        if inside || !byte.is_ascii_whitespace() {
            bare.push(*byte);
        }
        inside ^= *byte == b'"' && !escaped;
        escaped = inside && *byte == b'\\' && !escaped;
    }
    bare
}

fn stale(page: EntryId, event: EventId, message: &str) -> Diagnostic {
    let mut diagnostic = Diagnostic::new(Code::StaleSideFile, message, event);
    diagnostic.labels = vec![Label::new(event, LabelRole::Record)];
    diagnostic.about = vec![Subject::State];
    let park = Action::EditBytes {
        event,
        word: "remove the cache page of {}",
        edits: vec![Edit::Remove(page)],
    };
    diagnostic.fixes = vec![Fix::safe(vec![park])];
    diagnostic
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_white_space_between_tokens_is_passed_over() {
        assert_eq!(
            bare(b" {\"a \\\" b\" : [1 ,\n2]} "),
            b"{\"a \\\" b\":[1,2]}"
        );
        assert_ne!(bare(b"\"a b\""), bare(b"\"ab\""));
        assert_eq!(bare(b"[\"\\\\\" , 1]"), b"[\"\\\\\",1]");
    }
}
