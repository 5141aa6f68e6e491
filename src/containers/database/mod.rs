//! The tables of a SQLite database, from its schema. Rows are not read.
//!
//! This implements only what recognition needs, in safe Rust and without a library: the schema is
//! one B-tree, and its records are text. No length or page number in the file is trusted, and the
//! number of pages read is bounded.

mod columns;
mod pages;

use std::collections::HashSet;

use crate::bytes::source::{Entries, EntryId, Span};
use pages::Pages;

/// First bytes of a database file.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
/// First bytes of a write-ahead log; the last one depends on the byte order of its checksums.
const LOG_MAGIC: &[u8; 3] = b"\x37\x7f\x06";
/// Most bytes read of all schema records together.
const MOST_BYTES: usize = 2 << 20;

/// A table. Names are lowercase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Table {
    pub name: String,
    pub columns: Vec<String>,
}

/// What the first bytes of a file show.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Database,
    /// The write-ahead log of a database, which is useless without the database.
    Log,
}

/// Whether an entry is a database or a write-ahead log.
pub(crate) fn kind(entries: &dyn Entries, entry: EntryId) -> Option<Kind> {
    let end = entries.len(entry).min(MAGIC.len() as u64);
    let head = entries
        .fetch(Span {
            entry,
            start: 0,
            end,
        })
        .ok()?;
    if head == MAGIC {
        return Some(Kind::Database);
    }
    let is_log = head.starts_with(LOG_MAGIC) && matches!(head.get(3), Some(0x82 | 0x83));
    is_log.then_some(Kind::Log)
}

/// The tables of a database, with the changes in its log applied. `None` if the schema cannot be
/// read, or only part of it and without any table.
pub(crate) fn tables(
    main: (&dyn Entries, EntryId),
    log: Option<(&dyn Entries, EntryId)>,
) -> Option<Vec<Table>> {
    let mut pages = Pages::open(main, log)?;
    let (mut found, mut whole, mut left) = (Vec::new(), true, MOST_BYTES);
    let mut seen = HashSet::from([1]);
    let mut next = vec![1];
    while let Some(number) = next.pop() {
        let Some(page) = pages.get(number) else {
            whole = false;
            continue;
        };
        let start = if number == 1 { 100 } else { 0 };
        let Some(node) = page.get(start..).and_then(Node::of) else {
            whole = false;
            continue;
        };
        for at in node.cells(&page) {
            if node.is_leaf {
                let payload = payload(&mut pages, &page, at, &mut left);
                whole &= payload.is_some();
                found.extend(payload.and_then(|payload| table(&payload, pages.encoding)));
            } else {
                next.extend(word(&page, at).filter(|child| seen.insert(*child)));
            }
        }
        next.extend(node.last.filter(|child| seen.insert(*child)));
    }
    (whole || !found.is_empty()).then_some(found)
}

/// The header of a B-tree page.
struct Node {
    is_leaf: bool,
    /// Number of cells, as stored.
    count: usize,
    /// Offset of the cell pointers in the page.
    pointers: usize,
    /// Page number of the last child of an inner page.
    last: Option<u32>,
}

impl Node {
    /// Parses a header; `from` is the page from its header on.
    fn of(from: &[u8]) -> Option<Node> {
        let is_leaf = match from.first()? {
            0x0D => true,
            0x05 => false,
            _ => return None,
        };
        let count = usize::from(u16::from_be_bytes([*from.get(3)?, *from.get(4)?]));
        let last = if is_leaf { None } else { Some(word(from, 8)?) };
        Some(Node {
            is_leaf,
            count,
            pointers: if is_leaf { 8 } else { 12 },
            last,
        })
    }

    /// Offsets of the cells in the page.
    fn cells(&self, page: &[u8]) -> Vec<usize> {
        let start = if page.starts_with(MAGIC) { 100 } else { 0 } + self.pointers;
        let pointers = page
            .get(start..)
            .unwrap_or_default()
            .chunks_exact(2)
            .take(self.count);
        pointers
            .map(|pair| usize::from(u16::from_be_bytes([pair[0], pair[1]])))
            .collect()
    }
}

/// A big-endian 32-bit number.
fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..)?.first_chunk::<4>()?;
    Some(u32::from_be_bytes(*four))
}

/// A variable-length integer and its length of one to nine bytes.
fn varint(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0_u64;
    for (at, byte) in bytes.iter().take(9).enumerate() {
        if at == 8 {
            return Some((value << 8 | u64::from(*byte), 9));
        }
        value = value << 7 | u64::from(byte & 0x7F);
        if byte & 0x80 == 0 {
            return Some((value, at + 1));
        }
    }
    None
}

/// The record of the cell at this offset, including its overflow pages. `left` is the number of
/// bytes that may still be read.
fn payload(pages: &mut Pages<'_>, page: &[u8], at: usize, left: &mut usize) -> Option<Vec<u8>> {
    let cell = page.get(at..)?;
    let (length, first) = varint(cell)?;
    let (_, second) = varint(cell.get(first..)?)?;
    let length = usize::try_from(length).ok()?;
    *left = left.checked_sub(length)?;
    let usable = pages.usable;
    let most = usable.checked_sub(35)?;
    let own = if length <= most {
        length
    } else {
        let least = usable.checked_sub(12)? * 32 / 255 - 23;
        let kept = least + (length - least) % usable.checked_sub(4)?;
        if kept <= most { kept } else { least }
    };
    let body = cell.get(first + second..)?;
    let mut payload = body.get(..own)?.to_vec();
    let mut next = if own < length { word(body, own)? } else { 0 };
    while payload.len() < length {
        let more = pages.get(next).filter(|_| next != 0)?;
        let rest = (length - payload.len()).min(usable.checked_sub(4)?);
        payload.extend_from_slice(more.get(4..4 + rest)?);
        next = word(&more, 0)?;
    }
    Some(payload)
}

/// Parses a schema record of a table: type, name, table, root page, statement.
fn table(record: &[u8], encoding: u32) -> Option<Table> {
    let (head, mut at) = varint(record)?;
    let head = usize::try_from(head)
        .ok()
        .filter(|head| *head <= record.len())?;
    let mut body = head;
    let mut texts = Vec::with_capacity(5);
    while at < head && texts.len() < 5 {
        let (kind, width) = varint(&record[at..head])?;
        at += width;
        let length = match kind {
            0 | 8 | 9 | 10 | 11 => 0,
            1..=4 => kind,
            5 => 6,
            6 | 7 => 8,
            _ => (kind - 12) / 2,
        };
        let end = usize::try_from(length)
            .ok()
            .and_then(|length| body.checked_add(length))?;
        let value = record.get(body..end)?;
        texts.push((kind >= 13 && kind % 2 == 1).then(|| text(value, encoding)));
        body = end;
    }
    let [Some(kind), Some(name), _, _, Some(statement)] = texts.as_slice() else {
        return None;
    };
    (kind == "table").then(|| Table {
        name: name.to_lowercase(),
        columns: columns::of(statement),
    })
}

fn text(bytes: &[u8], encoding: u32) -> String {
    let wide = |make: fn([u8; 2]) -> u16| {
        let units = bytes.chunks_exact(2).map(|pair| make([pair[0], pair[1]]));
        char::decode_utf16(units)
            .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect()
    };
    match encoding {
        2 => wide(u16::from_le_bytes),
        3 => wide(u16::from_be_bytes),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
