//! What a patch changes outside the records that are shown: bytes between them, at the ends of files, names of files.

use std::io;

use super::pairing::Side;
use super::records::{DifferingRecord, RecordFate, fragment, quoted};
use crate::bytes::patch::{Patch, first_created};
use crate::bytes::source::{EntryId, Span};
use crate::report::redact::{Redactor, StringKind};
use crate::report::text::Shown;

/// A side, and which of its records are shown.
type ShownSide<'a> = (Side<'a>, &'a Vec<bool>);
/// A row, with its place among the records.
type PlacedRow = ((usize, usize), DifferingRecord);

/// The rows for the edits of a patch that touch no record that is shown. `both`: the records that both have.
///
/// # Errors
/// The old bytes cannot be read.
pub(super) fn rows(
    patch: &Patch,
    [(old, shown_old), (new, shown_new)]: [ShownSide<'_>; 2],
    both: &[(usize, usize)],
    reader: &Redactor,
) -> io::Result<Vec<PlacedRow>> {
    let (was, is) = (Touching::of(old, shown_old), Touching::of(new, shown_new));
    let mut out = Vec::new();
    for entry in patch.changed_entries() {
        if patch.removes(entry) {
            if !old.items.iter().any(|item| item.at.entry == entry) {
                let size = old.entries.len(entry);
                out.push(was.row(entry, 0, RecordFate::Removed(size), None, reader));
            }
            continue;
        }
        if let Some(name) = patch.new_name(entry) {
            out.extend(renamed((old, shown_old), new, both, (entry, name), reader));
        }
        let (mut removed, mut added, mut first) = (0, 0, None);
        let mut at = 0i128;
        for edit in patch.bytes_of(entry) {
            let length = edit.end.saturating_sub(edit.start);
            let start = u64::try_from(i128::from(edit.start) + at).unwrap_or(u64::MAX);
            let end = start.saturating_add(edit.with.len() as u64);
            at += edit.with.len() as i128 - i128::from(length);
            if was.touches(entry, edit.start, edit.end) || is.touches(entry, start, end) {
                continue;
            }
            first.get_or_insert(edit.start);
            let bytes = old.entries.fetch(Span::new(entry, edit.start, edit.end))?;
            match fragment(&bytes)
                .filter(|text| text.bytes().any(|byte| byte.is_ascii_alphanumeric()))
            {
                Some(text) => {
                    let what = RecordFate::Removed(length);
                    let text = quoted(text, reader);
                    out.push(was.row(entry, edit.start, what, Some(text), reader));
                }
                None => {
                    removed += length;
                    added += edit.with.len() as u64;
                }
            }
        }
        if removed + added > 0 {
            let what = RecordFate::Outside { gone: removed, fresh: added };
            out.push(was.row(entry, first.unwrap_or_default(), what, None, reader));
        }
    }
    let created = (first_created(old.entries)..).map(EntryId).zip(patch.created());
    for (entry, (_, bytes)) in created {
        if !new.items.iter().any(|item| item.at.entry == entry) {
            let what = RecordFate::Inserted(bytes.len() as u64);
            out.push(is.row(entry, 0, what, None, reader));
        }
    }
    Ok(out)
}

/// The record whose file has another name, where its number does not say so and nothing else of it is shown.
fn renamed(
    (old, shown_old): ShownSide<'_>,
    new: Side<'_>,
    both: &[(usize, usize)],
    (entry, name): (EntryId, &str),
    reader: &Redactor,
) -> Option<PlacedRow> {
    let (a, b) = both.iter().find(|(a, _)| old.items[*a].at.entry == entry)?;
    let (was, is) = (&old.items[*a], &new.items[*b]);
    if shown_old[*a] || was.place != is.place {
        return None;
    }
    let row = DifferingRecord {
        place: was.place,
        kind: Shown::of(StringKind::Name, was.kind.as_str()).read_by(reader),
        id: Shown::of(StringKind::Record, was.id.as_str()).read_by(reader),
        what: RecordFate::Renamed(Shown::of(StringKind::File, name).read_by(reader).to_string()),
        text: None,
    };
    Some(((*a, 0), row))
}

/// The records of a side that are shown, by their places.
struct Touching<'a> {
    side: Side<'a>,
    records: Vec<Span>,
    /// What holds records.
    documents: Vec<Span>,
}

impl<'a> Touching<'a> {
    fn of(side: Side<'a>, shown: &[bool]) -> Touching<'a> {
        let items = side.items.iter().zip(shown);
        let items = items.filter(|(_, shown)| **shown).map(|(item, _)| item);
        let (records, documents): (Vec<_>, Vec<_>) = items.partition(|item| item.place.is_some());
        let mut records: Vec<Span> = records.into_iter().map(|item| item.at).collect();
        records.sort_unstable_by_key(|at| (at.entry, at.start));
        Touching { side, records, documents: documents.into_iter().map(|item| item.at).collect() }
    }

    /// Whether a record that is shown has, or ends at, one of these bytes.
    fn touches(&self, entry: EntryId, start: u64, end: u64) -> bool {
        let last =
            self.records.partition_point(|at| (at.entry, at.start) <= (entry, end)).checked_sub(1);
        let last = last.and_then(|last| self.records.get(last));
        let mut near = last.into_iter().chain(&self.documents);
        near.any(|at| at.entry == entry && at.start <= end && start <= at.end)
    }

    /// A row for a part of a file that is not a record.
    fn row(
        &self,
        entry: EntryId,
        at: u64,
        what: RecordFate,
        text: Option<String>,
        reader: &Redactor,
    ) -> PlacedRow {
        let key =
            (self.side.items).partition_point(|item| (item.at.entry, item.at.start) < (entry, at));
        let kind = match &what {
            RecordFate::Removed(_) if text.is_some() => "fragment",
            _ => "file",
        };
        let name = self.side.entries.name(entry);
        let row = DifferingRecord {
            place: None,
            kind: Shown::of(StringKind::Name, kind).read_by(reader),
            id: Shown::of(StringKind::File, name).read_by(reader),
            what,
            text,
        };
        ((key, usize::MAX), row)
    }
}
