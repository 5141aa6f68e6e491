//! The pages of a database, from its file or from the write-ahead log where that is newer.

use std::collections::HashMap;

use super::{MAGIC, word};
use crate::bytes::source::{Entries, EntryId, Span};

/// Most pages read; a schema of some hundred tables has a few dozen.
const MOST_PAGES: u32 = 4096;
/// Most frames of a log that are read.
const MOST_FRAMES: u64 = 1 << 16;
/// Bytes of the log's header and of each frame's header.
const LOG_HEAD: u64 = 32;
const FRAME_HEAD: u64 = 24;

/// A file of the database.
type File<'a> = (&'a dyn Entries, EntryId);

pub(super) struct Pages<'a> {
    main: File<'a>,
    log: Option<File<'a>>,
    /// Offset in the log of the newest committed version of each page.
    newer: HashMap<u32, u64>,
    /// Page size in bytes.
    size: u64,
    /// Bytes of a page that hold content.
    pub usable: usize,
    /// Text encoding: 1 is UTF-8, 2 is UTF-16LE, 3 is UTF-16BE.
    pub encoding: u32,
    /// Number of pages that may still be read.
    left: u32,
}

impl<'a> Pages<'a> {
    /// Reads the header of the first page; `None` if its values are impossible.
    pub(super) fn open(main: File<'a>, log: Option<File<'a>>) -> Option<Pages<'a>> {
        let head = fetch(main, 0, 100)?;
        let size = page_size(u32::from(u16::from_be_bytes([
            *head.get(16)?,
            *head.get(17)?,
        ])))?;
        let newer = log.and_then(|log| committed(log, size)).unwrap_or_default();
        let mut pages = Pages {
            main,
            log,
            newer,
            size,
            usable: 0,
            encoding: 1,
            left: MOST_PAGES,
        };
        // The version of the first page in the log takes precedence.
        let first = pages.get(1).filter(|first| first.starts_with(MAGIC))?;
        let reserved = u64::from(*first.get(20)?);
        pages.usable = usize::try_from(size.checked_sub(reserved)?)
            .ok()
            .filter(|usable| *usable >= 480)?;
        pages.encoding = word(&first, 56)?;
        Some(pages)
    }

    /// A page by its 1-based number. `None` if it does not exist, or too many were read.
    pub(super) fn get(&mut self, number: u32) -> Option<Vec<u8>> {
        self.left = self.left.checked_sub(1)?;
        if let (Some(log), Some(at)) = (self.log, self.newer.get(&number)) {
            return fetch(log, *at, self.size);
        }
        let before = u64::from(number.checked_sub(1)?);
        fetch(self.main, before.checked_mul(self.size)?, self.size)
    }
}

fn fetch((entries, entry): File<'_>, start: u64, length: u64) -> Option<Vec<u8>> {
    entries
        .fetch(Span {
            entry,
            start,
            end: start.checked_add(length)?,
        })
        .ok()
}

/// A page size is a power of two from 512 to 65536; the latter is stored as 1.
fn page_size(written: u32) -> Option<u64> {
    let size = if written == 1 {
        1 << 16
    } else {
        u64::from(written)
    };
    (size.is_power_of_two() && (512..=1 << 16).contains(&size)).then_some(size)
}

/// Offsets of log pages that belong to a committed transaction. Frames of an earlier use of the log
/// have another salt. Checksums are not verified: a page torn by a crash has no schema, or is not
/// needed.
fn committed(log: File<'_>, size: u64) -> Option<HashMap<u32, u64>> {
    let head = fetch(log, 0, LOG_HEAD)?;
    if page_size(word(&head, 8)?)? != size {
        return None;
    }
    let salt = &head[16..24];
    let step = FRAME_HEAD + size;
    let mut done = HashMap::new();
    let mut open = Vec::new();
    for number in 0..MOST_FRAMES {
        let start = LOG_HEAD + number * step;
        let Some(frame) = fetch(log, start, FRAME_HEAD).filter(|frame| &frame[8..16] == salt)
        else {
            break;
        };
        let page = word(&frame, 0)?;
        open.push((page, start + FRAME_HEAD));
        let commits = word(&frame, 4)? != 0;
        if commits && log.0.len(log.1) >= start + step {
            done.extend(open.drain(..));
        }
    }
    Some(done)
}
