//! The rows of a session as the transcript that its host exports, or wrote before it had a database.

use super::NotRead;
use crate::containers::database::{ColumnValue, Database, DatabaseTable, TableRow};
use crate::json::quote::quote;
use crate::json::record::Record;
use crate::json::scan::{ScanMode, scan};
use crate::json::tape::RecordEnd;

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

/// goose: a line for the session, as in its export, then its messages by their time.
pub(super) fn goose(rows: &SessionRows<'_>) -> StoreContent {
    let header = rows.around.iter().flat_map(|around| {
        around.rows.iter().map(|row| (around.name(rows.id), goose_session(around, row)))
    });
    let messages = rows.tables.iter().flat_map(|table| {
        let mut sorted: Vec<&TableRow> = table.rows.iter().collect();
        sorted.sort_by_cached_key(|row| {
            let time = table.value(row, "timestamp");
            (time.integer(), time.text().map(std::borrow::Cow::into_owned), row.id)
        });
        sorted.into_iter().map(|row| goose_message(table, row))
    });
    lines(header.chain(messages), rows.id)
}

/// What goose exports of a session. Older versions call its name a description.
fn goose_session(around: &TableRows<'_>, row: &TableRow) -> Vec<u8> {
    let has_name = around.value(row, "name").bytes().is_some_and(|name| !name.is_empty());
    let skipped = if has_name { "description" } else { "name" };
    let columns = around.table.columns.iter().enumerate();
    let members: Vec<String> = columns
        .filter_map(|(column, name)| {
            let value = row.value(Some(column));
            let key = match name.as_str() {
                _ if name == skipped => return None,
                "description" => "name",
                other => other.strip_suffix("_json").unwrap_or(other),
            };
            let is_json = key != name || name == "extension_data";
            let value = match name.as_str() {
                "user_set_name" => (value.integer() == Some(1)).to_string(),
                "created_at" | "updated_at" => quote(&with_zone(&value.text()?)),
                "description" => json(value)?,
                _ if is_json => String::from_utf8(inner(value)?).ok()?,
                _ => json(value)?,
            };
            Some(format!("{}:{value}", quote(key)))
        })
        .collect();
    format!("{{{}}}", members.join(",")).into_bytes()
}

/// A time as ISO 8601 has it; SQLite writes UTC without saying so.
fn with_zone(time: &str) -> String {
    let zone = if time.ends_with('Z') || time.contains('+') { "" } else { "Z" };
    time.replacen(' ', "T", 1) + zone
}

fn goose_message(table: &TableRows<'_>, row: &TableRow) -> (String, Vec<u8>) {
    let column = |name: &str| table.value(row, name);
    let metadata = inner(column("metadata_json"));
    let metadata = metadata.and_then(|metadata| String::from_utf8(metadata).ok());
    let members = [
        ("id", json(column("message_id"))),
        ("role", json(column("role"))),
        ("created", json(column("created_timestamp"))),
        ("metadata", metadata),
    ];
    let members: Vec<(&str, String)> =
        members.into_iter().filter_map(|(key, value)| Some((key, value?))).collect();
    let line = with_last(&members, "content", column("content_json"));
    (table.name(&row.id.to_string()), line)
}

/// Hermes: a line for the session, then the messages that it sends, in the order of their rows. It exports no others, either.
pub(super) fn hermes(rows: &SessionRows<'_>) -> StoreContent {
    let header = rows.around.iter().flat_map(|around| {
        around.rows.iter().map(|row| (around.name(rows.id), hermes_row(around, row)))
    });
    let messages = rows.tables.iter().flat_map(|table| {
        table
            .rows
            .iter()
            .filter(|row| table.value(row, "active").integer() != Some(0))
            .map(|row| (table.name(&row.id.to_string()), hermes_row(table, row)))
    });
    lines(header.chain(messages), rows.id)
}

/// What is before the JSON of a content that is not a text.
pub(super) const HERMES_JSON: &[u8] = b"\0json:";

