//! Whether the pages of a database are what their places say: each tree of the schema with its overflow pages, and the list of
//! free pages. What free bytes, values, and pages that nothing leads to hold does not matter: its host does not read it, or
//! reads it as it is.

use std::collections::HashSet;

use super::pages::Pages;
use super::record::{is_record, own_part};
use super::{Database, SCHEMA, SCHEMA_START, varint, word};

/// Where the first page has the first page of the list of free pages, and their number.
const FREE_FIRST: usize = 32;
const FREE_COUNT: usize = 36;
/// Bytes that a cell takes at least.
const LEAST_CELL: usize = 4;
/// Bytes of the number of a page.
const NUMBER: usize = 4;

/// A damaged page, by its number.
type Damaged = u32;

impl Database {
    /// The number of a damaged page, if there is one.
    pub(crate) fn damaged_page(&self) -> Option<u32> {
        let mut structure = Structure { pages: &self.pages, seen: HashSet::new() };
        structure.check(&self.roots).err()
    }
}

struct Structure<'d> {
    pages: &'d Pages,
    /// The pages that have a place already: no page has two.
    seen: HashSet<u32>,
}

/// What a page of a tree is.
#[derive(Copy, Clone)]
struct PageKind {
    is_index: bool,
    is_leaf: bool,
}

impl PageKind {
    fn of(first: u8) -> Option<PageKind> {
        let (is_index, is_leaf) = match first {
            0x02 => (true, false),
            0x05 => (false, false),
            0x0A => (true, true),
            0x0D => (false, true),
            _ => return None,
        };
        Some(PageKind { is_index, is_leaf })
    }

    /// Length of the header in bytes.
    fn header(self) -> usize {
        if self.is_leaf { 8 } else { 12 }
    }
}

/// A cell of a page.
#[derive(Default)]
struct Cell {
    /// The page with what comes before it.
    child: Option<u32>,
    /// The ID of the row in it.
    row: Option<i64>,
    /// Its length in the page.
    length: usize,
    /// The first page with the rest of its record, and how many there are.
    overflow: Option<(u32, u64)>,
}

