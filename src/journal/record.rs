//! Operations as stored in the journal.

use super::blob::{self, Blob};
use crate::bytes::checksum::Checksum;
use crate::bytes::patch::ByteEdit;
use crate::bytes::replace::{ExtendedAttribute, FileState, Fingerprint, Location, ReplaceUnit};
use memchr::memmem;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The state of an operation in a line of the journal.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum OperationState {
    /// The operation is about to start.
    Intent,
    /// The operation succeeded.
    Done,
    /// The operation was taken back.
    Withdrawn,
}

/// The end of an operation. Also the part that every line has in common.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct EndMark {
    pub(super) op: u64,
    pub(super) state: OperationState,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) undoes: Option<u64>,
}

/// The beginning of an operation's line in the log: everything but the files. Of most operations
/// nothing else is read.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OperationHead {
    /// Number of the operation, from 1.
    pub op: u64,
    pub(super) state: OperationState,
    /// Number of the operation that this one undoes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<u64>,
    /// All operations of one run have the number of the first one, so that they can be undone
    /// together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<u64>,
    /// Time of the operation, RFC 3339 in UTC.
    pub time: String,
    /// Version of this program.
    pub version: String,
    /// SHA-256 of the plan that was applied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Checksum>,
    /// The transcript.
    #[serde(with = "blob::place")]
    pub place: Location,
    /// Folder of the originals, if not in the journal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) backups: Option<FolderPath>,
}

/// An operation: what it was meant to do, and how to undo it.
#[derive(Clone, Debug, Serialize)]
pub struct Operation {
    #[serde(flatten)]
    pub head: OperationHead,
    pub files: Vec<FileRecord>,
    /// The units to replace, in order.
    pub units: Vec<ReplaceUnit>,
}

/// A folder path in JSON.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct FolderPath(#[serde(with = "blob::path")] pub(super) PathBuf);

/// A changed file: its states before and after, and what restores its old bytes if no original is
/// stored.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FileRecord {
    #[serde(flatten)]
    pub state: FileState,
    /// Edits of the new bytes that restore the old ones. Left out if they are large and the
    /// original is stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) back: Option<Vec<StoredEdit>>,
    /// Edits of the old bytes that make the new ones; of a new file, all of its bytes. Left out if
    /// they are large.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) edits: Option<Vec<StoredEdit>>,
    /// All bytes of a removed file whose original is not stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) bytes: Option<Blob>,
    /// Extended attributes of a removed file, including access control lists. A file that stays
    /// keeps its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "blob::extended")]
    pub(super) extended: Vec<ExtendedAttribute>,
}

impl From<FileState> for FileRecord {
    fn from(state: FileState) -> Self {
        Self { state, back: None, edits: None, bytes: None, extended: Vec::new() }
    }
}

/// A byte edit in JSON.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct StoredEdit {
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) with: Blob,
}

impl From<ByteEdit> for StoredEdit {
    fn from(edit: ByteEdit) -> Self {
        Self { start: edit.start, end: edit.end, with: Blob(edit.with) }
    }
}

impl OperationHead {
    /// When it was done, to the second: `2026-01-21 09:48:05 UTC`.
    pub fn moment(&self) -> String {
        let time = self.time.get(..19).unwrap_or(&self.time);
        format!("{} UTC", time.replace('T', " "))
    }

    pub(super) fn mark(&self) -> EndMark {
        EndMark { op: self.op, state: self.state, undoes: self.undoes }
    }
}

/// Where the head of an operation ends in its line. A string cannot contain this: there, quotes
/// are escaped.
const FILES: &[u8] = b",\"files\":[";

/// The head of an operation, from at least the beginning of its line.
pub(super) fn parse_head(line: &[u8]) -> Option<OperationHead> {
    let mut head = line.get(..memmem::find(line, FILES)?)?.to_vec();
    head.push(b'}');
    serde_json::from_slice(&head).ok()
}

/// An operation, from its whole line. `None` if the line was cut off.
pub(super) fn parse(line: &[u8]) -> Option<Operation> {
    parse_with::<FileRecord>(line)
}

/// The same without what restores the bytes of its files, which is almost all of a long line.
pub(super) fn parse_states(line: &[u8]) -> Option<Operation> {
    match without_content(line) {
        Some(short) => parse_with::<FileState>(&short),
        None => parse_with::<FileState>(line),
    }
}

/// Where the list of files ends, and between two of them. As [`FILES`], no string can contain this.
const UNITS: &[u8] = b"}],\"units\":[";
const NEXT_OBJECT: &[u8] = b"},{\"";
const FIRST_MEMBERS: [&[u8]; 2] = [b"from\":", b"to\":"];
/// What comes after the state of a file.
const CONTENT: [&[u8]; 3] = [b",\"back\":[", b",\"edits\":[", b",\"bytes\":"];

