//! Containers: where the records of a conversation are, and how they are removed, inserted and
//! moved.
//!
//! A container knows lists, not formats: lines of a file, files of a folder, elements of a JSON
//! array. It reads each record once, passes it to the format's reader, and turns bytes that hold no
//! record into diagnostics and unreadable events.

pub(crate) mod batches;
mod broken;
pub(crate) mod change;
mod changed;
pub(crate) mod database;
pub(crate) mod files;
mod flaws;
pub(crate) mod items;
pub(crate) mod lines;
pub(crate) mod mend;
pub(crate) mod msgpack;
pub(crate) mod pool;
pub(crate) mod records;
mod rejoin;
pub(crate) mod rewrite;
mod scanned;
mod shards;
mod short;
pub(crate) mod torn;

use scanned::blocking_limit;
pub(crate) use scanned::{Scan, Scanned, limit};

use std::borrow::Cow;
use std::io;

use thiserror::Error;

use crate::bytes::overlay::Overlay;
use crate::bytes::source::{Entries, EntryId};
use crate::json::node::Node;
use crate::transcript::{Fact, Transcript, copy};

/// What a container needs to know about a format to read its records.
#[derive(Copy, Clone)]
pub struct RecordReader {
    /// Whether a JSON value is a record of this format; used to separate glued records.
    pub owns: fn(Node<'_>) -> bool,
    /// Reads one record, which may be truncated, into the event that the container started. Knows
    /// no other record.
    pub read: fn(Node<'_>, &mut Transcript),
    /// Whether the host splits records at U+2028, U+2029 and U+0085.
    pub splits_on_separators: bool,
    /// Whether only generic JSON readers load it, not a host: they accept a byte order mark before
    /// a document and lone surrogates.
    pub plain: bool,
    /// Whether records are messages as a provider accepts them: a value in a line that is not an
    /// object is then not a message.
    pub messages: bool,
    /// Whether the host accepts lone surrogates and cleans most of them. The format then reports
    /// those that matter.
    pub accepts_lone_surrogates: bool,
    /// Whether a fragment glued to a complete record is removed even if it has an ID that no other
    /// record has.
    pub removes_fragments: bool,
    /// Whether a value that looks like a record is a record rather than a value inside one, for
    /// example because it has the member that links records. `None` if that cannot be decided.
    pub is_outermost: fn(Node<'_>) -> Option<bool>,
}

impl RecordReader {
    /// A reader for a host without special behavior.
    pub const fn new(
        owns: fn(Node<'_>) -> bool,
        read: fn(Node<'_>, &mut Transcript),
    ) -> RecordReader {
        RecordReader {
            owns,
            read,
            splits_on_separators: false,
            plain: false,
            messages: false,
            accepts_lone_surrogates: false,
            removes_fragments: false,
            is_outermost: |_| None,
        }
    }

    /// The same for records that are messages.
    pub(crate) const fn of_messages(self) -> RecordReader {
        let messages = true;
        RecordReader { messages, ..self }
    }
}

/// Where the records of a conversation are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One record per line.
    Lines(EntryId),
    /// One record per element of an array in a document.
    Items {
        entry: EntryId,
        /// Path to the array; empty if the document is the array.
        path: Vec<PathStep>,
        /// Whether the rest of the document is the host's state: the document is then read as
        /// state, after the records.
        envelope: bool,
    },
    /// Two arrays in a document that form one conversation, in the given order. The rest of the
    /// document is the host's state. Of a file of rows, those that are there have its rows.
    Joined {
        entry: EntryId,
        /// Paths to the arrays.
        lists: [Vec<PathStep>; 2],
    },
    /// One record per file.
    Files(Files),
}

/// A step from a JSON value to one of its children.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum PathStep {
    /// To the member with this name.
    Key(&'static str),
    /// To the element at this 0-based index.
    At(u32),
}

/// A path as a JSON pointer.
pub(crate) fn pointer(path: &[PathStep]) -> String {
    path.iter().map(|step| format!("/{step}")).collect()
}

impl std::fmt::Display for PathStep {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            PathStep::Key(key) => f.write_str(key),
            PathStep::At(index) => write!(f, "{index}"),
        }
    }
}

/// A folder of record files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Files {
    /// The files in the order of the conversation, including missing ones.
    pub files: Vec<FolderFile>,
    /// The host's state, in the same folder.
    pub state: Option<EntryId>,
    pub naming: Naming,
}

/// How record files are named.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Naming {
    /// By the ID of the record alone; the order is in the records.
    #[default]
    ById,
    /// `prefix` + index with at least `digits` digits + `between` + ID of the record + `.json`.
    Indexed {
        /// Folder and first characters.
        prefix: String,
        /// Minimum number of digits of the index.
        digits: usize,
        /// Character between index and ID.
        between: char,
    },
    /// `prefix` + ID of the record, a number that determines the order, + `.json`. Gaps in the
    /// numbers are not damage.
    Numbered { prefix: &'static str },
    /// By the ID of the record alone, in the folders of a store that other conversations share. Names are relative to the
    /// store, which is two levels above the folder of the conversation.
    InStore,
    /// As in a store, for what was made of the rows of a database.
    InDatabase,
}

/// Longest ID in a file name, in bytes.
const MOST_IN_NAME: usize = 128;

impl Naming {
    /// The name of a new or moved file; `None` if a file name cannot contain the ID.
    pub fn name(&self, index: u64, id: &str) -> Option<String> {
        if id.is_empty()
            || id.len() > MOST_IN_NAME
            || !id
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
        {
            return None;
        }
        Some(match self {
            Naming::InStore | Naming::InDatabase => return None,
            Naming::ById => format!("{}.json", id.replace('-', "")),
            Naming::Indexed { prefix, digits, between } => {
                format!("{prefix}{index:0digits$}{between}{id}.json")
            }
            Naming::Numbered { prefix } => format!("{prefix}{id}.json"),
        })
    }
}

/// A file of a folder that should hold one record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderFile {
    /// The file; `None` if this index is missing.
    pub entry: Option<EntryId>,
    /// 0-based index from the name, else the position of the file.
    pub index: u64,
    /// The ID of the record in the file name.
    pub id: Option<String>,
}

