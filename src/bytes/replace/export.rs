//! Writes a changed copy to another path; only reads the original.

use super::beside::{clipped_name, without_temp_name};
use super::change::{FileChange, Location};
use super::error::ReplaceError;
use super::tree::{self, FolderCopy, Original};
use super::{Existing, FILE_SUFFIX, NEW_SUFFIX, units};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Copies the transcript at `location` to `out` with the changes applied: a file to a file, a
/// folder with everything in it to a folder. Keeps modes, and the times of unchanged files.
/// An existing folder at `out` is never replaced.
///
/// # Errors
/// [`ReplaceError::Exists`], or an I/O error. Nothing is left at `out`.
pub(crate) fn export(
    location: &Location,
    changes: &[FileChange<'_>],
    out: &Path,
    existing: Existing,
) -> Result<(), ReplaceError> {
    let there = units::id(out).map_err(ReplaceError::at(out))?.is_some();
    if there && (location.folder || existing == Existing::Refused || out.is_dir()) {
        return Err(ReplaceError::Exists(out.to_path_buf()));
    }
    let around =
        out.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if location.folder {
        folder(location, changes, out, around)
    } else {
        file(location, changes, out, around, existing)
    }
}

fn file(
    location: &Location,
    changes: &[FileChange<'_>],
    out: &Path,
    around: &Path,
    existing: Existing,
) -> Result<(), ReplaceError> {
    let same = FileChange {
        from: Some(String::new()),
        to: Some(String::new()),
        content: super::NewContent::Same,
        attributes: None,
        extended: &[],
        baseline: super::PlannedState::default(),
    };
    let change = match changes {
        [] => &same,
        [only] if only.is_plain() => only,
        _ => return Err(ReplaceError::Structure),
    };
    let temp = tempfile::Builder::new()
        .prefix(&format!(".{}.", clipped_name(out)))
        .suffix(FILE_SUFFIX)
        .tempfile_in(around)
        .map_err(without_temp_name);
    let temp = temp.map_err(ReplaceError::at(out))?;
    let original = Original::for_copy(&location.path)?;
    tree::write_file(temp.as_file(), temp.path(), change, Some(&original), None, false)?;
    temp.as_file().sync_all().map_err(ReplaceError::at(out))?;
    let done = if existing == Existing::Replaced {
        temp.persist(out)
    } else {
        temp.persist_noclobber(out)
    };
    match done {
        Ok(_) => super::sync_folder(around).map_err(|error| {
            // The report says that nothing was written, so nothing may be there. What was replaced is gone.
            if existing == Existing::Refused {
                let _ = fs::remove_file(out);
            }
            ReplaceError::at(out)(error)
        }),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
            Err(ReplaceError::Exists(out.to_path_buf()))
        }
        Err(error) => Err(ReplaceError::at(out)(error.error)),
    }
}

fn folder(
    location: &Location,
    changes: &[FileChange<'_>],
    out: &Path,
    around: &Path,
) -> Result<(), ReplaceError> {
    let tree = tree::walk(&location.path)?;
    let prefix = format!(".{}.", clipped_name(out));
    let temp = tempfile::Builder::new()
        .prefix(&prefix)
        .suffix(NEW_SUFFIX)
        .tempdir_in(around)
        .map_err(without_temp_name);
    let temp = temp.map_err(ReplaceError::at(out))?;
    let changes: Vec<&FileChange<'_>> = changes.iter().collect();
    let below = |name: &str| Some(PathBuf::from(name));
    let build = FolderCopy {
        from: &location.path,
        tree: &tree,
        to: temp.path(),
        below: &below,
        keep_mtime: false,
        keep_original: true,
    };
    build.build(&changes)?;
    fs::rename(temp.path(), out).map_err(ReplaceError::at(out))?;
    // It was renamed, so there is nothing to remove.
    let _ = temp.keep();
    super::sync_folder(around).map_err(|error| {
        let _ = fs::remove_dir_all(out);
        ReplaceError::at(out)(error)
    })
}
