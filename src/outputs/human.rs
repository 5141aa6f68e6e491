//! For people: the verdict first, then the evidence, then the next command.

mod applied;
mod finding;
mod words;

use crate::transcript::Code;
use std::io::{self, Write};

use super::layout::{Medium, TextLayout};
use super::paint::{Tone, of_verdict, paint};
use super::table::{self, BULK};
use super::wrap::wrap;
use super::{Detail, OutputStyle, link, many};
use crate::report::model::{Conversation, Level, Report, Rows, Verdict};
use crate::report::text::{Shown, width};

pub(crate) use applied::{
    a_repair_suffices, applied, can_go_on, did, fixes, line as applied_line, plan, proviso,
    repaired, undo_all, would,
};
pub(crate) use finding::{
    advice, alone, choose, choosing, class_word, decision, evidence, level_word, list_choices,
    look, main_record, message, place_of, position, steps,
};
pub(crate) use words::{
    among, but, by_client, facts, introduction, known, known_by, levels, meaning, not_selected,
    skipped, totals, verdict, verdict_word,
};

/// Findings of one code that are drawn in full for one conversation, unless everything is asked for.
const DRAWN: usize = 10;

/// Blanks before what is said of a conversation whose verdict is not told.
const INDENT: usize = 4;

/// Characters of a verdict under which the next lines still start where the path does.
const HANGING: usize = 12;

/// Prints the report.
pub(crate) fn write(report: &Report, out: &mut dyn Write, style: &OutputStyle) -> io::Result<()> {
    match style.detail {
        Detail::Nothing => return Ok(()),
        Detail::Verdicts => return verdicts(report, out, style),
        Detail::Normal if report.conversations.len() > BULK => {
            return table::write(report, out, style);
        }
        Detail::Normal | Detail::All => {}
    }
    let layout = layout(&report.conversations, style);
    let mut some = false;
    for conversation in &report.conversations {
        if std::mem::replace(&mut some, true) {
            writeln!(out)?;
        }
        write_conversation(conversation, &layout, out)?;
    }
    if some {
        writeln!(out)?;
    }
    end(report, out, style)?;
    next(report, out, style)
}

/// How findings of these conversations are told.
pub(crate) fn layout<'a>(conversations: &[Conversation], style: &'a OutputStyle) -> TextLayout<'a> {
    let findings = conversations.iter().flat_map(|c| &c.findings);
    let calls = findings.flat_map(|f| {
        f.records
            .iter()
            .filter_map(|r| r.call.as_ref())
            .chain(&f.call_ids)
    });
    TextLayout::new(style, Medium::Terminal, calls)
}

/// One conversation: heading, findings, remarks.
pub(crate) fn write_conversation(
    conversation: &Conversation,
    layout: &TextLayout<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let style = layout.style;
    // The verdicts are those of its rows, which follow.
    let has_findings = conversation
        .findings
        .iter()
        .any(|finding| finding.severity > Level::Note);
    let rows_only = conversation
        .listed_rows()
        .is_some_and(|rows| rows.are_listed() && !has_findings);
    heading_with(
        if rows_only {
            String::new()
        } else {
            verdict(conversation)
        },
        conversation,
        out,
        style,
    )?;
    let quiet = |level: Level| {
        level == Level::Note
            && style.detail < Detail::All
            && conversation.verdict != Verdict::Pending
    };
    let mut drawn: Vec<(Code, usize)> = Vec::new();
    for finding in conversation.findings.iter().filter(|f| !quiet(f.severity)) {
        let slot = drawn
            .iter()
            .position(|(code, _)| *code == finding.code)
            .unwrap_or_else(|| {
                drawn.push((finding.code, 0));
                drawn.len() - 1
            });
        drawn[slot].1 += 1;
        if drawn[slot].1 <= DRAWN || style.detail == Detail::All {
            writeln!(out)?;
            finding::write(finding, &conversation.path, layout, out)?;
        }
    }
    for (code, count) in drawn
        .into_iter()
        .filter(|(_, count)| *count > DRAWN && style.detail < Detail::All)
    {
        writeln!(out, "\n{} more {code}; -v shows them", count - DRAWN)?;
    }
    let side = &conversation.unknown_side_effects;
    if !side.is_empty() {
        let names: Vec<String> = side.iter().map(|id| layout.ids.text(id)).collect();
        let (verb, list) = (
            if side.len() == 1 { "call" } else { "calls" },
            names.join(", "),
        );
        let it = if side.len() == 1 { "it" } else { "them" };
        let text = format!(
            "Side effects unknown: the {verb} {list} may or may not have run, and the next request \
            has no result for {it}."
        );
        writeln!(out)?;
        write_wrapped(&style.draw(&text), "", out, style)?;
    }
    conversation
        .remarks
        .iter()
        .try_for_each(|remark| write_wrapped(remark, "", out, style))
}

