//! Patterns that a shell did not expand: `'logs/**/*.jsonl'`.

use std::fs;
use std::path::{Component, Path, PathBuf};

use ignore::gitignore::GitignoreBuilder;

/// Folders below the fixed part of a pattern that are entered one inside the other.
const DEEPEST: usize = 32;

/// The paths that a pattern matches, sorted; none if it matches nothing. A path that exists, or has no wildcard, is its own
/// match.
pub(crate) fn expand(word: &Path) -> Vec<PathBuf> {
    let itself = || vec![word.to_owned()];
    let is_wild = |part: &Component<'_>| {
        part.as_os_str().as_encoded_bytes().iter().any(|byte| b"*?[".contains(byte))
    };
    if fs::symlink_metadata(word).is_ok() || !word.components().any(|part| is_wild(&part)) {
        return itself();
    }
    let parts: Vec<Component<'_>> = word.components().collect();
    let fixed = parts.iter().take_while(|part| !is_wild(part)).count();
    let (folder, pattern) = parts.split_at(fixed);
    let folder: PathBuf = folder.iter().collect();
    let pattern: PathBuf = pattern.iter().collect();
    let mut builder = GitignoreBuilder::new("");
    // At the beginning, a slash binds the pattern to this folder.
    let line = pattern.to_str().map(|pattern| format!("/{pattern}"));
    let globs = line.and_then(|line| {
        builder.add_line(None, &line).ok()?;
        builder.build().ok()
    });
    let Some(globs) = globs else {
        return itself();
    };
    let mut found = Vec::new();
    let mut todo = vec![(PathBuf::new(), 0)];
    while let Some((below, depth)) = todo.pop() {
        let place = match folder.join(&below) {
            place if place.as_os_str().is_empty() => PathBuf::from("."),
            place => place,
        };
        for item in fs::read_dir(place).into_iter().flatten().flatten() {
            let (name, kind) = (below.join(item.file_name()), item.file_type());
            // Links are not followed.
            let is_folder = kind.is_ok_and(|kind| kind.is_dir());
            if globs.matched(&name, is_folder).is_ignore() {
                found.push(folder.join(&name));
            } else if is_folder && depth < DEEPEST {
                todo.push((name, depth + 1));
            }
        }
    }
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_match_names_and_two_stars_folders() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::create_dir_all(at("a/b")).unwrap();
        for name in ["x.jsonl", "a/y.jsonl", "a/b/z.jsonl", "a/b/z.txt", "[1].jsonl"] {
            fs::write(at(name), "").unwrap();
        }
        let paths = |names: &[&str]| names.iter().map(|name| at(name)).collect::<Vec<_>>();
        assert_eq!(expand(&at("*.jsonl")), paths(&["[1].jsonl", "x.jsonl"]));
        assert_eq!(expand(&at("a/?.jsonl")), paths(&["a/y.jsonl"]));
        assert_eq!(expand(&at("a/**/*.jsonl")), paths(&["a/b/z.jsonl", "a/y.jsonl"]));
        assert_eq!(expand(&at("[xy].jsonl")), paths(&["x.jsonl"]));
        assert_eq!(expand(&at("*")), paths(&["[1].jsonl", "a", "x.jsonl"]));
        // What exists is its own match.
        assert_eq!(expand(&at("[1].jsonl")), paths(&["[1].jsonl"]));
        assert_eq!(expand(&at("*.gone")), paths(&[]));
        assert_eq!(expand(&at("gone")), paths(&["gone"]));
    }
}
