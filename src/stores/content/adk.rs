//! Google ADK: the events of a session.

use super::{SessionRows, StoreContent, broken, inner, lines};
use crate::containers::database::TableRow;

/// The events of a session by their time, one a line.
pub(in crate::stores) fn adk(rows: &SessionRows<'_>) -> StoreContent {
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