/// The verdict, whose, and what it means.
pub(crate) fn heading(
    conversation: &Conversation,
    out: &mut dyn Write,
    style: &OutputStyle,
) -> io::Result<()> {
    heading_with(verdict(conversation), conversation, out, style)
}

fn heading_with(
    verdict: String,
    conversation: &Conversation,
    out: &mut dyn Write,
    style: &OutputStyle,
) -> io::Result<()> {
    let left = if verdict.is_empty() {
        0
    } else {
        width(&verdict) + 2
    };
    let live = if conversation.live {
        "  (still being written)"
    } else {
        ""
    };
    let path = conversation.place();
    let words = wrap(&verdict, style.width.saturating_sub(INDENT), 0);
    let is_below = words.len() > 1 || left > HANGING && left + width(&path) > style.width;
    let before = if is_below { INDENT } else { left };
    let path = style.path(&path, before + width(live));
    let facts = words::facts(conversation);
    let linked = paint(Tone::Strong, &path).to_string();
    let linked = link::to(style.links.as_ref(), &conversation.path, None, &linked);
    if !verdict.is_empty() {
        let next_line = format!("\n{}", " ".repeat(INDENT));
        let tone = of_verdict(conversation.verdict);
        let words: Vec<String> = words
            .iter()
            .map(|line| paint(tone, line).to_string())
            .collect();
        let gap = if is_below { &next_line } else { "  " };
        write!(out, "{}{gap}", words.join(&next_line))?;
    }
    write!(out, "{linked}")?;
    let one_line = left + width(&path) + width(live) + 3 + width(&facts) <= style.width;
    let indent = " ".repeat(if left > HANGING {
        INDENT
    } else {
        left.max(INDENT)
    });
    let mut lines: Vec<String> = words::introduction(conversation)
        .map(|introduction| style.draw(&introduction))
        .into_iter()
        .collect();
    if one_line {
        writeln!(out, "{live}   {facts}")?;
    } else {
        writeln!(out, "{live}")?;
        lines.push(facts);
    }
    let hidden = not_selected([conversation]).map(|hidden| format!("Not shown: {hidden}."));
    let meaning = words::meaning(conversation);
    lines.extend(meaning.into_iter().chain(words::by_client(conversation)));
    lines.extend(hidden);
    lines
        .iter()
        .try_for_each(|line| write_wrapped(line, &indent, out, style))
}

/// A command after what it is for. It is never broken, so that it can be copied: where it does not fit, it gets a line of its
/// own.
pub(crate) fn write_command(
    what: &str,
    line: &str,
    out: &mut dyn Write,
    style: &OutputStyle,
) -> io::Result<()> {
    let fits = width(what) + width(line) <= style.width;
    let (what, gap) = match fits {
        true => (what, ""),
        false => (what.trim_end(), "\n  "),
    };
    writeln!(out, "{what}{gap}{}", paint(Tone::Strong, line))
}

/// A sentence in lines, each after `indent`.
pub(crate) fn write_wrapped(
    text: &str,
    indent: &str,
    out: &mut dyn Write,
    style: &OutputStyle,
) -> io::Result<()> {
    let columns = style.width.saturating_sub(indent.len());
    if width(text) <= columns {
        return writeln!(out, "{indent}{text}");
    }
    wrap(text, columns, 0)
        .iter()
        .try_for_each(|line| writeln!(out, "{indent}{line}"))
}

fn verdicts(report: &Report, out: &mut dyn Write, style: &OutputStyle) -> io::Result<()> {
    for VerdictLine {
        verdict,
        place,
        aside,
    } in lines(report)
    {
        let word = paint(
            of_verdict(verdict),
            &format!("{:<10}", verdict_word(verdict)),
        )
        .to_string();
        writeln!(out, "{word}  {place}{}", in_brackets(&aside))?;
    }
    not_examined(report, out, &style.unbroken())
}

/// A verdict in a line of its own: on a conversation, or on the rows of a file that are not listed one by one.
pub(crate) struct VerdictLine {
    /// The verdict.
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
            let aside = [about, aside(conversation)]
                .into_iter()
                .filter(|aside| !aside.is_empty());
            let aside = aside.collect::<Vec<_>>().join(", ");
            VerdictLine {
                verdict,
                place: conversation.place(),
                aside,
            }
        };
        let rows = conversation.rows.as_ref();
        let own = conversation.listed_rows().is_none();
        let unlisted = rows
            .into_iter()
            .flat_map(Rows::without_entry)
            .filter(|(_, rows)| *rows > 0);
        let unlisted: Vec<VerdictLine> = unlisted
            .map(|(verdict, rows)| line(verdict, many(rows, "row")))
            .collect();
        own.then(|| line(conversation.verdict, String::new()))
            .into_iter()
            .chain(unlisted)
    })
}

