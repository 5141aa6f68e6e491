//! Cache pages: `event_cache/<start>-<end>.json`, a list of the events from `start` up to, but
//! without, `end`.
//!
//! The host prefers a page to the event files that it covers, and reads the files if there is no
//! page.

use crate::json::record::Record;
use std::collections::BTreeMap;
use std::ops::Range;

use crate::bytes::edit::Edit;
use crate::bytes::source::{Entries, EntryId, Span};
use crate::containers::Layout;
use crate::format::FormatContext;
use crate::json::node::Node;
use crate::json::scan::{ScanMode, scan};
use crate::json::tape::Kind;
use crate::shapes::copies::strip_whitespace;
use crate::transcript::{
    Action, Code, Diagnostic, Effect, EventId, Instance, Label, LabelRole, State, Subject,
};

/// Number of events in a page.
const SIZE: u64 = 25;
/// Largest page that is read, in bytes.
const MAX_PAGE_SIZE: u64 = 256 << 20;

/// The bytes of an entry, unless it is larger than `max` bytes.
pub(super) fn read_whole(entries: &dyn Entries, entry: EntryId, max: u64) -> Option<Vec<u8>> {
    let end = entries.len(entry);
    if end > max { None } else { entries.fetch(Span::new(entry, 0, end)).ok() }
}

/// All pages with the IDs that they cover.
fn pages(entries: &dyn Entries) -> Vec<(EntryId, Range<u64>)> {
    let mut pages: Vec<_> = entries
        .ids()
        .into_iter()
        .filter_map(|entry| Some((entry, range_of(entries.name(entry))?)))
        .collect();
    pages.sort_by_key(|(_, range)| range.start);
    pages
}

/// Whether a page with this name covers an ID.
pub(super) fn covers(page: &str, id: u64) -> bool {
    range_of(page).is_some_and(|range| range.contains(&id))
}

fn range_of(page: &str) -> Option<Range<u64>> {
    let (start, end) = page.strip_prefix("event_cache/")?.strip_suffix(".json")?.split_once('-')?;
    let (start, end) = (start.parse::<u64>().ok()?, end.parse::<u64>().ok()?);
    // The host reads no other name.
    let is_page_name = start % SIZE == 0 && start.checked_add(SIZE) == Some(end);
    is_page_name.then_some(start..end)
}

/// The events of a page, each with the ID that the host gives it; `None` if the host cannot read
/// the page.
fn events(entries: &dyn Entries, page: EntryId, range: &Range<u64>) -> Option<Vec<(u64, Vec<u8>)>> {
    let page = Record::parse(read_whole(entries, page, MAX_PAGE_SIZE)?)
        .filter(|page| page.is_whole() && page.root().kind() == Kind::Array)?;
    let items = page.root().items().map(|item| item.raw().into_owned());
    Some(range.clone().zip(items).collect())
}

fn names_itself(id: u64, event: &[u8]) -> bool {
    let tape = scan(event, ScanMode::Document);
    let own = Node::root(&tape, &event).and_then(|root| root.get("id")).and_then(|id| id.as_u64());
    own == Some(id)
}

/// IDs without a file whose event a page still has: the host reads it from there.
pub(super) fn ids_without_file(entries: &dyn Entries, has_file: impl Fn(u64) -> bool) -> Vec<u64> {
    let mut lost = Vec::new();
    for (page, range) in pages(entries) {
        if range.clone().all(&has_file) {
            continue;
        }
        let events_in_page = events(entries, page, &range).unwrap_or_default();
        lost.extend(
            events_in_page
                .iter()
                .filter(|(id, event)| !has_file(*id) && names_itself(*id, event))
                .map(|(id, _)| *id),
        );
    }
    lost
}

/// The copy of an event in a page.
pub(super) fn copy_of(entries: &dyn Entries, id: u64) -> Option<Vec<u8>> {
    let (page, range) = pages(entries).into_iter().find(|(_, range)| range.contains(&id))?;
    let mut events_in_page = events(entries, page, &range)?;
    let at =
        events_in_page.iter().position(|(own, event)| *own == id && names_itself(id, event))?;
    Some(events_in_page.swap_remove(at).1)
}

/// The pages that would contradict a change of these IDs.
pub(super) fn covering(entries: &dyn Entries, ids: &[u64]) -> Vec<Edit> {
    pages(entries)
        .into_iter()
        .filter(|(_, range)| ids.iter().any(|id| range.contains(id)))
        .map(|(page, _)| Edit::Remove(page))
        .collect()
}

/// Reports pages that differ from the event files, or that cannot be read.
pub(super) fn check(context: &FormatContext<'_>) -> Vec<Diagnostic> {
    if !matches!(context.layout, Layout::Files(_)) {
        return Vec::new();
    }
    let t = context.transcript;
    let files: BTreeMap<u64, EventId> =
        t.records().map(|no| (t.event(no).place().number(), no)).collect();
    let mut diagnostics = Vec::new();
    for (page, range) in pages(context.entries) {
        let Some((_, first)) = files.range(range.clone()).next() else {
            continue;
        };
        let events_in_page = events(context.entries, page, &range);
        let diagnostic = match events_in_page {
            None => {
                Some(stale(page, *first, "a cache page cannot be read, and OpenHands stops there"))
            }
            // The host skips an empty page.
            Some(events_in_page) if events_in_page.is_empty() => None,
            Some(events_in_page) => first_difference(context, &files, &events_in_page, &range)
                .map(|event| stale(page, event, "a cache page differs from the event's file")),
        };
        diagnostics.extend(diagnostic.map(|mut diagnostic| {
            let unreadable = diagnostic.message.contains("cannot be read");
            diagnostic.instance = unreadable.then_some(Instance::Stops);
            diagnostic.effect = if unreadable { Effect::LoadFails } else { Effect::None };
            diagnostic
        }));
    }
    diagnostics
}

/// The first event in the page's range whose file differs from the page.
fn first_difference(
    context: &FormatContext<'_>,
    files: &BTreeMap<u64, EventId>,
    events_in_page: &[(u64, Vec<u8>)],
    range: &Range<u64>,
) -> Option<EventId> {
    let t = context.transcript;
    let mut whole =
        files.range(range.clone()).filter(|(_, event)| t.event(**event).state == State::Whole);
    whole.find_map(|(id, event)| {
        let copy = usize::try_from(id - range.start).ok().and_then(|at| events_in_page.get(at));
        let own = context.record(*event).ok()?;
        let own = own.bytes();
        let same = copy.is_some_and(|(_, copy)| {
            copy == own || strip_whitespace(copy) == strip_whitespace(own)
        });
        (!same).then_some(*event)
    })
}

fn stale(page: EntryId, event: EventId, message: &'static str) -> Diagnostic {
    let mut diagnostic = Diagnostic::new(Code::StaleSideFile, message, event);
    diagnostic.labels = vec![Label::new(event, LabelRole::Record)];
    diagnostic.about = vec![Subject::State];
    let remove = Action::edits(event, "remove the cache page of {}", vec![Edit::Remove(page)]);
    diagnostic.fix_safely([remove]);
    diagnostic
}
