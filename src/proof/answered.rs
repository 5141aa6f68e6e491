//! The proof of a placeholder result, and of a fragment: nothing that is left may be the result of an open call.

use super::contents::solid;
use super::unread::{bytes_of, unreadable_with};
use super::{Case, Contents, Proof, Reason};
use crate::bytes::edit::Edit;
use crate::bytes::source::{EntryId, Span};
use crate::json::cut_off::said;
use crate::json::node::Node;
use crate::json::record::Record;
use crate::transcript::pairs::PairStatus;
use crate::transcript::{Action, EventId, IdRange, PartId, Role, State};
use aho_corasick::AhoCorasick;
use hashbrown::HashSet;
use memchr::memmem;

/// Bytes that no reader accepts, without the recorded result of an open call.
pub(super) fn fragment(case: &Case<'_>, event: EventId) -> Proof {
    fragment_of(case, bytes_of(case, event), None)
}

/// `answered`: a call that gets a result in place of these bytes.
pub(super) fn fragment_of(case: &Case<'_>, bytes: Vec<u8>, answered: Option<PartId>) -> Proof {
    if solid(&bytes).is_empty() {
        return Proof::Removes(Reason::Mark, Contents::default());
    }
    let is_of_open = holds_open_id(case, &bytes) || answered.is_some();
    let record = Record::parse(bytes);
    let is_whole = record.as_ref().is_some_and(Record::is_whole);
    let own = record.map_or_else(Contents::default, |record| Contents::of(record.root()));
    match (own.is_empty(), is_whole || is_of_open) {
        (true, true) => Proof::Removes(Reason::Nothing, own),
        (false, true) => Proof::None,
        _ => Proof::Removes(Reason::Fragment, own),
    }
}

/// Whether a cache has a record with the ID of a call without a result that is not the record of the call.
pub(super) fn shows_lost_result(case: &Case<'_>, cache: &[u8]) -> bool {
    open_calls(case).any(|call| shows_result_of(case, call, cache))
}

fn open_calls<'c>(case: &'c Case<'_>) -> impl Iterator<Item = PartId> + 'c {
    let all = case.request.pairs.all();
    all.filter(|(_, status)| *status == PairStatus::Open).map(|(call, _)| call)
}

fn shows_result_of(case: &Case<'_>, call: PartId, cache: &[u8]) -> bool {
    let t = case.context.transcript;
    let id = t.text(t.part(call).id);
    if id.is_empty() || memmem::find(cache, id.as_bytes()).is_none() {
        return false;
    }
    let Some(records) = Record::parse(cache.to_vec()).filter(Record::is_whole) else {
        return true;
    };
    let own = solid(&bytes_of(case, t.part(call).event));
    let mut raw = records.root().items().map(|item| item.raw());
    raw.any(|raw| memmem::find(&raw, id.as_bytes()).is_some() && solid(&raw) != own)
}

/// The open calls whose result a file without records may have, as the cache of a lost event.
fn calls_in_caches(case: &Case<'_>) -> HashSet<PartId> {
    let (entries, t) = (case.context.entries, case.context.transcript);
    let of_records: HashSet<EntryId> = t.events.iter().map(|event| event.at().entry).collect();
    let mut found = HashSet::new();
    for entry in entries.ids().into_iter().filter(|entry| !of_records.contains(entry)) {
        let whole = Span::new(entry, 0, entries.len(entry));
        let cache = entries.fetch(whole).unwrap_or_default();
        found.extend(open_calls(case).filter(|call| shows_result_of(case, *call, &cache)));
    }
    found
}

/// Whether bytes show the ID of a call without a result.
fn holds_open_id(case: &Case<'_>, bytes: &[u8]) -> bool {
    let search = case.open_ids.get_or_init(|| {
        let t = case.context.transcript;
        let ids = open_calls(case).map(|call| t.text(t.part(call).id));
        AhoCorasick::new(ids.filter(|id| !id.is_empty())).ok()
    });
    search.as_ref().is_none_or(|search| search.is_match(bytes))
}

