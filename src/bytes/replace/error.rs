//! Why a recording was not replaced.

use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a recording was not replaced. Nothing was written, except where it says so.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReplaceError {
    /// Standard input and archives are not written in place.
    #[error("only files and folders are written in place")]
    Unsupported,
    /// Entries of a single file cannot be created, removed or renamed.
    #[error("a single file cannot get, lose or rename entries")]
    Structure,
    /// Two entries would have this name, or it cannot be a file name.
    #[error("the entry name {0:?} is taken or cannot be used")]
    Name(String),
    /// It has more than one hard link: the other name would keep the old bytes.
    #[error("{0:?} has more than one hard link")]
    Linked(PathBuf),
    /// A symbolic link inside a folder: what it points to is not part of the recording.
    #[error("{0:?} is a symbolic link inside the folder")]
    Symlink(PathBuf),
    /// A FIFO, device or socket, which cannot be copied.
    #[error("{0:?} is neither a file nor a folder nor a link")]
    Special(PathBuf),
    /// Another user owns it, and this process may not give it back to that user.
    #[error("the owner of {0:?} cannot be kept")]
    Owner(PathBuf),
    /// Somebody wrote since it was read.
    #[error("{0:?} changed since it was read")]
    Changed(PathBuf),
    /// Somebody wrote while it was being replaced; what was there before is in its place again, with what was written.
    #[error("{0:?} grew while it was repaired")]
    Grew(PathBuf),
    /// Another process is replacing it.
    #[error("{0:?} is being replaced by another process")]
    Busy(PathBuf),
    /// The place to write to is there already.
    #[error("{0:?} exists")]
    Exists(PathBuf),
    /// The system refused.
    #[error("{path:?}: {source}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl ReplaceError {
    /// An error of the system at `path`, for `map_err`.
    pub(super) fn at(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_path_buf();
        move |source| Self::Io { path, source }
    }
}
