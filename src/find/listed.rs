//! Whether a host offers a transcript to its users: some read a list next to the files, and never look for files.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use super::store::{is_large, is_unfinished, with_its_log};
use crate::format::Format;
use crate::format::home::SessionList;
use crate::json::node::Node;
use crate::json::scan::{ScanMode, scan};

/// Bytes of a list, at most: VS Code keeps 400 chats in its own.
const MOST: u64 = 64 << 20;

/// Why the host of a transcript does not offer it. `None`: it does, or nothing certain is known.
pub(crate) fn left_out(path: &Path, format: &Format) -> Option<&'static str> {
    let list = format.traits.list.as_ref()?;
    let name = path.file_name()?.to_str()?;
    let database = (list.database)(path)?;
    // A list that is older may be written when the host closes.
    let is_newer = changed(&database)? >= changed(path)?;
    if !is_newer || is_large(&database) {
        return None;
    }
    let text = value(&database, list)?;
    let text = text.as_slice();
    let tape = scan(text, ScanMode::Document);
    let root = Node::root(&tape, &text).filter(|root| !root.is_open())?;
    (list.leaves_out)(root, name)
}

fn changed(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).ok()?.modified().ok()
}

/// The value of the list. Of other values, only what is next to their keys is read.
fn value(path: &Path, list: &SessionList) -> Option<Vec<u8>> {
    if is_unfinished(path) {
        return None;
    }
    let database = with_its_log(path).ok()??;
    let table = database.tables.iter().find(|table| table.name == list.table)?;
    let [key, value] = list.columns.map(|column| table.column(column));
    let mut row = None;
    database.scan(table, &[key?], &mut |id, values| {
        let own = values.first().and_then(|value| value.bytes());
        row = row.or((own == Some(list.key.as_bytes())).then_some(id));
    })?;
    let rows = database.rows(table, &[row?], MOST)?;
    let text = rows.first()?.value(value).bytes()?.to_vec();
    (!database.has_changed()).then_some(text)
}
