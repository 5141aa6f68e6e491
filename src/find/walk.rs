//! Walking folders: a conversation's folder is one recording, everything else is looked into.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use super::{Finds, one_file, reason};
use crate::bytes::replace::is_prepared;
use crate::bytes::source::Source;
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
    let here = Path::new(".");
    let parent = path.parent().map(|parent| if parent.as_os_str().is_empty() { here } else { parent });
    let whole = |parent: &&Path| is_part && claim(parent, only).is_ok_and(|claim| claim.is_some());
    if let Some(parent) = parent.filter(whole) {
        return tree(finds, parent, only, None);
    }
    tree(finds, path, only, None);
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

/// The conversation's folder, of a record file that says nothing alone.
pub(super) fn whole_of(file: &Path, only: Option<&'static Format>) -> Option<PathBuf> {
    let name = file.file_name()?.to_str()?;
    let folder = file.parent().filter(|_| name.starts_with("message_") && name.ends_with(".json"))?;
    let conversation =
        folder.parent().filter(|_| folder.file_name().is_some_and(|name| name == "messages"))?;
    claim(conversation, only).ok()?.map(|_| conversation.to_owned())
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
