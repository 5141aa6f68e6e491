//! What everything that has bytes offers: entries, and ranges of their bytes.

use std::io::{self, Read};

/// Number of an entry within its [`Entries`], from 0.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryId(pub u32);

/// A range of bytes in an entry.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// The entry that has the bytes.
    pub entry: EntryId,
    pub start: u64,
    /// Offset after the last byte.
    pub end: u64,
}

impl Span {
    pub(crate) fn new(entry: EntryId, start: u64, end: u64) -> Span {
        Span { entry, start, end }
    }

    /// The place before its first byte.
    pub(crate) fn before(self) -> Span {
        Span::new(self.entry, self.start, self.start)
    }

    /// The place after its last byte.
    pub(crate) fn after(self) -> Span {
        Span::new(self.entry, self.end, self.end)
    }
}

/// The entries of one source.
pub trait Entries: Sync {
    /// All entries, sorted by name (byte order).
    fn ids(&self) -> Vec<EntryId>;

    /// Name of an entry: relative, with `/` between parts; a single file has its own name. Empty if
    /// there is no such entry.
    fn name(&self, id: EntryId) -> &str;

    /// Size in bytes; 0 if there is no such entry.
    fn len(&self, id: EntryId) -> u64;

    /// Opens an entry for reading; the reader yields exactly [`len`](Self::len) bytes.
    ///
    /// # Errors
    /// The entry does not exist or cannot be read, or (while reading) it became shorter.
    fn open(&self, id: EntryId) -> io::Result<Box<dyn Read + '_>>;

    /// The bytes of a span, exactly as many as its length.
    ///
    /// # Errors
    /// As [`open`](Self::open); `UnexpectedEof` if the span is not inside the entry.
    fn fetch(&self, at: Span) -> io::Result<Vec<u8>>;

    /// Appends the bytes of a span.
    ///
    /// # Errors
    /// As [`fetch`](Self::fetch).
    fn append(&self, at: Span, to: &mut Vec<u8>) -> io::Result<()> {
        to.extend_from_slice(&self.fetch(at)?);
        Ok(())
    }

    /// All bytes of an entry, if they are in memory.
    fn in_memory(&self, _id: EntryId) -> Option<&[u8]> {
        None
    }

    /// The first lines, without their line endings, of up to 16 other files in the source's folder
    /// whose names end with `ending`. Unreadable files are left out. Only for a single file; empty
    /// for any other source.
    fn first_lines_beside(&self, _ending: &str) -> Vec<Vec<u8>> {
        Vec::new()
    }

    /// The number of the first line of an entry: of a row, that of its line in the file of rows.
    fn first_line(&self, _id: EntryId) -> u64 {
        1
    }

    /// Whether lines were made of the rows of a database.
    fn has_rows(&self) -> bool {
        false
    }

    /// The name of a line of an entry, if it was made of a row of a database.
    fn row_name(&self, _id: EntryId, _line: u64) -> Option<&str> {
        None
    }

    /// Whether an entry is a row without its line ending, so that none is missing at its end.
    fn is_row(&self, _id: EntryId) -> bool {
        false
    }

    /// What an early end of the compressed stream cost this entry, in words; `None` if nothing.
    fn loss(&self, _id: EntryId) -> Option<&'static str> {
        None
    }

    /// Reads the members of an archive that nobody has asked for: all of them are in a copy.
    ///
    /// # Errors
    /// One cannot be read.
    fn check_members(&self) -> io::Result<()> {
        Ok(())
    }

    /// The entry with this name.
    fn find(&self, name: &str) -> Option<EntryId> {
        self.ids().into_iter().find(|&id| self.name(id) == name)
    }
}