/// A placeholder is written only where no recorded result could belong to the call.
pub(super) fn answered(case: &Case<'_>, call: PartId, in_place_of: Option<EventId>) -> Proof {
    let t = case.context.transcript;
    if !t.is_recorded_elsewhere(call)
        && let Some(event) = holder_of_result(case, call, in_place_of)
    {
        return Proof::Refuted(event);
    }
    if case.calls_in_caches.get_or_init(|| calls_in_caches(case)).contains(&call) {
        return Proof::None;
    }
    let Some(event) = in_place_of else {
        return Proof::Keeps;
    };
    let bytes = bytes_of(case, event);
    match fragment_of(case, bytes.clone(), Some(call)) {
        Proof::None if uses(case, call, event, bytes.clone()) => {
            Proof::Removes(Reason::Fragment, Contents::of_bytes(bytes))
        }
        Proof::None => Proof::Refuted(event),
        proof => proof,
    }
}

/// Whether the result in place of a fragment says what the fragment still says.
fn uses(case: &Case<'_>, call: PartId, event: EventId, fragment: Vec<u8>) -> bool {
    let answer = Action::AnswerCall { call, in_place_of: Some(event) };
    let planned = (case.format.planner)(case.context, case.request).edits(&[answer]);
    let inserted = planned.into_iter().flatten().map(|edit| match edit {
        Edit::Bytes { with, .. } => with,
        Edit::Create { bytes, .. } => bytes,
        _ => Vec::new(),
    });
    let inserted: Vec<String> =
        inserted.flat_map(said).map(|text| solid(text.as_bytes())).collect();
    let said = said(fragment);
    said.iter().all(|text| {
        let text = solid(text.as_bytes());
        inserted.iter().any(|own| own.contains(&text))
    })
}

/// The record that may hold the result of an open call: an orphaned result, an unreadable record with its ID, a message after
/// it with its ID in another member.
fn holder_of_result(
    case: &Case<'_>,
    call: PartId,
    in_place_of: Option<EventId>,
) -> Option<EventId> {
    let t = case.context.transcript;
    if let Some(orphan) = case.request.pairs.orphans_after(t, call).next() {
        return Some(t.part(orphan).event);
    }
    let id = t.text(t.part(call).id);
    if id.is_empty() {
        return None;
    }
    let own = t.part(call).event;
    let showing = unreadable_with(case, id).into_iter();
    let mut others = showing.filter(|event| *event != own && Some(*event) != in_place_of);
    let fragment = others.find(|event| {
        let is_read = t.event(*event).state == State::Recovered;
        !(is_read && shows_all(case, *event, id))
    });
    fragment.or_else(|| neighbor_with(case, call, id))
}

/// Whether a record that is read as repaired shows an ID only in what is read.
fn shows_all(case: &Case<'_>, event: EventId, id: &str) -> bool {
    let t = case.context.transcript;
    let bytes = bytes_of(case, event);
    let times = memmem::find_iter(&bytes, id.as_bytes()).count();
    let parts = t.event(event).parts.clone();
    let read = parts.filter(|part| t.text(t.part(*part).id) == id).count();
    read > 0 && times <= read.max(1) * 2
}

/// Messages after a call that are searched for its ID.
const NEIGHBORS: usize = 16;

/// A message after a call, up to the next turn of the model, that has its ID in another member than those that are read.
fn neighbor_with(case: &Case<'_>, call: PartId, id: &str) -> Option<EventId> {
    let t = case.context.transcript;
    let from = t.part(call).event;
    let after = IdRange::new(from.next(), t.events.end());
    let batch = t.event(from).batch;
    let mut after = after
        .into_iter()
        .filter(|event| {
            let event = t.event(*event);
            event.role.is_sent() && event.state == State::Whole && event.within.is_none()
        })
        .take(NEIGHBORS);
    // Calls of one response, and their results, may name each other.
    let mut neighbors = after
        .by_ref()
        .take_while(|event| {
            let own = t.event(*event);
            own.role != Role::Assistant || (batch.is_some() && own.batch == batch)
        })
        .filter(|event| {
            let mut parts = t.event(*event).parts.clone();
            t.event(*event).role != Role::Assistant
                && !parts.any(|part| case.request.pairs.call_of(part).is_some())
        });
    neighbors.find(|event| {
        let record = case.context.record(*event);
        record.is_ok_and(|record| has_value(record.root(), id))
    })
}

/// Whether a string in a value is this text.
fn has_value(value: Node<'_>, text: &str) -> bool {
    let mut inside = value.members().map(|(_, member)| member).chain(value.items());
    value.is_str(text) || inside.any(|inner| has_value(inner, text))
}
