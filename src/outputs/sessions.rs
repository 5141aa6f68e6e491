//! A list of sessions, for people.

use std::io::{self, Write};

use super::document::{self, IndexLine, LineMark, Look, PageBlock, StyledSpan};
use super::human::{self, verdict_word};
use super::paint::{of_verdict, paint};
use super::{Detail, OutputStyle, many};
use crate::report::model::Verdict;
use crate::report::sessions::{Session, Sessions};
use crate::report::text::{Shown, fit, pad, size, width};

/// Columns of a project's name.
const PROJECT: usize = 14;
/// Fewest columns for the words of a session; without them, other columns are left out.
const WORDS: usize = 20;

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
    let rows: Vec<Vec<String>> = sessions.sessions.iter().map(cells).collect();
    let numbers = sessions.sessions.len().to_string().len();
    let columns = Columns::of(&rows, style.width, sessions.is_numbered.then_some(numbers));
    for (number, (session, row)) in (1..).zip(sessions.sessions.iter().zip(&rows)) {
        let mut cells = columns.cells(row).into_iter();
        let verdict = cells.next().unwrap_or_default();
        if sessions.is_numbered {
            write!(out, "{number:>numbers$}  ")?;
        }
        let rest: Vec<String> = cells.collect();
        let rest = style.draw(rest.join("  ").trim_end());
        writeln!(out, "{}  {rest}", paint(of_verdict(session.verdict), &verdict))?;
    }
    let listed = sessions.sessions.len() as u64;
    let all = if sessions.total > listed {
        format!("{listed} of {}, newest first (--all lists all).", many(sessions.total, "session"))
    } else {
        format!("{}, newest first.", many(listed, "session"))
    };
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

/// Verdict, name, age, size, host, project, words.
fn cells(session: &Session) -> Vec<String> {
    let seen = |shown: &Option<Shown>| {
        let shown = shown.as_ref().filter(|shown| !shown.is_masked());
        shown.map(Shown::whole).unwrap_or_default()
    };
    let last = |path: &str| {
        let parts = path.trim_end_matches(['/', '\\']).rsplit(['/', '\\']);
        parts.into_iter().next().unwrap_or_default().to_owned()
    };
    vec![
        verdict_word(session.verdict).to_owned(),
        last(&session.name.whole()),
        session.age.clone(),
        size(session.size),
        session.host_title.to_owned(),
        fit(&last(&seen(&session.folder)), PROJECT).into_owned(),
        seen(&session.title),
    ]
}

/// How wide each column is; 0: it is left out.
struct Columns(Vec<usize>);

impl Columns {
    /// What is narrow keeps its width; the words get the rest.
    fn of(rows: &[Vec<String>], all: usize, numbers: Option<usize>) -> Columns {
        let wide = |column: usize| rows.iter().map(|row| width(&row[column])).max();
        let mut columns: Vec<usize> = (0..7).map(|column| wide(column).unwrap_or(0)).collect();
        // One host need not be named.
        if rows.windows(2).all(|two| two[0][4] == two[1][4]) {
            columns[4] = 0;
        }
        let [name, size, host] = [1, 3, 4];
        columns[name] = columns[name].min(all / 3);
        let used = |columns: &[usize]| -> usize {
            let shown = columns[..6].iter().filter(|wide| **wide > 0);
            shown.map(|wide| wide + 2).sum::<usize>() + numbers.map_or(0, |wide| wide + 2)
        };
        for column in [size, host] {
            if used(&columns) + WORDS > all {
                columns[column] = 0;
            }
        }
        columns[6] = all.saturating_sub(used(&columns)).min(columns[6]);
        Columns(columns)
    }

    fn cells(&self, row: &[String]) -> Vec<String> {
        let shown = row.iter().zip(&self.0).filter(|(_, wide)| **wide > 0);
        shown.map(|(cell, wide)| pad(&fit(cell, *wide), *wide)).collect()
    }
}