/// The columns of a row that have a value, as Hermes exports them. What should be JSON and is not stays a text.
fn hermes_row(table: &TableRows<'_>, row: &TableRow) -> Vec<u8> {
    let value = |name: &str, value: &ColumnValue| {
        let bytes = value.bytes().unwrap_or_default();
        let list = match name {
            "tool_calls" => Some(bytes),
            "content" => bytes.strip_prefix(HERMES_JSON),
            _ => None,
        };
        let list = list.filter(|list| is_whole(list));
        let list = list.and_then(|list| String::from_utf8(on_one_line(list, b' ')).ok());
        list.or_else(|| json(value))
    };
    let columns = table.table.columns.iter().enumerate();
    let members: Vec<String> = columns
        .filter_map(|(column, name)| {
            let value = value(name, row.value(Some(column)))?;
            // Hermes reads such a row without calls, but would send the text of one that it imports.
            let is_text = name == "tool_calls" && value.starts_with('"');
            let key = if is_text { "tool_calls_text" } else { name };
            Some(format!("{}:{value}", quote(key)))
        })
        .collect();
    format!("{{{}}}", members.join(",")).into_bytes()
}

/// Google ADK: the events of a session by their time, one a line.
pub(super) fn adk(rows: &SessionRows<'_>) -> StoreContent {
    let events = rows.tables.iter().flat_map(|table| {
        let mut sorted: Vec<&TableRow> = table.rows.iter().collect();
        // Seconds, or a text. Rows with the same time stay in their order.
        sorted.sort_by(|a, b| {
            let [a, b] = [a, b].map(|row| table.value(row, "timestamp"));
            let [one, other] = [a, b].map(|time| time.number().unwrap_or_default());
            one.total_cmp(&other).then_with(|| a.text().cmp(&b.text()))
        });
        sorted.into_iter().map(|row| {
            let event = table.value(row, "event_data");
            let line = inner(event).unwrap_or_else(|| broken(event.bytes().unwrap_or_default()));
            (table.name(&row.id.to_string()), line)
        })
    });
    lines(events, rows.id)
}

/// The OpenAI Agents SDK: the items of a session, one a line.
pub(super) fn agents(rows: &SessionRows<'_>) -> Result<StoreContent, NotRead> {
    let mut all = rows
        .tables
        .iter()
        .flat_map(|table| table.rows.iter().map(|row| table.value(row, "message_data")));
    if all.any(is_encrypted) {
        let why = "it is encrypted (`__enc__`): only the Agents SDK can read it, with the key";
        return Err(NotRead::Because(why.to_owned()));
    }
    let items = rows.tables.iter().flat_map(|table| {
        table.rows.iter().map(|row| {
            let data = table.value(row, "message_data");
            let line = inner(data).unwrap_or_else(|| broken(data.bytes().unwrap_or_default()));
            (table.name(&row.id.to_string()), line)
        })
    });
    Ok(lines(items, rows.id))
}

/// Whether a value is what `EncryptedSession` of the OpenAI Agents SDK writes (`agents/extensions/memory/encrypt_session.py`,
/// 0.24.0).
fn is_encrypted(value: &ColumnValue) -> bool {
    const MARK: &[u8] = b"\"__enc__\"";
    const KEYS: &[&str] = &["__enc__", "v", "kid", "payload"];
    let bytes = value.bytes().unwrap_or_default();
    let is_marked = memchr::memmem::find(bytes, MARK).is_some();
    let record = is_marked.then(|| Record::parse(bytes.to_vec())).flatten();
    record.is_some_and(|record| KEYS.iter().all(|key| record.root().get(key).is_some()))
}

/// Amazon Q: the document in the only row of a conversation.
pub(super) fn amazon_q(rows: &SessionRows<'_>) -> StoreContent {
    let entries = entry_rows(rows).map(|(table, row)| {
        let value = table.value(row, "value").bytes().unwrap_or_default();
        (table.name(&row.id.to_string()), value.to_vec())
    });
    StoreContent { entries: entries.collect(), lines: Vec::new() }
}

/// opencode: the files that its storage folder had.
pub(super) fn opencode(rows: &SessionRows<'_>) -> StoreContent {
    let mut entries = Vec::new();
    for (table, row) in entry_rows(rows) {
        let text = |column: &str| table.value(row, column).text().unwrap_or_default();
        let id = text("id");
        let name = match table.table.column("message_id") {
            Some(_) => format!("part/{}/{id}.json", text("message_id")),
            None => format!("message/{}/{id}.json", rows.id),
        };
        let own = own_members(table, row, rows.id);
        entries.push((name, joined(table.value(row, "data"), &own)));
    }
    if let Some(around) = &rows.around {
        for row in &around.rows {
            let name = format!("session/-/{}.json", rows.id);
            entries.push((name, opencode_session(around, row)));
        }
    }
    StoreContent { entries, lines: Vec::new() }
}