/// What limits a verdict in a column: `among the selected rules, but …`; "" for nothing.
pub(crate) fn aside(conversation: &Conversation) -> String {
    let among = Some(among(conversation).trim_start().to_owned()).filter(|among| !among.is_empty());
    among
        .into_iter()
        .chain(but(conversation))
        .collect::<Vec<_>>()
        .join(", ")
}

/// The same in brackets behind what stands in the column.
pub(crate) fn in_brackets(aside: &str) -> String {
    if aside.is_empty() {
        String::new()
    } else {
        format!("  ({aside})")
    }
}

/// What could not be looked at, a line each.
pub(crate) fn not_examined(
    report: &Report,
    out: &mut dyn Write,
    style: &OutputStyle,
) -> io::Result<()> {
    report.not_examined.iter().try_for_each(|gone| {
        left_out(
            (Tone::Warn, "not checked"),
            &gone.path,
            &gone.why,
            out,
            style,
        )
    })
}

/// `not checked  PATH  why`; what does not fit in the line is in those below it.
fn left_out(
    (tone, what): (Tone, &str),
    path: &Shown,
    why: &str,
    out: &mut dyn Write,
    style: &OutputStyle,
) -> io::Result<()> {
    let used = width(what) + 2;
    let path = style.path(&path.whole(), used);
    write!(out, "{}  {path}", paint(tone, what))?;
    if used + width(&path) + 2 + width(why) <= style.width {
        return writeln!(out, "  {why}");
    }
    writeln!(out)?;
    write_wrapped(why, &" ".repeat(INDENT), out, style)
}

/// What was met on a walk and not checked: a sentence, and with `-v` a line each.
pub(crate) fn not_checked(
    report: &Report,
    out: &mut dyn Write,
    style: &OutputStyle,
) -> io::Result<()> {
    let all = style.detail == Detail::All;
    for skipped in report.skipped.iter().filter(|_| all) {
        left_out(
            (Tone::Dim, "skipped"),
            &skipped.path,
            &skipped.why,
            out,
            style,
        )?;
    }
    let hint = if all { "" } else { " (list: -v)" };
    match skipped(report) {
        Some(skipped) => write_wrapped(&format!("{skipped}{hint}."), "", out, style),
        None => Ok(()),
    }
}

/// The end of a run that told its conversations one by one.
pub(crate) fn end(report: &Report, out: &mut dyn Write, style: &OutputStyle) -> io::Result<()> {
    not_examined(report, out, style)?;
    write_wrapped(&totals(report), "", out, style)?;
    hidden(report, out, style)?;
    not_checked(report, out, style)
}

/// What the selection of rules hides in all conversations together, where there are several.
pub(crate) fn hidden(report: &Report, out: &mut dyn Write, style: &OutputStyle) -> io::Result<()> {
    if let Some(known) = known(report) {
        write_wrapped(&format!("{known}."), "", out, style)?;
    }
    match not_selected(&report.conversations).filter(|_| report.summary.conversations > 1) {
        Some(hidden) => write_wrapped(&format!("Not shown: {hidden}."), "", out, style),
        None => Ok(()),
    }
}

fn next(report: &Report, out: &mut dyn Write, style: &OutputStyle) -> io::Result<()> {
    match next_command(report, style) {
        Some((word, line)) => write_command(&format!("{word}:  "), &line, out, style),
        None => Ok(()),
    }
}

/// The command that repairs what can be repaired, and what it is for.
pub(crate) fn next_command(report: &Report, style: &OutputStyle) -> Option<(&'static str, String)> {
    if report.conversations.len() > BULK && style.detail < Detail::All {
        return table::repair_all(report, style).map(|line| ("Repair all that is safe", line));
    }
    let has = |c: &Conversation, class| {
        c.findings
            .iter()
            .any(|f| f.fix.class == class && f.severity > Level::Note)
    };
    let mut with: Vec<&Conversation> = report
        .conversations
        .iter()
        .filter(|c| has(c, "safe"))
        .collect();
    let mut say = ("Fix it", &[] as &[&str]);
    if with.is_empty() {
        with = report
            .conversations
            .iter()
            .filter(|c| has(c, "unsafe"))
            .collect();
        say = ("Preview the uncertain fix", &["--unsafe"]);
    }
    let command = if say.1.is_empty() { "repair" } else { "diff" };
    let line = match with.as_slice() {
        [] => None,
        [first, _, ..] if command == "repair" => match with.iter().any(|c| c.copy.is_some()) {
            // Each copy needs a name of its own.
            true => style.next.repair(first, say.1),
            false => style.next.for_all(command, say.1),
        },
        [one, ..] if one.no_safe_fix.is_some() => {
            style
                .next
                .for_path(command, &["--unsafe", "--from", one.format], &one.path)
        }
        [one, ..] if command == "repair" => style.next.repair(one, say.1),
        [one, ..] => style.next.for_path(command, say.1, &one.path),
    };
    line.map(|line| (say.0, line))
}

#[cfg(test)]
#[path = "human_tests.rs"]
mod tests;
