//! The rows of a session that a repair changes.

use std::collections::{BTreeMap, BTreeSet};

use super::aligned::{AlignedLine, lines};
use super::cells::{ChangedCells, new_cells};
use super::statements::exists;
use super::{NotScripted, RowEdit, RowEdits, RowState, SessionRows, Writing};
use crate::bytes::overlay::Overlay;
use crate::bytes::patch::Patch;
use crate::bytes::source::{Entries, EntryId, Span};
use crate::containers::database::{ColumnValue, DatabaseTable, TableRow};
use crate::stores::content::{TableRows, entry_rows, own_members};
use crate::stores::sessions::DatabaseSessions;

/// What a patch of the transcript of a session does to its rows.
///
/// # Errors
/// That cannot be done to rows.
pub(super) fn changes(
    sessions: &DatabaseSessions,
    rows: &SessionRows<'_>,
    patched: &Overlay<'_>,
    patch: &Patch,
) -> Result<RowEdits, NotScripted> {
    let schema = sessions.database().schema().ok_or(NotScripted::Damaged)?;
    let numbers =
        schema.iter().filter_map(|own| Some((own.table.to_lowercase(), own.number_column()?)));
    let writing = &sessions.reading.writing;
    let changing = Changing { sessions, rows, writing, numbers: numbers.collect() };
    if patched.has_rows() { changing.of_lines(patch) } else { changing.of_entries(patched, patch) }
}

struct Changing<'c> {
    sessions: &'c DatabaseSessions,
    rows: &'c SessionRows<'c>,
    writing: &'c Writing,
    /// The columns of tables that are another name of the number of a row.
    numbers: BTreeMap<String, String>,
}

impl Changing<'_> {
    /// Of a transcript with an entry for each row.
    fn of_entries(&self, patched: &Overlay<'_>, patch: &Patch) -> Result<RowEdits, NotScripted> {
        if let Some((name, _)) = patch.created().first() {
            let table = name.split('/').next().unwrap_or_default();
            return Err(NotScripted::NewRow(table.to_owned()));
        }
        let mut changes = RowEdits::default();
        let of_rows: Vec<(&TableRows<'_>, &TableRow)> = entry_rows(self.rows).collect();
        for entry in patch.changed_entries() {
            let Some((table, row)) = of_rows.get(entry.0 as usize) else {
                return Err(NotScripted::SessionRow);
            };
            if patch.new_name(entry).is_some() {
                return Err(NotScripted::Order);
            }
            if patch.removes(entry) {
                changes.rows.push(self.removal(table.table, row));
                continue;
            }
            let (start, end) = (0, patched.len(entry));
            let new =
                patched.fetch(Span { entry, start, end }).map_err(|_| NotScripted::Damaged)?;
            let own = own_members(table, row, self.rows.id);
            let cells = self.writing.record.changed(table.table, &[], &new, own.as_bytes())?;
            changes.rows.extend(self.change(table.table, row, row.id, cells));
        }
        Ok(changes)
    }

    /// Of a transcript with a line for each row, and possibly one for the session.
    fn of_lines(&self, patch: &Patch) -> Result<RowEdits, NotScripted> {
        let content = self.sessions.content(self.rows.id)?;
        let table = self.rows.tables.first().ok_or(NotScripted::Damaged)?;
        let by_number: BTreeMap<i64, &TableRow> =
            table.rows.iter().map(|row| (row.id, row)).collect();
        let (_, bytes) = content.entries.first().ok_or(NotScripted::Damaged)?;
        let before: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
        let row_of = |line: usize| {
            let number = content.lines.get(line)?.strip_prefix(&table.table.name)?;
            by_number.get(&number.strip_prefix(':')?.parse().ok()?).copied()
        };
        let (mut found, mut kept) = (Vec::new(), BTreeSet::new());
        for line in lines(bytes, patch.bytes_of(EntryId(0))) {
            kept.extend(line.old);
            let row = line.old.and_then(row_of);
            match line.old {
                Some(old) if row.is_none() => {
                    if before.get(old).is_none_or(|own| *own != line.bytes) {
                        return Err(NotScripted::SessionRow);
                    }
                }
                _ => found.push((line, row)),
            }
        }
        let mut changes = self.placed(table.table, &before, &found)?;
        for old in (0..content.lines.len()).filter(|old| !kept.contains(old)) {
            let row = row_of(old).ok_or(NotScripted::SessionRow)?;
            changes.rows.push(self.removal(table.table, row));
        }
        Ok(changes)
    }

    /// The rows that stay and come, each in its place.
    fn placed(
        &self,
        table: &DatabaseTable,
        before: &[&[u8]],
        found: &[(AlignedLine, Option<&TableRow>)],
    ) -> Result<RowEdits, NotScripted> {
        let free = super::free_number(self.sessions.database(), table)?;
        let rows: Vec<Option<&TableRow>> = found.iter().map(|(_, row)| *row).collect();
        let order = &self.writing.order;
        let places = order.places(table, &rows, free)?;
        let mut changes = RowEdits::default();
        for (at, ((line, row), place)) in found.iter().zip(&places).enumerate() {
            let placed = order.cells(table, place);
            if let Some(row) = row {
                let old = line.old.and_then(|old| before.get(old).copied()).unwrap_or_default();
                let mut cells = ChangedCells::new();
                if old != line.bytes {
                    cells = self.writing.record.changed(table, old, &line.bytes, &[])?;
                }
                cells.extend(placed);
                changes.rows.extend(self.change(table, row, place.number, cells));
                continue;
            }
            let above = rows.get(..at).and_then(|above| above.iter().rev().flatten().next());
            let around = above.or_else(|| rows.iter().flatten().next());
            let not_known = || NotScripted::NewRow(table.name.clone());
            let (around, new) =
                (around.ok_or_else(not_known)?, self.writing.new.ok_or_else(not_known)?);
            let mut cells = new_cells(new, table, &line.bytes, around)?;
            cells.extend(placed);
            cells.extend(self.writing.record.changed(table, &[], &line.bytes, &[])?);
            changes.only_if[0].push(exists(&table.name, around.id, &self.stored(table, around)));
            let after = RowState { number: place.number, cells: cells.into_iter().collect() };
            let table = table.name.clone();
            changes.rows.push(RowEdit {
                table,
                before: None,
                after: Some(after),
                same: Vec::new(),
            });
        }
        if places.iter().any(|place| place.number >= free) {
            changes.free = Some((table.name.clone(), free));
        }
        Ok(changes)
    }

    /// A row with other cells or another number, if it has.
    fn change(
        &self,
        table: &DatabaseTable,
        row: &TableRow,
        number: i64,
        cells: ChangedCells,
    ) -> Option<RowEdit> {
        let old = |column: &str| row.value(table.column(column));
        let cells: Vec<(String, ColumnValue)> = cells
            .into_iter()
            .map(|(column, value)| {
                let value = like(old(&column), value);
                (column, value)
            })
            .filter(|(column, value)| old(column) != value)
            .collect();
        if cells.is_empty() && number == row.id {
            return None;
        }
        let before =
            cells.iter().map(|(column, _)| (column.clone(), old(column).clone())).collect();
        let key = self.sessions.reading.key.iter();
        Some(RowEdit {
            table: table.name.clone(),
            before: Some(RowState { number: row.id, cells: before }),
            after: Some(RowState { number, cells }),
            same: key.map(|column| ((*column).to_owned(), old(column).clone())).collect(),
        })
    }

    /// A row that goes, with all that it has.
    fn removal(&self, table: &DatabaseTable, row: &TableRow) -> RowEdit {
        RowEdit {
            table: table.name.clone(),
            before: Some(RowState { number: row.id, cells: self.stored(table, row) }),
            after: None,
            same: Vec::new(),
        }
    }

    /// The cells that are stored of a row.
    fn stored(&self, table: &DatabaseTable, row: &TableRow) -> Vec<(String, ColumnValue)> {
        let number = self.numbers.get(&table.name);
        let cells = table.columns.iter().zip(&row.values);
        let cells = cells.filter(|(column, _)| number != Some(*column));
        cells.map(|(column, value)| (column.clone(), value.clone())).collect()
    }
}

