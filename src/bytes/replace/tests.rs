use super::*;
use crate::bytes::edit::Edit;
use crate::bytes::overlay::Overlay;
use crate::bytes::patch::Patch;
use crate::bytes::source::{Entries, EntryId, Source, Span};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

mod files;
mod folders;

/// Everything in a folder: the text of files, `None` for folders.
fn tree(root: &Path) -> BTreeMap<String, Option<String>> {
    let found = tree::walk(root).unwrap();
    found
        .into_iter()
        .map(|(path, found)| {
            let bytes = (found != tree::TreeEntry::Folder)
                .then(|| String::from_utf8(fs::read(root.join(&path)).unwrap()).unwrap());
            (path.to_str().unwrap().replace('\\', "/"), bytes)
        })
        .collect()
}

fn put(source: &Source, name: &str, start: u64, end: u64, with: &str) -> Edit {
    Edit::Bytes { at: Span { entry: source.find(name).unwrap(), start, end }, with: with.into() }
}

/// Stages the edits and passes the stage to `act`.
fn staged<T>(
    source: &Source,
    edits: Vec<Edit>,
    act: impl FnOnce(Staged) -> T,
) -> Result<T, ReplaceError> {
    let patch = Patch::new(edits).unwrap();
    let patched = Overlay::new(source, &patch);
    let changes = changes(source, &patch, &patched)?;
    Ok(act(stage(&Location::of(source)?, &changes, false)?))
}

fn run(mut staged: Staged) -> Result<(), ReplaceError> {
    staged.check_unchanged()?;
    staged.disarm();
    let count = staged.units().len();
    for at in 0..count {
        while staged.commit(at)? == CommitStep::Away {}
        if staged.late_writes(at)? != LateWrites::Nothing {
            staged.roll_back()?;
            return Err(ReplaceError::Changed(staged.location().path.clone()));
        }
    }
    staged.check()?;
    remove_replaced(&staged);
    Ok(())
}

fn remove_replaced(staged: &Staged) {
    for (path, _) in staged.units().filter_map(|unit| unit.beside(staged.location()).unwrap()) {
        if path.is_dir() {
            fs::remove_dir_all(path).unwrap()
        } else {
            fs::remove_file(path).unwrap()
        }
    }
}

fn replace(source: &Source, edits: Vec<Edit>) -> Result<(), ReplaceError> {
    staged(source, edits, run)?
}
