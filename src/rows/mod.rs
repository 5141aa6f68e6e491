//! The conversations of a transcript: one, or one per line, per element of an array, or per file of an archive.
//!
//! A row is a [`Window`](crate::bytes::window::Window) on the file. It is judged and repaired as a
//! document of its own and then dropped, so memory grows with the damaged rows, not with all rows.
//! Several threads read batches of lines, each line once, and their results are passed on in the
//! order of the rows. Lines without a row are judged together, as a small line file, by the rules
//! about bytes; rows that their repair frees are judged as if it were done. The edits of all rows
//! form one patch, so the file is written once.

mod habits;
mod inside;
mod judge;
mod list;
mod place;
mod quoted;
mod run;
mod split;
mod walk;

use crate::json::node::Node;
use crate::json::tape::Kind;

pub(crate) use judge::{Checked, Examined, OneConversation, judge, judge_scanned, plan};
pub(crate) use list::{ListedRow, judge_listed, list};
pub(crate) use place::{LinesKind, RowPlace};

/// Identifies a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Row {
    /// 1-based line number; `None` in an array.
    pub line: Option<u64>,
    /// 0-based index in an array or among the files of an archive; `None` for lines.
    pub index: Option<u64>,
    /// The file that it is, in an archive.
    pub file: Option<String>,
    /// The member of the document that is the array; `None` where the document is one, and for lines.
    pub list: Option<&'static str>,
    /// The ID in the row.
    pub key: Option<String>,
    /// Whether that is the ID of a request in a batch.
    pub is_request: bool,
    /// Which conversation of the row it is: the JSON pointer of its list, or of the string with its text.
    pub part: Option<String>,
    /// Whether it is in JSON text in a string.
    pub is_text: bool,
}

impl Row {
    /// The JSON pointer of what the pointers of its records begin from, unless that is the line.
    pub(crate) fn pointer(&self) -> Option<String> {
        let text = self.part.as_deref().filter(|_| self.is_text);
        let index = self.index.filter(|_| self.file.is_none());
        let row = index.map(|index| match self.list {
            Some(list) => format!("/{list}/{index}"),
            None => format!("/{index}"),
        });
        match (row, text) {
            (Some(row), text) => Some(row + text.unwrap_or_default()),
            (None, text) => text.map(str::to_owned),
        }
    }
}

/// Members that may hold the ID of a row.
const KEYS: [&str; 6] = ["custom_id", "id", "instance_id", "task_id", "request_id", "uuid"];
/// Longest ID that is kept, in bytes.
const MOST_IN_KEY: usize = 200;

impl Row {
    /// With the ID in the row.
    fn with_key(self, row: Option<Node<'_>>) -> Row {
        let is_request = row.is_some_and(|row| row.get(KEYS[0]).is_some());
        Row { key: row.and_then(key), is_request, ..self }
    }
}

/// The ID in a row.
fn key(row: Node<'_>) -> Option<String> {
    let key = KEYS.iter().find_map(|key| row.get(key))?;
    let text = match key.kind() {
        Kind::Number => String::from_utf8_lossy(&key.raw()).into_owned(),
        _ => key.str()?.into_owned(),
    };
    (!text.is_empty() && text.len() <= MOST_IN_KEY).then_some(text)
}
