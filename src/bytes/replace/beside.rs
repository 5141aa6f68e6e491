//! Names, locks and leftovers of what is prepared next to a transcript.

use super::FILE_SUFFIX;
use super::error::ReplaceError;
use crate::bytes::disk;
use std::fs::{self, File};
use std::io;
use std::path::Path;

/// The file name, cut to leave space for a prefix and a suffix.
pub(super) fn clipped_name(path: &Path) -> String {
    let mut name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut end = name.len().min(150);
    while !name.is_char_boundary(end) {
        end = end.saturating_sub(1);
    }
    name.truncate(end);
    name
}

pub(super) fn private_folder(path: &Path) -> io::Result<()> {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "only Unix has modes"))]
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Locks a folder; `None` on systems that cannot lock folders.
pub(super) fn lock_folder(path: &Path) -> Result<Option<File>, ReplaceError> {
    if !cfg!(unix) {
        return Ok(None);
    }
    let folder = File::open(path).map_err(ReplaceError::at(path))?;
    if disk::try_lock_briefly(&folder, disk::Lock::Exclusive) {
        Ok(Some(folder))
    } else {
        Err(ReplaceError::Busy(path.to_path_buf()))
    }
}

/// Removes files that an interrupted run prepared in this folder: those prepared for `name`, or
/// all. Files that are locked are in use and stay.
pub(super) fn sweep(folder: &Path, name: Option<&str>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let found = entry.file_name();
        let prepared_for = found.to_str().and_then(|found| named_for(found, FILE_SUFFIX));
        let ours =
            prepared_for.is_some_and(|own| !own.is_empty() && name.is_none_or(|name| own == name));
        if ours
            && disk::open_regular(&entry.path())
                .is_ok_and(|(file, _)| disk::try_lock_briefly(&file, disk::Lock::Exclusive))
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The name of the file that a temporary file was prepared for; empty if its name does not say.
pub(super) fn named_for<'n>(name: &'n str, suffix: &str) -> Option<&'n str> {
    let name = name.strip_prefix('.')?.strip_suffix(suffix)?;
    let (own, random) = name.rsplit_once('.').unwrap_or(("", name));
    (random.len() == 6 && random.bytes().all(|byte| byte.is_ascii_alphanumeric())).then_some(own)
}

/// Removes the temporary name from an error, because the user never typed it.
pub(crate) fn without_temp_name(error: io::Error) -> io::Error {
    let text = error.to_string();
    match text.rsplit_once(" at path ") {
        Some((why, _)) => io::Error::new(error.kind(), why),
        None => error,
    }
}
