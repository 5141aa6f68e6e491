//! The difference by records: what was removed, inserted, moved, split, and which members of which records changed.

mod compare;
mod write;

use std::ops::RangeInclusive;

use super::pointer::ChangedPlace;
use crate::dialects::placeholders::OUR_TEXTS;
use crate::report::model::Applied;
use crate::report::redact::{Redactor, StringKind};
use crate::report::text::{Shown, bytes_text, escape};
pub(super) use compare::fragment;
pub(crate) use compare::{RecordTexts, compare};
pub(super) use write::member;

/// The difference of two transcripts, in the order of the records.
#[derive(Debug, Default)]
pub struct RecordsDiff {
    /// What differs.
    pub rows: Vec<DifferingRecord>,
    /// Records with the same bytes, in the same order; without the host's state, which has no number.
    pub kept: u64,
    /// Records with another line or file number and nothing else.
    pub renumbered: u64,
    /// By how much all of these numbers rise; `None` where they differ.
    pub shift: Option<i64>,
    /// Whether the numbers are those of lines.
    pub are_lines: bool,
}

/// A record that differs.
#[derive(Debug)]
pub struct DifferingRecord {
    /// Its place in the old transcript; of an inserted one in the new one. `None`: it has no number.
    pub place: Option<u64>,
    /// Its kind.
    pub kind: Shown,
    /// Its ID.
    pub id: Shown,
    /// What became of it.
    pub what: RecordFate,
    /// The first words of what is removed, inserted or moved; ours as a whole.
    pub text: Option<String>,
}

impl DifferingRecord {
    /// A line without a record that is removed.
    pub(crate) fn removed(line: Option<u64>, bytes: &[u8], reader: &Redactor) -> DifferingRecord {
        DifferingRecord {
            place: line,
            kind: Shown::of(StringKind::Name, "row").read_by(reader),
            id: Shown::default().read_by(reader),
            what: RecordFate::Removed(bytes.len() as u64),
            text: Some(quoted(bytes_text(bytes).trim_end().to_owned(), reader)),
        }
    }

    /// A line without a record that becomes several.
    pub(crate) fn split(line: u64, places: RangeInclusive<u64>) -> DifferingRecord {
        DifferingRecord {
            place: Some(line),
            kind: Shown::default(),
            id: Shown::default(),
            what: RecordFate::Split(places.collect()),
            text: None,
        }
    }
}

/// What became of a record.
#[derive(Debug)]
pub enum RecordFate {
    /// It is gone; so many bytes.
    Removed(u64),
    /// It is new; so many bytes.
    Inserted(u64),
    /// It is after the record that stood at this place before, or first.
    Moved(Option<u64>, Vec<ChangedPlace>, usize),
    /// It was one line with others: the places of all of them now. Their bytes are unchanged.
    Split(Vec<u64>),
    /// So many bytes `before it` or `after it` on its line, or `at its end`, are gone: a fragment, padding. The others are
    /// unchanged.
    Cut(u64, &'static str),
    /// So many bytes that belong to no record are gone, and so many are new.
    Outside { gone: u64, fresh: u64 },
    /// Its file has this name now; its bytes are unchanged.
    Renamed(String),
    /// Its bytes differ: by these members, and so many more; none where only the bytes around the values differ.
    Changed(Vec<ChangedPlace>, usize),
}

/// How the words of a record are shown: what repair inserts is ours, and no secret. What is next to it is not ours.
pub(super) fn quoted(text: String, reader: &Redactor) -> String {
    let theirs = |text: &str| match text.trim() {
        "" => None,
        text => Some(reader.text(text)),
    };
    let parts = OUR_TEXTS.iter().find_map(|ours| {
        let (before, after) = text.split_once(ours)?;
        Some([theirs(before), Some(escape(ours)), theirs(after)])
    });
    match parts {
        Some(parts) => {
            let parts: Vec<String> = parts.into_iter().flatten().collect();
            format!("\"{}\"", parts.join(" "))
        }
        None if reader.hides_text() => reader.text(&text),
        None => format!("\"{}\"", reader.text(&text)),
    }
}

impl RecordsDiff {
    /// The counts, for a report.
    pub(crate) fn counts(&self) -> Applied {
        let mut out = Applied { kept: self.kept, ..Applied::default() };
        if self.rows.is_empty() {
            // Files have other names, and nothing else differs.
            out.moved = self.renumbered;
            out.kept = self.kept.saturating_sub(self.renumbered);
        }
        for row in &self.rows {
            *match row.what {
                RecordFate::Removed(_) => &mut out.removed,
                // What a torn document ends with is a record that nobody can read.
                RecordFate::Cut(..) if row.place.is_none() && row.text.is_some() => {
                    &mut out.removed
                }
                RecordFate::Inserted(_) => &mut out.inserted,
                RecordFate::Moved(..) => &mut out.moved,
                RecordFate::Changed(..)
                | RecordFate::Cut(..)
                | RecordFate::Split(_)
                | RecordFate::Outside { .. }
                | RecordFate::Renamed(_) => &mut out.replaced,
            } += 1;
        }
        out
    }

    /// What differs, in one line.
    pub(crate) fn stat(&self, of: RecordComparison) -> String {
        stat(&self.counts(), of)
    }
}

/// What is compared.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum RecordComparison {
    /// A transcript with its repair.
    Repair,
    /// Two transcripts.
    Two,
}

impl RecordComparison {
    /// What a record is that only the new one has.
    fn added(self) -> &'static str {
        match self {
            RecordComparison::Repair => "inserted",
            RecordComparison::Two => "added",
        }
    }
}

/// `1 removed, 2 changed; 63 unchanged`
pub(crate) fn stat(counts: &Applied, of: RecordComparison) -> String {
    let Applied { removed, inserted, moved, replaced, kept, .. } = *counts;
    let counts =
        [(removed, "removed"), (inserted, of.added()), (moved, "moved"), (replaced, "changed")];
    let mut parts: Vec<String> =
        counts.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}")).collect();
    if parts.is_empty() {
        parts.push(String::from("no record differs"));
    }
    format!("{}; {kept} unchanged", parts.join(", "))
}

#[cfg(test)]
#[path = "records_tests.rs"]
mod tests;
