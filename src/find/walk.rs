//! Walks folders. The folder of a conversation is one transcript; all others are searched. Every
//! file is a transcript, part of a conversation, or reported with the reason why it was skipped.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use super::listing::{CandidateNames, FolderListing, PARTS};
use super::name_of;
use super::reason::reason;
use super::store_folder;
use super::watched::ErrorTracking;
use super::{FileOrigin, FindOptions, Finds, add_file, add_files, real};
use crate::bytes::replace;
use crate::bytes::source::{Entries, EntryId, Source};
use crate::containers::Layout;
use crate::detect;
use crate::format::Detection;
use crate::format::head::Sample;

/// Folder in a conversation's folder that holds the conversations it started.
const CHILDREN: &str = "subagents";
/// Folders in a conversation's folder that hold its records.
const RECORDS: &[&str] = &["events", "messages"];

/// Why a walk does not follow links: they would lead to the same files twice, or out of the named
/// folder.
pub(super) const LINK: &str = "symbolic link, not followed";

/// Why a walk skips files and folders that a repair prepared.
const LEFT_OVER: &str = "left by an interrupted repair";

/// How much of a folder is walked.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum WalkExtent {
    /// Everything, because the user named it.
    Whole,
    /// Everything that is neither hidden nor ignored.
    Visible,
}

/// Handles a folder that the user named: a conversation, part of one, or a tree.
pub(super) fn folder(finds: &mut Finds, path: &Path) {
    // The folder of records refers to its conversation.
    let is_part = path.file_name().is_some_and(|name| RECORDS.iter().any(|part| name == *part));
    let path = parent_of(path)
        .filter(|parent| {
            is_part && detect_at(finds, parent).is_ok_and(|detection| detection.is_some())
        })
        .unwrap_or(path);
    tree(finds, path, None, WalkExtent::Whole);
}

fn parent_of(path: &Path) -> Option<&Path> {
    path.parent().map(|parent| if parent.as_os_str().is_empty() { Path::new(".") } else { parent })
}

/// Handles a folder: it is a transcript, or its content is walked.
pub(super) fn tree(finds: &mut Finds, path: &Path, parent: Option<usize>, extent: WalkExtent) {
    if !finds.linked.is_empty() && finds.linked.contains(&real(path)) {
        return;
    }
    if let Some(store) = store_folder::store_of(path) {
        match conversation_in(finds, store, path) {
            Ok(Some((source, detection))) => {
                finds.add(path.to_owned(), source, detection, None);
            }
            Ok(None) => finds.skip(path, "not a transcript"),
            Err(error) => finds.miss(path, reason(&error)),
        }
        return;
    }
    let look = || {
        let listing = FolderListing::of(path)?;
        let names = CandidateNames::below(path, &listing)?;
        let detected = detect(finds, path, &names)?;
        Ok((listing, names, detected))
    };
    // A file that is created and removed meanwhile is gone when the folder is listed again.
    let vanished = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
    let looked = look().or_else(|error| if vanished(&error) { look() } else { Err(error) });
    match looked {
        Ok((listing, names, Some((source, detection)))) => {
            let own = ConversationFiles::of(&source, &detection);
            finds.linked.extend(names.targets);
            let position = match names.unread {
                // Without this record, the rest would be judged as if it had never been written.
                Some((name, why)) => {
                    finds.miss(path, format!("{name}: {why}"));
                    None
                }
                None => match finds.add(path.to_owned(), source, detection, parent) {
                    None => return,
                    position => position,
                },
            };
            beside(finds, path, &listing, &own, position, extent);
        }
        Ok((listing, ..)) => inside(finds, path, &listing, extent),
        Err(error) => finds.miss(path, reason(&error)),
    }
}

/// The conversation of a store that this folder stands for.
///
/// # Errors
/// Its files cannot be listed or read.
fn conversation_in(
    finds: &Finds,
    store: &Path,
    path: &Path,
) -> io::Result<Option<(Source, Detection)>> {
    let source = Source::folder(store, store_folder::names(store, path)?)?;
    let detection = recognize(finds, &source, &name_of(path))?;
    Ok(detection.map(|detection| (source, detection)))
}

/// The folder of the conversation, if `file` holds one of its records, which says nothing alone.
///
/// # Errors
/// The folder cannot be read.
pub(super) fn whole_of(finds: &mut Finds, file: &Path) -> io::Result<Option<PathBuf>> {
    let Some((typed, name)) = parent_of(file).zip(record_name(file)) else {
        return Ok(None);
    };
    // If the path does not end with the folder's name, resolve it.
    let folder = if typed.file_name().is_some() { typed.to_owned() } else { real(typed) };
    let part = RECORDS.iter().find(|part| folder.ends_with(part));
    if let Some((part, conversation)) = part.zip(parent_of(&folder))
        && is_record(finds, conversation, &format!("{part}/{name}"))?
    {
        return Ok(Some(conversation.to_owned()));
    }
    // Other files in the folder need not belong to a conversation.
    let is_record = is_record(finds, &folder, name).unwrap_or(false);
    Ok(is_record.then_some(folder))
}

