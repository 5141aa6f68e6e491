//! The difference by records: what was parked, inserted, moved, and which members of which records changed.

use std::io::{self, Write};

use super::pairing::{Item, Pairing, Side, moved, pair, untouched};
use super::pointer::{Change, changes};
use crate::bytes::patch::Patch;
use crate::bytes::source::Span;
use crate::json::node::Node;
use crate::json::scan::{Mode, scan};
use crate::json::tape::Tape;
use crate::outputs::paint::{Tone, paint};
use crate::outputs::{Style, many};
use crate::report::model::Applied;
use crate::report::redact::{Is, Redactor};
use crate::report::text::{Ids, Shown, fit, width};

/// The difference of two recordings, in the order of the records.
#[derive(Debug, Default)]
pub(crate) struct Records {
    /// What differs.
    pub rows: Vec<Row>,
    /// Records with the same bytes, in the same order; without the host's state, which has no number.
    pub kept: u64,
    /// Records with another line or file number and nothing else.
    pub renumbered: u64,
}

/// A record that differs.
#[derive(Debug)]
pub(crate) struct Row {
    /// Its place in the old recording; of an inserted one in the new one. `None`: it has no number.
    pub place: Option<u64>,
    /// Its kind.
    pub kind: Shown,
    /// Its id.
    pub id: Shown,
    /// What became of it.
    pub what: What,
}

/// What became of a record.
#[derive(Debug)]
pub(crate) enum What {
    /// It is gone; so many bytes.
    Parked(u64),
    /// It is new; so many bytes.
    Inserted(u64),
    /// It stands behind the record that stood at this place before, or first.
    Moved(Option<u64>, Vec<Change>, usize),
    /// Its bytes differ: by these members, and so many more; none where only the bytes around the values differ.
    Changed(Vec<Change>, usize),
}

/// Compares two recordings. `patch`, if it is known, is what makes the new one of the old one: records that it does
/// not touch are not read.
///
/// # Errors
/// A recording cannot be read.
pub(crate) fn compare(
    old: Side<'_>,
    new: Side<'_>,
    patch: Option<&Patch>,
    reader: &Redactor,
) -> io::Result<Records> {
    let Pairing { both, gone, fresh } = pair(old, new)?;
    let mut out = Records::default();
    // Position in the old order; an inserted record stands behind the one in front of it.
    let mut rows: Vec<((usize, usize), Row)> = Vec::new();
    let mut row = |key: (usize, usize), item: &Item, what: What| {
        // The host's state is named by its file.
        let is = if item.place.is_some() {
            Is::Record
        } else {
            Is::Path
        };
        let (kind, id) = (
            Shown::of(Is::Name, item.kind.as_str()).read_by(reader),
            Shown::of(is, item.id.as_str()).read_by(reader),
        );
        rows.push((
            key,
            Row {
                place: item.place,
                kind,
                id,
                what,
            },
        ));
    };
    for n in gone {
        let item = &old.items[n];
        row(
            (n, 0),
            item,
            What::Parked(item.at.end.saturating_sub(item.at.start)),
        );
    }
    let mut last = Scanned::default();
    for (at, ((a, b), moved)) in both.iter().zip(moved(&both)).enumerate() {
        let (item, now) = (&old.items[*a], &new.items[*b]);
        let (same, list, more) = if patch.is_some_and(|patch| untouched(patch, item.at)) {
            (true, Vec::new(), 0)
        } else {
            last.read(old, *a)?;
            last.differences(&new.bytes(*b)?, reader)
        };
        match (moved, same) {
            (true, _) => {
                let front = at
                    .checked_sub(1)
                    .and_then(|before| old.items[both[before].0].place);
                row((*a, 0), item, What::Moved(front, list, more));
            }
            (false, false) => row((*a, 0), item, What::Changed(list, more)),
            (false, true) => {
                out.kept += u64::from(item.place.is_some());
                out.renumbered += u64::from(item.place != now.place);
            }
        }
    }
    for n in fresh {
        let item = &new.items[n];
        let front = both
            .partition_point(|(_, b)| *b < n)
            .checked_sub(1)
            .map(|before| both[before].0);
        row(
            (front.unwrap_or(0), n + 1),
            item,
            What::Inserted(item.at.end.saturating_sub(item.at.start)),
        );
    }
    rows.sort_by_key(|(key, _)| *key);
    out.rows = rows.into_iter().map(|(_, row)| row).collect();
    Ok(out)
}

/// The old record that was read last. Ten thousand records glued to one line are one line, which is read once.
#[derive(Default)]
struct Scanned {
    at: Option<Span>,
    bytes: Vec<u8>,
    tape: Option<Tape>,
}

impl Scanned {
    fn read(&mut self, side: Side<'_>, n: usize) -> io::Result<()> {
        let at = side.items[n].at;
        if self.at != Some(at) {
            *self = Scanned {
                at: Some(at),
                bytes: side.bytes(n)?,
                tape: None,
            };
        }
        Ok(())
    }