/// The rows of a session that have entries of their own, in the order of these.
pub(super) fn entry_rows<'r>(
    rows: &'r SessionRows<'_>,
) -> impl Iterator<Item = (&'r TableRows<'r>, &'r TableRow)> {
    rows.tables.iter().flat_map(|table| table.rows.iter().map(move |row| (table, row)))
}

/// The members of a message or a part of opencode that have columns of their own: its export ends with them.
pub(super) fn own_members(table: &TableRows<'_>, row: &TableRow, session: &str) -> String {
    let text = |column: &str| quote(&table.value(row, column).text().unwrap_or_default());
    let own = format!("\"id\":{},\"sessionID\":{}", text("id"), quote(session));
    match table.table.column("message_id") {
        Some(_) => format!("{own},\"messageID\":{}", text("message_id")),
        None => own,
    }
}

/// What opencode exports of a session: the path of each member, and its column. Those of one object are together.
const OPENCODE_SESSION: &[(&str, &str)] = &[
    ("id", "id"),
    ("slug", "slug"),
    ("projectID", "project_id"),
    ("workspaceID", "workspace_id"),
    ("parentID", "parent_id"),
    ("directory", "directory"),
    ("path", "path"),
    ("summary/additions", "summary_additions"),
    ("summary/deletions", "summary_deletions"),
    ("summary/files", "summary_files"),
    ("summary/diffs", "summary_diffs"),
    ("cost", "cost"),
    ("tokens/input", "tokens_input"),
    ("tokens/output", "tokens_output"),
    ("tokens/reasoning", "tokens_reasoning"),
    ("tokens/cache/read", "tokens_cache_read"),
    ("tokens/cache/write", "tokens_cache_write"),
    ("share/url", "share_url"),
    ("title", "title"),
    ("agent", "agent"),
    ("model", "model"),
    ("version", "version"),
    ("metadata", "metadata"),
    ("permission", "permission"),
    ("revert", "revert"),
    ("time/created", "time_created"),
    ("time/updated", "time_updated"),
    ("time/compacting", "time_compacting"),
    ("time/archived", "time_archived"),
];
/// The columns of these that hold JSON.
const OPENCODE_JSON: &[&str] = &["summary_diffs", "model", "metadata", "permission", "revert"];

fn opencode_session(around: &TableRows<'_>, row: &TableRow) -> Vec<u8> {
    let value = |column: &str| {
        let value = around.value(row, column);
        if OPENCODE_JSON.contains(&column) {
            String::from_utf8(inner(value)?).ok()
        } else {
            json(value)
        }
    };
    let members: Vec<(&'static str, String)> = OPENCODE_SESSION
        .iter()
        .filter_map(|(path, column)| Some((*path, value(column)?)))
        .collect();
    object(&members).into_bytes()
}

/// An object with these values at these paths.
fn object(members: &[(&'static str, String)]) -> String {
    fn first(member: &(&'static str, String)) -> &'static str {
        member.0.split('/').next().unwrap_or_default()
    }
    let member = |alike: &[(&'static str, String)]| {
        let inside: Vec<(&'static str, String)> = alike
            .iter()
            .filter_map(|(path, value)| {
                let (_, inside) = path.split_once('/')?;
                Some((inside, value.clone()))
            })
            .collect();
        let (key, value) = match alike {
            [] => return String::new(),
            [only] if inside.is_empty() => (only.0, only.1.clone()),
            [one, ..] => (first(one), object(&inside)),
        };
        format!("{}:{value}", quote(key))
    };
    let alike = members.chunk_by(|a, b| first(a) == first(b));
    let members: Vec<String> = alike.map(member).collect();
    format!("{{{}}}", members.join(","))
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

    #[test]
    fn members_of_one_object_are_together() {
        let members = [("id", "1"), ("a/b", "2"), ("a/c/d", "3"), ("a/c/e", "4"), ("z", "5")];
        let members = members.map(|(path, value)| (path, value.to_owned()));
        assert_eq!(object(&members), r#"{"id":1,"a":{"b":2,"c":{"d":3,"e":4}},"z":5}"#);
    }

    #[test]
    fn times_of_sqlite_are_utc() {
        assert_eq!(with_zone("2026-03-04 05:06:07"), "2026-03-04T05:06:07Z");
        assert_eq!(with_zone("2026-03-04 05:06:07.5+00:00"), "2026-03-04T05:06:07.5+00:00");
        assert_eq!(with_zone("2026-03-04T05:06:07Z"), "2026-03-04T05:06:07Z");
    }
}
