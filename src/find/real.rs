//! Paths without links.

use std::fs;
use std::path::{Path, PathBuf};

/// The path without links, as far as it exists.
pub(super) fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// Paths without links, of which those of one folder usually follow one another: only the first asks for each component.
#[derive(Debug, Default)]
pub(super) struct RealPaths {
    /// A folder as it was named, and without links.
    folder: Option<(PathBuf, PathBuf)>,
}

impl RealPaths {
    /// The same as [`real`].
    pub(super) fn of(&mut self, path: &Path) -> PathBuf {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return real(path);
        };
        if fs::symlink_metadata(path).map_or(true, |meta| meta.is_symlink()) {
            return real(path);
        }
        if let Some((known, real)) = &self.folder
            && known == folder
        {
            return real.join(name);
        }
        let real = real(path);
        let around = real.parent().map(Path::to_owned);
        self.folder = around.map(|around| (folder.to_owned(), around));
        real
    }
}
