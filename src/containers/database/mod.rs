//! SQLite databases: their tables, from the schema, and the rows of a table.
//!
//! This implements only what reading needs, in safe Rust and without a library: it takes no lock, writes no file next to the
//! database, and nothing in the database is executed. No length or page number in the file is trusted: each page of a tree is
//! read once, and no more content is read than the files have bytes.

mod columns;
mod pages;
mod record;
mod schema;
mod structure;

use std::collections::HashSet;
use std::io;

use crate::bytes::source::{Entries, EntryId, Source, Span};
use pages::Pages;
use record::LeafCell;
pub(crate) use record::{ColumnValue, TableRow};
pub(crate) use schema::SchemaObject;

/// First bytes of a database file.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
/// First bytes of a write-ahead log; the last one depends on the byte order of its checksums.
const LOG_MAGIC: &[u8; 3] = b"\x37\x7f\x06";
/// First bytes of a rollback journal.
const JOURNAL_MAGIC: &[u8; 8] = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
/// Most bytes read of all schema records together.
const MOST_BYTES: u64 = 2 << 20;
/// The page with the root of the schema, and where that starts in it.
const SCHEMA: u32 = 1;
const SCHEMA_START: usize = 100;
/// The column of the schema with the root of a tree.
const ROOT: usize = 3;

/// A table. Names are lowercase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DatabaseTable {
    pub name: String,
    pub columns: Vec<String>,
    /// The root of its tree; 0 for a virtual table.
    root: u32,
}

impl DatabaseTable {
    /// The position of a column.
    pub(crate) fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }
}

/// What the first bytes of a file show.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum DatabaseKind {
    Database,
    /// The write-ahead log of a database, which is useless without the database.
    Log,
}

/// Whether an entry is a database or a write-ahead log.
pub(crate) fn kind(entries: &dyn Entries, entry: EntryId) -> Option<DatabaseKind> {
    let head = first_bytes(entries, entry, MAGIC.len() as u64)?;
    if head == MAGIC {
        return Some(DatabaseKind::Database);
    }
    let is_log = head.starts_with(LOG_MAGIC) && matches!(head.get(3), Some(0x82 | 0x83));
    is_log.then_some(DatabaseKind::Log)
}

/// Whether a file is the journal of a transaction that has not ended, so that the database may have half of its pages.
pub(crate) fn is_open_journal(file: &Source) -> bool {
    first_bytes(file, EntryId(0), JOURNAL_MAGIC.len() as u64)
        .is_some_and(|head| head == JOURNAL_MAGIC)
}

fn first_bytes(entries: &dyn Entries, entry: EntryId, most: u64) -> Option<Vec<u8>> {
    let (start, end) = (0, entries.len(entry).min(most));
    entries.fetch(Span { entry, start, end }).ok()
}

/// A database whose schema could be read, with the changes in its log applied.
pub(crate) struct Database {
    pages: Box<Pages>,
    pub tables: Vec<DatabaseTable>,
    /// The roots of the trees of its tables and indexes.
    roots: Vec<u32>,
}

impl Database {
    /// Reads the schema. `None`: it cannot be read.
    pub(crate) fn open(main: Source, log: Option<Source>) -> Option<Database> {
        let mut database = Database {
            pages: Box::new(Pages::open(main, log)?),
            tables: Vec::new(),
            roots: Vec::new(),
        };
        let (mut tables, mut roots, mut left) = (Vec::new(), Vec::new(), MOST_BYTES);
        database.walk(SCHEMA, None, &mut |cell| {
            left = left.checked_sub(cell.length)?;
            let row = cell.read(&database.pages)?;
            tables.extend(table(&row));
            // Views, triggers, and virtual tables have no tree.
            let root = row.value(Some(ROOT)).integer().unwrap_or_default();
            roots.extend(u32::try_from(root).ok().filter(|root| *root != 0));
            Some(())
        })?;
        (database.tables, database.roots) = (tables, roots);
        Some(database)
    }

    /// The file of the database.
    pub(crate) fn main(&self) -> &Source {
        self.pages.main()
    }

    /// Writes it as one file, with what is in its log.
    ///
    /// # Errors
    /// As [`Pages::copy`].
    pub(crate) fn copy(&self, out: &mut dyn io::Write) -> io::Result<()> {
        self.pages.copy(out)
    }

    /// Whether its files changed since they were opened: what was read since then may be of two states.
    pub(crate) fn has_changed(&self) -> bool {
        self.pages.have_changed()
    }

    /// Passes on the ID and the values of these columns of each row. `None`: part of the table cannot be read.
    pub(crate) fn scan(
        &self,
        table: &DatabaseTable,
        columns: &[usize],
        each: &mut dyn FnMut(i64, Vec<ColumnValue>),
    ) -> Option<()> {
        let mut left = self.pages.bytes();
        self.walk(table.root, None, &mut |cell| {
            left = left.checked_sub(cell.length)?;
            each(cell.id, cell.columns(&self.pages, columns)?);
            Some(())
        })
    }

    /// The rows with these IDs, which are sorted. `None`: one of them cannot be read, or all have more than `most` bytes.
    pub(crate) fn rows(
        &self,
        table: &DatabaseTable,
        ids: &[i64],
        most: u64,
    ) -> Option<Vec<TableRow>> {
        let (mut rows, mut left) = (Vec::with_capacity(ids.len()), most.min(self.pages.bytes()));
        self.walk(table.root, Some(ids), &mut |cell| {
            left = left.checked_sub(cell.length)?;
            rows.push(cell.read(&self.pages)?);
            Some(())
        })?;
        (rows.len() == ids.len()).then_some(rows)
    }