impl Structure<'_> {
    fn check(&mut self, roots: &[u32]) -> Result<(), Damaged> {
        for root in [SCHEMA].iter().chain(roots) {
            self.tree(*root)?;
        }
        self.free_pages()
    }

    /// Notes that a page has a place.
    fn take(&mut self, number: u32) -> Result<(), Damaged> {
        if self.seen.insert(number) { Ok(()) } else { Err(number) }
    }

    fn tree(&mut self, root: u32) -> Result<(), Damaged> {
        let (mut is_index, mut last_row) = (None, None);
        let mut next = vec![root];
        while let Some(number) = next.pop() {
            self.take(number)?;
            let page = self.pages.get(number).ok_or(number)?;
            let start = if number == SCHEMA { SCHEMA_START } else { 0 };
            let kind = page.get(start).and_then(|first| PageKind::of(*first));
            let kind = kind.ok_or(number)?;
            // A page of another kind of tree: a pointer leads out of the tree.
            if *is_index.get_or_insert(kind.is_index) != kind.is_index {
                return Err(number);
            }
            let cells = self.cells(&page, start, kind).ok_or(number)?;
            let mut children = Vec::new();
            for cell in cells {
                children.extend(cell.child);
                if let Some(row) = cell.row {
                    if last_row.is_some_and(|last| last >= row) {
                        return Err(number);
                    }
                    last_row = Some(row);
                }
                if let Some((first, count)) = cell.overflow {
                    self.overflow(first, count)?;
                }
            }
            if !kind.is_leaf {
                children.push(word(&page, start + 8).ok_or(number)?);
            }
            // In order, so that row numbers ascend over all leaves.
            next.extend(children.into_iter().rev());
        }
        Ok(())
    }

    /// The cells of a page, which do not overlap each other or the header.
    fn cells(&self, page: &[u8], start: usize, kind: PageKind) -> Option<Vec<Cell>> {
        let usable = self.pages.usable;
        let pointers = start + kind.header();
        let count = half(page, start + 3)?;
        let content = match half(page, start + 5)? {
            0 => 1 << 16,
            content => content,
        };
        let free_from = pointers + 2 * count;
        if content < free_from || content > usable {
            return None;
        }
        let (mut cells, mut spans) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for number in 0..count {
            let at = half(page, pointers + 2 * number)?;
            let cell = self.cell(page.get(at..usable)?, kind)?;
            spans.push((at, at + cell.length.max(LEAST_CELL)));
            cells.push(cell);
        }
        spans.sort_unstable();
        let ends = spans.iter().map(|(_, end)| *end);
        let starts = spans.iter().skip(1).map(|(at, _)| *at).chain([usable]);
        let overlap = ends.zip(starts).any(|(end, next)| end > next);
        let is_before = spans.first().is_some_and(|(first, _)| *first < content);
        (!overlap && !is_before).then_some(cells)
    }

    /// The cell at the beginning of these bytes.
    fn cell(&self, bytes: &[u8], kind: PageKind) -> Option<Cell> {
        let mut cell = Cell::default();
        if !kind.is_leaf {
            cell.child = Some(word(bytes, 0)?);
            cell.length = NUMBER;
        }
        let (first, width) = varint(bytes.get(cell.length..)?)?;
        cell.length += width;
        // Inner pages of tables have only numbers; those of indexes hold records, too.
        if !kind.is_index && !kind.is_leaf {
            return Some(cell);
        }
        if !kind.is_index {
            let (row, width) = varint(bytes.get(cell.length..)?)?;
            cell.row = Some(row.cast_signed());
            cell.length += width;
        }
        let (record, usable) = (first, self.pages.usable);
        let own = own_part(record, usable, kind.is_index)?;
        let content = bytes.get(cell.length..)?;
        if !is_record(content.get(..own)?, record) {
            return None;
        }
        cell.length += own;
        let rest = record.checked_sub(own as u64)?;
        if rest > 0 {
            let count = rest.div_ceil(usable.checked_sub(NUMBER)? as u64);
            cell.overflow = Some((word(content, own)?, count));
            cell.length += NUMBER;
        }
        Some(cell)
    }

    /// The pages with the rest of a record, each of which begins with the number of the next.
    fn overflow(&mut self, first: u32, count: u64) -> Result<(), Damaged> {
        let mut next = first;
        for _ in 0..count {
            self.take(next)?;
            next = self.pages.first_number(next).ok_or(next)?;
        }
        match next {
            0 => Ok(()),
            more => Err(more),
        }
    }

    /// The list of free pages: pages with numbers of free ones, each of which begins with the number of the next.
    fn free_pages(&mut self) -> Result<(), Damaged> {
        let schema = self.pages.get(SCHEMA).ok_or(SCHEMA)?;
        let number = |at| word(&schema, at).ok_or(SCHEMA);
        let (mut next, wanted) = (number(FREE_FIRST)?, number(FREE_COUNT)?);
        let mut count = 0_u32;
        while next != 0 {
            self.take(next)?;
            let page = self.pages.get(next).ok_or(next)?;
            let own = word(&page, NUMBER).ok_or(next)?;
            let listed = page.get(2 * NUMBER..self.pages.usable).ok_or(next)?;
            let (numbers, _) = listed.as_chunks::<NUMBER>();
            let numbers = numbers.get(..own as usize).ok_or(next)?;
            for free in numbers.iter().map(|free| u32::from_be_bytes(*free)) {
                self.take(free)?;
                self.pages.first_number(free).ok_or(free)?;
            }
            count = count.saturating_add(own).saturating_add(1);
            next = word(&page, 0).ok_or(next)?;
        }
        if count == wanted { Ok(()) } else { Err(SCHEMA) }
    }
}

/// A big-endian 16-bit number.
fn half(bytes: &[u8], at: usize) -> Option<usize> {
    let two = bytes.get(at..)?.first_chunk::<2>()?;
    Some(usize::from(u16::from_be_bytes(*two)))
}
