//! The formats.

use super::{CountTable, PageBlock, PagePartKind, TableCell, part, prose};
use crate::explain::format::ListedFormat;

/// All formats in a table.
pub(super) fn list(formats: &[ListedFormat]) -> (String, Vec<PageBlock>) {
    let rows = formats.iter().map(|format| {
        let hosts = format.hosts.iter().map(|host| format!("@{host}"));
        vec![
            TableCell::Key(format.name),
            TableCell::Words(hosts.collect()),
            TableCell::Word(format.title),
        ]
    });
    let table = PageBlock::Table(CountTable {
        head: vec!["format", "sessions of", "title"],
        rows: rows.collect(),
    });
    let page = part(PagePartKind::Page, prose("The formats"), vec![table]);
    ("the formats".to_owned(), vec![page])
}