    /// The values of these columns of the rows with these IDs, which are sorted. Pages of other columns are not read.
    pub(crate) fn values(
        &self,
        table: &DatabaseTable,
        ids: &[i64],
        columns: &[usize],
    ) -> Option<Vec<(i64, Vec<ColumnValue>)>> {
        let (mut rows, mut left) = (Vec::with_capacity(ids.len()), self.pages.bytes());
        self.walk(table.root, Some(ids), &mut |cell| {
            left = left.checked_sub(cell.length)?;
            rows.push((cell.id, cell.columns(&self.pages, columns)?));
            Some(())
        })?;
        (rows.len() == ids.len()).then_some(rows)
    }

    /// The highest ID of a row; 0 without rows. `None`: a page cannot be read.
    pub(crate) fn last_number(&self, table: &DatabaseTable) -> Option<i64> {
        let (mut seen, mut number) = (HashSet::new(), table.root);
        while seen.insert(number) {
            let page = self.pages.get(number)?;
            let node = BtreePage::of(&page, 0)?;
            match (node.last, node.cells().last()) {
                (Some(last), _) => number = last,
                (None, Some(at)) => return Some(LeafCell::of(&page, at, &self.pages)?.id.max(0)),
                (None, None) => return Some(0),
            }
        }
        None
    }

    /// Passes on the cells of a tree whose IDs are among `wanted`, which are sorted, in the order of their IDs. `None`: a page
    /// cannot be read, or is twice in the tree, or the first `None` of `each`.
    fn walk(
        &self,
        root: u32,
        wanted: Option<&[i64]>,
        each: &mut dyn FnMut(&LeafCell<'_>) -> Option<()>,
    ) -> Option<()> {
        let mut seen = HashSet::from([root]);
        let mut next = vec![(root, wanted)];
        while let Some((number, wanted)) = next.pop() {
            let page = self.pages.get(number)?;
            let node = BtreePage::of(&page, if number == SCHEMA { SCHEMA_START } else { 0 })?;
            if node.is_leaf() {
                for at in node.cells() {
                    let cell = LeafCell::of(&page, at, &self.pages)?;
                    if wanted.is_none_or(|ids| ids.binary_search(&cell.id).is_ok()) {
                        each(&cell)?;
                    }
                }
                continue;
            }
            let children = node.children(wanted)?;
            if !children.iter().all(|(child, _)| seen.insert(*child)) {
                return None;
            }
            next.extend(children.into_iter().rev());
        }
        Some(())
    }
}

/// A page of a tree.
struct BtreePage<'p> {
    page: &'p [u8],
    /// The page from its header on.
    from: &'p [u8],
    /// Page number of the last child of an inner page.
    last: Option<u32>,
}

/// A child of a page, and which of the wanted IDs may be in it.
type Child<'w> = (u32, Option<&'w [i64]>);

impl<'p> BtreePage<'p> {
    fn of(page: &'p [u8], start: usize) -> Option<BtreePage<'p>> {
        let from = page.get(start..)?;
        let last = match from.first()? {
            0x0D => None,
            0x05 => Some(word(from, 8)?),
            _ => return None,
        };
        Some(BtreePage { page, from, last })
    }

    fn is_leaf(&self) -> bool {
        self.last.is_none()
    }

    /// Offsets of the cells in the page.
    fn cells(&self) -> impl Iterator<Item = usize> {
        let first = if self.is_leaf() { 8 } else { 12 };
        let count = self.number(3).unwrap_or_default();
        (0..count).filter_map(move |cell| self.number(first + 2 * cell))
    }

    fn number(&self, at: usize) -> Option<usize> {
        let two: &[u8; 2] = self.from.get(at..).and_then(<[u8]>::first_chunk)?;
        Some(usize::from(u16::from_be_bytes(*two)))
    }

    /// The children that may have wanted IDs.
    fn children<'w>(&self, wanted: Option<&'w [i64]>) -> Option<Vec<Child<'w>>> {
        let (mut rest, mut children) = (wanted, Vec::new());
        let may_have = |ids: Option<&[i64]>| ids.is_none_or(|ids| !ids.is_empty());
        for at in self.cells() {
            let child = word(self.page, at)?;
            let (last, _) = varint(self.page.get(at + 4..)?)?;
            let own = rest.map(|ids| {
                let (own, more) = ids.split_at(ids.partition_point(|id| *id <= last.cast_signed()));
                rest = Some(more);
                own
            });
            children.extend(may_have(own).then_some((child, own)));
        }
        children.extend(may_have(rest).then_some((self.last?, rest)));
        Some(children)
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

/// A table from its row in the schema: type, name, table, root page, statement.
fn table(row: &TableRow) -> Option<DatabaseTable> {
    let [kind, name, _, root, statement] = row.values.first_chunk::<5>()?;
    (kind.text()? == "table").then_some(())?;
    Some(DatabaseTable {
        name: name.text()?.to_lowercase(),
        columns: columns::of(&statement.text()?),
        root: u32::try_from(root.integer()?).ok()?,
    })
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
