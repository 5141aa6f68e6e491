//! The event ladder: the records of a finding, one per row, with arms that connect a call and its
//! results.

use super::model::FindingRecord;
use super::text::{ReportIds, fit, pad, width};
use jiff::civil::DateTime;

/// The space between two cells.
const GAP: &str = "  ";
/// Fewest useful columns of a cell.
const LEAST: usize = 4;
/// Fewest columns of the words of a record.
const WORDS: usize = 16;
/// Columns before a row.
const INDENT: usize = 4;

/// An escaped row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LadderRow {
    /// Number, time, kind, tool and role; empty if there is none.
    pub cells: [String; 5],
    /// The arms that connect a call and its results, one character per lane after the first.
    pub arms: String,
    /// The note after the arms.
    pub note: String,
    /// The first words of the record in quotes; empty if there are none, or its reader may not see them.
    pub words: String,
}

/// The rows of records as cells, of any width. `alone`: the note for a call without a result among
/// the records; empty for none.
pub(crate) fn rows(records: &[FindingRecord], ids: &ReportIds, alone: &str) -> Vec<LadderRow> {
    let groups = group(records);
    let arms = arms(&groups, !alone.is_empty());
    let times = times(records);
    let has_several_calls = groups.iter().flatten().max().is_some_and(|last| *last > 0);
    let mut rows: Vec<LadderRow> = Vec::with_capacity(records.len());
    for (n, record) in records.iter().enumerate() {
        let first =
            groups[n].is_none_or(|g| groups.iter().position(|other| *other == Some(g)) == Some(n));
        let is_alone = groups[n]
            .is_some_and(|g| groups.iter().filter(|other| **other == Some(g)).count() == 1);
        let id = record.call.as_ref().filter(|_| has_several_calls || first).map(|id| ids.text(id));
        let word = [Some(word(record.role).to_owned()), id]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" ");
        let earlier = if record.role == "call" { None } else { gap(records, &groups, n) };
        let note = match (record.role, earlier) {
            ("call", _) if is_alone => alone.to_owned(),
            (role, earlier) => [note(role).to_owned(), earlier.unwrap_or_default()]
                .into_iter()
                .filter(|s| !s.is_empty())
                .collect::<Vec<_>>()
                .join(", "),
        };
        let text = |s: &Option<super::text::Shown>| {
            s.as_ref().map(ToString::to_string).unwrap_or_default()
        };
        rows.push(LadderRow {
            cells: [place(record), times[n].clone(), text(&record.kind), text(&record.tool), word],
            arms: arms[n].clone(),
            note,
            words: quoted(record),
        });
    }
    rows
}

fn quoted(record: &FindingRecord) -> String {
    let words = record.words.as_ref().filter(|words| !words.is_masked());
    words.map(|words| format!("\"{words}\"")).unwrap_or_default()
}

/// The call that each record belongs to, numbered from 0 in the order of the records. Only calls
/// and their results belong to one.
fn group(records: &[FindingRecord]) -> Vec<Option<usize>> {
    let mut seen: Vec<&str> = Vec::new();
    let belongs = |role: &str| matches!(role, "call" | "result" | "placeholder" | "copy");
    records
        .iter()
        .map(|record| {
            let id = record.call.as_ref().filter(|_| belongs(record.role))?.exact();
            Some(seen.iter().position(|known| *known == id).unwrap_or_else(|| {
                seen.push(id);
                seen.len() - 1
            }))
        })
        .collect()
}

