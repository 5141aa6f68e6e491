//! Walking folders: a conversation's folder is one recording, everything else is looked into.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use super::{Finds, one_file, real, reason};
use crate::bytes::replace::is_prepared;
use crate::bytes::source::{Entries, Source};
use crate::containers::Layout;
use crate::formats::head::Head;
use crate::formats::{self, Claim, Format};
use crate::report::build::name_of;

/// Folders that never hold recordings.
const SKIPPED: &[&str] = &[".git", "node_modules"];
/// Folder of a conversation that holds the conversations it started.
const CHILDREN: &str = "subagents";

/// A folder that was named: a conversation, part of one, or a tree.
pub(super) fn folder(finds: &mut Finds, path: &Path, only: Option<&'static Format>) {
    // The folder of a conversation's records stands for the conversation.
    let is_part = path.file_name().is_some_and(|name| RECORDS.iter().any(|part| name == *part));
    let whole = |parent: &&Path| is_part && claim(parent, only).is_ok_and(|claim| claim.is_some());
    if let Some(parent) = parent_of(path).filter(whole) {
        return tree(finds, parent, only, None);
    }
    tree(finds, path, only, None);
}

fn parent_of(path: &Path) -> Option<&Path> {
    path.parent().map(|parent| if parent.as_os_str().is_empty() { Path::new(".") } else { parent })
}

/// A folder met on the way: claimed as a whole, or looked into.
pub(super) fn tree(finds: &mut Finds, path: &Path, only: Option<&'static Format>, parent: Option<usize>) {
    match claim(path, only) {
        Ok(Some((source, claim))) => {
            let Some(own) = finds.add(path.to_owned(), source, claim, parent) else { return };
            for child in folders_of(&path.join(CHILDREN)) {
                tree(finds, &child, only, Some(own));
            }
        }
        Ok(None) => inside(finds, path, only),
        Err(error) => finds.miss(path, reason(&error)),
    }
}

/// The conversation's folder, of a file that holds one of its records and says nothing alone.
pub(super) fn whole_of(finds: &mut Finds, file: &Path, only: Option<&'static Format>) -> Option<PathBuf> {
    let name = file.file_name()?.to_str()?.strip_suffix(".json")?;
    let id = name.strip_prefix("event-").or_else(|| name.strip_prefix("event_"));
    let id = id.or_else(|| name.strip_prefix("message_")).unwrap_or(name);
    id.bytes().next().filter(u8::is_ascii_hexdigit)?;
    let typed = parent_of(file)?;
    // Where the path does not tell the folder's name, the folder itself does.
    let folder = if typed.file_name().is_some() { typed.to_owned() } else { real(typed) };
    let part = RECORDS.iter().find(|part| folder.ends_with(part));
    let around = part.and_then(|part| Some((parent_of(&folder)?.to_owned(), format!("{part}/"))));
    around.into_iter().chain([(folder.clone(), String::new())]).find_map(|(conversation, prefix)| {
        let known = finds.records.entry(conversation.clone());
        let records = known.or_insert_with(|| records_of(&conversation, only));
        records.contains(&format!("{prefix}{name}.json")).then_some(conversation)
    })
}

/// The names of the files that hold the records of a conversation's folder; none: it is not one.
fn records_of(folder: &Path, only: Option<&'static Format>) -> HashSet<String> {
    let Ok(Some((source, claim))) = claim(folder, only) else { return HashSet::new() };
    let Layout::Files(files) = claim.layout else { return HashSet::new() };
    // A folder in which a single event lies may be anybody's.
    if files.state.is_none() && files.files.len() < 2 {
        return HashSet::new();
    }
    files.files.iter().filter_map(|file| Some(source.name(file.entry?).to_owned())).collect()
}

/// Folders of a conversation that hold its records.
const RECORDS: &[&str] = &["events", "messages"];
/// Folders of a conversation that hold files of it.
pub(super) const PARTS: &[&str] = &["events", "event_cache", "messages"];

/// The names in a folder that formats look at: its files, and those of the folders that are part of a conversation.
///
/// # Errors
/// The folder cannot be listed.
pub fn names_below(path: &Path) -> io::Result<Vec<String>> {
    let mut names = files_of(path, "")?;
    for part in PARTS {
        let folder = path.join(part);
        if folder.is_dir() {
            names.extend(files_of(&folder, &format!("{part}/"))?);
        }
    }
    Ok(names)
}

fn files_of(path: &Path, prefix: &str) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for item in fs::read_dir(path)? {
        let item = item?;
        if is_prepared(&item.file_name()) {
            continue;
        }
        if item.file_type().is_ok_and(|kind| kind.is_file()) {
            // A name that is not UTF-8 is none of a host's.
            names.extend(item.file_name().to_str().map(|name| format!("{prefix}{name}")));
        }
    }
    names.sort_unstable();
    Ok(names)
}

fn claim(path: &Path, only: Option<&'static Format>) -> io::Result<Option<(Source, Claim)>> {
    let names = names_below(path)?;
    if !names.iter().any(|name| name.ends_with(".json")) {
        return Ok(None);
    }
    let source = Source::folder(path, names)?;
    let claim = formats::recognise(&Head::of_names(&source, &name_of(path)), only);
    Ok(claim.map(|claim| (source, claim)))
}

fn folders_of(path: &Path) -> Vec<PathBuf> {
    let Ok(items) = fs::read_dir(path) else { return Vec::new() };
    let mut folders: Vec<PathBuf> = items
        .flatten()
        .filter(|item| item.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|i| i.path())
        .collect();
    folders.sort();
    folders
}

/// Looks into a folder that is no conversation.
fn inside(finds: &mut Finds, path: &Path, only: Option<&'static Format>) {
    let mut items = WalkBuilder::new(path);
    items.max_depth(Some(1)).hidden(true).require_git(false).sort_by_file_name(|a, b| a.cmp(b));
    let mut folders = Vec::new();
    for item in items.build() {
        match item {
            Ok(item) if item.depth() == 0 => {}
            Ok(item) if item.file_type().is_some_and(|kind| kind.is_dir()) => {
                if !SKIPPED.iter().any(|name| item.file_name() == *name) {
                    folders.push(item.into_path());
                }
            }
            Ok(item) if item.file_type().is_some_and(|kind| kind.is_file()) => {
                one_file(finds, item.path(), only, false);
            }
            Ok(_) => {}
            Err(error) => finds.miss(path, error.to_string()),
        }
    }
    for folder in folders {
        tree(finds, &folder, only, None);
    }
}
