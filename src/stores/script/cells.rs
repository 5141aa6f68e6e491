//! The cells of a row, from the record that a transcript has of it.

use std::collections::BTreeMap;

use super::NotScripted;
use crate::containers::database::{ColumnValue, DatabaseTable, TableRow};
use crate::json::node::Node;
use crate::json::record::Record;
use crate::json::tape::Kind;
use crate::stores::content::is_whole;

/// Which cells a record stands for.
pub(in crate::stores) enum Cells {
    /// One column has it.
    Whole(&'static str),
    /// One column has it without its last members, which are from columns of their own.
    Begin(&'static str),
    /// Each of its members has a column.
    Members {
        named: &'static [(&'static str, &'static str, ColumnHolds)],
        /// Other members have the name of their column.
        others: bool,
    },
    /// None: a new row is made of the whole state.
    Checkpoint,
}

/// How a column holds a member.
#[derive(Copy, Clone)]
pub(in crate::stores) enum ColumnHolds {
    Value,
    /// As JSON.
    Json,
    /// As JSON after these bytes, unless it is a text.
    JsonAfter(&'static [u8]),
}

/// What a new row has in a column.
#[derive(Copy, Clone)]
pub(in crate::stores) enum NewCell {
    /// What the row before it has.
    AsBefore,
    /// A member of its record: one of these names.
    Member(&'static [&'static str]),
}

/// The cells of a row that change with its record, by their columns.
pub(super) type ChangedCells = BTreeMap<String, ColumnValue>;

impl Cells {
    /// What changes in a row with its record. `old`: empty for a new row. `own`: how the record ends with members of other columns.
    ///
    /// # Errors
    /// There is no cell for it.
    pub(super) fn changed(
        &self,
        table: &DatabaseTable,
        old: &[u8],
        new: &[u8],
        own: &[u8],
    ) -> Result<ChangedCells, NotScripted> {
        let whole = |column: &str, bytes: Vec<u8>| {
            if !is_whole(&bytes) {
                return Err(NotScripted::NotJson);
            }
            Ok(ChangedCells::from([(column.to_owned(), ColumnValue::Text(bytes))]))
        };
        match self {
            Cells::Whole(column) => whole(column, new.trim_ascii().to_vec()),
            Cells::Begin(column) => {
                let begin = new.trim_ascii().strip_suffix(b"}");
                let begin = begin.and_then(|begin| begin.strip_suffix(own));
                let begin = begin.ok_or(NotScripted::NotJson)?;
                let begin = begin.strip_suffix(b",").unwrap_or(begin);
                whole(column, [begin, b"}"].concat())
            }
            Cells::Members { named, others } => members(named, *others, table, old, new),
            Cells::Checkpoint => Err(NotScripted::NotJson),
        }
    }
}

fn members(
    named: &[(&str, &str, ColumnHolds)],
    others: bool,
    table: &DatabaseTable,
    old: &[u8],
    new: &[u8],
) -> Result<ChangedCells, NotScripted> {
    let column = |member: &str| {
        let known = named
            .iter()
            .find(|(name, column, _)| *name == member && table.column(column).is_some());
        match known {
            Some((_, column, holds)) => Ok(((*column).to_owned(), *holds)),
            None if others && table.column(member).is_some() => {
                Ok((member.to_owned(), ColumnHolds::Value))
            }
            None => Err(NotScripted::NoColumn(member.to_owned())),
        }
    };
    let (old, new) = (object(old)?, object(new)?);
    let mut cells = ChangedCells::new();
    let old_members: Vec<_> = old.iter().flat_map(|own| own.root().members()).collect();
    let new = new.ok_or(NotScripted::NotJson)?;
    for (key, _) in &old_members {
        let key = key.str().ok_or(NotScripted::NotJson)?;
        if new.root().get(&key).is_none() {
            cells.insert(column(&key)?.0, ColumnValue::Null);
        }
    }
    for (key, value) in new.root().members() {
        let key = key.str().ok_or(NotScripted::NotJson)?;
        let before = old_members.iter().find(|(own, _)| own.is_str(&key));
        if before.is_some_and(|(_, before)| before.raw() == value.raw()) {
            continue;
        }
        let (column, holds) = column(&key)?;
        let held = held(holds, value).ok_or(NotScripted::NoColumn(key.into_owned()))?;
        cells.insert(column, held);
    }
    Ok(cells)
}

/// A record, if there is one.
fn object(bytes: &[u8]) -> Result<Option<Record>, NotScripted> {
    if bytes.is_empty() {
        return Ok(None);
    }
    let record = Record::parse(bytes.to_vec()).filter(Record::is_whole);
    let record = record.filter(|record| record.root().kind() == Kind::Object);
    record.map(Some).ok_or(NotScripted::NotJson)
}

/// A member as its column has it. `None`: the column cannot hold it.
fn held(holds: ColumnHolds, value: Node<'_>) -> Option<ColumnValue> {
    if value.is_null() {
        return Some(ColumnValue::Null);
    }
    match (holds, value.kind()) {
        (ColumnHolds::Json, _) => Some(ColumnValue::Text(value.raw().into_owned())),
        (ColumnHolds::Value | ColumnHolds::JsonAfter(_), Kind::String) => {
            Some(ColumnValue::Text(value.str()?.into_owned().into_bytes()))
        }
        (ColumnHolds::JsonAfter(before), _) => {
            Some(ColumnValue::Text([before, &value.raw()].concat()))
        }
        (ColumnHolds::Value, Kind::Number) => match value.as_i64() {
            Some(number) => Some(ColumnValue::Integer(number)),
            None => {
                let raw = value.raw();
                let number = std::str::from_utf8(&raw).ok()?.parse().ok()?;
                Some(ColumnValue::Real(number))
            }
        },
        (ColumnHolds::Value, _) => None,
    }
}

/// What a new row has besides its record.
///
/// # Errors
/// The record lacks a member that its host needs.
pub(super) fn new_cells(
    wanted: &[(&'static str, NewCell)],
    table: &DatabaseTable,
    record: &[u8],
    before: &TableRow,
) -> Result<ChangedCells, NotScripted> {
    let mut cells = ChangedCells::new();
    for (column, cell) in wanted {
        let Some(at) = table.column(column) else {
            continue;
        };
        let value = match cell {
            NewCell::AsBefore => before.value(Some(at)).clone(),
            NewCell::Member(names) => {
                let record = object(record)?.ok_or(NotScripted::NotJson)?;
                let mut values = names.iter().filter_map(|name| record.root().get(name));
                let value = values.find_map(|value| held(ColumnHolds::Value, value));
                value.ok_or_else(|| NotScripted::NewRow(table.name.clone()))?
            }
        };
        cells.insert((*column).to_owned(), value);
    }
    Ok(cells)
}
