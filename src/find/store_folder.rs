//! Conversations whose files are in several folders of a store, where each folder has the files of many conversations.
//!
//! opencode before 1.2: `message/SESSION/MESSAGE.json`, `part/MESSAGE/PART.json`, `session/PROJECT/SESSION.json`. The folder
//! `message/SESSION` stands for the conversation; its entries are named from the store.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::listing::FolderListing;
use crate::bytes::replace::{is_left_over, is_prepared};

const MESSAGES: &str = "message";
const PARTS: &str = "part";
const SESSIONS: &str = "session";
/// How the names of records end.
const ENDING: &str = ".json";
/// Folders between a record and its store.
const DEEPEST: usize = 3;

/// Stores with more conversations than this are not searched for parts whose message is gone: each conversation would list
/// the messages of all others.
const MOST_SEARCHED: usize = 200;

/// The folders of a store that conversations share.
pub(super) const SHARED: &[&str] = &[MESSAGES, PARTS, SESSIONS];

/// Whether a folder with this content is a store.
pub(super) fn is_store(listing: &FolderListing) -> bool {
    SHARED.iter().all(|name| listing.folders.iter().any(|folder| folder == name))
}

/// The folders that stand for the conversations of a store.
///
/// # Errors
/// The store cannot be listed.
pub(super) fn conversations(store: &Path) -> io::Result<Vec<PathBuf>> {
    let messages = store.join(MESSAGES);
    let sessions = FolderListing::of(&messages)?.folders.into_iter();
    let own = sessions.filter(|name| !is_left_over(name));
    Ok(own.map(|session| messages.join(session)).collect())
}

/// The store of a conversation that this folder stands for.
pub(super) fn store_of(conversation: &Path) -> Option<&Path> {
    let messages = conversation.parent()?;
    let store = messages.parent().filter(|_| messages.ends_with(MESSAGES))?;
    let store = if store.as_os_str().is_empty() { Path::new(".") } else { store };
    is_store(&FolderListing::of(store).ok()?).then_some(store)
}

/// What a path inside a store refers to: the conversation that it is part of, or the store.
pub(super) fn around(path: &Path) -> Option<PathBuf> {
    let real = fs::canonicalize(path).ok()?;
    let store = real.ancestors().skip(1).take(DEEPEST).find(|store| {
        SHARED.iter().any(|name| real.starts_with(store.join(name)))
            && FolderListing::of(store).is_ok_and(|listing| is_store(&listing))
    })?;
    let names: Option<Vec<&str>> =
        real.strip_prefix(store).ok()?.iter().map(OsStr::to_str).collect();
    let messages = store.join(MESSAGES);
    match names?[..] {
        [MESSAGES, session, ..] => Some(messages.join(session)),
        [SESSIONS, _, session] => {
            let session = messages.join(session.strip_suffix(ENDING)?);
            session.is_dir().then_some(session)
        }
        [PARTS, message, ..] => {
            let message = format!("{message}{ENDING}");
            let mut all = conversations(store).ok()?.into_iter();
            all.find(|session| session.join(&message).is_file())
        }
        _ => Some(store.to_owned()),
    }
}

/// The names of the files of a conversation in its store.
///
/// # Errors
/// A folder cannot be listed, or a file that may belong to it cannot be read.
pub(super) fn names(store: &Path, conversation: &Path) -> io::Result<Vec<String>> {
    let session = conversation.file_name().and_then(OsStr::to_str);
    let session = session.ok_or_else(|| io::Error::other("its name is not UTF-8"))?;
    let mut names = files(store, &format!("{MESSAGES}/{session}"))?;
    let own = ids(&names);
    for message in &own {
        names.extend(files(store, &format!("{PARTS}/{message}"))?);
    }
    names.extend(stranded(store, session)?);
    for project in folders(store, SESSIONS)? {
        let name = format!("{SESSIONS}/{project}/{session}{ENDING}");
        names.extend(store.join(&name).is_file().then_some(name));
    }
    Ok(names)
}

/// The parts of a session whose messages are in no session.
fn stranded(store: &Path, session: &str) -> io::Result<Vec<String>> {
    let sessions = folders(store, MESSAGES)?;
    if sessions.len() > MOST_SEARCHED {
        return Ok(Vec::new());
    }
    let mut known = HashSet::new();
    for session in sessions {
        known.extend(ids(&files(store, &format!("{MESSAGES}/{session}"))?));
    }
    let session = format!("\"{session}\"");
    let mut found = Vec::new();
    for message in folders(store, PARTS)? {
        if known.contains(&message) {
            continue;
        }
        for part in files(store, &format!("{PARTS}/{message}"))? {
            if memchr::memmem::find(&fs::read(store.join(&part))?, session.as_bytes()).is_some() {
                found.push(part);
            }
        }
    }
    Ok(found)
}

/// The record files in a folder of the store, as paths relative to the store. A missing folder has none.
fn files(store: &Path, folder: &str) -> io::Result<Vec<String>> {
    let listing = list(store, folder)?;
    let names =
        listing.files.iter().filter(|name| !is_prepared(name)).filter_map(|name| name.to_str());
    let records = names.filter(|name| name.ends_with(ENDING));
    Ok(records.map(|name| format!("{folder}/{name}")).collect())
}

/// The names of the folders in a folder of the store.
fn folders(store: &Path, folder: &str) -> io::Result<Vec<String>> {
    let listing = list(store, folder)?;
    let own = listing.folders.iter().filter(|name| !is_left_over(name));
    let names = own.filter_map(|name| name.to_str());
    Ok(names.map(str::to_owned).collect())
}

fn list(store: &Path, folder: &str) -> io::Result<FolderListing> {
    match FolderListing::of(&store.join(folder)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(FolderListing::default()),
        listing => listing,
    }
}

/// The names of files without their folders and their ending.
fn ids(names: &[String]) -> Vec<String> {
    names
        .iter()
        .map(|name| {
            let name = name.rsplit_once('/').map_or(name.as_str(), |(_, name)| name);
            name.strip_suffix(ENDING).unwrap_or(name).to_owned()
        })
        .collect()
}
