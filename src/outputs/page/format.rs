//! The formats.

use super::{Block, Cell, Kind, Part, Table, prose};
use crate::explain::format::Listed;

/// All formats in a table.
pub(super) fn list(formats: &[Listed]) -> (String, Vec<Block>) {
    let rows = formats.iter().map(|format| {
        vec![
            Cell::Word(format.name),
            Cell::Word(format.title),
            Cell::Words(format.hosts.clone()),
        ]
    });
    let table = Table {
        head: vec!["format", "title", "sessions of @"],
        rows: rows.collect(),
    };
    let part = Part {
        kind: Kind::Conversation,
        name: String::new(),
        heading: prose("The formats"),
        blocks: vec![Block::Table(table)],
    };
    ("the formats".to_owned(), vec![Block::Part(part)])
}
