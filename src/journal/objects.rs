//! The files as they were, by their checksum.

use super::log::private_folder;
use crate::bytes::checksum::Summing;
use crate::bytes::replace::{Print, sync_folder};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Where the original with this checksum is or would be.
pub(super) fn path(root: &Path, print: &Print) -> PathBuf {
    root.join("objects").join(print.sha256.to_string())
}

/// Is it there, as far as its size tells? Who uses it checks the sum.
pub(super) fn has(root: &Path, print: &Print) -> bool {
    fs::symlink_metadata(path(root, print)).is_ok_and(|meta| meta.is_file() && meta.len() == print.size)
}

/// Keeps what `reader` gives; it must be what `print` says.
pub(super) fn keep(root: &Path, print: &Print, reader: &mut dyn Read) -> io::Result<()> {
    if has(root, print) {
        return Ok(());
    }
    let folder = root.join("objects");
    private_folder(&folder)?;
    // Temporary files are private, and copied and renamed inside one folder: also on another device than the recording.
    let temp = tempfile::Builder::new().prefix(".").suffix(".tmp").tempfile_in(&folder)?;
    let mut sum = Summing::new(temp.as_file());
    io::copy(reader, &mut sum)?;
    if sum.finish() != (print.sha256, print.size) {
        return Err(io::Error::other("the file changed while it was being backed up"));
    }
    temp.as_file().sync_all()?;
    temp.persist(path(root, print)).map_err(|error| error.error)?;
    sync_folder(&folder)
}
