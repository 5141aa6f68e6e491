//! goose: its export of a session.

use super::{SessionRows, StoreContent, TableRows, inner, json, lines, with_last};
use crate::containers::database::TableRow;
use crate::json::quote::quote;

/// A line for the session, as in its export, then its messages by their time.
pub(in crate::stores) fn goose(rows: &SessionRows<'_>) -> StoreContent {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_sqlite_are_utc() {
        assert_eq!(with_zone("2026-03-04 05:06:07"), "2026-03-04T05:06:07Z");
        assert_eq!(with_zone("2026-03-04 05:06:07.5+00:00"), "2026-03-04T05:06:07.5+00:00");
        assert_eq!(with_zone("2026-03-04T05:06:07Z"), "2026-03-04T05:06:07Z");
    }
}
