//! Flushing of file contents and names to disk.

use std::fs::File;
use std::io;
use std::path::Path;

/// Flushes the names in a folder to disk. Where folders cannot be opened (Windows), the system does
/// that by itself.
///
/// # Errors
/// The folder cannot be opened or flushed.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(path)?.sync_all() } else { Ok(()) }
}

/// Flushes the names in the folder of `path` to disk.
pub(super) fn sync_beside(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), sync_folder)
}

/// How the files of a tree are flushed.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Flush {
    /// Each file after it is written: for few files, or on systems without `syncfs`.
    Each,
    /// All files at the end, with their whole file system.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    System,
}

impl Flush {
    /// The faster way for this many files. The file system may have much else to write, so a few
    /// files are flushed one by one.
    pub(super) fn for_files(_count: usize) -> Self {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        if _count > 64 {
            return Self::System;
        }
        Self::Each
    }

    /// Flushes a written file, if files are flushed one by one.
    pub(super) fn file(self, file: &File) -> io::Result<()> {
        if self == Self::Each { file.sync_all() } else { Ok(()) }
    }

    /// Flushes everything else, after all files were written. `folder` is one of their folders.
    pub(super) fn end(self, _folder: &File) -> io::Result<()> {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        if self == Self::System {
            rustix::fs::syncfs(_folder)?;
        }
        Ok(())
    }
}
