//! Late writes: what other processes write to a file or folder after its replacement was planned,
//! and how it gets into the new one.

use super::swap;
use super::tree::{self, FolderTree, TreeEntry};
use super::{ReplaceError, units};
use crate::bytes::checksum::Checksum;
use crate::bytes::disk::{Handle, RangeReader};
use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// More than 64 MiB is not an append during a replacement.
const MAX_APPEND_BYTES: u64 = 64 << 20;
/// How often to check whether a line that is being written is complete, and the pause between
/// checks.
const TRIES: u32 = 10;
const PAUSE: Duration = Duration::from_millis(10);

/// What other processes wrote to a replaced file or folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LateWrites {
    Nothing,
    /// Complete lines, appended to the file.
    Lines(Vec<u8>),
    /// New files and folders, by their paths relative to the folder; parents before children.
    Files(Vec<PathBuf>),
    /// Anything else: changed bytes, an incomplete line, a removed file.
    Other,
}

/// Finds what was appended to an old file after offset `from`. The file had `size` bytes with
/// checksum `sum` when its change was planned.
pub(super) fn appended_lines(
    file: &File,
    (sum, size): (Checksum, u64),
    from: u64,
) -> io::Result<LateWrites> {
    for _ in 0..TRIES {
        let len = file.metadata()?.len();
        match Checksum::of(&mut RangeReader::new(Handle::Kept(file), 0, size)) {
            Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => return Err(error),
            Ok(now) if len >= from && now == (sum, size) => {}
            _ => return Ok(LateWrites::Other),
        }
        if len == from {
            return Ok(LateWrites::Nothing);
        }
        if len.saturating_sub(from) > MAX_APPEND_BYTES || !is_line_start(file, from)? {
            return Ok(LateWrites::Other);
        }
        let mut lines = Vec::new();
        RangeReader::new(Handle::Kept(file), from, len).read_to_end(&mut lines)?;
        if lines.ends_with(b"\n") {
            return Ok(LateWrites::Lines(lines));
        }
        std::thread::sleep(PAUSE);
    }
    Ok(LateWrites::Other)
}

/// Whether a line starts at this offset.
fn is_line_start(file: &File, at: u64) -> io::Result<bool> {
    let Some(before) = at.checked_sub(1) else {
        return Ok(true);
    };
    let mut last = [0];
    RangeReader::new(Handle::Kept(file), before, at).read_exact(&mut last)?;
    Ok(last == *b"\n")
}

/// Appends lines to the file at `path` in one write, so that they do not mix with lines that others
/// append. `file_id` is the device and inode that the path must have.
pub(super) fn append(path: &Path, location: (u64, u64), lines: &[u8]) -> Result<(), ReplaceError> {
    let at = || ReplaceError::at(path);
    let cut = || ReplaceError::Grew(path.to_path_buf());
    let file = OpenOptions::new().read(true).append(true).open(path).map_err(at())?;
    if units::id(path).map_err(at())? != Some(location) {
        return Err(ReplaceError::Changed(path.to_path_buf()));
    }
    let mut whole = false;
    for _ in 0..TRIES {
        whole = is_line_start(&file, file.metadata().map_err(at())?.len()).map_err(at())?;
        if whole {
            break;
        }
        std::thread::sleep(PAUSE);
    }
    if !whole {
        return Err(cut());
    }
    (&file).write_all(lines).map_err(at())?;
    file.sync_all().map_err(at())?;
    // Another process may have started a line between the check and the write.
    let mut handle = &file;
    let end = io::Seek::stream_position(&mut handle).map_err(at())?;
    let whole = is_line_start(&file, end.saturating_sub(lines.len() as u64)).map_err(at())?;
    if whole { Ok(()) } else { Err(cut()) }
}

/// The lines of `from` that are not in `into`, counting repeats. The last line may have no line
/// ending.
///
/// # Errors
/// A reader fails.
pub(crate) fn missing_lines(from: &mut dyn Read, into: &mut dyn Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(MAX_APPEND_BYTES).read_to_end(&mut bytes)?;
    let lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
    let longest = lines.iter().map(|line| line.len()).max().unwrap_or(0);
    let mut wanted: HashMap<&[u8], usize> = HashMap::with_capacity(lines.len());
    for line in &lines {
        *wanted.entry(line).or_default() += 1;
    }
    if !wanted.is_empty() {
        each_line(into, longest, &mut |line| {
            if let Some(count) = wanted.get_mut(line) {
                *count = count.saturating_sub(1);
            }
        })?;
    }
    // Of several equal lines, the last ones are the late ones.
    let mut left = Vec::with_capacity(lines.len());
    for line in lines.into_iter().rev() {
        if let Some(count) = wanted.get_mut(line).filter(|count| **count > 0) {
            *count -= 1;
            left.push(line);
        }
    }
    left.reverse();
    Ok(left.concat())
}

