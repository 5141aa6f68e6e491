//! Amazon Q: the document of a conversation.

use super::{SessionRows, StoreContent, entry_rows};

/// The document in the only row of a conversation.
pub(in crate::stores) fn amazon_q(rows: &SessionRows<'_>) -> StoreContent {
    let entries = entry_rows(rows).map(|(table, row)| {
        let value = table.value(row, "value").bytes().unwrap_or_default();
        (table.name(&row.id.to_string()), value.to_vec())
    });
    StoreContent { entries: entries.collect(), lines: Vec::new() }
}
