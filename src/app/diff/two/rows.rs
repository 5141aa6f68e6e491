//! Two files of rows: which rows were added, removed, moved or changed, and how the changed conversations differ.
//!
//! The places and IDs of all rows are in memory, and the two conversations that are compared.

use std::io::{self, Write};

use super::{DiffView, Two};
use crate::app::difference::JudgedRecording;
use crate::bytes::window::Window;
use crate::diff::pairing::{Pairing, PairingItem, Side, moved, pair};
use crate::diff::records::{RecordTexts, compare};
use crate::engine::Judged;
use crate::find::{Found, name_of};
use crate::outputs::many;
use crate::outputs::paint::{Tone, paint};
use crate::report::model::RowAt;
use crate::report::redact::StringKind;
use crate::report::text::{Shown, fit};
use crate::rows::{ListedRow, judge_listed, list};

/// Writes how they differ; whether they do.
pub(super) fn differ(two: &Two<'_>, out: &mut dyn Write) -> io::Result<bool> {
    let (old, new) = (FileRows::of(two.a)?, FileRows::of(two.b)?);
    if two.title.is_some() && !two.options.stat {
        two.introduce(out)?;
    }
    let mut comparison = Comparison { two, old: &old, new: &new, counts: Counts::default() };
    for row in in_order(paired(old.side(), new.side())?) {
        comparison.row(row, out)?;
    }
    let counts = comparison.counts;
    if two.options.stat {
        write!(out, "{}: ", two.places())?;
    }
    writeln!(out, "{}", counts.sentence(two.view()))?;
    Ok(counts.differ())
}

/// The rows of one file.
struct FileRows<'a> {
    found: &'a Found,
    listed: Vec<ListedRow>,
    /// The same, as they are paired.
    items: Vec<PairingItem>,
}

impl<'a> FileRows<'a> {
    fn of(found: &'a Found) -> io::Result<FileRows<'a>> {
        let listed = list(&found.source, &found.detection).map_err(io::Error::other)?;
        Ok(FileRows {
            found,
            items: listed
                .iter()
                .map(|listed| PairingItem {
                    id: listed.row.key.clone().unwrap_or_default(),
                    kind: "row".to_owned(),
                    place: listed.row.line.or(listed.row.index),
                    at: listed.at,
                    calls: Vec::new(),
                })
                .collect(),
            listed,
        })
    }

    fn side(&self) -> Side<'_> {
        Side { entries: &self.found.source, items: &self.items }
    }

    /// A row, as if the file had no other.
    fn only(&self, n: usize) -> Side<'_> {
        Side { items: &self.items[n..=n], ..self.side() }
    }

    fn judged(&self, n: usize, two: &Two<'_>) -> io::Result<Option<(Window<'_>, Judged)>> {
        let (found, check) = (self.found, &two.app.options.check);
        let name = name_of(&found.path);
        let judged = judge_listed(&found.source, &name, &found.detection, check, &self.listed[n]);
        judged.map_err(io::Error::other)
    }

    /// Where a row is, for people.
    fn place(&self, n: usize, two: &Two<'_>) -> String {
        RowAt::of(&self.listed[n].row).place(two.app.options.reader.path(&self.found.path))
    }

    /// Where it is, what it is called and how large it is.
    fn sentence(&self, n: usize, two: &Two<'_>) -> String {
        let at = self.items[n].at;
        let size = many(at.end.saturating_sub(at.start), "byte");
        format!("{}{}  {size}", self.place(n, two), self.key(n, two))
    }

    fn key(&self, n: usize, two: &Two<'_>) -> String {
        let key = self.listed[n].row.key.as_deref();
        key.map_or_else(String::new, |key| {
            format!("  {}", two.app.read(Shown::of(StringKind::Session, key)))
        })
    }
}

/// The rows by their IDs, else by their bytes; what is left over without an ID by its line.
fn paired(old: Side<'_>, new: Side<'_>) -> io::Result<Pairing> {
    let Pairing { mut both, mut gone, mut fresh } = pair(old, new, &|_| None)?;
    let line = |item: &PairingItem| item.place.filter(|_| item.id.is_empty());
    fresh.retain(|b| {
        // Both are in the order of their lines.
        let item = &new.items[*b];
        let at = gone.binary_search_by_key(&item.place, |a| old.items[*a].place);
        let twin =
            at.ok().filter(|at| line(item).is_some() && line(&old.items[gone[*at]]).is_some());
        both.extend(twin.map(|at| (gone.remove(at), *b)));
        twin.is_none()
    });
    both.sort_unstable_by_key(|(_, b)| *b);
    Ok(Pairing { both, gone, fresh })
}

/// What became of a row; the numbers are positions in the files.
#[derive(Copy, Clone)]
enum RowChange {
    Removed(usize),
    Added(usize),
    Both { old: usize, new: usize, moved: bool },
}

