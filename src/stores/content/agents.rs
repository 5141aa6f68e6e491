//! The OpenAI Agents SDK: the items of a session.

use super::{SessionRows, StoreContent, broken, inner, lines};
use crate::containers::database::ColumnValue;
use crate::json::record::Record;
use crate::stores::NotRead;

/// The items of a session, one a line.
pub(in crate::stores) fn agents(rows: &SessionRows<'_>) -> Result<StoreContent, NotRead> {
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
