//! One operation, as the journal keeps it.

use super::blob::{self, Blob};
use crate::bytes::checksum::Checksum;
use crate::bytes::patch::ByteEdit;
use crate::bytes::replace::{Extended, FileState, Location, Unit};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What the journal says of an operation.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Word {
    /// It is going to happen.
    Intent,
    /// It happened.
    Done,
    /// It did not happen.
    Withdrawn,
}

/// The end of an operation; also the part of every line that is read first.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Mark {
    pub(super) op: u64,
    pub(super) state: Word,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) undoes: Option<u64>,
}

/// One operation: what it was to do, and how it is taken back.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Operation {
    /// Its number, counted from 1.
    pub op: u64,
    pub(super) state: Word,
    /// The operation that it undoes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<u64>,
    /// The operations of one run have the number of its first one, so that they are undone together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<u64>,
    /// When, RFC 3339 in UTC.
    pub time: String,
    /// Version of this program.
    pub version: String,
    /// SHA-256 of the plan that was applied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Checksum>,
    /// The recording.
    #[serde(with = "blob::place")]
    pub place: Location,
    /// Where the originals are, if not in the journal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) backups: Option<Folder>,
    /// The changed files.
    pub files: Vec<Record>,
    /// What is replaced, in this order.
    pub units: Vec<Unit>,
}

/// A folder in JSON.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Folder(#[serde(with = "blob::path")] pub(super) PathBuf);

/// A changed file: what it was and became, and what gives its old bytes back where no original is kept.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    /// Names, checksums, attributes.
    #[serde(flatten)]
    pub state: FileState,
    /// Edits of the new bytes that give the old ones. Left out where they are large and the original is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) back: Option<Vec<Back>>,
    /// All bytes of a removed file whose original is not kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) bytes: Option<Blob>,
    /// Extended attributes of a removed file, access lists among them. A file that stays keeps its own.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        with = "blob::extended"
    )]
    pub(super) extended: Vec<Extended>,
}

impl From<FileState> for Record {
    fn from(state: FileState) -> Self {
        Self {
            state,
            back: None,
            bytes: None,
            extended: Vec::new(),
        }
    }
}

/// A byte edit in JSON.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Back {
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) with: Blob,
}

impl From<ByteEdit> for Back {
    fn from(edit: ByteEdit) -> Self {
        Self {
            start: edit.start,
            end: edit.end,
            with: Blob(edit.with),
        }
    }
}

impl Operation {
    /// The paths that it touches, by their old and new names.
    pub fn paths(&self) -> impl Iterator<Item = PathBuf> + '_ {
        let names = self
            .files
            .iter()
            .flat_map(|file| [&file.state.from, &file.state.to]);
        names.flatten().map(|name| self.place.file(name))
    }

    pub(super) fn states(&self) -> Vec<FileState> {
        self.files.iter().map(|file| file.state.clone()).collect()
    }
}