/// In the order of the old file; what was added comes after the row before it.
fn in_order(Pairing { both, gone, fresh }: Pairing) -> Vec<RowChange> {
    let before = |n: usize| {
        let before = both.partition_point(|(_, new)| *new < n).checked_sub(1);
        before.map_or(0, |at| both[at].0)
    };
    let mut rows: Vec<((usize, usize), RowChange)> = Vec::new();
    rows.extend(gone.iter().map(|n| ((*n, 0), RowChange::Removed(*n))));
    rows.extend(fresh.iter().map(|n| ((before(*n), n + 1), RowChange::Added(*n))));
    let pairs = both.iter().zip(moved(&both, |_| false));
    rows.extend(pairs.map(|((old, new), moved)| {
        let (old, new) = (*old, *new);
        ((old, 0), RowChange::Both { old, new, moved })
    }));
    rows.sort_by_key(|(key, _)| *key);
    rows.into_iter().map(|(_, row)| row).collect()
}

/// How many rows of each kind there are.
#[derive(Copy, Clone, Default)]
struct Counts {
    removed: u64,
    added: u64,
    moved: u64,
    changed: u64,
    same: u64,
}

impl Counts {
    fn differ(&self) -> bool {
        self.removed + self.added + self.moved + self.changed > 0
    }

    /// `rows: 1 removed, 2 changed; 63 unchanged`
    fn sentence(&self, view: DiffView) -> String {
        let counts = [
            (self.removed, "removed"),
            (self.added, "added"),
            (self.moved, "moved"),
            (self.changed, "changed"),
        ];
        let counts = counts.iter().filter(|(n, _)| *n > 0);
        let mut parts: Vec<String> = counts.map(|(n, word)| format!("{n} {word}")).collect();
        if parts.is_empty() {
            parts.push("none differs".to_owned());
        }
        let same = match view {
            DiffView::Messages => "with the same request",
            DiffView::Raw | DiffView::Records => "unchanged",
        };
        format!("rows: {}; {} {same}", parts.join(", "), self.same)
    }
}

/// A comparison under way.
struct Comparison<'a> {
    two: &'a Two<'a>,
    old: &'a FileRows<'a>,
    new: &'a FileRows<'a>,
    counts: Counts,
}

impl Comparison<'_> {
    fn row(&mut self, row: RowChange, out: &mut dyn Write) -> io::Result<()> {
        match row {
            RowChange::Removed(n) => {
                self.counts.removed += 1;
                let row = self.old.sentence(n, self.two);
                self.title(Tone::Bad, &format!("- removed  {row}"), out)
            }
            RowChange::Added(n) => {
                self.counts.added += 1;
                let row = self.new.sentence(n, self.two);
                self.title(Tone::Good, &format!("+ added    {row}"), out)
            }
            RowChange::Both { old, new, moved } => {
                // A request does not depend on the rows around it.
                let moved = moved && self.two.view() == DiffView::Records;
                let same = self.old.side().bytes(old)? == self.new.side().bytes(new)?;
                let mut printed = Vec::new();
                let changed = !same && self.changes(old, new, &mut printed)?;
                let (tone, word) = match (changed, moved) {
                    (false, false) => {
                        self.counts.same += 1;
                        return Ok(());
                    }
                    (false, true) => (Tone::Place, "> moved    "),
                    (true, _) => (Tone::Warn, "~ changed  "),
                };
                self.counts.changed += u64::from(changed);
                self.counts.moved += u64::from(moved && !changed);
                let places = [self.old.place(old, self.two), self.new.place(new, self.two)];
                let key = self.new.key(new, self.two);
                self.title(tone, &format!("{word}{}{key}", places.join("..")), out)?;
                if self.two.options.stat { Ok(()) } else { out.write_all(&printed) }
            }
        }
    }

    /// Writes how two rows with different bytes differ; whether that matters for what is shown.
    fn changes(&self, old: usize, new: usize, out: &mut Vec<u8>) -> io::Result<bool> {
        let two = self.two;
        if two.options.stat {
            return Ok(true);
        }
        let judged = (self.old.judged(old, two)?, self.new.judged(new, two)?);
        let is_request = two.view() == DiffView::Messages;
        match &judged {
            (Some((old, before)), Some((new, after))) => {
                let (old, new) =
                    (JudgedRecording::new(old, before), JudgedRecording::new(new, after));
                let differ = two.conversation(old, new, out)?;
                if differ || is_request {
                    return Ok(differ);
                }
                out.clear();
            }
            (None, None) if is_request => return Ok(false),
            _ => {}
        }
        // What differs is not in a message, or one of them is not a conversation.
        let (old, new) = (self.old.only(old), self.new.only(new));
        let records = compare(old, new, None, RecordTexts::NONE, &two.app.options.reader)?;
        records.write(two.difference(), out, &two.app.style)?;
        Ok(true)
    }

    fn title(&self, tone: Tone, text: &str, out: &mut dyn Write) -> io::Result<()> {
        if self.two.options.stat {
            Ok(())
        } else {
            let style = &self.two.app.style;
            let text = fit(text, style.width);
            writeln!(out, "{}", paint(tone, &style.draw(&text)))
        }
    }
}
