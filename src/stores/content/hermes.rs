//! Hermes: its export of a session.

use super::{SessionRows, StoreContent, TableRows, is_whole, json, lines, on_one_line};
use crate::containers::database::{ColumnValue, TableRow};
use crate::json::quote::quote;

/// A line for the session, then the messages that it sends, in the order of their rows. It exports no others, either.
pub(in crate::stores) fn hermes(rows: &SessionRows<'_>) -> StoreContent {
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
pub(in crate::stores) const HERMES_JSON: &[u8] = b"\0json:";

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
