//! What was replaced, kept as the files that they were: who still had one open may have written to it later.
//!
//! A copy of the old bytes cannot have that, so the old file or folder itself is moved into the journal, or, where that is
//! on another file system, stays hidden beside the recording.

use super::log::{Status, private_folder};
use super::record::Operation;
use super::{Journal, blob};
use crate::bytes::checksum::Checksum;
use crate::bytes::disk::{self, Handle, RangeReader};
use crate::bytes::edit::Edit;
use crate::bytes::patch::Patch;
use crate::bytes::replace::{self, FileSizes, Unit, UnitKind, sync_folder};
use crate::bytes::source::{Entries, Shape, Source, Span};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The folder in the journal.
const FOLDER: &str = "kept";

/// A file or folder that was replaced, or that was in place until the old one was put back.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The operation that replaced it.
    pub op: u64,
    /// When.
    pub time: SystemTime,
    /// The recording, as it was named.
    pub recording: PathBuf,
    /// Where it is now.
    pub path: PathBuf,
    /// The file or folder whose place it had.
    pub of: PathBuf,
    /// What came to it later and is not in the recording.
    pub late: Late,
    /// The list of what was in it, if it is a folder.
    names: PathBuf,
}

/// What came to a replaced file or folder later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Late {
    /// Nothing that the recording does not have.
    Nothing,
    /// Lines behind the first `from` bytes.
    Lines {
        /// Where they begin.
        from: u64,
        /// How many of them the recording does not have.
        lines: u64,
        /// The bytes of those.
        bytes: u64,
    },
    /// Files that the recording does not have, by their paths below the folder.
    Files(Vec<PathBuf>),
    /// Its bytes were changed.
    Other,
}

/// A file in the list of what was in a folder.
#[derive(Serialize, Deserialize)]
struct Named {
    name: Name,
    size: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(transparent)]
struct Name(#[serde(with = "blob::path")] PathBuf);

/// Where a unit's old or new file or folder is kept.
fn place(journal: &Journal, op: u64, at: usize, is_new: bool) -> PathBuf {
    let end = if is_new { "-new" } else { "" };
    journal.root.join(FOLDER).join(format!("{op}-{at}{end}"))
}

fn list(journal: &Journal, op: u64, at: usize, is_new: bool) -> PathBuf {
    let mut path = place(journal, op, at, is_new).into_os_string();
    path.push(".names");
    path.into()
}

/// Remembers what was in the old and is in the new folder of a unit, so that what comes later is told from it.
pub(super) fn remember(
    journal: &Journal,
    op: u64,
    at: usize,
    names: &(FileSizes, FileSizes),
) -> io::Result<()> {
    private_folder(&journal.root.join(FOLDER))?;
    for (names, is_new) in [(&names.0, false), (&names.1, true)] {
        let named = names.iter().map(|(name, &size)| Named {
            name: Name(name.clone()),
            size,
        });
        let bytes = serde_json::to_vec(&named.collect::<Vec<_>>())?;
        fs::write(list(journal, op, at, is_new), bytes)?;
    }
    Ok(())
}

/// What was in the new folder of a unit when it was prepared.
pub(super) fn names(journal: &Journal, op: u64, at: usize) -> Option<FileSizes> {
    read_names(&list(journal, op, at, true))
}

fn read_names(path: &Path) -> Option<FileSizes> {
    let named: Vec<Named> = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
    Some(
        named
            .into_iter()
            .map(|named| (named.name.0, named.size))
            .collect(),
    )
}

/// Takes what lies beside the places of an operation into the journal. What cannot be moved there stays, and is found.
pub(super) fn keep(journal: &Journal, operation: &Operation) {
    for (at, unit) in operation.units.iter().enumerate() {
        let Ok(Some((beside, is_new))) = unit.beside(&operation.place) else {
            continue;
        };
        let to = place(journal, operation.op, at, is_new);
        let moved =
            private_folder(&journal.root.join(FOLDER)).and_then(|()| fs::rename(&beside, &to));
        if moved.is_ok() {
            // What is lost with the power is another name of it: it is found under that, too.
            let _ = sync_folder(&journal.root.join(FOLDER));
        }
        // The list of the other one is of no use.
        let _ = fs::remove_file(list(journal, operation.op, at, !is_new));
    }
}

/// Removes what lies beside the places of an operation.
pub(super) fn remove(operation: &Operation) -> io::Result<()> {
    for unit in &operation.units {
        if let Some((beside, _)) = unit.beside(&operation.place)? {
            erase(&beside)?;
        }
    }
    Ok(())
}

fn erase(path: &Path) -> io::Result<()> {
    if fs::symlink_metadata(path)?.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    }
}

impl Journal {
    /// All files and folders that are kept because they were replaced, with what came to them later.
    ///
    /// # Errors
    /// The journal is there and cannot be read.
    pub fn kept(&self) -> io::Result<Vec<Kept>> {
        let mut all = Vec::new();
        for entry in self
            .operations()?
            .iter()
            .filter(|entry| entry.status != Status::Unfinished)
        {
            let operation = &entry.operation;
            for (at, unit) in operation.units.iter().enumerate() {
                let mut found: Vec<(PathBuf, bool)> = [false, true]
                    .map(|is_new| (place(self, operation.op, at, is_new), is_new))
                    .into_iter()
                    .filter(|(path, _)| fs::symlink_metadata(path).is_ok())
                    .collect();
                found.extend(unit.beside(&operation.place).unwrap_or_default());
                for (path, is_new) in found {
                    let names = list(self, operation.op, at, is_new);
                    let late = late(operation, unit, &path, is_new, read_names(&names))
                        .unwrap_or(Late::Other);
                    all.push(Kept {
                        op: operation.op,
                        time: operation
                            .time
                            .parse::<jiff::Timestamp>()
                            .unwrap_or_default()
                            .into(),
                        recording: operation.place.path.clone(),
                        path,
                        of: unit.path(&operation.place),
                        late,
                        names,
                    });
                }
            }
        }
        Ok(all)
    }

