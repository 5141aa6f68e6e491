//! Names that are near the name of a file that does not exist.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::cli::meant;

/// Names of a folder that are compared with one that does not exist, and how many are proposed.
const NEIGHBORS: usize = 10_000;
const NEAR: usize = 3;

/// Files and folders that somebody may have meant by the name of one that does not exist.
pub(super) fn neighbors(path: &Path) -> Vec<PathBuf> {
    let Some(typed) = path.file_name().and_then(OsStr::to_str) else {
        return Vec::new();
    };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let listed = fs::read_dir(folder.unwrap_or(Path::new("."))).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        listed.take(NEIGHBORS).filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    // Endings are long and alike, so they do not count.
    let (stem, ending) = stem_and_ending(typed);
    let stems: Vec<&str> = names.iter().filter_map(|name| name.strip_suffix(ending)).collect();
    let mut near: Vec<String> =
        meant(stem, &stems).iter().map(|stem| format!("{stem}{ending}")).collect();
    if near.is_empty() {
        near = names.into_iter().filter(|name| stem_and_ending(name).0 == stem).collect();
    }
    near.iter().take(NEAR).map(|name| path.with_file_name(name)).collect()
}

/// `run` and `.jsonl.gz`.
fn stem_and_ending(name: &str) -> (&str, &str) {
    let at = name.find('.').filter(|at| *at > 0).unwrap_or(name.len());
    name.split_at(at)
}
