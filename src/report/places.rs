//! Computes lines and columns of records in JSON documents from their byte offsets.

use std::io::{self, BufReader, Read};

use memchr::{memchr_iter, memrchr};

use super::model::{Conversation, FindingRecord, TextPosition, TextRange};
use crate::bytes::source::{Entries, EntryId};

/// Bytes read at once.
const CHUNK: usize = 1 << 16;

/// Adds lines and columns to records with a byte range but without a line. A document is read once,
/// up to the last such record, and only if there is one. If it cannot be read, its records stay
/// unchanged.
pub(crate) fn locate(conversations: &mut [Conversation], entries: &dyn Entries) {
    let findings = conversations.iter_mut().flat_map(|c| &mut c.findings);
    let records = findings.flat_map(|finding| &mut finding.records);
    let mut records: Vec<(EntryId, &mut FindingRecord)> = records
        .filter(|record| record.line.is_none() && record.byte.is_some())
        .filter_map(|record| Some((entry_of(record, entries)?, record)))
        .collect();
    records.sort_by_key(|(entry, _)| *entry);
    for of_entry in records.chunk_by_mut(|a, b| a.0 == b.0) {
        let Some(entry) = of_entry.first().map(|(entry, _)| *entry) else {
            continue;
        };
        let mut offsets: Vec<u64> =
            of_entry.iter().flat_map(|(_, record)| record.byte.unwrap_or_default()).collect();
        offsets.sort_unstable();
        offsets.dedup();
        let Ok(places) = entries.open(entry).and_then(|bytes| positions(bytes, &offsets)) else {
            continue;
        };
        let place = |offset| places.get(offsets.binary_search(&offset).ok()?).copied();
        for (_, record) in of_entry {
            record.range = record.byte.and_then(|[start, end]| {
                Some(Box::new(TextRange { start: place(start)?, end: place(end)? }))
            });
        }
    }
}

/// The entry of a record: the file that it names, or the only one.
fn entry_of(record: &FindingRecord, entries: &dyn Entries) -> Option<EntryId> {
    match &record.file {
        Some(file) => entries.find(file.name.exact()),
        None => match entries.ids().as_slice() {
            [only] => Some(*only),
            _ => None,
        },
    }
}

/// The positions of ascending offsets. Offsets after the end are left out.
///
/// # Errors
/// The bytes cannot be read.
fn positions(bytes: impl Read, offsets: &[u64]) -> io::Result<Vec<TextPosition>> {
    let mut bytes = BufReader::with_capacity(CHUNK, bytes);
    let mut at = TextPosition { line: 1, column: 1, character: 1 };
    let (mut read, mut part, mut out) = (0, Vec::new(), Vec::with_capacity(offsets.len()));
    for offset in offsets {
        while read < *offset {
            part.clear();
            let wanted = (*offset - read).min(CHUNK as u64);
            let got = bytes.by_ref().take(wanted).read_to_end(&mut part)?;
            if got == 0 {
                return Ok(out);
            }
            read = read.saturating_add(got as u64);
            at = after(at, &part);
        }
        out.push(at);
    }
    Ok(out)
}

/// The position after these bytes.
fn after(at: TextPosition, bytes: &[u8]) -> TextPosition {
    let lines = memchr_iter(b'\n', bytes).count() as u64;
    let (column, character, last) = match memrchr(b'\n', bytes) {
        Some(end) => (1, 1, bytes.get(end.saturating_add(1)..).unwrap_or_default()),
        None => (at.column, at.character, bytes),
    };
    // Count only bytes that start a character.
    let characters = last.iter().filter(|byte| (**byte & 0xc0) != 0x80).count();
    TextPosition {
        line: at.line.saturating_add(lines),
        column: column.saturating_add(last.len() as u64),
        character: character.saturating_add(characters as u64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::source::Source;
    use crate::report::sample;

    #[test]
    fn offsets_have_lines_and_columns() {
        let text = "[\n  é{},\n\n{}]";
        let at = |line, column, character| TextPosition { line, column, character };
        let offsets = [0, 1, 4, 6, 11, text.len() as u64, 99];
        let places = positions(text.as_bytes(), &offsets).unwrap();
        let wanted = [(1, 1), (1, 2), (2, 3), (2, 5), (4, 1), (4, 4)];
        assert_eq!(places.len(), wanted.len());
        for (place, (line, column)) in places.iter().zip(wanted) {
            assert_eq!((place.line, place.column), (line, column));
        }
        assert_eq!(places[3], at(2, 5, 4));
        let long = format!("{}\n{}x", "a".repeat(CHUNK * 2), "b".repeat(CHUNK));
        let places = positions(long.as_bytes(), &[long.len() as u64 - 1]).unwrap();
        assert_eq!(places, [at(2, CHUNK as u64 + 1, CHUNK as u64 + 1)]);
    }

    #[test]
    fn records_of_documents_get_them_and_lines_do_not() {
        let mut finding = sample::broken_parent();
        let line = finding.records[0].clone();
        let mut element = line.clone();
        (element.line, element.byte) = (None, Some([4, 6]));
        finding.records.push(element);
        let verdict = crate::report::model::Verdict::Lossy;
        let mut all = [sample::conversation("a.json", verdict, vec![finding])];
        let source = Source::memory("a.json", vec![("a.json".into(), b"[1,\n{}]".to_vec())]);
        locate(&mut all, &source);
        let records = &all[0].findings[0].records;
        assert_eq!(records[0].range, None);
        let range = records[1].range.as_deref().unwrap();
        assert_eq!((range.start.line, range.start.column), (2, 1));
        assert_eq!((range.end.line, range.end.column), (2, 3));
    }
}
