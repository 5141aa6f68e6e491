//! First lines of the files next to a source.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::disk::open_regular;

/// Most files to read.
const MAX_FILES: usize = 16;
/// Most bytes to read of a line.
const MAX_LINE_BYTES: u64 = 64 << 10;

/// The first lines of up to 16 files in `folder` other than `own` whose names end with `ending`, in
/// name order.
pub(super) fn first_lines(folder: &Path, own: &Path, ending: &str) -> Vec<Vec<u8>> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            let name = path.file_name().map(|name| name.to_string_lossy());
            path.file_name() != own.file_name() && name.is_some_and(|name| name.ends_with(ending))
        })
        .collect();
    paths.sort();
    paths.iter().take(MAX_FILES).filter_map(|path| first_line(path)).collect()
}

fn first_line(path: &Path) -> Option<Vec<u8>> {
    let (file, _) = open_regular(path).ok()?;
    let mut bytes = Vec::new();
    file.take(MAX_LINE_BYTES).read_to_end(&mut bytes).ok()?;
    let end = memchr::memchr(b'\n', &bytes)?;
    bytes.truncate(end);
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbors_are_read_up_to_their_first_line() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [
            ("a.jsonl", "own\n"),
            ("b.jsonl", "one\ntwo\n"),
            ("c.jsonl", "unended"),
            ("d.txt", "no\n"),
        ] {
            fs::write(folder.path().join(name), text).unwrap();
        }
        let lines = first_lines(folder.path(), &folder.path().join("a.jsonl"), ".jsonl");
        assert_eq!(lines, [b"one".to_vec()]);
    }
}
