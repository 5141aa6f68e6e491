//! The records in the cells of a table.

use std::borrow::Cow;

use super::pages::Pages;
use super::{varint, word};

/// A value of a column.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ColumnValue {
    Null,
    Integer(i64),
    Real(f64),
    /// A text, in UTF-8 if the database is.
    Text(Vec<u8>),
    Blob(Vec<u8>),
}

impl ColumnValue {
    pub(crate) fn text(&self) -> Option<Cow<'_, str>> {
        match self {
            ColumnValue::Text(bytes) => Some(String::from_utf8_lossy(bytes)),
            _ => None,
        }
    }

    pub(crate) fn integer(&self) -> Option<i64> {
        match self {
            ColumnValue::Integer(number) => Some(*number),
            _ => None,
        }
    }

    /// A number with or without a fraction: SQLite stores a real that is whole as an integer.
    pub(crate) fn number(&self) -> Option<f64> {
        match self {
            ColumnValue::Integer(number) => Some(*number as f64),
            ColumnValue::Real(number) => Some(*number),
            _ => None,
        }
    }

    /// The bytes of a text or a blob.
    pub(crate) fn bytes(&self) -> Option<&[u8]> {
        match self {
            ColumnValue::Text(bytes) | ColumnValue::Blob(bytes) => Some(bytes),
            _ => None,
        }
    }
}

/// A row of a table.
#[derive(Clone, Debug)]
pub(crate) struct TableRow {
    pub id: i64,
    /// In the order of the table's columns. Columns that were added later may be missing.
    pub values: Vec<ColumnValue>,
}

impl TableRow {
    /// The value of a column; null if the row was written before the table had it.
    pub(crate) fn value(&self, column: Option<usize>) -> &ColumnValue {
        column.and_then(|column| self.values.get(column)).unwrap_or(&ColumnValue::Null)
    }
}

/// A cell of a leaf, whose record may continue on other pages.
pub(super) struct LeafCell<'p> {
    pub id: i64,
    /// Length of its record in bytes.
    pub length: u64,
    /// The part of the record that is in the leaf.
    own: &'p [u8],
    /// The page with the next part.
    next: u32,
}

