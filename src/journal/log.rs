//! The log of operations, `ops.jsonl`. It is only ever appended to.

use super::record::{self, EndMark, Operation, OperationHead, OperationState};
use crate::bytes::disk::{self, Handle, RangeReader};
use crate::bytes::replace::sync_folder;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;
use std::time::Duration;

const NAME: &str = "ops.jsonl";
/// Locked during an operation. A separate file, because on Windows a locked file cannot be read.
const LOCK: &str = "lock";

/// How far the number of an operation may exceed its line number. Every operation has at least one
/// line, but a person may have removed old ones. A larger number is not ours, and would leave no
/// numbers for the next operations.
const MAX_NUMBER_GAP: u64 = 1 << 32;

/// How much of the log is read at once.
const BUFFER: usize = 1 << 16;

/// How much of a line is parsed to learn what it is about. The longest head has two paths.
const HEAD: usize = 1 << 16;

/// How often to try the lock while another process replaces a transcript, and the pause between
/// tries.
const TRIES: u32 = 1000;
const PAUSE: Duration = Duration::from_millis(10);

/// The state of an operation.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum OperationStatus {
    /// It was interrupted, or another process is running it.
    Unfinished,
    /// It succeeded.
    Done,
    /// It was taken back.
    Withdrawn,
}

/// An operation and its outcome. What restores the old bytes can be large, so it is left in the log
/// until [`Journal::operation`](super::Journal::operation) reads it.
#[derive(Clone, Debug)]
pub struct LogEntry {
    pub head: OperationHead,
    pub status: OperationStatus,
    /// Number of the operation that undid it.
    pub undone_by: Option<u64>,
    /// Where the line of the operation is in the log.
    line: Range<u64>,
}

impl LogEntry {
    /// Whether the operation is in effect: done, not undone, and not itself an undo.
    pub fn is_in_effect(&self) -> bool {
        self.status == OperationStatus::Done
            && self.undone_by.is_none()
            && self.head.undoes.is_none()
    }

    /// Whether the operation may have changed a file or folder. The names of its files decide.
    pub(super) fn may_touch(&self, path: &Path) -> bool {
        let place = &self.head.place;
        path == place.path || place.folder && path.starts_with(&place.path)
    }
}

/// The parsed log.
pub(super) struct OperationLog {
    pub(super) entries: Vec<LogEntry>,
    /// Number of the next operation.
    pub(super) next: u64,
}

/// Reads the log in `root`; empty if there is none.
pub(super) fn read(root: &Path) -> io::Result<OperationLog> {
    let Some(file) = open_log(root)? else {
        return Ok(OperationLog { entries: Vec::new(), next: 1 });
    };
    let mut log = parse(&mut BufReader::with_capacity(BUFFER, &file))?;
    // A line of which only the beginning was written before a crash: its operation did not start.
    log.entries.retain(|entry| {
        entry.status != OperationStatus::Unfinished
            || matches!(read_line(&file, &entry.line, record::parse_states), Ok(Some(_)))
    });
    Ok(log)
}

/// An operation with its files, as `parse` reads its line. `None` if that cannot be parsed.
pub(super) fn read_operation(
    root: &Path,
    entry: &LogEntry,
    parse: fn(&[u8]) -> Option<Operation>,
) -> io::Result<Option<Operation>> {
    match open_log(root)? {
        Some(file) => read_line(&file, &entry.line, parse),
        None => Ok(None),
    }
}

