//! What walks skip because the user says so.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::{Finds, SkippedPath, names_below, real};

/// Globs as in ignore files, and the folder that they are relative to.
#[derive(Clone, Debug)]
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
        Ok(Excluded { folder: real(folder), globs: builder.build()? })
    }

    /// Whether one of the globs matches this path, or a folder that it is in.
    pub(crate) fn has(&self, path: &Path) -> bool {
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
            places.iter().any(|place| place.has(path)) && !named.contains(&real(path))
        };
        self.skip_if("excluded", &is_out);
        self.missed.retain(|missed| !is_out(&missed.path));
    }

    /// Skips what has not changed since then. What has no time is checked.
    pub(crate) fn skip_older(&mut self, since: SystemTime) {
        let is_old = |path: &Path| newest(path).is_some_and(|changed| changed < since);
        self.skip_if("not changed since the time of --since", &is_old);
    }

    /// Skips transcripts at these paths.
    fn skip_if(&mut self, why: &'static str, is_out: &dyn Fn(&Path) -> bool) {
        let mut positions = Vec::with_capacity(self.found.len());
        let mut kept = Vec::with_capacity(self.found.len());
        for found in std::mem::take(&mut self.found) {
            if is_out(&found.path) {
                positions.push(None);
                self.skipped.push(SkippedPath { path: found.path, why: why.into() });
            } else {
                positions.push(Some(kept.len()));
                kept.push(found);
            }
        }
        for found in &mut kept {
            found.parent = found.parent.and_then(|parent| positions.get(parent).copied().flatten());
        }
        self.found = kept;
    }
}

/// When a file was modified, or the newest file of a folder.
fn newest(path: &Path) -> Option<SystemTime> {
    let changed = |path: &Path| path.metadata().and_then(|meta| meta.modified()).ok();
    if !path.is_dir() {
        return changed(path);
    }
    let names = names_below(path).ok()?;
    names.into_iter().filter_map(|name| changed(&path.join(name))).max()
}
