//! Originals of replaced files, stored by checksum.

use super::log::private_folder;
use crate::bytes::checksum::{Checksum, HashingWriter};
use crate::bytes::disk;
use crate::bytes::replace::{Fingerprint, sync_folder, without_temp_name};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Prefix and suffix of an original that is being written.
const HIDDEN: &str = ".";
const UNFINISHED: &str = ".tmp";

/// Path of the original with this checksum, whether or not it exists.
pub(super) fn path(root: &Path, print: &Fingerprint) -> PathBuf {
    root.join("objects").join(print.sha256.to_string())
}

/// Whether the original is stored, byte for byte. Checks the content, because a full disk or a
/// person may have changed it.
pub(super) fn has(root: &Path, print: &Fingerprint) -> bool {
    let path = path(root, print);
    let sized =
        fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_file() && meta.len() == print.size);
    let sum = || Checksum::of(&mut disk::open_regular(&path)?.0);
    sized && sum().is_ok_and(|sum| sum == (print.sha256, print.size))
}

/// Stores what `reader` yields. Returns `false` if that is not what `print` says: then nothing is stored.
pub(super) fn store(root: &Path, print: &Fingerprint, reader: &mut dyn Read) -> io::Result<bool> {
    if has(root, print) {
        return Ok(true);
    }
    let folder = root.join("objects");
    private_folder(&folder)?;
    let temp = create_temp(&folder)?;
    let mut sum = HashingWriter::new(temp.as_file());
    io::copy(reader, &mut sum)?;
    if sum.finish() != (print.sha256, print.size) {
        return Ok(false);
    }
    temp.as_file().sync_all()?;
    temp.persist(path(root, print)).map_err(|error| error.error)?;
    sync_folder(&folder)?;
    Ok(true)
}

/// Creates a file for an original that no other process removes as a leftover. It is private and in
/// the same folder as the final name, so that it can be renamed whatever device the transcript is
/// on.
fn create_temp(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    loop {
        let temp = tempfile::Builder::new()
            .prefix(HIDDEN)
            .suffix(UNFINISHED)
            .tempfile_in(folder)
            .map_err(without_temp_name)?;
        // On Windows, a locked file cannot be renamed, and an open one cannot be removed.
        let locked = cfg!(windows) || disk::try_lock_briefly(temp.as_file(), disk::Lock::Exclusive);
        // Another process may have removed it before it was locked.
        if locked && temp.path().exists() {
            return Ok(temp);
        }
    }
}

/// Removes unfinished originals of interrupted runs. Locked ones are in use and stay.
pub(super) fn sweep(root: &Path) {
    let Ok(entries) = fs::read_dir(root.join("objects")) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.as_encoded_bytes();
        let begun = name.starts_with(HIDDEN.as_bytes()) && name.ends_with(UNFINISHED.as_bytes());
        if begun
            && disk::open_regular(&entry.path())
                .is_ok_and(|(file, _)| disk::try_lock_briefly(&file, disk::Lock::Exclusive))
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}
