//! For people: the verdict first, then the evidence, then the next command.

mod applied;
mod finding;
mod words;

use std::io::{self, Write};

use super::document::finding::Depth;
use super::document::{self, PageBlock, checked};
use super::layout::{Medium, TextLayout};
use super::many_left::{self, RunSummary};
use super::paint::{of_verdict, paint};
use super::table::{self, BULK};
use super::terminal::Terminal;
use super::{Detail, OutputStyle, many};
use crate::report::model::{Conversation, Report, ReportedFinding, Rows, Verdict};
use crate::report::text::{Shown, fit, width};
use crate::transcript::{Applicability, Severity};

pub(crate) use applied::{
    a_repair_suffices, applied, can_go_on, did, fixes, line as applied_line, plan, proviso,
    repaired, would,
};
pub(crate) use finding::{
    advice, alone, choose, choosing, decision, fix_word, level_word, look, main_record, message,
    message_with, place_of, position, reasons, steps,
};
pub(crate) use words::{
    among, but, by_client, by_id, facts, introduction, known, known_by, levels, meaning,
    not_selected, session_id, skipped, totals, verdict, verdict_word,
};

pub(crate) fn write(report: &Report, out: &mut dyn Write, style: &OutputStyle) -> io::Result<()> {
    match style.detail {
        Detail::Nothing => Ok(()),
        Detail::Verdicts => print(&checked::verdict_lines(report), out, &style.unbroken()),
        Detail::Normal | Detail::All => print(&checked::blocks(report, style), out, style),
    }
}

pub(super) fn print(
    blocks: &[PageBlock],
    out: &mut dyn Write,
    style: &OutputStyle,
) -> io::Result<()> {
    let layout = TextLayout::new(style, Medium::Terminal, std::iter::empty());
    Terminal::new(&layout, out).blocks(blocks)
}

/// How findings of these conversations are shown.
pub(crate) fn layout<'a>(conversations: &[Conversation], style: &'a OutputStyle) -> TextLayout<'a> {
    checked::layout(conversations, style)
}

/// The verdict, whose, and what it means.
pub(crate) fn heading(
    conversation: &Conversation,
    out: &mut dyn Write,
    style: &OutputStyle,
) -> io::Result<()> {
    let heading = document::conversation::introduced(conversation, style);
    print(&[heading], out, style)
}

/// Which of several transcripts is asked about: what people know a session by, else its whole path.
pub(crate) fn place(
    number: &str,
    conversation: &Conversation,
    out: &mut dyn Write,
    style: &OutputStyle,
) -> io::Result<()> {
    let word = verdict_word(conversation.verdict);
    let head = format!("{number}  {word}  ");
    let room = style.width.saturating_sub(width(&head));
    let name = match by_id(conversation, &style.next) {
        Some(known) => style.draw(&fit(&known, room)),
        None => conversation.place(),
    };
    writeln!(out, "{number}  {}  {name}", paint(of_verdict(conversation.verdict), word))
}

/// A finding that is asked about, with its choices.
pub(crate) fn asked(
    finding: &ReportedFinding,
    path: &Shown,
    layout: &TextLayout<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let choices = document::finding::listed(finding, layout, |_| None);
    let block = document::finding::block(finding, Depth::Evidence, path, layout, choices);
    Terminal::new(layout, out).block(&block)
}

/// The end of a run that told its conversations one by one.
pub(crate) fn end(report: &Report, out: &mut dyn Write, style: &OutputStyle) -> io::Result<()> {
    let mut blocks = checked::end(report, style);
    blocks.extend(document::applied::undo_all(report));
    print(&blocks, out, style)
}

/// What only the user can decide, with the choices; nothing where nothing is wrong.
pub(crate) fn undecided(
    entries: &[Conversation],
    out: &mut dyn Write,
    style: &OutputStyle,
) -> io::Result<()> {
    print(&document::applied::undecided(entries, style), out, style)
}

/// What a repair of several transcripts came to.
pub(crate) fn summary(
    summary: &RunSummary,
    out: &mut dyn Write,
    style: &OutputStyle,
) -> io::Result<()> {
    print(&many_left::blocks(summary, style), out, style)
}

