//! The conversations of a file: one, or many, one a line or one an element of an array.
//!
//! A row is a [`Window`](crate::bytes::window::Window) on the file, judged and repaired as a document of its own and then
//! forgotten: memory grows with the damaged rows, not with the rows. Several threads read batches of lines, each line once; what comes of them is handed
//! on in the order of the rows. Lines that hold no row are judged together as a little line file by the rules of
//! bytes; the rows that their repair frees are judged as if it were done. The edits of all rows are one patch, so that
//! the file is written at once.

mod judge;
mod list;
mod run;
mod split;
mod walk;

use crate::json::node::Node;
use crate::json::tape::Kind;

pub(crate) use judge::{Conversation, Known, Seen, judge, plan};
pub(crate) use list::{Listed, judge_listed, list};
pub(crate) use walk::{Spot, What};

/// Which row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Row {
    /// Its line, from 1; of an array none.
    pub line: Option<u64>,
    /// Its position in an array, from 0; of lines none.
    pub index: Option<u64>,
    /// The id that it gives itself.
    pub key: Option<String>,
}

/// Members that give a row an id of its own.
const KEYS: [&str; 5] = ["custom_id", "id", "task_id", "request_id", "uuid"];
/// Longest id that is kept.
const MOST_IN_KEY: usize = 200;

/// The id that a row gives itself.
fn key(row: Node<'_>) -> Option<String> {
    let key = KEYS.iter().find_map(|key| row.get(key))?;
    let text = match key.kind() {
        Kind::Number => String::from_utf8_lossy(&key.raw()).into_owned(),
        _ => key.str()?.into_owned(),
    };
    (!text.is_empty() && text.len() <= MOST_IN_KEY).then_some(text)
}