/// The name of a file, if it may be that of a record.
fn record_name(file: &Path) -> Option<&str> {
    let name = file.file_name()?.to_str()?;
    let stem = name.strip_suffix(".json")?;
    let id = stem.strip_prefix("event-").or_else(|| stem.strip_prefix("event_"));
    let id = id.or_else(|| stem.strip_prefix("message_")).unwrap_or(stem);
    id.bytes().next().filter(u8::is_ascii_hexdigit).map(|_| name)
}

fn is_record(finds: &mut Finds, conversation: &Path, name: &str) -> io::Result<bool> {
    if !finds.records.contains_key(conversation) {
        let records = records_of(finds, conversation)?;
        finds.records.insert(conversation.to_owned(), records);
    }
    Ok(finds.records.get(conversation).is_some_and(|records| records.contains(name)))
}

/// The names of the files that hold the records of a conversation; empty if the folder is not one.
fn records_of(finds: &Finds, folder: &Path) -> io::Result<HashSet<String>> {
    let Some((source, detection)) = detect_at(finds, folder)? else {
        return Ok(HashSet::new());
    };
    let Layout::Files(files) = detection.layout else {
        return Ok(HashSet::new());
    };
    // A folder with a single event may be anything.
    if files.state.is_none() && files.files.len() < 2 {
        return Ok(HashSet::new());
    }
    Ok(files.files.iter().filter_map(|file| Some(source.name(file.entry?).to_owned())).collect())
}

/// The names in a folder that formats may use: its files, and those of the folders that are part of
/// a conversation. Links are read if they stay inside the folder.
///
/// # Errors
/// The folder cannot be listed, or a file that looks like a record cannot be read.
pub(crate) fn names_below(path: &Path) -> io::Result<Vec<String>> {
    let names = CandidateNames::below(path, &FolderListing::of(path)?)?;
    match names.unread {
        None => Ok(names.names),
        Some((name, why)) => Err(io::Error::other(format!("{name}: {why}"))),
    }
}

fn detect_at(finds: &Finds, path: &Path) -> io::Result<Option<(Source, Detection)>> {
    detect(finds, path, &CandidateNames::below(path, &FolderListing::of(path)?)?)
}

fn detect(
    finds: &Finds,
    path: &Path,
    names: &CandidateNames,
) -> io::Result<Option<(Source, Detection)>> {
    if !names.names.iter().any(|name| name.ends_with(".json")) {
        return Ok(None);
    }
    let source = Source::folder(path, names.names.clone())?;
    let detection = recognize(finds, &source, &name_of(path))?;
    Ok(detection.map(|detection| (source, detection)))
}

/// Recognizes a folder or an archive. A file that cannot be read does not prove that it is
/// something else.
///
/// # Errors
/// A file that decides cannot be read.
pub(super) fn recognize(
    finds: &Finds,
    entries: &dyn Entries,
    name: &str,
) -> io::Result<Option<Detection>> {
    let watched = ErrorTracking::new(entries);
    let detection = detect::recognize(&Sample::of_names(&watched, name), finds.options.only);
    match watched.first_error() {
        Some(error) if detection.is_none() => Err(error),
        _ => Ok(detection),
    }
}

/// The files of a conversation.
struct ConversationFiles {
    /// Relative to its folder, with `/` between parts.
    names: HashSet<String>,
    /// Whether its records are in folders of their own, which hold nothing else; the host stores
    /// copies of them in others.
    has_parts: bool,
}

impl ConversationFiles {
    fn of(source: &Source, detection: &Detection) -> ConversationFiles {
        let entries: Vec<EntryId> = match &detection.layout {
            Layout::Files(files) => {
                files.files.iter().filter_map(|file| file.entry).chain(files.state).collect()
            }
            Layout::Lines(entry) | Layout::Items { entry, .. } | Layout::Joined { entry, .. } => {
                vec![*entry]
            }
        };
        let names: HashSet<String> =
            entries.into_iter().map(|entry| source.name(entry).to_owned()).collect();
        let has_parts = names.iter().any(|name| name.contains('/'));
        ConversationFiles { names, has_parts }
    }

    fn has(&self, prefix: &str, name: &OsStr) -> bool {
        name.to_str().is_some_and(|name| self.names.contains(&format!("{prefix}{name}")))
    }
}

