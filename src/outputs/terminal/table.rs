//! Tables: their columns, and what has no room in them.

use std::io;

use super::{HANGING, Terminal};
use crate::outputs::document::{CountTable, TableCell};
use crate::outputs::human::{fix_word, level_word, verdict_word};
use crate::outputs::paint::{Tone, of_fix, of_level, of_verdict, paint};
use crate::outputs::wrap::wrap;
use crate::outputs::{Detail, grouped};
use crate::report::text::{pad, width};

/// Columns of the last cell of a row, at least; else it begins below the others.
const LEAST: usize = 16;

impl Terminal<'_> {
    /// `  STUCK 2  HEALTHY 30`
    fn verdicts(&mut self, table: &CountTable) -> io::Result<()> {
        let mut used = 0;
        for row in &table.rows {
            let [TableCell::Verdict(verdict), TableCell::Count(count)] = row.as_slice() else {
                continue;
            };
            let (word, count) = (verdict_word(*verdict), grouped(*count));
            let wide = width(word) + width(&count) + 3;
            if used > 0 && used + wide > self.style.width {
                writeln!(self.out)?;
                used = 0;
            }
            used += wide;
            write!(self.out, "  {} {count}", paint(of_verdict(*verdict), word))?;
        }
        writeln!(self.out)
    }

    /// What was counted, below the heads of its columns: only the first counts where there is little room, and what has none
    /// at the end of a row is below it.
    fn counts(&mut self, table: &CountTable) -> io::Result<()> {
        let margin = " ".repeat(self.indent);
        let names = table.rows.iter().map(|row| width(&row_name(row))).max();
        let names = names.unwrap_or(0);
        let counts = (1..table.head.len()).filter(|column| table.counts(*column));
        let most = if self.style.is_narrow() { 1 } else { usize::MAX };
        let counts: Vec<usize> = counts.take(most).collect();
        // Heads and rows are padded alike, or the columns would not meet.
        let line = |name: &str, cell: &dyn Fn(usize) -> String| {
            let counts = counts.iter().map(|column| {
                let wide = table.head.get(*column).map_or(0, |head| width(head));
                format!("  {:>wide$}", cell(*column))
            });
            format!("{margin}{}{}", pad(name, names), counts.collect::<String>())
        };
        let head = |column: usize| table.head.get(column).copied().unwrap_or_default();
        let last = table.head.last().copied().unwrap_or_default();
        let heads = line(head(0), &|column| head(column).to_owned());
        writeln!(self.out, "{heads}  {last}")?;
        for row in &table.rows {
            let counted =
                line(&row_name(row), &|column| row.get(column).map(cell_words).unwrap_or_default());
            let words = row.last().map(cell_words).unwrap_or_default();
            let is_wide = width(&counted) + 2 + width(&words) > self.style.width;
            let gap = if words.is_empty() {
                String::new()
            } else if is_wide {
                format!("\n{margin}{}{last}: ", " ".repeat(HANGING))
            } else {
                String::from("  ")
            };
            let painted = row.last().map(painted).unwrap_or_default();
            writeln!(self.out, "{}{gap}{painted}", counted.trim_end())?;
        }
        Ok(())
    }

    /// The rows below each other; only what they are about where little is asked for.
    pub(super) fn table(&mut self, table: &CountTable) -> io::Result<()> {
        if self.style.detail == Detail::Verdicts {
            let mut keys = table.rows.iter().filter_map(|row| row.first());
            return keys.try_for_each(|cell| match cell {
                TableCell::Rule(code, _) => writeln!(self.out, "{code}"),
                cell => writeln!(self.out, "{}", cell_words(cell)),
            });
        }
        // With counts, columns are aligned at the right; words are aligned at the left.
        if table.counts(1) {
            let is_of_verdicts = matches!(table.rows.as_slice(), [row, ..] if row.len() == 2);
            return if is_of_verdicts { self.verdicts(table) } else { self.counts(table) };
        }
        let rows: Vec<Vec<String>> =
            table.rows.iter().map(|row| row.iter().map(cell_words).collect()).collect();
        let columns = 0..table.head.len().saturating_sub(1);
        let wide = columns.map(|n| {
            let cells = rows.iter().filter_map(|row| row.get(n));
            cells.map(|cell| width(cell)).max().unwrap_or(0)
        });
        let wide: Vec<usize> = wide.collect();
        for (row, words) in table.rows.iter().zip(&rows) {
            let cells = row.iter().zip(words).zip(&wide);
            let head: String = cells
                .map(|((cell, words), wide)| match tone(cell) {
                    Some(tone) => format!("{}  ", paint(tone, &pad(words, *wide))),
                    None => format!("{}  ", pad(words, *wide)),
                })
                .collect();
            let used = wide.iter().map(|wide| wide + 2).sum::<usize>();
            let last = words.last().map(String::as_str).unwrap_or_default();
            self.row(&head, used, last)?;
        }
        Ok(())
    }

    /// A row: its painted cells of so many columns, and the words of the last one. A table that is all there is has a line
    /// for each row where programs search it, elsewhere than on a screen.
    fn row(&mut self, head: &str, used: usize, last: &str) -> io::Result<()> {
        if self.indent == 0 && !self.style.is_screen {
            let line = format!("{head}{}", self.style.draw(last));
            return writeln!(self.out, "{}", line.trim_end());
        }
        let margin = " ".repeat(self.indent);
        let room = self.columns.saturating_sub(used + self.indent);
        let is_below = room < LEAST && room < width(last);
        let hang = if is_below { HANGING } else { used };
        let room = self.columns.saturating_sub(hang + self.indent);
        if is_below {
            writeln!(self.out, "{margin}{}", head.trim_end())?;
        }
        for (at, line) in wrap(last, room, 0).iter().enumerate() {
            let blank = " ".repeat(hang);
            let head = if at == 0 && !is_below { head } else { &blank };
            let line = self.style.draw(line);
            writeln!(self.out, "{}", format!("{margin}{head}{line}").trim_end())?;
        }
        Ok(())
    }
}

fn row_name(row: &[TableCell]) -> String {
    match row.first() {
        Some(TableCell::Rule(code, name)) => format!("{code} {name}"),
        cell => cell.map(cell_words).unwrap_or_default(),
    }
}

fn cell_words(cell: &TableCell) -> String {
    match cell {
        TableCell::Word(word) | TableCell::Key(word) => (*word).to_owned(),
        TableCell::Words(_) | TableCell::Fixes(_) => cell.words().join(", "),
        TableCell::Count(count) => grouped(*count),
        TableCell::Verdict(verdict) => verdict_word(*verdict).to_owned(),
        TableCell::Level(level) => level_word(*level).to_owned(),
        TableCell::Rule(code, name) => format!("{code}  {name}"),
    }
}

fn tone(cell: &TableCell) -> Option<Tone> {
    match cell {
        TableCell::Key(_) => Some(Tone::Strong),
        TableCell::Level(level) => Some(of_level(*level)),
        TableCell::Verdict(verdict) => Some(of_verdict(*verdict)),
        TableCell::Word(_)
        | TableCell::Words(_)
        | TableCell::Fixes(_)
        | TableCell::Count(_)
        | TableCell::Rule(..) => None,
    }
}

/// The words of a cell in their colors.
fn painted(cell: &TableCell) -> String {
    match cell {
        TableCell::Fixes(fixes) => {
            let painted = fixes.iter().map(|own| paint(of_fix(*own), fix_word(*own)));
            painted.map(|word| word.to_string()).collect::<Vec<_>>().join(", ")
        }
        cell => cell_words(cell),
    }
}