/// Sentences, one below the other.
pub(crate) fn sentences(
    texts: &[String],
    out: &mut dyn Write,
    style: &OutputStyle,
) -> io::Result<()> {
    let texts: Vec<PageBlock> = texts.iter().map(|text| document::says(text)).collect();
    print(&texts, out, style)
}

/// A verdict in a line of its own: on a conversation, or on the rows of a file that are not listed one by one.
pub(crate) struct VerdictLine {
    pub verdict: Verdict,
    /// On what.
    pub place: String,
    /// What limits it, or how many rows it is on; "" for nothing.
    pub aside: String,
}

/// The verdicts on all conversations of a report, those that its summary counts: a file of rows is listed by its rows.
pub(crate) fn lines(report: &Report) -> impl Iterator<Item = VerdictLine> {
    report.conversations.iter().flat_map(|conversation| {
        let line = |verdict, about: String| {
            let aside = [about, aside(conversation)].into_iter().filter(|aside| !aside.is_empty());
            let aside = aside.collect::<Vec<_>>().join(", ");
            VerdictLine { verdict, place: conversation.place(), aside }
        };
        let rows = conversation.rows.as_ref();
        let own = conversation.listed_rows().is_none();
        let unlisted = rows.into_iter().flat_map(Rows::without_entry).filter(|(_, rows)| *rows > 0);
        let unlisted: Vec<VerdictLine> =
            unlisted.map(|(verdict, rows)| line(verdict, many(rows, "row"))).collect();
        own.then(|| line(conversation.verdict, String::new())).into_iter().chain(unlisted)
    })
}

/// What limits a verdict in a column: `among the selected rules, but …`; "" for nothing.
pub(crate) fn aside(conversation: &Conversation) -> String {
    let among = Some(among(conversation).trim_start().to_owned()).filter(|among| !among.is_empty());
    among.into_iter().chain(but(conversation)).collect::<Vec<_>>().join(", ")
}

/// The same in brackets after what is in the column.
pub(crate) fn in_brackets(aside: &str) -> String {
    if aside.is_empty() { String::new() } else { format!("  ({aside})") }
}

/// The command that repairs what can be repaired, and what it is for.
pub(crate) fn next_command(report: &Report, style: &OutputStyle) -> Option<(&'static str, String)> {
    if report.conversations.len() > BULK && style.detail < Detail::All {
        return table::repair_all(report, style).map(|line| ("Repair all that is safe", line));
    }
    let has = |c: &Conversation, applicability| {
        c.findings
            .iter()
            .any(|f| f.resolution.fix.applicability == applicability && f.severity > Severity::Note)
    };
    let mut with: Vec<&Conversation> =
        report.conversations.iter().filter(|c| has(c, Applicability::Safe)).collect();
    let mut say = ("Fix it", &[] as &[&str]);
    if with.is_empty() {
        with = report.conversations.iter().filter(|c| has(c, Applicability::Unsafe)).collect();
        say = ("Preview the uncertain fix", &["--unsafe"]);
    }
    let command = if say.1.is_empty() { "repair" } else { "diff" };
    let line = match with.as_slice() {
        [] => return look_closer(report, style),
        [first, _, ..] if command == "repair" => {
            if with.iter().any(|c| c.copy.is_some()) {
                // Each copy needs a name of its own.
                style.next.repair(first, say.1)
            } else {
                style.next.for_all(command, say.1)
            }
        }
        [one, ..] if command == "repair" => style.next.repair(one, say.1),
        [one, ..] => {
            let more = [say.1, &style.next.from(one)].concat();
            style.next.for_path(command, &more, &one.path)
        }
    };
    line.map(|line| (say.0, line))
}

/// What to do where no fix is known: to read what happened, or which formats are.
fn look_closer(report: &Report, style: &OutputStyle) -> Option<(&'static str, String)> {
    if let Some(one) =
        report.conversations.iter().find(|c| c.verdict > Verdict::Pending && c.rows.is_none())
    {
        let line = style.next.for_path("explain", &[], &one.path)?;
        return Some(("What happened", line));
    }
    let unknown = report.not_checked.iter().any(|gone| gone.why.starts_with("unknown format"));
    unknown.then(|| ("Known formats", format!("{} formats", env!("CARGO_PKG_NAME"))))
}

#[cfg(test)]
#[path = "human_tests.rs"]
mod tests;