/// The arms of each row. Every call has a lane from its first record to its last; free lanes are
/// used again. `alone`: a call without other records has an arm as well.
fn arms(groups: &[Option<usize>], alone: bool) -> Vec<String> {
    let count = |g: usize| groups.iter().filter(|other| **other == Some(g)).count();
    let groups: Vec<Option<usize>> =
        groups.iter().map(|g| g.filter(|g| alone || count(*g) > 1)).collect();
    let reach = |g: usize| {
        let mut rows =
            groups.iter().enumerate().filter(|(_, other)| **other == Some(g)).map(|(n, _)| n);
        let first = rows.next().unwrap_or(0);
        (first, rows.next_back().unwrap_or(first))
    };
    let last = groups.iter().flatten().max().map_or(0, |last| last + 1);
    let mut lanes: Vec<Vec<(usize, usize)>> = Vec::new();
    let mut lane_of = vec![0; last];
    for (g, lane_of) in lane_of.iter_mut().enumerate().filter(|(g, _)| groups.contains(&Some(*g))) {
        let (first, last) = reach(g);
        let free = lanes.iter().position(|lane| lane.iter().all(|(a, b)| last < *a || *b < first));
        *lane_of = free.unwrap_or(lanes.len());
        match lanes.get_mut(*lane_of) {
            Some(lane) => lane.push((first, last)),
            None => lanes.push(vec![(first, last)]),
        }
    }
    let runs =
        |lane: &[(usize, usize)], row: usize| lane.iter().any(|(a, b)| *a <= row && row <= *b);
    let mut out = Vec::with_capacity(groups.len());
    for (row, group) in groups.iter().enumerate() {
        let mut text = String::from(if group.is_some() { "─" } else { " " });
        let mine = group.map(|g| (lane_of[g], reach(g)));
        for (n, lane) in lanes.iter().enumerate() {
            text.push(match mine {
                Some((own, (first, last))) if own == n => match (row == first, row == last) {
                    (true, true) => '╴',
                    (true, false) => '┐',
                    (false, true) => '┘',
                    (false, false) => '┤',
                },
                Some((own, _)) if n < own => {
                    if runs(lane, row) {
                        '┼'
                    } else {
                        '─'
                    }
                }
                _ => {
                    if runs(lane, row) {
                        '│'
                    } else {
                        ' '
                    }
                }
            });
        }
        out.push(text.trim_end().to_owned());
    }
    out
}

/// The line or event number of a record.
fn place(record: &FindingRecord) -> String {
    match (record.line, record.index, &record.pointer) {
        // In a row, the index is that of the message; the line is shown with the file.
        (_, Some(n), _) | (Some(n), None, _) => n.to_string(),
        (None, None, Some(pointer)) => pointer.whole(),
        (None, None, None) => String::from("-"),
    }
}

fn word(role: &str) -> &str {
    match role {
        "placeholder" => "result",
        "intruder" => "other",
        other => other,
    }
}

fn note(role: &str) -> &'static str {
    match role {
        "placeholder" => "placeholder",
        _ => "",
    }
}

/// Times of day, with dates if the records are from several days.
fn times(records: &[FindingRecord]) -> Vec<String> {
    let parsed: Vec<Option<DateTime>> =
        records.iter().map(|r| r.time.as_deref().and_then(when)).collect();
    let mut days = parsed.iter().flatten().map(|t| t.date());
    let first = days.next();
    let one_day = days.all(|day| Some(day) == first);
    parsed
        .iter()
        .map(|t| match t {
            Some(t) if one_day => t.strftime("%H:%M:%S.%3f").to_string(),
            Some(t) => t.strftime("%m-%d %H:%M:%S").to_string(),
            None => String::new(),
        })
        .collect()
}

/// A recorded time with its date: `2026-03-01 10:00:04`.
pub(crate) fn moment(text: &str) -> String {
    when(text).map_or_else(String::new, |time| time.strftime("%Y-%m-%d %H:%M:%S").to_string())
}

fn when(text: &str) -> Option<DateTime> {
    text.trim_end_matches('Z').parse().ok()
}

/// The time since the previous record of the same call: `2.3 s later`.
fn gap(records: &[FindingRecord], groups: &[Option<usize>], n: usize) -> Option<String> {
    let before = (0..n).rev().find(|m| groups[*m].is_some() && groups[*m] == groups[n])?;
    let time = |n: usize| records[n].time.as_deref().and_then(when);
    let seconds = time(before)?.duration_until(time(n)?).as_secs_f64();
    (seconds >= 1.0).then(|| later(seconds))
}