    /// Whether the new record has the same bytes; else the members that differ, and how many more.
    fn differences(&mut self, new: &[u8], reader: &Redactor) -> (bool, Vec<Change>, usize) {
        if self.bytes == new {
            return (true, Vec::new(), 0);
        }
        let old = self.bytes.as_slice();
        let (a, b) = (
            self.tape.get_or_insert_with(|| scan(old, Mode::Document)),
            scan(new, Mode::Document),
        );
        let (list, more) = match (Node::root(a, &old), Node::root(&b, &new)) {
            (Some(a), Some(b)) => changes(a, b, reader),
            _ => Default::default(),
        };
        (false, list, more)
    }
}

impl Records {
    /// The counts, for a report.
    pub(crate) fn counts(&self) -> Applied {
        let mut out = Applied {
            kept: self.kept,
            ..Applied::default()
        };
        for row in self.rows.iter().filter(|row| row.place.is_some()) {
            *match row.what {
                What::Parked(_) => &mut out.parked,
                What::Inserted(_) => &mut out.inserted,
                What::Moved(..) => &mut out.moved,
                What::Changed(..) => &mut out.replaced,
            } += 1;
        }
        out
    }

    /// What differs, in one line.
    pub(crate) fn stat(&self) -> String {
        stat(&self.counts())
    }

    /// Prints the rows, a few lines each.
    ///
    /// # Errors
    /// `out` does not take it.
    pub(crate) fn write(&self, out: &mut dyn Write, style: &Style) -> io::Result<()> {
        let ids = Ids::short(
            &self
                .rows
                .iter()
                .map(|row| row.id.exact())
                .collect::<Vec<_>>(),
        );
        for row in &self.rows {
            let (tone, sign, word) = match &row.what {
                What::Parked(_) => (Tone::Bad, '-', "removed"),
                What::Inserted(_) => (Tone::Good, '+', "inserted"),
                What::Moved(..) => (Tone::Place, '>', "moved"),
                What::Changed(..) => (Tone::Warn, '~', "changed"),
            };
            // An inserted record has no old place.
            let place = match (row.place, &row.what) {
                (_, What::Inserted(_)) => String::from("new"),
                (Some(place), _) => place.to_string(),
                (None, _) => String::new(),
            };
            let id = ids.text(&row.id);
            let mut line = format!("{sign} {word:<8} {place:>5}  {}  {id}", row.kind);
            match &row.what {
                What::Parked(size) | What::Inserted(size) => {
                    line.push_str(&format!("  {}", many(*size, "byte")))
                }
                What::Moved(Some(front), ..) => line.push_str(&format!("  to after {front}")),
                What::Moved(None, ..) => line.push_str("  to the front"),
                What::Changed(list, _) if list.is_empty() => {
                    line.push_str("  only bytes around the values")
                }
                What::Changed(..) => {}
            }
            writeln!(out, "{}", paint(tone, &style.draw(line.trim_end())))?;
            if let What::Moved(_, list, more) | What::Changed(list, more) = &row.what {
                list.iter()
                    .try_for_each(|change| member(change, out, style))?;
                if *more > 0 {
                    writeln!(out, "    and {more} more")?;
                }
            }
        }
        if self.renumbered > 0 {
            writeln!(
                out,
                "{}",
                paint(
                    Tone::Dim,
                    &format!("  {} renumbered", many(self.renumbered, "record"))
                )
            )?;
        }
        Ok(())
    }
}

/// `1 removed, 2 changed; 63 unchanged`
pub(crate) fn stat(counts: &Applied) -> String {
    let Applied {
        parked,
        inserted,
        moved,
        replaced,
        kept,
        ..
    } = *counts;
    let counts = [
        (parked, "removed"),
        (inserted, "inserted"),
        (moved, "moved"),
        (replaced, "changed"),
    ];
    let mut parts: Vec<String> = counts
        .iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, word)| format!("{n} {word}"))
        .collect();
    if parts.is_empty() {
        parts.push(String::from("no record differs"));
    }
    format!("{}; {kept} unchanged", parts.join(", "))
}

/// One changed member; on two lines where one is too narrow.
pub(super) fn member(change: &Change, out: &mut dyn Write, style: &Style) -> io::Result<()> {
    let wide = style.width.saturating_sub(4);
    let one = |tone, sign: &str, at: &str, value: &str| {
        paint(
            tone,
            &style.draw(&fit(&format!("{sign} {at}: {value}"), wide)),
        )
        .to_string()
    };
    match change {
        Change::Added(at, value) => writeln!(out, "    {}", one(Tone::Good, "+", at, value)),
        Change::Removed(at, value) => writeln!(out, "    {}", one(Tone::Bad, "-", at, value)),
        Change::Changed(at, old, new) if width(at) + width(old) + width(new) + 7 <= wide => {
            let (old, new) = (
                paint(Tone::Bad, &style.draw(old)),
                paint(Tone::Good, &style.draw(new)),
            );
            writeln!(
                out,
                "    {}: {old} {} {new}",
                paint(Tone::Place, at),
                style.draw("→")
            )
        }
        Change::Changed(at, old, new) => {
            writeln!(out, "    {}", one(Tone::Bad, "-", at, old))?;
            writeln!(out, "    {}", one(Tone::Good, "+", at, new))
        }
    }
}

#[cfg(test)]
#[path = "records_tests.rs"]
mod tests;
