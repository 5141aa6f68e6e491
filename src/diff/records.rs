//! The difference by records: what was removed, inserted, moved, split, and which members of which records changed.

use std::collections::HashSet;
use std::io::{self, Write};
use std::ops::RangeInclusive;

use super::outside;
use super::pairing::{Pairing, PairingItem, Side, is_inside, moved, pair, untouched};
use super::pointer::{ChangedPlace, LISTED, changes};
use super::sides;
use super::split::{self, Split};
use super::words::{self, ColoredWords};
use crate::bytes::patch::Patch;
use crate::bytes::source::Span;
use crate::dialects::placeholders::OUR_TEXTS;
use crate::json::node::Node;
use crate::json::scan::{ScanMode, scan};
use crate::json::tape::{RecordEnd, Tape};
use crate::outputs::paint::{Tone, paint};
use crate::outputs::wrap::wrap;
use crate::outputs::{OutputStyle, grouped, many};
use crate::report::model::Applied;
use crate::report::redact::{Redactor, StringKind};
use crate::report::text::{ReportIds, Shown, bytes_text, escape, fit, width};

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

impl RecordFate {
    /// What follows its name in the line of a record: how large it is, or where it is now.
    fn tail(&self) -> String {
        match self {
            RecordFate::Removed(size) | RecordFate::Inserted(size) => {
                format!("  {}", many(*size, "byte"))
            }
            RecordFate::Moved(Some(front), ..) => format!("  to after {front}"),
            RecordFate::Moved(None, ..) => "  to the front".to_owned(),
            RecordFate::Split(places) => format!(" → {}; bytes unchanged", lines(places)),
            RecordFate::Cut(size, side) => format!("  without the {} {side}", many(*size, "byte")),
            RecordFate::Outside { gone, fresh: 0 } => {
                format!("  without {} that belong to no record", many(*gone, "byte"))
            }
            RecordFate::Outside { gone, fresh } => {
                let (gone, fresh) = (many(*gone, "byte"), many(*fresh, "byte"));
                format!("  {fresh} instead of {gone} that belong to no record")
            }
            RecordFate::Renamed(name) => format!("  to {}", escape(name)),
            RecordFate::Changed(list, _) if list.is_empty() => {
                "  only bytes around the values".to_owned()
            }
            RecordFate::Changed(..) => String::new(),
        }
    }
}

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
    let Pairing { both, gone, fresh } = pairing;
    let mut shown_old = vec![false; old.items.len()];
    let mut shown_new = vec![false; new.items.len()];
    gone.iter().for_each(|n| shown_old[*n] = true);
    fresh.iter().for_each(|n| shown_new[*n] = true);
    let mut out = RecordsDiff::default();
    let mut quotes = 0..QUOTED;
    let mut quote = |text: &dyn Fn(usize) -> Option<String>, n: usize| {
        quotes.next()?;
        text(n).map(|text| quoted(text, reader))
    };
    // Position in the old order; an inserted record is after the one before it.
    let mut rows: Vec<((usize, usize), DifferingRecord)> = Vec::new();
    let mut row =
        |key: (usize, usize), item: &PairingItem, what: RecordFate, text: Option<String>| {
            // The host's state is named by its file.
            let is = if item.place.is_some() { StringKind::Record } else { StringKind::File };
            let (kind, id) = (
                Shown::of(StringKind::Name, item.kind.as_str()).read_by(reader),
                Shown::of(is, item.id.as_str()).read_by(reader),
            );
            rows.push((key, DifferingRecord { place: item.place, kind, id, what, text }));
        };
    let mut split_into: HashSet<u64> = HashSet::new();
    for Split { first, places } in splits {
        // All records of the line, and what they became.
        let line = old.items[first].at;
        let count = old.items[first..].iter().take_while(|item| item.at == line).count();
        shown_old[first..first + count].fill(true);
        split_into.extend(&places);
        row((first, 0), &old.items[first], RecordFate::Split(places), None);
    }
    for (item, shown) in new.items.iter().zip(&mut shown_new) {
        *shown |= item.place.is_some_and(|place| split_into.contains(&place));
    }
    for n in gone {
        let item = &old.items[n];
        row(
            (n, 0),
            item,
            RecordFate::Removed(item.at.end.saturating_sub(item.at.start)),
            quote(texts.old, n),
        );
    }
    let mut last = LastRead::default();
    let is_still = |n: usize| patch.is_some_and(|patch| !is_inside(patch, old.items[n].at));
    for (at, ((a, b), moved)) in both.iter().zip(moved(&both, is_still)).enumerate() {
        let (item, now) = (&old.items[*a], &new.items[*b]);
        let mut cut = None;
        let (same, list, more) = if patch.is_some_and(|patch| untouched(patch, item.at)) {
            (true, Vec::new(), 0)
        } else if item.place.is_none() {
            // What a document says besides its records.
            let mut around = LastRead { bytes: old.around(*a)?, ..LastRead::default() };
            let now = new.around(*b)?;
            cut = around.cut_end(&now);
            let (_, list, more) = around.differences(&now, reader);
            (list.is_empty() && cut.is_none(), list, more)
        } else {
            last.read(old, *a)?;
            let bytes = new.bytes(*b)?;
            cut = last.rest_of(&bytes);
            last.differences(&bytes, reader)
        };
        (shown_old[*a], shown_new[*b]) = (moved || !same, moved || !same);
        match (moved, same) {
            (true, _) => {
                let front = at.checked_sub(1).and_then(|before| old.items[both[before].0].place);
                let text = quote(texts.old, *a);
                row((*a, 0), item, RecordFate::Moved(front, list, more), text);
            }
            (false, false) => match cut {
                Some((side, rest)) => {
                    let text = quote(&|_| fragment(&rest), *a);
                    row((*a, 0), item, RecordFate::Cut(rest.len() as u64, side), text);
                }
                None => row((*a, 0), item, RecordFate::Changed(list, more), None),
            },
            (false, true) => {
                out.kept += u64::from(item.place.is_some());
                if item.place != now.place {
                    let shift = Option::zip(item.place, now.place);
                    let shift = shift.map(|(old, new)| new.cast_signed() - old.cast_signed());
                    let is_first = out.renumbered == 0;
                    out.shift = shift.filter(|own| is_first || out.shift == Some(*own));
                    out.renumbered += 1;
                }
            }
        }
    }
    for n in fresh {
        let item = &new.items[n];
        let front =
            both.partition_point(|(_, b)| *b < n).checked_sub(1).map(|before| both[before].0);
        row(
            (front.unwrap_or(0), n + 1),
            item,
            RecordFate::Inserted(item.at.end.saturating_sub(item.at.start)),
            quote(texts.new, n),
        );
    }
    if let Some(patch) = patch {
        let shown = [(old, &shown_old), (new, &shown_new)];
        rows.extend(outside::rows(patch, shown, &both, reader)?);
    }
    out.kept = out.kept.saturating_sub(
        rows.iter().filter(|(_, row)| matches!(row.what, RecordFate::Renamed(_))).count() as u64,
    );
    rows.sort_by_key(|(key, _)| *key);
    out.rows = rows.into_iter().map(|(_, row)| row).collect();
    Ok(out)
}

