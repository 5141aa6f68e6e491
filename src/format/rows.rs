//! Rows that hold their conversations in another way than as one list.

use super::head::Sample;
use crate::containers::{Layout, PathStep};
use crate::json::tape::Kind;

/// Where a row has a conversation.
pub(crate) enum InsideRow {
    /// In a list of the row.
    List(Layout),
    /// In a string of the row, which holds the JSON text of a list.
    Text(Vec<PathStep>),
}

/// The strings at these members that may hold a list as JSON text.
pub(crate) fn texts(head: &Sample<'_>, keys: &[&'static str]) -> Vec<InsideRow> {
    let Some(root) = head.only() else {
        return Vec::new();
    };
    let keys = keys.iter().filter(|key| {
        let value = root.get_kind(key, Kind::String);
        value.is_some_and(|value| value.raw().starts_with(b"\"["))
    });
    keys.map(|key| InsideRow::Text(vec![PathStep::Key(key)])).collect()
}