impl<'p> LeafCell<'p> {
    /// The cell at this offset.
    pub(super) fn of(page: &'p [u8], at: usize, pages: &Pages) -> Option<LeafCell<'p>> {
        let cell = page.get(at..)?;
        let (length, first) = varint(cell)?;
        let (id, second) = varint(cell.get(first..)?)?;
        let body = cell.get(first + second..)?;
        let own = own_part(length, pages.usable, false)?;
        Some(LeafCell {
            id: id.cast_signed(),
            length,
            own: body.get(..own)?,
            next: if (own as u64) < length { word(body, own)? } else { 0 },
        })
    }

    /// The whole record.
    fn payload(&self, pages: &Pages) -> Option<Vec<u8>> {
        let length = usize::try_from(self.length).ok()?;
        let most = pages.usable.checked_sub(4)?;
        let (mut payload, mut next) = (self.own.to_vec(), self.next);
        while payload.len() < length {
            let page = pages.get(next)?;
            let rest = (length - payload.len()).min(most);
            payload.extend_from_slice(page.get(4..4 + rest)?);
            next = word(&page, 0)?;
        }
        Some(payload)
    }

    /// The row. The caller has compared its length with the bytes that there are.
    pub(super) fn read(&self, pages: &Pages) -> Option<TableRow> {
        let payload = self.payload(pages)?;
        let values = values(&payload, pages.encoding)?;
        Some(TableRow { id: self.id, values })
    }

    /// The values of these columns. Other pages are read only if they are there.
    pub(super) fn columns(&self, pages: &Pages, columns: &[usize]) -> Option<Vec<ColumnValue>> {
        match columns_of(self.own, pages, columns) {
            None if self.next != 0 => columns_of(&self.payload(pages)?, pages, columns),
            values => values,
        }
    }
}

fn columns_of(record: &[u8], pages: &Pages, columns: &[usize]) -> Option<Vec<ColumnValue>> {
    let values = columns.iter().map(|at| match nth(record, *at)? {
        Some((kind, bytes)) => value(kind, bytes, pages.encoding),
        None => Some(ColumnValue::Null),
    });
    values.collect()
}

/// How many bytes of a record of this length are in its page.
pub(super) fn own_part(length: u64, usable: usize, is_index: bool) -> Option<usize> {
    let most = if is_index {
        (usable.checked_sub(12)? * 64 / 255).checked_sub(23)?
    } else {
        usable.checked_sub(35)?
    };
    if let Ok(length) = usize::try_from(length)
        && length <= most
    {
        return Some(length);
    }
    let least = usable.checked_sub(12)? * 32 / 255 - 23;
    let rest = length.checked_sub(least as u64)? % usable.checked_sub(4)? as u64;
    let kept = least + usize::try_from(rest).ok()?;
    Some(if kept <= most { kept } else { least })
}

/// The types of the values of a record, and the place of the first value.
fn kinds(record: &[u8]) -> Option<(impl Iterator<Item = u64>, usize)> {
    let (head, first) = varint(record)?;
    let head = usize::try_from(head).ok()?;
    let mut rest = record.get(first..head)?;
    let kinds = std::iter::from_fn(move || {
        let (kind, width) = varint(rest)?;
        rest = &rest[width..];
        Some(kind)
    });
    Some((kinds, head))
}

/// Length in bytes of a value of this type.
fn length(kind: u64) -> Option<usize> {
    let length = match kind {
        0 | 8 | 9 => 0,
        1..=4 => kind,
        5 => 6,
        6 | 7 => 8,
        10 | 11 => return None,
        _ => (kind - 12) / 2,
    };
    usize::try_from(length).ok()
}

/// Whether bytes begin a record of this length: the types of its values are possible, and the values fill it.
pub(super) fn is_record(own: &[u8], length: u64) -> bool {
    let Some((head, _)) = varint(own) else {
        return length == 0;
    };
    if (own.len() as u64) < head {
        // The types continue on other pages.
        return head <= length;
    }
    let Some((mut kinds, start)) = kinds(own) else {
        return false;
    };
    let end = kinds.try_fold(start, |end, kind| end.checked_add(self::length(kind)?));
    end.is_some_and(|end| end as u64 == length)
}

/// The type and the bytes of a value by its position. `None`: it is not in these bytes; inside, that the record has none.
fn nth(record: &[u8], at: usize) -> Option<Option<(u64, &[u8])>> {
    let (kinds, mut start) = kinds(record)?;
    for (number, kind) in kinds.enumerate() {
        let end = start.checked_add(length(kind)?)?;
        if number == at {
            return Some(Some((kind, record.get(start..end)?)));
        }
        start = end;
    }
    Some(None)
}

fn values(record: &[u8], encoding: u32) -> Option<Vec<ColumnValue>> {
    let (kinds, mut start) = kinds(record)?;
    kinds
        .map(|kind| {
            let end = start.checked_add(length(kind)?)?;
            let bytes = record.get(start..end)?;
            start = end;
            value(kind, bytes, encoding)
        })
        .collect()
}

fn value(kind: u64, bytes: &[u8], encoding: u32) -> Option<ColumnValue> {
    let negative = bytes.first().is_some_and(|byte| byte & 0x80 != 0);
    let start = if negative { -1_i64 } else { 0 };
    let number = || bytes.iter().fold(start, |sum, byte| sum << 8 | i64::from(*byte));
    Some(match kind {
        0 => ColumnValue::Null,
        1..=6 => ColumnValue::Integer(number()),
        7 => ColumnValue::Real(f64::from_bits(number().cast_unsigned())),
        8 => ColumnValue::Integer(0),
        9 => ColumnValue::Integer(1),
        10 | 11 => return None,
        kind if kind % 2 == 0 => ColumnValue::Blob(bytes.to_vec()),
        _ => ColumnValue::Text(text(bytes, encoding)),
    })
}

/// A text in UTF-8.
fn text(bytes: &[u8], encoding: u32) -> Vec<u8> {
    let make = match encoding {
        2 => u16::from_le_bytes,
        3 => u16::from_be_bytes,
        _ => return bytes.to_vec(),
    };
    let (pairs, _) = bytes.as_chunks::<2>();
    let units = char::decode_utf16(pairs.iter().map(|pair| make(*pair)));
    let text: String = units.map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    text.into_bytes()
}
