//! What walks skip because the user says so.

use std::path::{Path, PathBuf};

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::{Finds, SkippedPath, real};

/// Globs as in ignore files, and the folder that they are relative to.
#[derive(Debug)]
pub(crate) struct Excluded {
    folder: PathBuf,
    globs: Gitignore,
}

impl Excluded {
    /// These globs in this folder.
    ///
    /// # Errors
    /// One is not a glob.
    pub(crate) fn new(folder: &Path, globs: &[String]) -> Result<Excluded, ignore::Error> {
        // Paths are made relative before they are compared.
        let mut builder = GitignoreBuilder::new("");
        for glob in globs {
            builder.add_line(None, glob)?;
        }
        Ok(Excluded {
            folder: real(folder),
            globs: builder.build()?,
        })
    }

    fn has(&self, path: &Path) -> bool {
        let path = real(path);
        let below = path.strip_prefix(&self.folder);
        below.is_ok_and(|below| {
            let matched = self.globs.matched_path_or_any_parents(below, path.is_dir());
            matched.is_ignore()
        })
    }
}

impl Finds {
    /// Skips what walks found at these places. What the user named is checked.
    pub(crate) fn exclude(&mut self, places: &[Excluded]) {
        let named: Vec<PathBuf> = self.targets.iter().map(|path| real(path)).collect();
        let is_out = |path: &Path| {
            !named.contains(&real(path)) && places.iter().any(|place| place.has(path))
        };
        let mut positions = Vec::with_capacity(self.found.len());
        let mut kept = Vec::with_capacity(self.found.len());
        for found in std::mem::take(&mut self.found) {
            if is_out(&found.path) {
                positions.push(None);
                self.skipped.push(SkippedPath {
                    path: found.path,
                    why: "excluded".into(),
                });
            } else {
                positions.push(Some(kept.len()));
                kept.push(found);
            }
        }
        for found in &mut kept {
            found.parent = found
                .parent
                .and_then(|parent| positions.get(parent).copied().flatten());
        }
        self.found = kept;
        self.missed.retain(|missed| !is_out(&missed.path));
    }
}