    /// What adds to a recording what came to a kept file or folder; `None` if it cannot be added: a last line has no end yet,
    /// or another file has the name.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn addition(&self, kept: &Kept, source: &Source) -> io::Result<Option<Patch>> {
        let below = kept
            .of
            .strip_prefix(&kept.recording)
            .map_err(io::Error::other)?;
        let edits = match &kept.late {
            Late::Lines { from, .. } => lines_again(kept, *from, source, below)?,
            Late::Files(files) => files_again(kept, files, below)?,
            Late::Nothing | Late::Other => None,
        };
        edits
            .map(|edits| Patch::new(edits).map_err(io::Error::other))
            .transpose()
    }

    /// Removes a kept file or folder, to which nothing came that is not in the recording.
    ///
    /// # Errors
    /// It cannot be removed, or something came to it.
    pub fn forget(&self, kept: &Kept) -> io::Result<()> {
        if kept.late != Late::Nothing {
            return Err(io::Error::other("something came to it later"));
        }
        erase(&kept.path)?;
        if fs::symlink_metadata(&kept.names).is_ok() {
            fs::remove_file(&kept.names)
        } else {
            Ok(())
        }
    }
}

/// What came to a kept file or folder.
fn late(
    operation: &Operation,
    unit: &Unit,
    path: &Path,
    is_new: bool,
    names: Option<FileSizes>,
) -> io::Result<Late> {
    let here = unit.path(&operation.place);
    if unit.kind == UnitKind::Folder {
        let Some(names) = names else {
            return Ok(Late::Other);
        };
        let files = replace::new_files(path, &names).map_err(io::Error::other)?;
        let lacks = |file: &PathBuf| !same(&path.join(file), &here.join(file)).unwrap_or(false);
        let files: Vec<PathBuf> = files.into_iter().filter(lacks).collect();
        return Ok(if files.is_empty() {
            Late::Nothing
        } else {
            Late::Files(files)
        });
    }
    let states = operation.states();
    let own = |name: &Option<String>| name.as_deref().and_then(|name| unit.below(name)).is_some();
    let print = match is_new {
        false => states
            .iter()
            .find(|state| own(&state.from))
            .and_then(|state| state.before),
        true => states
            .iter()
            .find(|state| own(&state.to))
            .and_then(|state| state.after),
    };
    let Some(print) = print else {
        return Ok(Late::Other);
    };
    let (file, stamp) = disk::open_regular(path)?;
    if stamp.len == print.size {
        return Ok(Late::Nothing);
    }
    if stamp.len < print.size || !replace::starts_with(path, &print)? {
        return Ok(Late::Other);
    }
    let mut tail = RangeReader::new(Handle::Own(file), print.size, stamp.len);
    let missing_lines = match disk::open_regular(&here) {
        Ok((file, stamp)) => replace::missing_lines(
            &mut tail,
            &mut RangeReader::new(Handle::Own(file), 0, stamp.len),
        )?,
        Err(_) => replace::missing_lines(&mut tail, &mut io::empty())?,
    };
    let lines = missing_lines.split_inclusive(|&byte| byte == b'\n').count() as u64;
    Ok(match lines {
        0 => Late::Nothing,
        _ => Late::Lines {
            from: print.size,
            lines,
            bytes: missing_lines.len() as u64,
        },
    })
}

fn lines_again(
    kept: &Kept,
    from: u64,
    source: &Source,
    below: &Path,
) -> io::Result<Option<Vec<Edit>>> {
    let entry = match source.shape() {
        Shape::Folder => below.to_str().and_then(|name| source.find(name)),
        _ => source
            .ids()
            .first()
            .copied()
            .filter(|_| source.packed().is_none()),
    };
    let Some(entry) = entry else { return Ok(None) };
    let (file, stamp) = disk::open_regular(&kept.path)?;
    let mut tail = RangeReader::new(Handle::Own(file), from, stamp.len);
    let missing_lines = replace::missing_lines(&mut tail, &mut *source.open(entry)?)?;
    let end = source.len(entry);
    let last = source.fetch(Span {
        entry,
        start: end.saturating_sub(1),
        end,
    })?;
    if !missing_lines.ends_with(b"\n") || !(last.is_empty() || last == b"\n") {
        return Ok(None);
    }
    Ok(Some(vec![Edit::Bytes {
        at: Span {
            entry,
            start: end,
            end,
        },
        with: missing_lines,
    }]))
}

fn files_again(kept: &Kept, files: &[PathBuf], below: &Path) -> io::Result<Option<Vec<Edit>>> {
    let mut edits = Vec::with_capacity(files.len());
    for file in files {
        let name = below.join(file);
        let Some(name) = name.to_str().filter(|_| !kept.of.join(file).exists()) else {
            return Ok(None);
        };
        let mut bytes = Vec::new();
        io::Read::read_to_end(
            &mut disk::open_regular(&kept.path.join(file))?.0,
            &mut bytes,
        )?;
        edits.push(Edit::Create {
            name: name.replace('\\', "/"),
            bytes,
        });
    }
    Ok(Some(edits))
}

/// Do two files have the same bytes?
fn same(a: &Path, b: &Path) -> io::Result<bool> {
    let sum = |path: &Path| Checksum::of(&mut disk::open_regular(path)?.0);
    Ok(sum(a)? == sum(b)?)
}