/// Handles everything in a conversation's folder that is not part of the conversation: other files
/// of its host, and anything else. `position` is the index of the conversation, if it is checked.
fn beside(
    finds: &mut Finds,
    path: &Path,
    listing: &FolderListing,
    own: &ConversationFiles,
    position: Option<usize>,
    extent: WalkExtent,
) {
    for name in listing.files.iter().filter(|name| !own.has("", name)) {
        if replace::is_left_over(name) {
            finds.skip(&path.join(name), LEFT_OVER)
        } else {
            add_file(finds, &path.join(name), FileOrigin::Beside)
        }
    }
    leave_out(finds, path, listing, |name| {
        own.has("", name) || (own.has_parts && PARTS.iter().any(|part| name == *part))
    });
    let filter = WalkFilter::of(finds, path, extent);
    for name in &listing.folders {
        let folder = path.join(name);
        if let Some(part) = PARTS.iter().find(|part| own.has_parts && name == **part) {
            // The folder was listed a moment ago. If it is gone now, opening the conversation
            // fails.
            let inner = FolderListing::of(&folder).unwrap_or_default();
            leave_out(finds, &folder, &inner, |name| own.has(&format!("{part}/"), name));
            inner.folders.iter().for_each(|name| tree(finds, &folder.join(name), None, extent));
        } else if name == CHILDREN {
            match FolderListing::of(&folder) {
                Ok(inner) => {
                    inner
                        .folders
                        .iter()
                        .for_each(|child| tree(finds, &folder.join(child), position, extent));
                    inner
                        .files
                        .iter()
                        .for_each(|name| add_file(finds, &folder.join(name), FileOrigin::Walked));
                    leave_out(finds, &folder, &inner, |_| false);
                }
                Err(error) => finds.miss(&folder, reason(&error)),
            }
        } else {
            match filter.skip_reason(&folder, name, true) {
                Some(why) => finds.skip(&folder, why),
                None => tree(finds, &folder, None, extent),
            }
        }
    }
}

/// Walks a folder that is not a conversation.
fn inside(finds: &mut Finds, path: &Path, listing: &FolderListing, extent: WalkExtent) {
    let filter = WalkFilter::of(finds, path, extent);
    let mut files = Vec::new();
    for name in &listing.files {
        let file = path.join(name);
        match filter.skip_reason(&file, name, false) {
            Some(why) => finds.skip(&file, why),
            None => files.push(file),
        }
    }
    add_files(finds, files, FileOrigin::Walked);
    leave_out(finds, path, listing, |_| false);
    let is_store = store_folder::is_store(listing);
    if is_store {
        match store_folder::conversations(path) {
            Ok(all) => all.iter().for_each(|folder| tree(finds, folder, None, extent)),
            Err(error) => finds.miss(path, reason(&error)),
        }
    }
    for name in listing
        .folders
        .iter()
        .filter(|name| !(is_store && store_folder::SHARED.iter().any(|own| *name == own)))
    {
        let folder = path.join(name);
        match filter.skip_reason(&folder, name, true) {
            Some(why) => finds.skip(&folder, why),
            None => tree(finds, &folder, None, extent),
        }
    }
}

/// Reports everything that is neither a file nor a folder.
fn leave_out(
    finds: &mut Finds,
    path: &Path,
    listing: &FolderListing,
    is_own: impl Fn(&OsStr) -> bool,
) {
    for name in listing.links.iter().filter(|name| !is_own(name)) {
        finds.skip(&path.join(name), LINK);
    }
    for name in &listing.special {
        finds.skip(&path.join(name), "pipe, socket, or device, not opened");
    }
    for (name, error) in listing.failed.iter().filter(|(name, _)| !is_own(name)) {
        finds.miss(&path.join(name), reason(error));
    }
}

/// Which items of a folder a walk skips.
struct WalkFilter {
    options: FindOptions,
    /// Whether hidden names are skipped.
    hides: bool,
    /// Names that are not ignored; `None` if ignore files do not count.
    left: Option<HashSet<OsString>>,
}

impl WalkFilter {
    fn of(finds: &Finds, path: &Path, extent: WalkExtent) -> WalkFilter {
        let options = finds.options.clone();
        let visible = extent == WalkExtent::Visible;
        let left = (visible && !options.no_ignore).then(|| not_ignored(path));
        WalkFilter { hides: visible && !options.hidden, left, options }
    }

    /// Why an item is skipped; `None` if it is not.
    fn skip_reason(&self, path: &Path, name: &OsStr, is_folder: bool) -> Option<&'static str> {
        let hidden = || self.hides && name.as_encoded_bytes().starts_with(b".");
        if is_journal(self.options.journal.as_deref(), path, name) {
            Some("journal of transcript-doctor")
        } else if replace::is_left_over(name) {
            Some(LEFT_OVER)
        } else if is_folder && name == ".git" && !self.options.hidden {
            Some("git's own folder")
        } else if is_folder && name == "node_modules" && !self.options.no_ignore {
            Some("installed packages")
        } else if hidden() {
            Some("hidden")
        } else if self.left.as_ref().is_some_and(|left| !left.contains(name)) {
            Some("ignored by .gitignore or .ignore")
        } else {
            None
        }
    }
}

/// Whether a path is the journal, by whatever route. Paths are resolved for matching names only.
fn is_journal(journal: Option<&Path>, path: &Path, name: &OsStr) -> bool {
    journal.is_some_and(|journal| journal.file_name() == Some(name) && real(path) == real(journal))
}

/// The names in a folder that no ignore file excludes.
fn not_ignored(path: &Path) -> HashSet<OsString> {
    let mut items = WalkBuilder::new(path);
    items.max_depth(Some(1)).hidden(false).require_git(false);
    items
        .build()
        .flatten()
        .filter(|item| item.depth() > 0)
        .map(|item| item.file_name().to_owned())
        .collect()
}
