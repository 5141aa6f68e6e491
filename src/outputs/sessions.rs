//! A list of sessions, for people.

use std::io::{self, Write};

use super::document::{self, IndexLine, LineMark, Look, PageBlock, StyledSpan};
use super::human::{self, verdict_word};
use super::paint::{of_verdict, paint};
use super::{Detail, OutputStyle, many};
use crate::report::model::Verdict;
use crate::report::sessions::{Session, Sessions};
use crate::report::text::{Shown, fit, pad, size, width};

/// Columns of a project's name, at most, with much room and with little.
const LONG_PROJECT: usize = 14;
const SHORT_PROJECT: usize = 10;
/// Columns of a name, if there is not room for all columns. IDs that can be typed are shorter.
const SHORT_NAME: usize = 16;
/// Columns from which on rules are named.
const WIDE: usize = 100;
/// Fewest columns for the words of a session; without them, other columns are left out.
const WORDS: usize = 14;
/// Fewest columns for the first and the last prompt.
const BOTH: usize = 40;

/// Prints a line for each session; the names of the damaged ones only with `-q`.
pub(crate) fn list(
    sessions: &Sessions,
    out: &mut dyn Write,
    style: &OutputStyle,
) -> io::Result<()> {
    match style.detail {
        Detail::Nothing => return Ok(()),
        Detail::Verdicts => {
            let lines = sessions
                .sessions
                .iter()
                .map(|session| IndexLine {
                    mark: LineMark::Verdict(session.verdict),
                    name: StyledSpan::new(Look::Name, session.name.whole()),
                    says: String::new(),
                })
                .collect();
            return human::print(&[PageBlock::Index(lines)], out, style);
        }
        Detail::Normal | Detail::All => {}
    }
    let rows: Vec<[String; CELLS]> =
        sessions.sessions.iter().map(|session| cells(session, style)).collect();
    let numbers = sessions.sessions.len().to_string().len();
    let columns = Columns::of(&rows, style.width, sessions.is_numbered.then_some(numbers));
    for (number, (session, row)) in (1..).zip(sessions.sessions.iter().zip(&rows)) {
        if sessions.is_numbered {
            write!(out, "{number:>numbers$}  ")?;
        }
        let rest = style.draw(columns.cells(row).trim_end());
        let verdict = pad(&row[VERDICT], columns.0[VERDICT]);
        writeln!(out, "{}{rest}", paint(of_verdict(session.verdict), &verdict))?;
    }
    let listed = sessions.sessions.len() as u64;
    let all = if sessions.total > listed {
        format!("{listed} of {}, newest first (--all lists all).", many(sessions.total, "session"))
    } else {
        format!("{}, newest first.", many(listed, "session"))
    };
    // The question follows, and nothing may stand between it and the list.
    if sessions.is_numbered {
        return Ok(());
    }
    writeln!(out)?;
    let mut below = vec![PageBlock::Text(vec![StyledSpan::new(Look::Quiet, all)])];
    let mut damaged = sessions.sessions.iter();
    let damaged = damaged.find(|session| session.verdict > Verdict::Pending);
    let explain = damaged.and_then(|session| style.next.for_path("explain", &[], &session.name));
    below.extend(explain.map(|line| document::command("What is wrong", line)));
    human::print(&below, out, style)
}

/// The cells of a row, in their order.
const VERDICT: usize = 0;
/// After the verdict comes its reason.
const NAME: usize = 2;
const SIZE: usize = 4;
const HOST: usize = 5;
const PROJECT: usize = 6;
const FIRST: usize = 7;
const LAST: usize = 8;
const CELLS: usize = 9;

fn cells(session: &Session, style: &OutputStyle) -> [String; CELLS] {
    let mut reason = session.rule.map(|code| code.to_string()).unwrap_or_default();
    if !reason.is_empty() && style.width >= WIDE {
        reason = format!("{reason} {}", session.rule_name);
    }
    [
        verdict_word(session.verdict).to_owned(),
        reason,
        last_name(&session.name.whole()),
        session.age.clone(),
        size(session.size),
        session.host_title.to_owned(),
        last_name(&seen(&session.folder)),
        seen(&session.title),
        seen(&session.last_prompt),
    ]
}

/// What its reader may see.
fn seen(shown: &Option<Shown>) -> String {
    let shown = shown.as_ref().filter(|shown| !shown.is_masked());
    shown.map(Shown::whole).unwrap_or_default()
}

fn last_name(path: &str) -> String {
    let mut parts = path.trim_end_matches(['/', '\\']).rsplit(['/', '\\']);
    parts.next().unwrap_or_default().to_owned()
}

/// How wide each column is; 0: it is left out.
struct Columns([usize; CELLS]);

impl Columns {
    /// What is narrow keeps its width; the words get the rest.
    fn of(rows: &[[String; CELLS]], all: usize, numbers: Option<usize>) -> Columns {
        let mut columns = [0; CELLS];
        for row in rows {
            for (column, cell) in columns.iter_mut().zip(row) {
                *column = (*column).max(width(cell));
            }
        }
        // One host need not be named.
        if rows.windows(2).all(|two| two[0][HOST] == two[1][HOST]) {
            columns[HOST] = 0;
        }
        columns[NAME] = columns[NAME].min(all / 3);
        let roomy = all >= WIDE;
        columns[PROJECT] = columns[PROJECT].min(if roomy { LONG_PROJECT } else { SHORT_PROJECT });
        let used = |columns: &[usize; CELLS]| -> usize {
            let shown = columns[..FIRST].iter().filter(|wide| **wide > 0);
            shown.map(|wide| wide + 2).sum::<usize>() + numbers.map_or(0, |wide| wide + 2)
        };
        if used(&columns) + WORDS > all {
            columns[NAME] = columns[NAME].min(SHORT_NAME);
        }
        for column in [SIZE, HOST, PROJECT] {
            if used(&columns) + WORDS > all {
                columns[column] = 0;
            }
        }
        let room = all.saturating_sub(used(&columns));
        let both = columns[FIRST] + 2 + columns[LAST];
        let has_both = columns[LAST] > 0 && room >= BOTH;
        let most = if has_both && both > room { room / 2 } else { room };
        columns[FIRST] = columns[FIRST].min(most);
        let rest = room.saturating_sub(columns[FIRST] + 2);
        columns[LAST] = if has_both { columns[LAST].min(rest) } else { 0 };
        Columns(columns)
    }

    /// The cells that are shown after the verdict.
    fn cells(&self, row: &[String; CELLS]) -> String {
        let mut out = String::new();
        for (cell, wide) in row.iter().zip(self.0).skip(1).filter(|(_, wide)| *wide > 0) {
            out.push_str("  ");
            out.push_str(&pad(&fit(cell, wide), wide));
        }
        out
    }
}
