//! The pages of a database, from its file or from the write-ahead log where that is newer.

use std::collections::HashMap;
use std::io;

use super::{MAGIC, word};
use crate::bytes::source::{Entries, EntryId, Source, Span};

/// Bytes of the log's header and of each frame's header.
const LOG_HEAD: u64 = 32;
const FRAME_HEAD: u64 = 24;
/// The entry of a file.
const ENTRY: EntryId = EntryId(0);

/// A frame of the log with the newest committed version of a page.
#[derive(Copy, Clone)]
struct LogFrame {
    /// Offset of its header.
    at: u64,
    /// The first 16 bytes of its header, without which it is a frame of a later use of the log.
    head: [u8; 16],
}

pub(super) struct Pages {
    main: Source,
    log: Option<Source>,
    newer: HashMap<u32, LogFrame>,
    /// Page size in bytes.
    size: u64,
    /// Bytes of a page that hold content.
    pub usable: usize,
    /// Text encoding: 1 is UTF-8, 2 is UTF-16LE, 3 is UTF-16BE.
    pub encoding: u32,
}

impl Pages {
    /// Reads the header of the first page; `None` if its values are impossible.
    pub(super) fn open(main: Source, log: Option<Source>) -> Option<Pages> {
        let head = fetch(&main, 0, 100)?;
        let size = page_size(u32::from(u16::from_be_bytes([*head.get(16)?, *head.get(17)?])))?;
        let newer = log.as_ref().and_then(|log| committed(log, size));
        let mut pages =
            Pages { main, log, newer: newer.unwrap_or_default(), size, usable: 0, encoding: 1 };
        // The version of the first page in the log takes precedence.
        let first = pages.get(1).filter(|first| first.starts_with(MAGIC))?;
        let reserved = u64::from(*first.get(20)?);
        pages.usable =
            usize::try_from(size.checked_sub(reserved)?).ok().filter(|usable| *usable >= 480)?;
        pages.encoding = word(&first, 56)?;
        Some(pages)
    }

    /// A page by its 1-based number. `None` if it does not exist.
    pub(super) fn get(&self, number: u32) -> Option<Vec<u8>> {
        if let (Some(log), Some(frame)) = (&self.log, self.newer.get(&number)) {
            let mut bytes = fetch(log, frame.at, FRAME_HEAD + self.size)?;
            // A later use of the log may have replaced it.
            let is_same = bytes.starts_with(&frame.head);
            return is_same.then(|| bytes.split_off(FRAME_HEAD as usize));
        }
        let before = u64::from(number.checked_sub(1)?);
        fetch(&self.main, before.checked_mul(self.size)?, self.size)
    }

    /// The number that a page begins with. `None` if the page does not exist.
    pub(super) fn first_number(&self, number: u32) -> Option<u32> {
        if self.newer.contains_key(&number) {
            return word(&self.get(number)?, 0);
        }
        let start = u64::from(number.checked_sub(1)?).checked_mul(self.size)?;
        let is_there = start.checked_add(self.size)? <= self.main.len(ENTRY);
        word(&fetch(&self.main, start, 4)?, 0).filter(|_| is_there)
    }

    /// Writes the database as one file, with what is in its log.
    ///
    /// # Errors
    /// A page cannot be read, or the file not be written.
    pub(super) fn copy(&self, out: &mut dyn io::Write) -> io::Result<()> {
        if self.newer.is_empty() {
            return io::copy(&mut *self.main.open(ENTRY)?, out).map(|_| ());
        }
        let missing = || io::Error::from(io::ErrorKind::UnexpectedEof);
        let count = self.get(1).and_then(|first| word(&first, 28));
        for number in 1..=count.ok_or_else(missing)? {
            out.write_all(&self.get(number).ok_or_else(missing)?)?;
        }
        Ok(())
    }

    /// Number of bytes in all files. No content is larger.
    pub(super) fn bytes(&self) -> u64 {
        let log = self.log.as_ref().map_or(0, |log| log.len(ENTRY));
        self.main.len(ENTRY).saturating_add(log)
    }

    /// Whether a file changed since it was opened.
    pub(super) fn have_changed(&self) -> bool {
        let mut files = std::iter::once(&self.main).chain(&self.log);
        files.any(|file| !file.changed_names().is_empty())
    }

    pub(super) fn main(&self) -> &Source {
        &self.main
    }
}

fn fetch(file: &Source, start: u64, length: u64) -> Option<Vec<u8>> {
    let end = start.checked_add(length)?;
    let entry = ENTRY;
    file.fetch(Span { entry, start, end }).ok()
}

/// A page size is a power of two from 512 to 65536; the latter is stored as 1.
fn page_size(written: u32) -> Option<u64> {
    let size = if written == 1 { 1 << 16 } else { u64::from(written) };
    (size.is_power_of_two() && (512..=1 << 16).contains(&size)).then_some(size)
}

/// The frames of pages that belong to a committed transaction. Frames of an earlier use of the log have another salt; the log
/// ends before the first frame whose checksum is wrong.
fn committed(log: &Source, size: u64) -> Option<HashMap<u32, LogFrame>> {
    let mut reader = io::BufReader::with_capacity(1 << 16, log.open(ENTRY).ok()?);
    let mut read = |length: u64| {
        let mut bytes = vec![0; usize::try_from(length).ok()?];
        io::Read::read_exact(&mut reader, &mut bytes).ok()?;
        Some(bytes)
    };
    let head = read(LOG_HEAD)?;
    let mut sum = LogChecksum { is_big: head.get(3)? & 1 == 1, sums: (0, 0) };
    sum.add(head.get(..24)?);
    if page_size(word(&head, 8)?)? != size || !sum.is_at(&head, 24) {
        return None;
    }
    let (mut done, mut open) = (HashMap::new(), Vec::new());
    let mut at = LOG_HEAD;
    while let Some(frame) = read(FRAME_HEAD)
        && let Some(page) = read(size)
    {
        sum.add(frame.get(..8)?);
        sum.add(&page);
        if frame.get(8..16) != head.get(16..24) || !sum.is_at(&frame, 16) {
            break;
        }
        // Later writes to the log may reuse the place; the head says whether the frame is still the one that was read.
        let head = *frame.first_chunk::<16>()?;
        open.push((word(&frame, 0)?, LogFrame { at, head }));
        // The number is zero in all frames of a transaction but the last.
        if word(&frame, 4)? != 0 {
            done.extend(open.drain(..));
        }
        at += FRAME_HEAD + size;
    }
    Some(done)
}

/// The running checksum of a log.
struct LogChecksum {
    /// Whether it takes words as big-endian.
    is_big: bool,
    sums: (u32, u32),
}

impl LogChecksum {
    fn add(&mut self, bytes: &[u8]) {
        let number = |four: &[u8; 4]| {
            if self.is_big { u32::from_be_bytes(*four) } else { u32::from_le_bytes(*four) }
        };
        let (words, _) = bytes.as_chunks::<4>();
        let (pairs, _) = words.as_chunks::<2>();
        let (mut one, mut two) = self.sums;
        for [a, b] in pairs {
            one = one.wrapping_add(number(a)).wrapping_add(two);
            two = two.wrapping_add(number(b)).wrapping_add(one);
        }
        self.sums = (one, two);
    }

    /// Whether it is the one that is stored at this offset.
    fn is_at(&self, bytes: &[u8], at: usize) -> bool {
        word(bytes, at) == Some(self.sums.0) && word(bytes, at + 4) == Some(self.sums.1)
    }
}