/// The fact that a container adds: the record ID in the file name.
pub(crate) const NAME_ID: Fact = Fact::new(Fact::OF_CONTAINERS);

/// Why a conversation could not be read completely.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The bytes cannot be read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// A record is nested too deeply or too large.
    #[error("{place}: {what}")]
    Limit {
        /// Line, file or element.
        place: String,
        /// Which limit.
        what: &'static str,
    },
}

impl Layout {
    /// A document that is the list itself.
    pub(crate) fn array(entry: EntryId) -> Layout {
        Layout::Items { entry, path: Vec::new(), envelope: false }
    }

    /// A document with its list of records at this path.
    pub(crate) fn enclosed(entry: EntryId, path: Vec<PathStep>) -> Layout {
        Layout::Items { entry, path, envelope: true }
    }

    /// A document that is a list of records, or an object with one in the first of `members` for
    /// which `holds` is true. The rest of the object is not a record.
    pub(crate) fn array_in(
        entry: EntryId,
        root: Node<'_>,
        members: &[&'static str],
        holds: impl Fn(Node<'_>) -> bool,
    ) -> Option<Layout> {
        if holds(root) {
            return Some(Layout::array(entry));
        }
        members.iter().find(|key| root.get(key).is_some_and(&holds)).map(|key| Layout::Items {
            entry,
            path: vec![PathStep::Key(key)],
            envelope: false,
        })
    }

    /// Reads every record once.
    ///
    /// # Errors
    /// The bytes cannot be read, or a record exceeds a limit named in the message. Damage is not an
    /// error.
    pub fn read(
        &self,
        entries: &dyn Entries,
        reading: &RecordReader,
        t: &mut Transcript,
    ) -> Result<(), ReadError> {
        self.read_scanned(entries, None, reading, 1, t)
    }

    /// Like [`read`](Self::read), on up to `jobs` threads. `scanned` is the only entry, if it is
    /// one value that was already scanned.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub(crate) fn read_scanned(
        &self,
        entries: &dyn Entries,
        scanned: Option<Scanned<'_>>,
        reading: &RecordReader,
        jobs: usize,
        t: &mut Transcript,
    ) -> Result<(), ReadError> {
        let document = |entry, paths: &[&[PathStep]], envelope, t: &mut Transcript| {
            let scanned = scanned.and_then(Scanned::clean);
            items::read((entries, entry), scanned, paths, envelope, reading, t)
        };
        match self {
            Layout::Lines(entry) => lines::read(entries, *entry, reading, jobs, t),
            Layout::Items { entry, path, envelope } => {
                document(*entry, &[path.as_slice()], *envelope, t)
            }
            Layout::Joined { entry, lists } => {
                let [one, two] = lists;
                document(*entry, &[one, two], true, t)
            }
            Layout::Files(files) => files::read(entries, files, reading, t),
        }?;
        short::report(entries, self, t);
        Ok(())
    }

    /// Like [`read`](Self::read), for patched entries whose base was read: records in lines that
    /// did not change are copied.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub(crate) fn read_changed(
        &self,
        patched: &Overlay<'_>,
        reading: &RecordReader,
        jobs: usize,
        base: &Transcript,
    ) -> Result<Transcript, ReadError> {
        let mut t = Transcript::with_hasher_of(base);
        if let Layout::Lines(entry) = self
            && base.replaced.is_empty()
            && changed::read(patched, *entry, reading, base, &mut t)?
        {
            short::report(patched, self, &mut t);
            debug_assert!(self.reads_the_same(patched, reading, &t), "as if read from the start");
            return Ok(t);
        }
        t = Transcript::default();
        self.read_scanned(patched, None, reading, jobs, &mut t)?;
        Ok(t)
    }

