//! Why a transcript was not replaced.

use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a transcript was not replaced. Nothing was written, unless the variant says so.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReplaceError {
    /// Standard input or an archive, which cannot be written in place.
    #[error("only files and folders are written in place")]
    Unsupported,
    /// A single file, whose entries cannot be created, removed or renamed.
    #[error("a single file cannot get, lose, or rename entries")]
    Structure,
    /// Two entries would have this name, or it cannot be a file name.
    #[error("the entry name {0:?} is taken or cannot be used")]
    Name(String),
    /// The file has more than one hard link: the other name would keep the old bytes.
    #[error("{0:?} has more than one hard link")]
    Linked(PathBuf),
    /// A symbolic link inside a folder, which leads out of the transcript.
    #[error("{0:?} is a symbolic link inside the folder")]
    Symlink(PathBuf),
    /// A FIFO, device or socket, which cannot be copied.
    #[error("{0:?} is neither a file nor a folder nor a link")]
    Special(PathBuf),
    /// The file belongs to another user, and this process may not set that owner.
    #[error("it belongs to {0}")]
    Owner(&'static str),
    /// The file changed since it was read.
    #[error("{0:?} changed since it was read")]
    Changed(PathBuf),
    /// The file was written to during the replacement. The old bytes are back in place, with what
    /// was written.
    #[error("{0:?} grew while it was repaired")]
    Grew(PathBuf),
    /// Another process is replacing the file.
    #[error("{0:?} is being replaced by another process")]
    Busy(PathBuf),
    /// The output path exists already.
    #[error("{0:?} exists")]
    Exists(PathBuf),
    /// The system refused.
    #[error("{path:?}: {source}")]
    Io { path: PathBuf, source: io::Error },
}

impl ReplaceError {
    /// Makes an I/O error at `path`, for `map_err`.
    pub(super) fn at(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_path_buf();
        move |source| Self::Io { path, source }
    }
}
