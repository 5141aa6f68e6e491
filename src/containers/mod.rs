//! Containers: where the records of a conversation are, and how one is cut, inserted or moved.
//!
//! A container knows lists, not formats: lines of a file, files of a folder, elements of a JSON array. It reads each
//! record once, hands it to the format's reader, and turns bytes that hold no record into faults and holes.

pub(crate) mod change;
pub(crate) mod database;
pub(crate) mod files;
pub(crate) mod items;
pub(crate) mod lines;
pub(crate) mod mend;
pub(crate) mod records;
pub(crate) mod rewrite;
mod short;
pub(crate) mod torn;

use std::io;

use thiserror::Error;

use crate::bytes::source::{Entries, EntryId};
use crate::json::node::Node;
use crate::json::scan::Scanner;
use crate::json::tape::{End, Tape};
use crate::transcript::Transcript;

/// What a container must know of a format to read its records.
#[derive(Copy, Clone)]
pub struct RecordReader {
    /// Whether a JSON value is a record of this format: glued lines are parted by it.
    pub owns: fn(Node<'_>) -> bool,
    /// Reads one record, which may be torn, into the event that the container opened. Knows no other record.
    pub read: fn(Node<'_>, &mut Transcript),
    /// The host splits records at U+2028, U+2029 and U+0085.
    pub splits_on_separators: bool,
    /// No host loads it, only plain readers of JSON: a byte order mark in front of a document and halves of surrogate
    /// pairs do not stop them.
    pub plain: bool,
    /// Records are messages as a provider takes them: on a line, too, a value that is not an object is not one.
    pub messages: bool,
    /// The host reads half a surrogate pair and cleans most of them: the format says where one harms.
    pub cleans_half_pairs: bool,
    /// A fragment that is glued to a whole record is parked even where it shows an id that nothing else holds.
    pub parks_fragments: bool,
    /// Whether what looks like a record is one of its own and not a value inside another one: it has the member that links
    /// it to others, say. `None`: nothing tells.
    pub is_outermost: fn(Node<'_>) -> Option<bool>,
}

impl RecordReader {
    /// For a host without habits of its own.
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
            cleans_half_pairs: false,
            parks_fragments: false,
            is_outermost: |_| None,
        }
    }
}

/// Where the records of one conversation are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One record a line.
    Lines(EntryId),
    /// One record an element of an array in a document.
    Items {
        /// The document.
        entry: EntryId,
        /// The way to the array; empty: the document is the array.
        path: Vec<Step>,
        /// What stands around the array is the host's state: the document is read as such, behind the records.
        envelope: bool,
    },
    /// The same with two arrays that are one conversation: members of the document, in the order of the conversation.
    /// What stands around them is the host's state.
    Joined {
        /// The document.
        entry: EntryId,
        /// The names of the members.
        lists: [&'static str; 2],
    },
    /// One record a file.
    Files(Files),
}

/// A step from a JSON value to one inside it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// To the member with this name.
    Key(&'static str),
    /// To the element at this index, from 0.
    At(u32),
}

impl std::fmt::Display for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Step::Key(key) => f.write_str(key),
            Step::At(index) => write!(f, "{index}"),
        }
    }
}

/// A folder of record files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Files {
    /// The files in the order of the conversation, missing ones included.
    pub files: Vec<RecordFile>,
    /// The host's state beside them.
    pub state: Option<EntryId>,
    /// How files are named.
    pub naming: Naming,
}

/// How the name of a record file is made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Naming {
    /// By the record's id alone; order is told inside.
    #[default]
    ById,
    /// `prefix` + index with at least `digits` digits + `between` + the record's id + `.json`.
    Indexed {
        /// Folder and first letters.
        prefix: String,
        /// Digits of the index.
        digits: usize,
        /// What stands between index and id.
        between: char,
    },
    /// `prefix` + the record's id, a number that tells the order, + `.json`. Ids that nobody has are no damage.
    Numbered {
        /// The folder.
        prefix: &'static str,
    },
}

/// Longest id in the name of a file.
const MOST_IN_NAME: usize = 128;

impl Naming {
    /// The name of a new or moved file; `None` where the id cannot be in a file's name.
    pub fn name(&self, index: u64, id: &str) -> Option<String> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        if id.is_empty() || id.len() > MOST_IN_NAME || !id.bytes().all(plain) {
            return None;
        }
        Some(match self {
            Naming::ById => format!("{}.json", id.replace('-', "")),
            Naming::Indexed {
                prefix,
                digits,
                between,
            } => {
                format!("{prefix}{index:0digits$}{between}{id}.json")
            }
            Naming::Numbered { prefix } => format!("{prefix}{id}.json"),
        })
    }
}

/// A file of a folder that holds one record, or should.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordFile {
    /// The file; `None`: the index is missing.
    pub entry: Option<EntryId>,
    /// Its index: from the name, else its position. From 0.
    pub index: u64,
    /// The record's id as the name says it.
    pub id: Option<String>,
}

/// The name of the [fact](crate::transcript::event::Attr) that a container adds: the record's id as its file's name says it.
pub(crate) const NAME_ID: &str = "id in the name";

/// Why a conversation could not be read to its end.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The bytes could not be had.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// A record is nested deeper than the limit, or larger.
    #[error("{place}: {what}")]
    Limit {
        /// Line, file or element.
        place: String,
        /// Which limit.
        what: &'static str,
    },
}

impl Layout {
    /// Reads every record once.
    ///
    /// # Errors
    /// The bytes cannot be had, or a record is beyond a limit that is stated in the message. Damage is not an error.
    pub fn read(
        &self,
        entries: &dyn Entries,
        reading: &RecordReader,
        t: &mut Transcript,
    ) -> Result<(), ReadError> {
        match self {
            Layout::Lines(entry) => lines::read(entries, *entry, reading, t),
            Layout::Items {
                entry,
                path,
                envelope,
            } => items::read(entries, *entry, &[path.as_slice()], *envelope, reading, t),
            Layout::Joined { entry, lists } => {
                let [one, two] = lists.map(|key| [Step::Key(key)]);
                items::read(entries, *entry, &[&one, &two], true, reading, t)
            }
            Layout::Files(files) => files::read(entries, files, reading, t),
        }?;
        short::tell(entries, self, t);
        Ok(())
    }

    /// The entry, where the records are in one.
    pub fn entry(&self) -> Option<EntryId> {
        match self {
            Layout::Lines(entry) | Layout::Items { entry, .. } | Layout::Joined { entry, .. } => {
                Some(*entry)
            }
            Layout::Files(_) => None,
        }
    }

    /// Whether the records are elements of a document.
    pub fn is_document(&self) -> bool {
        matches!(self, Layout::Items { .. } | Layout::Joined { .. })
    }

    /// The word for the container in messages and overrides.
    pub fn is_lines(&self) -> bool {
        matches!(self, Layout::Lines(_))
    }
}

/// A scanner with its tape, used again for record after record.
pub(crate) struct Scan {
    pub(crate) scanner: Scanner,
    pub(crate) tape: Tape,
}

/// Why a tape must not be used as a record at all.
pub(crate) fn limit(end: &End) -> Option<&'static str> {
    match end {
        End::TooDeep { .. } => Some("nested deeper than 1024 levels"),
        _ => blocking_limit(end),
    }
}

/// Why the records after this one cannot be found either.
fn blocking_limit(end: &End) -> Option<&'static str> {
    matches!(end, End::TooLong).then_some("a record of 4 GiB or more than 4 million values")
}
