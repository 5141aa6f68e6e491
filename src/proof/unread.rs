//! The bytes of records, and what those show that no reader accepts.

use super::{Case, Contents};
use crate::transcript::pairs::PairStatus;
use crate::transcript::{EventId, PartId, PartKind, Role, State};
use aho_corasick::AhoCorasick;
use hashbrown::{HashMap, HashSet};
use memchr::memmem;

/// All texts of a record.
pub(super) fn contents(case: &Case<'_>, event: EventId) -> Contents {
    match case.context.record(event) {
        Ok(record) => Contents::of(record.root()),
        Err(_) => Contents::default(),
    }
}

pub(super) fn bytes_of(case: &Case<'_>, event: EventId) -> Vec<u8> {
    let at = case.context.transcript.event(event).at();
    case.context.entries.fetch(at).unwrap_or_default()
}

/// The IDs of results without a call that messages of the model have in members that are not read.
pub(super) fn unread_ids(case: &Case<'_>) -> HashSet<String> {
    let t = case.context.transcript;
    let results = unpaired(case).filter(|part| t.part(*part).kind == PartKind::Result);
    let wanted: HashSet<&str> = results.map(|part| t.text(t.part(part).id)).collect();
    let models = t.events.ids().filter(|event| {
        let event = t.event(*event);
        event.role == Role::Assistant && event.state == State::Whole
    });
    let mut found = HashSet::new();
    for event in models {
        let parts = t.event(event).parts.clone();
        let own: HashSet<&str> = parts.map(|part| t.text(t.part(part).id)).collect();
        let bytes = bytes_of(case, event);
        // Between two quotes is a string, or what separates strings.
        let strings = bytes.split(|byte| *byte == b'"').filter_map(|own| str::from_utf8(own).ok());
        let ids = strings.filter(|id| wanted.contains(id) && !own.contains(id));
        found.extend(ids.map(str::to_owned));
    }
    found
}

/// Whether a record that cannot be read shows the ID of a result: its call may be in it.
pub(super) fn is_in_unreadable(case: &Case<'_>, result: PartId) -> bool {
    let t = case.context.transcript;
    let mut events = unreadable_with(case, t.text(t.part(result).id)).into_iter();
    events.any(|event| event != t.part(result).event)
}

/// The unreadable records that show an ID, in order.
pub(super) fn unreadable_with(case: &Case<'_>, id: &str) -> Vec<EventId> {
    let shown = case.shown_ids.get_or_init(|| shown_ids(case));
    if let Some(events) = shown.get(id) {
        return events.clone();
    }
    let mut events = unreadable(case).to_vec();
    events.retain(|event| memmem::find(&bytes_of(case, *event), id.as_bytes()).is_some());
    events
}

/// The calls without a result and the results without a call, also those that are not sent.
fn unpaired<'a>(case: &'a Case<'_>) -> impl Iterator<Item = PartId> + 'a {
    let (t, pairs) = (case.context.transcript, &case.request.pairs);
    let all = t
        .parts
        .ids()
        .filter(|part| matches!(t.part(*part).kind, PartKind::Call | PartKind::Result));
    let unpaired = [PairStatus::Open, PairStatus::Orphan, PairStatus::None];
    all.filter(move |part| unpaired.contains(&pairs.status(*part)))
}

/// The IDs of unpaired calls and results that unreadable records show. All are searched for at once, because a hostile file has
/// many of both.
fn shown_ids(case: &Case<'_>) -> HashMap<String, Vec<EventId>> {
    let t = case.context.transcript;
    let ids: HashSet<&str> = unpaired(case).map(|part| t.text(t.part(part).id)).collect();
    let ids: Vec<&str> = ids.into_iter().filter(|id| !id.is_empty()).collect();
    let events = unreadable(case);
    if events.is_empty() || ids.is_empty() {
        return HashMap::new();
    }
    let mut shown: HashMap<String, Vec<EventId>> =
        ids.iter().map(|id| ((*id).to_owned(), Vec::new())).collect();
    // It takes gigabytes of IDs to fail. Then any record may show any of them.
    let Ok(search) = AhoCorasick::new(&ids) else {
        return ids.into_iter().map(|id| (id.to_owned(), events.to_vec())).collect();
    };
    for event in events {
        for found in search.find_overlapping_iter(&bytes_of(case, *event)) {
            let own = shown.entry_ref(ids[found.pattern()]).or_default();
            if own.last() != Some(event) {
                own.push(*event);
            }
        }
    }
    shown
}

/// Records that cannot be read, or only in part.
pub(super) fn unreadable<'c>(case: &'c Case<'_>) -> &'c [EventId] {
    let t = case.context.transcript;
    case.unreadable.get_or_init(|| {
        let all = t.events.ids();
        all.filter(|event| matches!(t.event(*event).state, State::Unreadable | State::Recovered))
            .collect()
    })
}