/// The line without what follows the states of its files. Searching for it takes a fraction of what skipping it as JSON takes.
fn without_content(line: &[u8]) -> Option<Vec<u8>> {
    let start = memmem::find(line, FILES)? + FILES.len();
    let end = memmem::rfind(line, UNITS)?;
    let mut short = line.get(..start)?.to_vec();
    let mut next = start;
    let between = memmem::find_iter(line.get(start..end)?, NEXT_OBJECT).map(|at| start + at);
    for file_end in between
        .filter(|at| {
            let rest = line.get(at + NEXT_OBJECT.len()..).unwrap_or_default();
            FIRST_MEMBERS.iter().any(|first| rest.starts_with(first))
        })
        .chain([end])
    {
        let file = line.get(next..file_end)?;
        let found = CONTENT.iter().filter_map(|name| memmem::find(file, name));
        let state = found.min().unwrap_or(file.len());
        short.extend_from_slice(file.get(..state)?);
        next = file_end + 1;
        short.extend_from_slice(b"}");
        if file_end < end {
            short.extend_from_slice(b",");
            next += 1;
        }
    }
    short.extend_from_slice(line.get(next..)?);
    Some(short)
}

fn parse_with<File: DeserializeOwned + Into<FileRecord>>(line: &[u8]) -> Option<Operation> {
    #[derive(Deserialize)]
    struct RecordBody<File> {
        files: Vec<File>,
        units: Vec<ReplaceUnit>,
    }
    let head = parse_head(line)?;
    let RecordBody::<File> { files, units } = serde_json::from_slice(line).ok()?;
    let files = files.into_iter().map(File::into).collect();
    Some(Operation { head, files, units })
}

impl Operation {
    /// The paths that the operation affects, by old and new names.
    pub fn paths(&self) -> impl Iterator<Item = PathBuf> + '_ {
        let names = self.files.iter().flat_map(|file| [&file.state.from, &file.state.to]);
        names.flatten().map(|name| self.head.place.file(name))
    }

    pub(super) fn touches(&self, path: &Path) -> bool {
        self.paths().any(|touched| touched == path)
    }

    /// What the operation wrote into a file.
    pub(super) fn wrote(&self, path: &Path) -> Option<Fingerprint> {
        let is_it = |state: &&FileState| {
            let name = state.to.as_deref();
            name.is_some_and(|name| self.head.place.file(name) == path)
        };
        self.files.iter().map(|file| &file.state).find(is_it)?.after
    }

    pub(super) fn states(&self) -> Vec<FileState> {
        self.files.iter().map(|file| file.state.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with contents that hold what `without_content` searches for.
    fn file(from: Option<&str>, to: Option<&str>, parts: [bool; 3]) -> FileRecord {
        let tricky = b"]},{\"from\":\"a\"},\"back\":[],\"bytes\":\"\"}],\"units\":[".to_vec();
        let edits = || {
            let texts = [tricky.clone(), vec![0xFF, b'"'], b",".to_vec(), Vec::new()];
            texts.map(|with| StoredEdit { start: 1, end: 2, with: Blob(with) }).into()
        };
        let [back, forth, bytes] = parts;
        let name = |name: Option<&str>| name.map(|name| format!("{name}}},{{\"to\":"));
        FileRecord {
            back: back.then(edits),
            edits: forth.then(edits),
            bytes: bytes.then(|| Blob(tricky.clone())),
            ..FileState { from: name(from), to: name(to), before: None, after: None }.into()
        }
    }

    #[test]
    fn states_are_read_without_what_restores_bytes() {
        let place = r#"{"path":"/a/b.jsonl","folder":false}"#;
        let head = format!(
            r#"{{"op":1,"state":"intent","time":"","version":"1","place":{place},"files":["#
        );
        let all = [
            file(Some("a"), Some("b"), [true, true, false]),
            file(None, Some("c"), [false, true, false]),
            file(Some("d"), None, [false, false, true]),
            file(Some("e"), Some("e"), [false, false, false]),
            file(Some("f"), Some("g"), [true, false, false]),
        ];
        for count in 0..=all.len() {
            let files: Vec<String> =
                all[..count].iter().map(|file| serde_json::to_string(file).unwrap()).collect();
            let line = format!("{head}{}],\"units\":[]}}\n", files.join(","));
            let expected = parse_with::<FileState>(line.as_bytes()).unwrap();
            assert_eq!(expected.files.len(), count);
            let found = parse_states(line.as_bytes()).unwrap();
            assert_eq!(found.states(), expected.states(), "{line}");
            let short = without_content(line.as_bytes());
            assert_eq!(short.is_some(), count > 0);
            assert!(short.is_none_or(|short| memmem::find(&short, b"with").is_none()));
        }
        let cut = format!("{head}{}", serde_json::to_string(&all[0]).unwrap());
        assert!(parse_states(cut.as_bytes()).is_none());
    }
}