/// A text in the type that the cell had.
pub(in crate::stores) fn like(old: &ColumnValue, new: ColumnValue) -> ColumnValue {
    match (old, new) {
        (ColumnValue::Blob(_), ColumnValue::Text(bytes)) => ColumnValue::Blob(bytes),
        (_, new) => new,
    }
}

/// The rows as they are afterwards.
pub(super) fn changed<'r>(rows: &SessionRows<'r>, changes: &RowEdits) -> SessionRows<'r> {
    let tables = rows.tables.iter().map(|table| {
        let mut new: BTreeMap<i64, TableRow> =
            table.rows.iter().map(|row| (row.id, row.clone())).collect();
        let own = || changes.rows.iter().filter(|change| change.table == table.table.name);
        let mut states = Vec::new();
        for change in own() {
            let row = change.before.as_ref().and_then(|before| new.remove(&before.number));
            states.extend(change.after.as_ref().map(|after| (row, after)));
        }
        for (row, after) in states {
            let values = row.map(|row| row.values).unwrap_or_default();
            let row = TableRow { id: after.number, values };
            new.insert(after.number, with_cells(table.table, row, &after.cells));
        }
        TableRows { table: table.table, rows: new.into_values().collect() }
    });
    let around = rows.around.as_ref();
    SessionRows {
        id: rows.id,
        around: around.map(|own| TableRows { table: own.table, rows: own.rows.clone() }),
        tables: tables.collect(),
    }
}

/// A row with these cells.
pub(in crate::stores) fn with_cells(
    table: &DatabaseTable,
    mut row: TableRow,
    cells: &[(String, ColumnValue)],
) -> TableRow {
    for (column, value) in cells {
        if let Some(at) = table.column(column) {
            let length = row.values.len().max(at + 1);
            row.values.resize(length, ColumnValue::Null);
            row.values[at] = value.clone();
        }
    }
    row
}
