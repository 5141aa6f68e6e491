//! The containers of OpenHands V0: trajectory lists, objects that hold one, session folders.

use super::pages;
use super::read::owns;
use crate::bytes::source::EntryId;
use crate::containers::{Files, FolderFile, Layout, Naming};
use crate::format::head::Sample;
use crate::format::plain::LOOK;
use crate::format::records::any_of;
use crate::json::node::Node;
use crate::json::record::Record;

/// Members of a document that hold its events: in a REST response, feedback, evaluation output.
const LISTS: &[&str] = &["trajectory", "history"];
/// Largest event file that is read, in bytes.
const MAX_EVENT_SIZE: u64 = 16 << 20;
/// The folder of the events.
const EVENTS: &str = "events/";

/// Finds the events, if the transcript is of OpenHands V0.
pub(super) fn recognize(head: &Sample<'_>) -> Option<Layout> {
    match head.single {
        Some(_) => head.list(document, || false),
        None => folder(head),
    }
}

fn document(entry: EntryId, root: Node<'_>) -> Option<Layout> {
    Layout::array_in(entry, root, LISTS, |list| any_of(list, owns))
}

/// The ID in `events/<id>.json`, as the host writes it.
fn number(name: &str) -> Option<u64> {
    let digits = name.strip_prefix(EVENTS)?.strip_suffix(".json")?;
    let plain = digits.bytes().all(|digit| digit.is_ascii_digit())
        && (digits == "0" || !digits.starts_with('0'));
    if plain && digits.len() <= 10 { digits.parse().ok() } else { None }
}

fn folder(head: &Sample<'_>) -> Option<Layout> {
    let named = head.names().filter_map(|(entry, name)| Some((number(name)?, entry)));
    let mut files: Vec<FolderFile> = named.map(|(index, entry)| file(index, Some(entry))).collect();
    files.sort_by_key(|file| file.index);
    if !files.iter().take(LOOK).filter_map(|file| file.entry).any(|entry| holds_event(head, entry))
    {
        return None;
    }
    let only_in_pages = pages::ids_without_file(head.entries, |id| {
        files.binary_search_by_key(&id, |file| file.index).is_ok()
    });
    files.extend(only_in_pages.into_iter().map(|id| file(id, None)));
    files.sort_by_key(|file| file.index);
    Some(Layout::Files(Files { files, state: None, naming: Naming::Numbered { prefix: EVENTS } }))
}

fn file(index: u64, entry: Option<EntryId>) -> FolderFile {
    FolderFile { entry, index, id: Some(index.to_string()) }
}

fn holds_event(head: &Sample<'_>, entry: EntryId) -> bool {
    let record = pages::read_whole(head.entries, entry, MAX_EVENT_SIZE).and_then(Record::parse);
    record.is_some_and(|record| owns(record.root()))
}
