//! The formats.

use super::{Block, Cell, Kind, Table, part, prose};
use crate::explain::format::Listed;

/// All formats in a table.
pub(super) fn list(formats: &[Listed]) -> (String, Vec<Block>) {
    let rows = formats.iter().map(|format| {
        let hosts = format.hosts.iter().map(|host| format!("@{host}"));
        vec![
            Cell::Key(format.name),
            Cell::Words(hosts.collect()),
            Cell::Word(format.title),
        ]
    });
    let table = Block::Table(Table {
        head: vec!["format", "sessions of", "title"],
        rows: rows.collect(),
    });
    let page = part(Kind::Page, prose("The formats"), vec![table]);
    ("the formats".to_owned(), vec![page])
}