/// The text of what is cut off; `None` for padding.
pub(super) fn fragment(bytes: &[u8]) -> Option<String> {
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

    /// Prints the rows, a few lines each.
    ///
    /// # Errors
    /// `out` does not take it.
    pub(crate) fn write(
        &self,
        of: RecordComparison,
        out: &mut dyn Write,
        style: &OutputStyle,
    ) -> io::Result<()> {
        let ids = ReportIds::short(&self.rows.iter().map(|row| row.id.exact()).collect::<Vec<_>>());
        for row in &self.rows {
            let (tone, sign, word) = match &row.what {
                RecordFate::Removed(_) => (Tone::Bad, '-', "removed"),
                RecordFate::Inserted(_) => (Tone::Good, '+', of.added()),
                RecordFate::Split(_) => (Tone::Warn, '~', "split"),
                RecordFate::Cut(..) => (Tone::Warn, '~', "cut"),
                RecordFate::Moved(..) => (Tone::Place, '>', "moved"),
                RecordFate::Changed(..) | RecordFate::Outside { .. } => {
                    (Tone::Warn, '~', "changed")
                }
                RecordFate::Renamed(_) => (Tone::Place, '~', "renamed"),
            };
            // An inserted record has no old place.
            let place = match (row.place, &row.what) {
                (_, RecordFate::Inserted(_)) => String::from("new"),
                (Some(place), _) => place.to_string(),
                (None, _) => String::new(),
            };
            let head = format!("{sign} {word:<8} {place:>5}");
            let tail = row.what.tail();
            let (kind, id) = match &row.what {
                RecordFate::Split(_) => (String::new(), String::new()),
                _ => (format!("  {}", row.kind), format!("  {}", ids.text(&row.id))),
            };
            let mut line = format!("{head}{kind}{id}{tail}");
            // The place says which record it is, too.
            if width(&line) > style.width && !tail.is_empty() {
                line = format!("{head}{kind}{tail}");
            }
            let line = fit(line.trim_end(), style.width);
            writeln!(out, "{}", paint(tone, &style.draw(&line)))?;
            if let Some(text) = row.text.as_ref().filter(|_| style.side_by_side) {
                let text = style.draw(text);
                let (old, new) = match row.what {
                    RecordFate::Inserted(_) => {
                        (vec![], vec![ColoredWords::of(Some(Tone::Good), &text)])
                    }
                    _ => (vec![ColoredWords::of(Some(Tone::Bad), &text)], vec![]),
                };
                sides::write([&old, &new], 4, out, style)?;
            } else if let Some(text) = &row.text {
                for line in wrap(text, style.width.saturating_sub(4), 0) {
                    writeln!(out, "    {}", style.draw(&line))?;
                }
            }
            if let RecordFate::Moved(_, list, more) | RecordFate::Changed(list, more) = &row.what {
                list.iter().try_for_each(|change| member(change, out, style))?;
                if *more > 0 {
                    writeln!(out, "    and {more} more")?;
                }
            }
        }
        match self.renumbered() {
            Some(says) => writeln!(out, "{}", paint(Tone::Dim, &format!("  {says}"))),
            None => Ok(()),
        }
    }

    /// `3 later lines move down by 1`; `None` where all others keep their numbers.
    fn renumbered(&self) -> Option<String> {
        let record = if self.are_lines { "line" } else { "record" };
        let (later, moves) = match self.renumbered {
            0 => return None,
            1 => (format!("1 later {record}"), "moves"),
            many => (format!("{} later {record}s", grouped(many)), "move"),
        };
        Some(match self.shift {
            Some(by) if by > 0 => format!("{later} {moves} down by {by}"),
            Some(by) => format!("{later} {moves} up by {}", -by),
            None => format!("{later} {moves}"),
        })
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

/// `lines 6, 7, 8`
fn lines(places: &[u64]) -> String {
    let all: Vec<String> = places.iter().take(LISTED).map(u64::to_string).collect();
    let more = if places.len() > LISTED { ", …" } else { "" };
    format!("lines {}{more}", all.join(", "))
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

/// One changed member; on two lines where one is too narrow.
pub(super) fn member(
    change: &ChangedPlace,
    out: &mut dyn Write,
    style: &OutputStyle,
) -> io::Result<()> {
    let wide = style.width.saturating_sub(4);
    let one = |tone, sign: &str, at: &str, value: &str| {
        paint(tone, &style.draw(&fit(&format!("{sign} {at}: {value}"), wide))).to_string()
    };
    match change {
        _ if style.side_by_side => {
            let (ChangedPlace::Added(at, _)
            | ChangedPlace::Removed(at, _)
            | ChangedPlace::Changed(at, ..)) = change;
            writeln!(out, "    {}", paint(Tone::Place, &fit(at, wide)))?;
            let (old, new) = match change {
                ChangedPlace::Added(_, value) => (String::new(), style.draw(value)),
                ChangedPlace::Removed(_, value) => (style.draw(value), String::new()),
                ChangedPlace::Changed(_, old, new) => (style.draw(old), style.draw(new)),
            };
            let [old, new] = words::marked([&old, &new]);
            sides::write([&old, &new], 4, out, style)
        }
        ChangedPlace::Added(at, value) => writeln!(out, "    {}", one(Tone::Good, "+", at, value)),
        ChangedPlace::Removed(at, value) => writeln!(out, "    {}", one(Tone::Bad, "-", at, value)),
        ChangedPlace::Changed(at, old, new) if width(at) + width(old) + width(new) + 7 <= wide => {
            let [old, new] = words::painted([&style.draw(old), &style.draw(new)]);
            let to = style.draw("→");
            writeln!(out, "    {}: {old} {to} {new}", paint(Tone::Place, at))
        }
        ChangedPlace::Changed(at, old, new) => {
            let line = |sign, value| {
                let line = fit(&format!("{sign} {at}: {value}"), wide).into_owned();
                style.draw(&line)
            };
            let [old, new] = words::painted([&line('-', old), &line('+', new)]);
            writeln!(out, "    {old}\n    {new}")
        }
    }
}

#[cfg(test)]
#[path = "records_tests.rs"]
mod tests;
