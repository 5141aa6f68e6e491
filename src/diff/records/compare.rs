//! Compares the records of two transcripts.

use std::collections::HashSet;
use std::io;

use super::{DifferingRecord, RecordFate, RecordsDiff, quoted};
use crate::bytes::patch::Patch;
use crate::bytes::source::Span;
use crate::dialects::placeholders::OUR_TEXTS;
use crate::diff::outside;
use crate::diff::pairing::{PairingItem, Side, is_inside, moved, pair, untouched};
use crate::diff::pointer::{ChangedPlace, changes};
use crate::diff::split::{self, Split};
use crate::json::node::Node;
use crate::json::scan::{ScanMode, scan};
use crate::json::tape::{RecordEnd, Tape};
use crate::report::redact::{Redactor, StringKind};
use crate::report::text::{Shown, bytes_text};

/// The words of the records of two transcripts, by their positions in the lists of items.
#[derive(Copy, Clone)]
pub(crate) struct RecordTexts<'a> {
    /// Of the old one.
    pub old: &'a dyn Fn(usize) -> Option<String>,
    /// Of the new one.
    pub new: &'a dyn Fn(usize) -> Option<String>,
}

impl RecordTexts<'_> {
    /// Nothing is known of them.
    pub(crate) const NONE: RecordTexts<'static> = RecordTexts { old: &|_| None, new: &|_| None };
}

/// Records whose words are shown; nobody reads more of them.
const QUOTED: usize = 500;

/// Compares two transcripts. `patch`, if it is known, is what makes the new one of the old one: records that it does
/// not touch are not read.
///
/// # Errors
/// A transcript cannot be read.
pub(crate) fn compare(
    old: Side<'_>,
    new: Side<'_>,
    patch: Option<&Patch>,
    texts: RecordTexts<'_>,
    reader: &Redactor,
) -> io::Result<RecordsDiff> {
    let beside_ours = |n: usize| {
        let text = (texts.new)(n)?;
        let rest = OUR_TEXTS.iter().fold(text.clone(), |text, ours| text.replace(*ours, ""));
        (rest != text).then(|| rest.trim().to_owned())
    };
    let mut pairing = pair(old, new, &beside_ours)?;
    let splits = split::take(old, new, &mut pairing)?;
    let mut matching = RecordMatching {
        old,
        new,
        patch,
        texts,
        reader,
        quotes: 0,
        shown_old: vec![false; old.items.len()],
        shown_new: vec![false; new.items.len()],
        rows: Vec::new(),
        out: RecordsDiff::default(),
    };
    matching.splits(splits);
    matching.gone(&pairing.gone);
    matching.both(&pairing.both)?;
    matching.fresh(&pairing.fresh, &pairing.both);
    matching.end(&pairing.both)
}

/// Position in the old order; an inserted record is after the one before it.
type RowKey = (usize, usize);

/// Two transcripts that are being compared.
struct RecordMatching<'a> {
    old: Side<'a>,
    new: Side<'a>,
    patch: Option<&'a Patch>,
    texts: RecordTexts<'a>,
    reader: &'a Redactor,
    /// The number of records whose words were asked for.
    quotes: usize,
    /// Which records have a row, by their positions.
    shown_old: Vec<bool>,
    shown_new: Vec<bool>,
    rows: Vec<(RowKey, DifferingRecord)>,
    out: RecordsDiff,
}

/// How two records differ.
struct Differences {
    /// What is left of the line of the old one, if nothing else differs: where, and its bytes.
    cut: Option<(&'static str, Vec<u8>)>,
    is_same: bool,
    list: Vec<ChangedPlace>,
    more: usize,
}

impl RecordMatching<'_> {
    fn row(&mut self, key: RowKey, item: &PairingItem, what: RecordFate, text: Option<String>) {
        // The host's state is named by its file.
        let is = if item.place.is_some() { StringKind::Record } else { StringKind::File };
        let kind = Shown::of(StringKind::Name, item.kind.as_str()).read_by(self.reader);
        let id = Shown::of(is, item.id.as_str()).read_by(self.reader);
        self.rows.push((key, DifferingRecord { place: item.place, kind, id, what, text }));
    }

    fn quote(&mut self, text: impl FnOnce() -> Option<String>) -> Option<String> {
        self.quotes += 1;
        if self.quotes > QUOTED {
            return None;
        }
        text().map(|text| quoted(text, self.reader))
    }