fn open_log(root: &Path) -> io::Result<Option<File>> {
    match disk::open_regular(&root.join(NAME)) {
        Ok((file, _)) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn read_line(
    file: &File,
    line: &Range<u64>,
    parse: fn(&[u8]) -> Option<Operation>,
) -> io::Result<Option<Operation>> {
    let length = line.end.saturating_sub(line.start);
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
    RangeReader::new(Handle::Kept(file), line.start, line.end).read_to_end(&mut bytes)?;
    Ok(parse(&bytes))
}

fn parse(input: &mut impl BufRead) -> io::Result<OperationLog> {
    let mut entries: BTreeMap<u64, LogEntry> = BTreeMap::new();
    let mut last = 0;
    let mut line = Vec::new();
    let (mut lines, mut end) = (0u64, 0u64);
    loop {
        line.clear();
        let start = end;
        end = end.saturating_add(read_head(input, &mut line)?);
        if start == end {
            break;
        }
        lines = lines.saturating_add(1);
        let head = record::parse_head(&line);
        // A line that cannot be parsed was cut off by a crash: its operation did not start, or the
        // disk shows its state.
        let mark = match &head {
            Some(head) => Some(head.mark()),
            None => serde_json::from_slice::<EndMark>(&line).ok(),
        };
        let Some(mark) = mark.filter(|mark| mark.op <= lines.saturating_add(MAX_NUMBER_GAP)) else {
            continue;
        };
        last = last.max(mark.op);
        match mark.state {
            OperationState::Intent => {
                if let Some(head) = head {
                    entries.insert(
                        mark.op,
                        LogEntry {
                            head,
                            status: OperationStatus::Unfinished,
                            undone_by: None,
                            line: start..end,
                        },
                    );
                }
            }
            OperationState::Done => {
                if let Some(entry) = entries.get_mut(&mark.op) {
                    entry.status = OperationStatus::Done;
                }
                if let Some(undone) = mark.undoes.and_then(|op| entries.get_mut(&op)) {
                    undone.undone_by = Some(mark.op);
                }
            }
            OperationState::Withdrawn => {
                if let Some(entry) = entries.get_mut(&mark.op) {
                    entry.status = OperationStatus::Withdrawn;
                }
            }
        }
    }
    Ok(OperationLog { entries: entries.into_values().collect(), next: last.saturating_add(1) })
}

/// Reads a line, and keeps the beginning of it. Returns how long it is; 0 at the end.
fn read_head(input: &mut impl BufRead, head: &mut Vec<u8>) -> io::Result<u64> {
    let mut length = 0u64;
    loop {
        let more = input.fill_buf()?;
        let found = memchr::memchr(b'\n', more);
        let used = found.map_or(more.len(), |at| at.saturating_add(1));
        let room = HEAD.saturating_sub(head.len());
        head.extend_from_slice(&more[..used.min(room)]);
        input.consume(used);
        length = length.saturating_add(used as u64);
        if found.is_some() || used == 0 {
            return Ok(length);
        }
    }
}

/// Whether another process is running an operation. Creates no files.
pub(super) fn is_locked(root: &Path) -> io::Result<bool> {
    match disk::open_regular(&root.join(LOCK)) {
        Ok((file, _)) => Ok(!disk::try_lock_briefly(&file, disk::Lock::Shared)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// The lock on the journal: one process holds it for a whole operation.
pub(super) struct JournalLock {
    file: File,
    /// Held for its lock.
    _lock: File,
}

impl JournalLock {
    /// Waits up to ten seconds for the lock. `None` if another process still holds it.
    pub(super) fn take(root: &Path) -> io::Result<Option<Self>> {
        private_folder(root)?;
        let lock = open(&root.join(LOCK))?;
        for _ in 0..TRIES {
            match lock.try_lock() {
                Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
                // The file system has no locks, so nothing better is possible.
                Ok(()) | Err(TryLockError::Error(_)) => {
                    let file = open(&root.join(NAME))?;
                    sync_folder(root)?;
                    return Ok(Some(Self { file, _lock: lock }));
                }
            }
        }
        Ok(None)
    }

    /// Appends a line and flushes it to disk.
    pub(super) fn append<T: Serialize>(&mut self, line: &T) -> io::Result<()> {
        let mut bytes = Vec::new();
        if self.is_torn()? {
            bytes.push(b'\n');
        }
        serde_json::to_writer(&mut bytes, line)?;
        bytes.push(b'\n');
        let end = self.file.seek(SeekFrom::End(0))?;
        let written = self.file.write_all(&bytes).and_then(|()| self.file.sync_data());
        if written.is_err() {
            // Half a line would stay forever. Readers leave it out if it cannot be cut off.
            let _ = self.file.set_len(end);
        }
        written
    }

    /// Whether the last line has no line ending.
    fn is_torn(&mut self) -> io::Result<bool> {
        if self.file.seek(SeekFrom::End(0))? == 0 {
            return Ok(false);
        }
        let mut last = [0];
        self.file.seek(SeekFrom::End(-1))?;
        self.file.read_exact(&mut last)?;
        Ok(last != *b"\n")
    }
}

/// Opens a private file for reading and appending, and creates it if necessary.
fn open(path: &Path) -> io::Result<File> {
    match disk::stat_regular(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Creates a folder that no other user can read, because originals hold secrets.
pub(super) fn private_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)?;
    #[cfg(unix)]
    {
        use std::fs;
        use std::os::unix::fs::PermissionsExt;
        if fs::metadata(path)?.permissions().mode() & 0o077 != 0 {
            fs::set_permissions(path, fs::Permissions::from_mode(0o700))?;
        }
    }
    Ok(())
}
