//! The rows of a session as the transcript that its host exports, or wrote before it had a database. A file for each host.

mod adk;
mod agents;
mod amazon_q;
mod goose;
mod hermes;
mod opencode;

use crate::containers::database::{ColumnValue, Database, DatabaseTable, TableRow};
use crate::json::quote::quote;
use crate::json::scan::{ScanMode, scan};
use crate::json::tape::RecordEnd;
pub(super) use adk::adk;
pub(super) use agents::agents;
pub(super) use amazon_q::amazon_q;
pub(super) use goose::goose;
pub(super) use hermes::{HERMES_JSON, hermes};
pub(super) use opencode::{opencode, own_members};

/// The rows of one session.
pub(crate) struct SessionRows<'r> {
    pub id: &'r str,
    /// Its own row.
    pub around: Option<TableRows<'r>>,
    /// Its records, for each table of them.
    pub tables: Vec<TableRows<'r>>,
}

/// The rows of one session that are not read yet.
pub(crate) struct StoredRows<'s> {
    pub database: &'s Database,
    /// Its records, for each table of them, by their IDs.
    pub tables: Vec<(&'s DatabaseTable, &'s [i64])>,
    /// A row of the first table that is not in the database.
    pub added: Option<&'s TableRow>,
}

/// Rows of a table, in the order of their IDs.
pub(crate) struct TableRows<'r> {
    pub table: &'r DatabaseTable,
    pub rows: Vec<TableRow>,
}

/// A transcript as a source has it.
pub(crate) struct StoreContent {
    /// Its entries, with their names.
    pub entries: Vec<(String, Vec<u8>)>,
    /// The names of the lines of the only entry. None: each entry is a row.
    pub lines: Vec<String>,
}

impl TableRows<'_> {
    pub(super) fn value<'v>(&self, row: &'v TableRow, column: &str) -> &'v ColumnValue {
        row.value(self.table.column(column))
    }

    fn name(&self, id: &str) -> String {
        format!("{}:{id}", self.table.name)
    }
}

/// A value as JSON; `None`: it has none. A blob is read as a text.
fn json(value: &ColumnValue) -> Option<String> {
    match value {
        ColumnValue::Null => None,
        ColumnValue::Integer(number) => Some(number.to_string()),
        ColumnValue::Real(number) => serde_json::to_string(number).ok(),
        ColumnValue::Text(bytes) | ColumnValue::Blob(bytes) => {
            Some(quote(&String::from_utf8_lossy(bytes)))
        }
    }
}

/// A value that holds JSON, on one line; `None`: it is null, or not one whole value.
fn inner(value: &ColumnValue) -> Option<Vec<u8>> {
    let bytes = value.bytes()?;
    is_whole(bytes).then(|| on_one_line(bytes, b' '))
}

pub(super) fn is_whole(bytes: &[u8]) -> bool {
    let tape = scan(bytes, ScanMode::Document);
    matches!(tape.end, RecordEnd::Whole) && tape.flaws.is_empty()
}

/// Bytes without line breaks, which whole values have only between tokens.
fn on_one_line(bytes: &[u8], instead: u8) -> Vec<u8> {
    bytes.iter().map(|byte| if matches!(byte, b'\n' | b'\r') { instead } else { *byte }).collect()
}

/// Bytes that are not a valid record, on one line. They must stay invalid, even if they look valid without what was around
/// them.
fn broken(bytes: &[u8]) -> Vec<u8> {
    // White space that JSON does not know.
    const NONE: u8 = 0x0B;
    let mut line = on_one_line(bytes, NONE);
    if is_whole(&line) {
        line.insert(0, NONE);
    }
    line
}

/// An object with these members, then those of `last`, which is JSON of unknown quality. `between` is what is before it.
fn with_last(members: &[(&str, String)], key: &str, last: &ColumnValue) -> Vec<u8> {
    let mut out = b"{".to_vec();
    for (key, value) in members {
        out.extend(format!("{}:{value},", quote(key)).into_bytes());
    }
    out.extend(format!("{}:", quote(key)).into_bytes());
    match inner(last) {
        Some(value) => {
            out.extend(value);
            out.push(b'}');
            out
        }
        None => {
            out.extend(last.bytes().unwrap_or_default());
            broken(&out)
        }
    }
}

/// The object in a value, with members of other columns, which come first if it is cut off.
fn joined(value: &ColumnValue, own: &str) -> Vec<u8> {
    let object = inner(value).filter(|object| object.trim_ascii().starts_with(b"{"));
    match object {
        Some(object) => {
            let object = object.trim_ascii();
            let inside = object.get(1..object.len() - 1).unwrap_or_default();
            let mut out = b"{".to_vec();
            out.extend(inside.trim_ascii_end());
            if !inside.trim_ascii().is_empty() {
                out.push(b',');
            }
            out.extend(own.as_bytes());
            out.push(b'}');
            out
        }
        None => {
            let bytes = value.bytes().unwrap_or_default().trim_ascii_start();
            let mut out = format!("{{{own},").into_bytes();
            out.extend(bytes.strip_prefix(b"{").unwrap_or(bytes));
            broken(&out)
        }
    }
}

/// Lines, each with the name of its row.
fn lines(of: impl IntoIterator<Item = (String, Vec<u8>)>, id: &str) -> StoreContent {
    let (mut names, mut bytes) = (Vec::new(), Vec::new());
    for (name, line) in of {
        names.push(name);
        bytes.extend(line);
        bytes.push(b'\n');
    }
    StoreContent { entries: vec![(id.to_owned(), bytes)], lines: names }
}

/// The rows of a session that have entries of their own, in the order of these.
pub(super) fn entry_rows<'r>(
    rows: &'r SessionRows<'_>,
) -> impl Iterator<Item = (&'r TableRows<'r>, &'r TableRow)> {
    rows.tables.iter().flat_map(|table| table.rows.iter().map(move |row| (table, row)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> ColumnValue {
        ColumnValue::Text(text.as_bytes().to_vec())
    }

    #[test]
    fn a_row_is_a_record_only_if_its_json_is_whole() {
        let message = |content: &str| {
            let members = [("role", quote("user"))];
            String::from_utf8(with_last(&members, "content", &text(content))).unwrap()
        };
        assert_eq!(message("[1,\n 2]"), r#"{"role":"user","content":[1,  2]}"#);
        for bad in
            ["", "[1", "[1]]", "[1],\"role\":\"assistant\"", "[1]}", "[1]} ", "[\"a\nb\"]", "\n"]
        {
            let line = message(bad);
            assert!(!is_whole(line.as_bytes()) && !line.contains('\n'), "{bad:?}: {line}");
            assert!(line.contains(r#"{"role":"user","content":"#), "{bad:?}: {line}");
        }
        let part = |data: &str| String::from_utf8(joined(&text(data), "\"id\":\"prt_1\"")).unwrap();
        assert_eq!(part(" {\"type\":\"text\"} "), r#"{"type":"text","id":"prt_1"}"#);
        assert_eq!(part("{}"), r#"{"id":"prt_1"}"#);
        for bad in ["", "[1]", "{\"type\":", "{\"a\":1}}", "\"a\":1}"] {
            let line = part(bad);
            assert!(!is_whole(line.as_bytes()), "{bad:?}: {line}");
            assert!(line.contains(r#"{"id":"prt_1","#), "{bad:?}: {line}");
        }
    }
}