    /// Lines that became several: all records of each, and what they became.
    fn splits(&mut self, splits: Vec<Split>) {
        let (old, new) = (self.old, self.new);
        let mut split_into: HashSet<u64> = HashSet::new();
        for Split { first, places } in splits {
            let line = old.items[first].at;
            let count = old.items[first..].iter().take_while(|item| item.at == line).count();
            self.shown_old[first..first + count].fill(true);
            split_into.extend(&places);
            self.row((first, 0), &old.items[first], RecordFate::Split(places), None);
        }
        for (item, shown) in new.items.iter().zip(&mut self.shown_new) {
            *shown |= item.place.is_some_and(|place| split_into.contains(&place));
        }
    }

    fn gone(&mut self, gone: &[usize]) {
        let (old, texts) = (self.old, self.texts);
        for &n in gone {
            self.shown_old[n] = true;
            let item = &old.items[n];
            let size = item.at.end.saturating_sub(item.at.start);
            let text = self.quote(|| (texts.old)(n));
            self.row((n, 0), item, RecordFate::Removed(size), text);
        }
    }

    /// The records that both have.
    fn both(&mut self, both: &[(usize, usize)]) -> io::Result<()> {
        let (old, new, texts, patch) = (self.old, self.new, self.texts, self.patch);
        let mut last = LastRead::default();
        let is_still = |n: usize| patch.is_some_and(|patch| !is_inside(patch, old.items[n].at));
        for (at, (&(a, b), moved)) in both.iter().zip(moved(both, is_still)).enumerate() {
            let item = &old.items[a];
            let Differences { cut, is_same, list, more } = self.differences(a, b, &mut last)?;
            let differs = moved || !is_same;
            (self.shown_old[a], self.shown_new[b]) = (differs, differs);
            if moved {
                let front = at.checked_sub(1).and_then(|before| old.items[both[before].0].place);
                let text = self.quote(|| (texts.old)(a));
                self.row((a, 0), item, RecordFate::Moved(front, list, more), text);
            } else if is_same {
                self.kept(item.place, new.items[b].place);
            } else if let Some((side, rest)) = cut {
                let text = self.quote(|| fragment(&rest));
                self.row((a, 0), item, RecordFate::Cut(rest.len() as u64, side), text);
            } else {
                self.row((a, 0), item, RecordFate::Changed(list, more), None);
            }
        }
        Ok(())
    }

    /// `last`: the old record that was read before.
    fn differences(&self, a: usize, b: usize, last: &mut LastRead) -> io::Result<Differences> {
        let item = &self.old.items[a];
        if self.patch.is_some_and(|patch| untouched(patch, item.at)) {
            return Ok(Differences { cut: None, is_same: true, list: Vec::new(), more: 0 });
        }
        if item.place.is_none() {
            // What a document says besides its records.
            let mut around = LastRead { bytes: self.old.around(a)?, ..LastRead::default() };
            let now = self.new.around(b)?;
            let cut = around.cut_end(&now);
            let (_, list, more) = around.differences(&now, self.reader);
            let is_same = list.is_empty() && cut.is_none();
            return Ok(Differences { cut, is_same, list, more });
        }
        last.read(self.old, a)?;
        let bytes = self.new.bytes(b)?;
        let cut = last.rest_of(&bytes);
        let (is_same, list, more) = last.differences(&bytes, self.reader);
        Ok(Differences { cut, is_same, list, more })
    }

    /// Counts a record with the same bytes.
    fn kept(&mut self, was: Option<u64>, now: Option<u64>) {
        let out = &mut self.out;
        out.kept += u64::from(was.is_some());
        if was == now {
            return;
        }
        let shift = Option::zip(was, now);
        let shift = shift.map(|(old, new)| new.cast_signed() - old.cast_signed());
        let is_first = out.renumbered == 0;
        out.shift = shift.filter(|own| is_first || out.shift == Some(*own));
        out.renumbered += 1;
    }

    fn fresh(&mut self, fresh: &[usize], both: &[(usize, usize)]) {
        let (new, texts) = (self.new, self.texts);
        for &n in fresh {
            self.shown_new[n] = true;
            let item = &new.items[n];
            let before = both.partition_point(|(_, b)| *b < n).checked_sub(1);
            let front = before.map_or(0, |before| both[before].0);
            let size = item.at.end.saturating_sub(item.at.start);
            let text = self.quote(|| (texts.new)(n));
            self.row((front, n + 1), item, RecordFate::Inserted(size), text);
        }
    }

    fn end(mut self, both: &[(usize, usize)]) -> io::Result<RecordsDiff> {
        if let Some(patch) = self.patch {
            let shown = [(self.old, &self.shown_old), (self.new, &self.shown_new)];
            self.rows.extend(outside::rows(patch, shown, both, self.reader)?);
        }
        self.rows.sort_by_key(|(key, _)| *key);
        let mut out = self.out;
        out.rows = self.rows.into_iter().map(|(_, row)| row).collect();
        // They have the same bytes, but are no longer counted as kept.
        let renamed = out.rows.iter().filter(|row| matches!(row.what, RecordFate::Renamed(_)));
        out.kept = out.kept.saturating_sub(renamed.count() as u64);
        Ok(out)
    }
}

