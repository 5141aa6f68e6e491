//! The lines in which the difference of records is shown.

use std::io::{self, Write};

use super::{RecordComparison, RecordFate, RecordsDiff};
use crate::diff::pointer::{ChangedPlace, LISTED};
use crate::diff::sides;
use crate::diff::words::{self, ColoredWords};
use crate::outputs::paint::{Tone, paint};
use crate::outputs::wrap::wrap;
use crate::outputs::{OutputStyle, grouped, many};
use crate::report::text::{ReportIds, escape, fit, width};

impl RecordFate {
    /// What follows its name in the line of a record: how large it is, or where it is now.
    pub(super) fn tail(&self) -> String {
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

impl RecordsDiff {
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

/// `lines 6, 7, 8`
fn lines(places: &[u64]) -> String {
    let all: Vec<String> = places.iter().take(LISTED).map(u64::to_string).collect();
    let more = if places.len() > LISTED { ", …" } else { "" };
    format!("lines {}{more}", all.join(", "))
}

/// One changed member; on two lines where one is too narrow.
pub(in crate::diff) fn member(
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