/// A number of seconds, at least 0, as `2.3 s later`.
pub(crate) fn later(seconds: f64) -> String {
    match seconds {
        s if s < 10.0 => format!("{s:.1} s later"),
        s if s < 120.0 => format!("{s:.0} s later"),
        s if s < 7200.0 => format!("{:.0} min later", s / 60.0),
        s if s < 172_800.0 => format!("{:.0} h later", s / 3600.0),
        s => format!("{:.0} days later", s / 86_400.0),
    }
}

/// Aligns the cells. If the rows are too wide, the time loses its fraction, tool and kind are
/// shortened, the time is removed, every cell is shortened, and notes go on separate lines, in this
/// order.
pub(crate) fn layout(mut rows: Vec<LadderRow>, wide: usize) -> Vec<String> {
    let mut columns = columns(&rows);
    if total(&columns) > wide {
        rows.iter_mut().for_each(|row| shorten_time(&mut row.cells[1]));
    }
    for (cell, least) in [(3, 8), (2, 12), (3, 4)] {
        columns = self::columns(&rows);
        let over = total(&columns).saturating_sub(wide);
        let to = columns[cell].saturating_sub(over).max(least);
        if to < columns[cell] {
            rows.iter_mut()
                .for_each(|row| row.cells[cell] = fit(&row.cells[cell], to).into_owned());
        }
    }
    // Still too wide: the numbers show the order without times.
    if total(&self::columns(&rows)) > wide {
        rows.iter_mut().for_each(|row| row.cells[1].clear());
    }
    for cell in [3, 2, 4] {
        columns = self::columns(&rows);
        let over = total(&columns).saturating_sub(wide);
        let to = columns[cell].saturating_sub(over).max(LEAST.min(columns[cell]));
        if to < columns[cell] {
            rows.iter_mut()
                .for_each(|row| row.cells[cell] = fit(&row.cells[cell], to).into_owned());
        }
    }
    columns = self::columns(&rows);
    let mut out = Vec::with_capacity(rows.len());
    for row in rows {
        let mut line = " ".repeat(INDENT);
        for (n, cell) in row.cells.iter().enumerate().filter(|(n, _)| columns[*n] > 0) {
            // Numbers are right-aligned, words left-aligned.
            let filled = if n == 0 {
                format!("{}{cell}", " ".repeat(columns[0].saturating_sub(width(cell))))
            } else {
                pad(cell, columns[n])
            };
            line.push_str(&filled);
            line.push_str(GAP);
        }
        line.push_str(&pad(&row.arms, columns[5]));
        let mut second = None;
        if !row.note.is_empty() {
            if width(&line) + 1 + width(&row.note) <= wide {
                line.push(' ');
                line.push_str(&row.note);
            } else {
                second =
                    Some(format!("{}{}", " ".repeat(INDENT + columns[0] + GAP.len()), row.note));
            }
        }
        // Words are shown where there is room for some of them.
        let room = wide.saturating_sub(width(&line) + GAP.len());
        if !row.words.is_empty() && room >= WORDS.min(width(&row.words)) {
            line.push_str(GAP);
            line.push_str(&fit(&row.words, room));
        }
        let mut row = line.trim_end().to_owned();
        if let Some(second) = second {
            row.push('\n');
            row.push_str(&second);
        }
        out.push(row);
    }
    out
}

/// Widths of the five cells and the arms.
fn columns(rows: &[LadderRow]) -> [usize; 6] {
    let mut out = [0; 6];
    for row in rows {
        for (n, text) in row.cells.iter().chain([&row.arms]).enumerate() {
            out[n] = out[n].max(width(text));
        }
    }
    out
}

fn total(columns: &[usize; 6]) -> usize {
    let gaps = columns[..5].iter().filter(|wide| **wide > 0).count() * GAP.len();
    INDENT + columns.iter().sum::<usize>() + gaps
}

fn shorten_time(time: &mut String) {
    if let Some((whole, _)) = time.split_once('.') {
        *time = whole.to_owned();
    }
}

#[cfg(test)]
#[path = "ladder_tests.rs"]
mod tests;