/// The text of what is cut off; `None` for padding.
pub(in crate::diff) fn fragment(bytes: &[u8]) -> Option<String> {
    bytes
        .iter()
        .any(|byte| !byte.is_ascii_whitespace() && *byte != 0)
        .then(|| bytes_text(bytes.trim_ascii()))
}

/// The old record that was read last. Ten thousand records glued to one line are one line, which is read once.
#[derive(Default)]
struct LastRead {
    at: Option<Span>,
    bytes: Vec<u8>,
    tape: Option<Tape>,
}

impl LastRead {
    fn read(&mut self, side: Side<'_>, n: usize) -> io::Result<()> {
        let at = side.items[n].at;
        if self.at != Some(at) {
            *self = LastRead { at: Some(at), bytes: side.bytes(n)?, tape: None };
        }
        Ok(())
    }

    /// What is before or after the new record, where it has nothing else that the old one had not.
    fn rest_of(&self, new: &[u8]) -> Option<(&'static str, Vec<u8>)> {
        let front = self.bytes.strip_suffix(new);
        let front = front.map(|rest| ("before it", rest));
        let (side, rest) =
            front.or_else(|| self.bytes.strip_prefix(new).map(|rest| ("after it", rest)))?;
        let is_cut = !new.is_empty() && !rest.trim_ascii().is_empty();
        is_cut.then(|| (side, rest.to_vec()))
    }

    /// The end of a torn document that a closed one no longer has.
    fn cut_end(&mut self, new: &[u8]) -> Option<(&'static str, Vec<u8>)> {
        let old = self.bytes.as_slice();
        let tape = self.tape.get_or_insert_with(|| scan(old, ScanMode::Document));
        if tape.end == RecordEnd::Whole {
            return None;
        }
        let same = old.iter().zip(new).take_while(|(a, b)| a == b).count();
        let rest = old.get(same..)?.trim_ascii_start();
        let rest = rest.strip_prefix(b",").unwrap_or(rest).trim_ascii();
        (!rest.is_empty()).then(|| ("at its end", rest.to_vec()))
    }

    /// Whether the new record has the same bytes; else the members that differ, and how many more.
    fn differences(&mut self, new: &[u8], reader: &Redactor) -> (bool, Vec<ChangedPlace>, usize) {
        if self.bytes == new {
            return (true, Vec::new(), 0);
        }
        let old = self.bytes.as_slice();
        let (a, b) = (
            self.tape.get_or_insert_with(|| scan(old, ScanMode::Document)),
            scan(new, ScanMode::Document),
        );
        let (list, more) = match (Node::root(a, &old), Node::root(&b, &new)) {
            (Some(a), Some(b)) => changes(a, b, reader),
            _ => Default::default(),
        };
        (false, list, more)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_off_a_record_is_told_as_that() {
        let record = r#"{"id":"a"}"#;
        let old =
            LastRead { bytes: format!("{{\"torn {record}").into_bytes(), ..LastRead::default() };
        let (side, rest) = old.rest_of(record.as_bytes()).unwrap();
        assert_eq!((side, fragment(&rest).as_deref()), ("before it", Some("{\"torn")));
        let tail = RecordFate::Cut(rest.len() as u64, side).tail();
        assert_eq!(tail, "  without the 7 bytes before it");
        let old = LastRead { bytes: format!("{record}\0\0").into_bytes(), ..LastRead::default() };
        let (side, rest) = old.rest_of(record.as_bytes()).unwrap();
        assert_eq!((side, fragment(&rest)), ("after it", None));
        let other = old.rest_of(b"{}");
        assert!(other.is_none() && old.rest_of(b"").is_none(), "{other:?}");
    }

    #[test]
    fn the_end_of_a_torn_document_is_cut_off() {
        let cut_end = |old: &str, new: &str| {
            let mut old = LastRead { bytes: old.as_bytes().to_vec(), ..LastRead::default() };
            let (_, rest) = old.cut_end(new.as_bytes())?;
            fragment(&rest)
        };
        let torn = r#"{"id":1,"messages":[,,{"role":"us"#;
        let closed = r#"{"id":1,"messages":[,]}"#;
        assert_eq!(cut_end(torn, closed).as_deref(), Some(r#"{"role":"us"#));
        // Only brackets were missing.
        assert_eq!(cut_end(r#"{"messages":[,"#, r#"{"messages":[,]}"#), None);
        // What changes in a whole document is a member, even if it is the last one.
        assert_eq!(cut_end(r#"{"id":1,"n":2}"#, r#"{"id":1}"#), None);
    }
}