/// Calls `visit` with each line. Lines longer than `longest` bytes are passed incomplete, to save
/// memory.
fn each_line(input: &mut dyn Read, longest: usize, visit: &mut dyn FnMut(&[u8])) -> io::Result<()> {
    let mut input = BufReader::with_capacity(1 << 16, input);
    let mut line: Vec<u8> = Vec::new();
    loop {
        let more = input.fill_buf()?;
        if more.is_empty() {
            break;
        }
        let (part, ended) = match memchr::memchr(b'\n', more) {
            Some(at) => (&more[..=at], true),
            None => (more, false),
        };
        let used = part.len();
        if line.len() <= longest {
            line.extend_from_slice(part);
        }
        input.consume(used);
        if ended {
            visit(&line);
            line.clear();
        }
    }
    if !line.is_empty() {
        visit(&line);
    }
    Ok(())
}

/// Paths in a folder, relative to it, with the sizes of the files in bytes.
pub(crate) type FileSizes = BTreeMap<PathBuf, u64>;

pub(super) fn file_sizes(tree: &FolderTree) -> FileSizes {
    let size = |found: &TreeEntry| match found {
        TreeEntry::File(stamp) => stamp.len,
        TreeEntry::Folder | TreeEntry::Link(_) => 0,
    };
    tree.iter().map(|(path, found)| (path.clone(), size(found))).collect()
}

/// Files in a folder that are new or changed in size. Leaves out hidden files: locks and markers of
/// hosts.
///
/// # Errors
/// The folder cannot be listed.
pub(crate) fn new_files(folder: &Path, was: &FileSizes) -> Result<Vec<PathBuf>, ReplaceError> {
    let tree = tree::walk(folder)?;
    let is_file = |path: &Path| !matches!(tree.get(path), Some(TreeEntry::Folder));
    let now = file_sizes(&tree).into_iter().filter(|(path, size)| was.get(path) != Some(size));
    Ok(now.map(|(path, _)| path).filter(|path| is_file(path) && !is_hidden(path)).collect())
}

/// Finds what was added to an old folder, which had the content `was`.
pub(super) fn added_files(folder: &Path, was: &FolderTree) -> Result<LateWrites, ReplaceError> {
    let now = tree::walk(folder)?;
    if was.iter().any(|(path, found)| now.get(path) != Some(found)) {
        return Ok(LateWrites::Other);
    }
    let new: Vec<(PathBuf, TreeEntry)> =
        now.into_iter().filter(|(path, _)| !was.contains_key(path)).collect();
    if new.is_empty() {
        return Ok(LateWrites::Nothing);
    }
    if new.iter().any(|(_, found)| matches!(found, TreeEntry::Link(_))) {
        return Ok(LateWrites::Other);
    }
    Ok(LateWrites::Files(new.into_iter().map(|(path, _)| path).collect()))
}

/// Moves files and folders from one folder into another; a process that has a file open keeps
/// writing to it. Files that exist in both folders stay where they are. Returns whether there were
/// any.
pub(super) fn move_files(from: &Path, into: &Path, files: &[PathBuf]) -> io::Result<bool> {
    let mut stayed = false;
    for path in files {
        let (old, new) = (from.join(path), into.join(path));
        let moved = if fs::symlink_metadata(&old)?.is_dir() {
            fs::create_dir(&new)
        } else {
            swap::move_to(&old, &new)
        };
        match moved {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                stayed |= !new.is_dir() && !is_hidden(path);
            }
            done => done?,
        }
    }
    Ok(stayed)
}

/// Whether the file is hidden. Hosts create and remove hidden locks and markers at any time.
pub(super) fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without(from: &str, into: &str) -> String {
        String::from_utf8(missing_lines(&mut from.as_bytes(), &mut into.as_bytes()).unwrap())
            .unwrap()
    }

    #[test]
    fn only_missing_lines_are_returned() {
        assert_eq!(without("", "a\n"), "");
        assert_eq!(without("b\nc\n", "a\n"), "b\nc\n");
        assert_eq!(without("b\nc\n", "a\nc\n"), "b\n");
        assert_eq!(without("b\nb\nc\nb\n", "b\nand a very long line\nb\n"), "c\nb\n");
        assert_eq!(without("b\ntor", "b\ntorn\n"), "tor");
    }

    #[test]
    fn only_complete_lines_after_complete_lines_are_lines() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        let came = |text: &str| {
            fs::write(&path, text).unwrap();
            let planned = Checksum::of(&mut &b"one\n"[..]).unwrap();
            appended_lines(&File::open(&path).unwrap(), planned, 4).unwrap()
        };
        assert_eq!(came("one\n"), LateWrites::Nothing);
        assert_eq!(came("one\ntwo\n"), LateWrites::Lines(b"two\n".to_vec()));
        assert_eq!(came("one\ntwo\nthr"), LateWrites::Other);
        assert_eq!(came("ONE\ntwo\n"), LateWrites::Other);
        fs::write(&path, "on").unwrap();
        let planned = Checksum::of(&mut &b"one\n"[..]).unwrap();
        assert_eq!(
            appended_lines(&File::open(&path).unwrap(), planned, 4).unwrap(),
            LateWrites::Other
        );
    }
}