    fn reads_the_same(
        &self,
        entries: &dyn Entries,
        reading: &RecordReader,
        t: &Transcript,
    ) -> bool {
        let mut all = Transcript::with_hasher_of(t);
        // A disk that fails now, and did not before, is not a difference.
        self.read(entries, reading, &mut all).is_err() || copy::same_facts(t, &all)
    }

    /// The entry with the records, if there is only one.
    pub fn entry(&self) -> Option<EntryId> {
        match self {
            Layout::Lines(entry) | Layout::Items { entry, .. } | Layout::Joined { entry, .. } => {
                Some(*entry)
            }
            Layout::Files(_) => None,
        }
    }

    /// Whether its files are in the folders of a store that other conversations share.
    pub(crate) fn is_in_store(&self) -> bool {
        matches!(self, Layout::Files(files) if files.naming == Naming::InStore)
    }

    /// The path of an entry in the folder or the store of the conversation, or the row that it was made of.
    pub(crate) fn below_folder<'n>(&self, entry: &'n str) -> Cow<'n, str> {
        match self {
            Layout::Files(files) if files.naming == Naming::InDatabase => {
                let (table, row) = entry.split_once('/').unwrap_or(("", entry));
                let id = row.rsplit_once('/').map_or(row, |(_, id)| id);
                Cow::Owned(format!("{table}:{}", id.trim_end_matches(".json")))
            }
            _ => Cow::Borrowed(entry),
        }
    }

    /// Whether its entries are made of the rows of a database.
    pub(crate) fn is_of_rows(&self) -> bool {
        matches!(self, Layout::Files(files) if files.naming == Naming::InDatabase)
    }

    pub fn is_document(&self) -> bool {
        matches!(self, Layout::Items { .. } | Layout::Joined { .. })
    }

    pub fn is_lines(&self) -> bool {
        matches!(self, Layout::Lines(_))
    }
}
