//! Where the rows of a session come in the order in which their host reads them.

use std::cmp::Ordering;

use super::NotScripted;
use crate::containers::database::{ColumnValue, DatabaseTable, TableRow};

/// Digits of a second that a text has for microseconds.
const MICROS: usize = 6;

/// By what a host orders the rows of a session.
pub(in crate::stores) struct RowOrder {
    /// Columns that it orders by, first the one that we do. The number of the row decides where they are equal.
    pub columns: &'static [&'static str],
    pub step: OrderStep,
}

/// What a row has in these columns that gets its place after another.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(in crate::stores) enum OrderStep {
    /// The same, and a higher number.
    Same,
    /// A microsecond more.
    Later,
}

impl RowOrder {
    pub(in crate::stores) const BY_NUMBER: RowOrder =
        RowOrder { columns: &[], step: OrderStep::Same };

    /// The values of the columns, in a row.
    fn values(&self, table: &DatabaseTable, row: &TableRow) -> Vec<ColumnValue> {
        self.known(table).map(|(_, at)| row.value(Some(at)).clone()).collect()
    }

    /// The columns that the table has.
    fn known<'t>(
        &self,
        table: &'t DatabaseTable,
    ) -> impl Iterator<Item = (&'static str, usize)> + use<'t> {
        self.columns.iter().filter_map(|name| Some((*name, table.column(name)?)))
    }

    /// The place of each row in this order; those of `None` are new. Rows keep what they have where that is in order.
    ///
    /// # Errors
    /// There is no place between two rows.
    pub(super) fn places(
        &self,
        table: &DatabaseTable,
        rows: &[Option<&TableRow>],
        mut free: i64,
    ) -> Result<Vec<RowSlot>, NotScripted> {
        let own: Vec<Option<RowSlot>> = rows
            .iter()
            .map(|row| row.map(|row| RowSlot { number: row.id, values: self.values(table, row) }))
            .collect();
        let mut places: Vec<RowSlot> = Vec::with_capacity(own.len());
        for (at, mine) in own.iter().enumerate() {
            if let Some(mine) = mine
                && places.last().is_none_or(|last| mine.follows(last))
            {
                places.push(mine.clone());
                continue;
            }
            let next = || own.get(at + 1..)?.iter().flatten().next();
            let values = match (mine, places.last(), self.step) {
                (Some(mine), Some(last), OrderStep::Same) if mine.compare(last).is_ge() => {
                    mine.values.clone()
                }
                (_, Some(last), OrderStep::Same) => last.values.clone(),
                (_, Some(last), OrderStep::Later) => last.later()?,
                (_, None, _) => next().ok_or(NotScripted::Order)?.values.clone(),
            };
            let number = match mine {
                Some(mine) if self.step == OrderStep::Later => mine.number,
                _ => {
                    free += 1;
                    free - 1
                }
            };
            places.push(RowSlot { number, values });
        }
        Ok(places)
    }

    /// The cells of a place, by the names of their columns.
    pub(super) fn cells(
        &self,
        table: &DatabaseTable,
        place: &RowSlot,
    ) -> Vec<(String, ColumnValue)> {
        let names = self.known(table).map(|(name, _)| name.to_owned());
        names.zip(place.values.iter().cloned()).collect()
    }
}

/// The place of a row in the order of its session.
#[derive(Clone)]
pub(super) struct RowSlot {
    pub number: i64,
    /// Those of the columns that order.
    values: Vec<ColumnValue>,
}

impl RowSlot {
    /// Compares the first column.
    fn compare(&self, other: &RowSlot) -> Ordering {
        match (self.values.first(), other.values.first()) {
            (Some(one), Some(other)) => compare(one, other),
            _ => Ordering::Equal,
        }
    }

    fn follows(&self, last: &RowSlot) -> bool {
        let is_higher = self.number > last.number;
        let is_tied = |(one, other)| compare(one, other).is_eq();
        match self.compare(last) {
            Ordering::Less => false,
            Ordering::Equal => is_higher,
            // Other versions of the host order by another column.
            Ordering::Greater => {
                is_higher || !self.values.iter().zip(&last.values).skip(1).any(is_tied)
            }
        }
    }

    /// A microsecond later.
    fn later(&self) -> Result<Vec<ColumnValue>, NotScripted> {
        let time = self.values.first().ok_or(NotScripted::Order)?;
        let later = match time {
            ColumnValue::Real(seconds) => ColumnValue::Real(seconds + 1e-6),
            ColumnValue::Integer(seconds) => ColumnValue::Real(*seconds as f64 + 1e-6),
            ColumnValue::Text(bytes) => ColumnValue::Text(later(bytes).ok_or(NotScripted::Order)?),
            _ => return Err(NotScripted::Order),
        };
        let others = self.values.iter().skip(1).cloned();
        Ok(std::iter::once(later).chain(others).collect())
    }
}

/// A time as SQLAlchemy stores it, `2026-03-01 10:00:28.692000`, a microsecond later in the same second.
fn later(time: &[u8]) -> Option<Vec<u8>> {
    let start = time.len().checked_sub(MICROS)?;
    let (second, micros) = time.split_at_checked(start)?;
    let micros: u32 = std::str::from_utf8(micros).ok()?.parse().ok()?;
    let next = micros + 1;
    let fits = second.ends_with(b".") && next < 1_000_000;
    fits.then(|| [second, format!("{next:06}").as_bytes()].concat())
}

/// As SQLite sorts them.
fn compare(one: &ColumnValue, other: &ColumnValue) -> Ordering {
    let rank = |value: &ColumnValue| match value {
        ColumnValue::Null => 0,
        ColumnValue::Integer(_) | ColumnValue::Real(_) => 1,
        ColumnValue::Text(_) => 2,
        ColumnValue::Blob(_) => 3,
    };
    match (one.number(), other.number()) {
        (Some(one), Some(other)) => one.total_cmp(&other),
        _ => rank(one).cmp(&rank(other)).then_with(|| one.bytes().cmp(&other.bytes())),
    }
}
