//! opencode: the files of a session, as its folder had them.

use super::{SessionRows, StoreContent, TableRows, entry_rows, inner, joined, json};
use crate::containers::database::TableRow;
use crate::json::quote::quote;

/// The files that its storage folder had.
pub(in crate::stores) fn opencode(rows: &SessionRows<'_>) -> StoreContent {
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

/// The members of a message or a part of opencode that have columns of their own: its export ends with them.
pub(in crate::stores) fn own_members(
    table: &TableRows<'_>,
    row: &TableRow,
    session: &str,
) -> String {
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

    #[test]
    fn members_of_one_object_are_together() {
        let members = [("id", "1"), ("a/b", "2"), ("a/c/d", "3"), ("a/c/e", "4"), ("z", "5")];
        let members = members.map(|(path, value)| (path, value.to_owned()));
        assert_eq!(object(&members), r#"{"id":1,"a":{"b":2,"c":{"d":3,"e":4}},"z":5}"#);
    }
}
