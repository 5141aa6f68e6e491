//! Bytes and names forced onto the disk.

use std::fs::File;
use std::io;
use std::path::Path;

/// Forces the names in a folder onto the disk. Where folders cannot be opened (Windows) the system takes care of it.
///
/// # Errors
/// The folder cannot be opened or flushed.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(path)?.sync_all()
    } else {
        Ok(())
    }
}

/// Forces the names beside `path` onto the disk.
pub(super) fn sync_beside(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), sync_folder)
}

/// How the files of a tree are forced onto the disk.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Flush {
    /// Each when it is written: few files, or no other means.
    Each,
    /// All at the end, with their file system.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    System,
}

impl Flush {
    /// The quicker way for so many files. A file system may have much else to write, so few files go one by one.
    pub(super) fn for_files(_count: usize) -> Self {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        if _count > 64 {
            return Self::System;
        }
        Self::Each
    }

    /// A file was written.
    pub(super) fn file(self, file: &File) -> io::Result<()> {
        if self == Self::Each {
            file.sync_all()
        } else {
            Ok(())
        }
    }

    /// All files were written; `folder` is one of their folders.
    pub(super) fn end(self, _folder: &File) -> io::Result<()> {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        if self == Self::System {
            rustix::fs::syncfs(_folder)?;
        }
        Ok(())
    }
}
