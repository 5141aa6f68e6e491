//! The containers of OpenHands: persistence folder, app-server store, export, page, JSONL.

use super::kinds;
use super::read::owns;
use crate::bytes::source::{Entries, EntryId};
use crate::containers::{Files, FolderFile, Layout, Naming};
use crate::format::head::Sample;
use crate::format::records::any_of;
use crate::json::node::Node;
use crate::json::record::Record;

/// Members of a document with its events: a REST page, `{"events": …}`, benchmark output.
const LISTS: &[&str] = &["items", "events", "history"];

/// The layout of the events, if the transcript is from OpenHands.
pub(super) fn recognize(head: &Sample<'_>) -> Option<Layout> {
    match head.single {
        Some(_) => head.list(document, || head.nodes().any(is_known_event)),
        None => folder(head),
    }
}

/// Whether a value is an event of a kind that the SDK has.
pub(crate) fn is_known_event(node: Node<'_>) -> bool {
    owns(node) && node.string("kind").is_some_and(|kind| kinds::is_known(&kind))
}

fn document(entry: EntryId, root: Node<'_>) -> Option<Layout> {
    Layout::array_in(entry, root, LISTS, |list| any_of(list, is_known_event))
}

/// A parsed file name.
struct Name {
    index: u64,
    id: String,
}

/// Parses `event-00007-<id>.json`, with any number of digits and any ID: a name that the SDK does
/// not recognize is damage, not a missing event.
fn sdk_name(name: &str) -> Option<Name> {
    let (index, id) = name.strip_prefix("event-")?.strip_suffix(".json")?.split_once('-')?;
    let index = number(index)?;
    Some(Name { index, id: id.to_owned() })
}

/// Parses `event_000007_<id>.json` of an export.
fn export_name(name: &str) -> Option<Name> {
    let (index, id) = name.strip_prefix("event_")?.strip_suffix(".json")?.split_once('_')?;
    (index.len() == 6).then_some(())?;
    Some(Name { index: number(index)?, id: id.to_owned() })
}

/// Parses an index. Hosts write far fewer than a million events; a larger number is not an index.
fn number(digits: &str) -> Option<u64> {
    let is_index = !digits.is_empty()
        && digits.len() <= 7
        && digits.bytes().all(|digit| digit.is_ascii_digit());
    if is_index { digits.parse().ok() } else { None }
}

fn folder(head: &Sample<'_>) -> Option<Layout> {
    let state = head.entries.find("base_state.json");
    let prefix = if head.names().any(|(_, name)| name.starts_with("events/event-")) {
        "events/"
    } else {
        ""
    };
    let sdk = indexed(head, prefix, sdk_name);
    if !sdk.is_empty() || (state.is_some() && is_state(head, state)) {
        let naming = Naming::Indexed { prefix: format!("{prefix}event-"), digits: 5, between: '-' };
        return Some(Layout::Files(Files { files: with_gaps(sdk), state, naming }));
    }
    let export = indexed(head, "", export_name);
    if !export.is_empty() {
        let naming = Naming::Indexed { prefix: "event_".to_owned(), digits: 6, between: '_' };
        return Some(Layout::Files(Files { files: with_gaps(export), state: None, naming }));
    }
    store(head)
}

fn indexed(head: &Sample<'_>, prefix: &str, parse: fn(&str) -> Option<Name>) -> Vec<FolderFile> {
    let names =
        head.names().filter_map(|(entry, name)| Some((entry, parse(name.strip_prefix(prefix)?)?)));
    let mut files: Vec<FolderFile> = names
        .map(|(entry, name)| FolderFile {
            entry: Some(entry),
            index: name.index,
            id: Some(name.id),
        })
        .collect();
    files.sort_by_key(|file| (file.index, file.entry));
    files
}

/// Adds files without an entry for missing indices. A larger gap means a cut-off transcript, not
/// many missing events.
fn with_gaps(files: Vec<FolderFile>) -> Vec<FolderFile> {
    const MOST: u64 = 64;
    let mut all: Vec<FolderFile> = Vec::with_capacity(files.len());
    for file in files {
        let next = all.last().map_or(0, |last| last.index + 1);
        let missing = next..file.index.min(next.saturating_add(MOST));
        all.extend(missing.map(|index| FolderFile { entry: None, index, id: None }));
        all.push(file);
    }
    all
}

fn is_state(head: &Sample<'_>, state: Option<EntryId>) -> bool {
    // A truncated state file is damage, so its name next to an `events` folder is enough. Alone,
    // its content must show what it is.
    let state = state.and_then(|entry| fetch(head.entries, entry));
    state.and_then(Record::parse).is_some_and(|state| {
        let root = state.root();
        root.get("execution_status").is_some() && root.get("id").is_some()
    })
}

fn fetch(entries: &dyn Entries, entry: EntryId) -> Option<Vec<u8>> {
    const MOST: u64 = 16 << 20;
    let end = entries.len(entry).min(MOST);
    entries.fetch(crate::bytes::source::Span { entry, start: 0, end }).ok()
}

/// The store of the app server: one file per event, named by its ID without dashes, ordered by the
/// times of the events.
fn store(head: &Sample<'_>) -> Option<Layout> {
    let mut files = Vec::new();
    for (entry, _) in head.names().filter(|(_, name)| {
        name.strip_suffix(".json").is_some_and(super::state::is_conversation_id)
    }) {
        let event = Record::parse(fetch(head.entries, entry)?);
        let root = event.as_ref().map(Record::root);
        let time = root
            .and_then(|root| root.get("timestamp"))
            .and_then(|time| time.str())
            .unwrap_or_default();
        files.push((root.is_some_and(is_known_event), time.into_owned(), entry));
    }
    if !files.iter().any(|(known, ..)| *known) {
        return None;
    }
    files.sort_by(|a, b| (&a.1, a.2).cmp(&(&b.1, b.2)));
    let numbered = (0_u64..).zip(files);
    let files = numbered
        .map(|(index, (.., entry))| FolderFile { entry: Some(entry), index, id: None })
        .collect();
    Some(Layout::Files(Files { files, state: None, naming: Naming::ById }))
}
