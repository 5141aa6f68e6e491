//! One finding: what is wrong, the records as a ladder, where, and what would be done.

use crate::transcript::Code;
use std::io::{self, Write};

use super::write_wrapped;
use crate::outputs::paint::{Tone, of_class, of_level, paint};
use crate::outputs::story::words::mark;
use crate::outputs::wrap::wrap;
use crate::outputs::{Detail, Style, link};
use crate::report::ladder::{Frame, ladder, moment};
use crate::report::model::{Choice, Finding, Level, PlannedAction, Record};
use crate::report::text::{Ids, Shown, fit, width};

/// Blanks before what does not fit in the line of a title.
const INDENT: &str = "    ";

/// Rows of a ladder, at most: its first and its last ones, unless everything is asked for.
const ROWS: usize = 16;

/// Prints a finding of the conversation at `path`.
pub(super) fn write(
    finding: &Finding,
    path: &Shown,
    ids: &Ids,
    out: &mut dyn Write,
    style: &Style,
) -> io::Result<()> {
    evidence(finding, path, ids, out, style)?;
    choices(finding, path, out, style)
}

/// What is wrong, where, and what its fix does.
pub(crate) fn evidence(
    finding: &Finding,
    path: &Shown,
    ids: &Ids,
    out: &mut dyn Write,
    style: &Style,
) -> io::Result<()> {
    title(finding, out, style)?;
    let frame = Frame {
        width: style.width,
        ids,
        alone: alone(finding),
    };
    let keep = if style.detail == Detail::All {
        usize::MAX
    } else {
        ROWS
    };
    let rows = ladder(&finding.records[..finding.records.len().min(keep)], frame);
    let guilty = main_record(finding).map(std::ptr::from_ref);
    for (row, record) in rows.iter().zip(&finding.records) {
        let row = style.draw(row);
        match guilty == Some(std::ptr::from_ref(record)) {
            true => writeln!(out, "{}", paint(of_level(finding.severity), &row))?,
            false => writeln!(out, "{row}")?,
        }
    }
    let all = finding.count.max(finding.records.len() as u64);
    if let Some(more) = all
        .checked_sub(finding.records.len().min(keep) as u64)
        .filter(|more| *more > 0)
    {
        let hint = if finding.records.len() > keep {
            "; -v shows them"
        } else {
            ""
        };
        writeln!(out, "    and {more} more{hint}")?;
    }
    place(finding, path, out, style)?;
    if !finding.affects.is_empty() {
        write_wrapped(&finding.affects, "  ", out, style)?;
    }
    for effect in &finding.consequences {
        let text = format!("explains {}: {}", effect.code, effect.message);
        write_wrapped(&text, "  ", out, style)?;
    }
    plan(finding, out, style)
}

/// What a person may choose, with the command for each, or what they can do where no fix is known.
pub(crate) fn choices(
    finding: &Finding,
    path: &Shown,
    out: &mut dyn Write,
    style: &Style,
) -> io::Result<()> {
    if !finding.advice.is_empty() {
        write_wrapped(&advice(finding), "  ", out, style)?;
        return match look(finding, path, style) {
            Some(line) => writeln!(out, "    {}", paint(Tone::Strong, &line)),
            None => Ok(()),
        };
    }
    if finding.choices.is_empty() {
        return Ok(());
    }
    writeln!(out, "  {}:", choose(finding))?;
    list_choices(finding, out, style, |choice| {
        choosing(choice, path, style).filter(|_| !choice.is_kept)
    })
}

/// The choices, numbered, each with what `command` gives for it.
pub(crate) fn list_choices(
    finding: &Finding,
    out: &mut dyn Write,
    style: &Style,
    command: impl Fn(&Choice) -> Option<String>,
) -> io::Result<()> {
    let most = match style.detail {
        Detail::All => usize::MAX,
        _ => ROWS,
    };
    for (at, choice) in finding.choices.iter().enumerate().take(most) {
        let line = format!("    {}  {}", at + 1, chosen(choice));
        writeln!(out, "{}", style.draw(&fit(&line, style.width)))?;
        if let Some(line) = command(choice) {
            writeln!(out, "       {}", paint(Tone::Strong, &line))?;
        }
    }
    let more = finding.choices.len().saturating_sub(most);
    match more {
        0 => Ok(()),
        more => writeln!(out, "    and {more} more; -v shows them"),
    }
}

/// `no automatic fix: edit the record; only you know what it was meant to say`
pub(crate) fn advice(finding: &Finding) -> String {
    format!("no automatic fix: {}", finding.advice)
}

/// The command that shows the record that a person has to look at.
pub(crate) fn look(finding: &Finding, path: &Shown, style: &Style) -> Option<String> {
    let record = main_record(finding)?;
    let number = record.line.or(record.index)?;
    style.next.for_record("explain", path, number)
}

/// What is to be chosen.
pub(crate) fn choose(finding: &Finding) -> &'static str {
    let choices = &finding.choices;
    if choices.iter().any(|choice| !choice.does.is_empty()) {
        "to continue without waiting"
    } else if choices.iter().any(|choice| choice.is_kept) {
        "to keep a different result"
    } else {
        "you decide which result is right"
    }
}

/// `event 2, 4, 2026-01-21 09:48:16: "the first words"`
pub(crate) fn chosen(choice: &Choice) -> String {
    let text = choice.text.as_ref().map(|text| match text.is_masked() {
        true => format!(": {text}"),
        false => format!(": \"{text}\""),
    });
    format!("{}{}", place_of(choice), text.unwrap_or_default())
}

/// `event 2, 4, 2026-01-21 09:48:16`, or what a choice does that keeps no result.
pub(crate) fn place_of(choice: &Choice) -> String {
    if !choice.does.is_empty() {
        return choice.does.to_owned();
    }
    let numbers: Vec<String> = choice.numbers.iter().map(u64::to_string).collect();
    let time = choice.time.as_deref().map(moment);
    let time = time.map(|time| format!(", {time}")).unwrap_or_default();
    let kept = if choice.is_kept { " (kept)" } else { "" };
    format!("{} {}{time}{kept}", choice.unit, numbers.join(", "))
}

/// The command that keeps it. `None`: its reader may not see it.
pub(crate) fn choosing(choice: &Choice, path: &Shown, style: &Style) -> Option<String> {
    let options: Vec<&str> = choice
        .options
        .iter()
        .map(Shown::typed)
        .collect::<Option<_>>()?;
    let next = style.next.without(&["--prefer", "--call"]);
    next.for_path("repair", &options, path)
}

/// `  at run.jsonl:63`
pub(crate) fn place(
    finding: &Finding,
    path: &Shown,
    out: &mut dyn Write,
    style: &Style,
) -> io::Result<()> {
    let Some(record) = main_record(finding) else {
        return Ok(());
    };
    let position = style.path(&position(path, record), "  at ".len());
    let printed = paint(Tone::Place, &position).to_string();
    writeln!(
        out,
        "  at {}",
        link::to(style.links.as_ref(), path, Some(record), &printed)
    )
}

/// `  fix: remove event 63 (kept in the journal)`; nothing where there is no automatic one.
pub(crate) fn plan(finding: &Finding, out: &mut dyn Write, style: &Style) -> io::Result<()> {
    if !finding.fix.actions.is_empty() {
        let line = format!("  fix: {}", steps(finding).join("; "));
        let room = if style.detail == Detail::All {
            usize::MAX
        } else {
            style.width.saturating_mul(3)
        };
        let line = style.draw(&fit(&line, room));
        write_wrapped(line.trim_start(), "  ", out, style)?;
    }
    Ok(())
}

/// What a call of this finding is told that has no result among the records; "": nothing.
pub(crate) fn alone(finding: &Finding) -> &'static str {
    if matches!(finding.code, Code::UnansweredCall | Code::PendingCall) {
        "no result"
    } else {
        ""
    }
}

/// The steps of its fix. What is removed comes first, in one step; equal steps are one, with their number.
pub(crate) fn steps(finding: &Finding) -> Vec<String> {
    let actions = &finding.fix.actions;
    let (removals, others): (Vec<&PlannedAction>, Vec<&PlannedAction>) =
        actions.iter().partition(|action| action.removes.is_some());
    let mut removed: Vec<String> = removals.into_iter().filter_map(removal).collect();
    removed.dedup();
    let kept = (!removed.is_empty())
        .then(|| format!("remove {} (kept in the journal)", removed.join(", ")));
    let equal = others.chunk_by(|a, b| a.says == b.says);
    let others = equal.map(|equal| match equal {
        [only] => only.says.clone(),
        [first, ..] => format!("{} ({} times)", first.says, equal.len()),
        [] => String::new(),
    });
    kept.into_iter().chain(others).collect()
}

/// `line 5 "its first words"`
fn removal(action: &PlannedAction) -> Option<String> {
    let name = action.removes.as_ref()?;
    let text = action.text.as_ref().filter(|text| !text.is_masked());
    Some(match text {
        Some(text) => format!("{name} \"{text}\""),
        None => name.clone(),
    })
}

/// `fatal[TD104] two results answer one call                fix: safe`
pub(crate) fn title(finding: &Finding, out: &mut dyn Write, style: &Style) -> io::Result<()> {
    let level = level_word(finding.severity);
    let sure = mark(finding.confidence);
    let said = message(finding);
    let head = format!("{level}[{}]", finding.code);
    let columns = style.width.saturating_sub(INDENT.len());
    let used = (width(&head) + 1).saturating_sub(INDENT.len());
    let lines = wrap(&format!("{said}{sure}"), columns, used);
    let before = match lines.len() {
        1 => width(&head) + 1,
        _ => INDENT.len(),
    };
    let left = before + lines.last().map_or(0, |line| width(line));
    let text = lines.join(&format!("\n{INDENT}"));
    write!(out, "{} {text}", paint(of_level(finding.severity), &head))?;
    let note = finding.severity == Level::Note && finding.fix.actions.is_empty();
    if note {
        return writeln!(out);
    }
    let fix = format!("fix: {}", decision(finding));
    let painted = paint(of_class(finding.fix.class), &fix);
    if left + 2 + width(&fix) > style.width {
        return writeln!(out, "\n{INDENT}{painted}");
    }
    // After the message, at the right edge of 80 columns where there is room for it.
    let edge = style.width.min(80).saturating_sub(width("fix: you decide"));
    let blanks = edge.saturating_sub(left).max(2);
    writeln!(out, "{}{painted}", " ".repeat(blanks))
}

/// Who decides about the fix of a finding, for people: `safe`, `unsafe`, `you decide`, `your choice`.
pub(crate) fn decision(finding: &Finding) -> &'static str {
    match finding.is_chosen {
        true => "your choice",
        false => class_word(finding.fix.class),
    }
}

/// Who decides about fixes of this class, for people.
pub(crate) fn class_word(class: &'static str) -> &'static str {
    match class {
        "manual" => "you decide",
        class => class,
    }
}

/// What is wrong, and how often.
pub(crate) fn message(finding: &Finding) -> String {
    match finding.count {
        1 => finding.message.clone(),
        count => format!("{} ({count} times)", finding.message),
    }
}

/// A severity as it is printed.
pub(crate) fn level_word(level: Level) -> &'static str {
    match level {
        Level::Fatal => "fatal",
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "note",
    }
}

/// The record that a finding is at: the first that its fix touches, else the first; each best not the call.
pub(crate) fn main_record(finding: &Finding) -> Option<&Record> {
    let touched = finding.fix.actions.iter().find_map(|action| {
        let is_touched =
            |r: &&Record| r.file == action.file && r.line == action.line && r.index == action.index;
        let mut records = finding.records.iter().filter(is_touched);
        let first = records.next()?;
        let not_call = std::iter::once(first)
            .chain(records)
            .find(|r| r.role != "call");
        not_call.or(Some(first))
    });
    touched
        .or_else(|| finding.records.iter().find(|r| r.role != "call"))
        .or(finding.records.first())
}

/// `PATH:LINE`, or the file in the folder, or the position in the document.
pub(crate) fn position(path: &Shown, record: &Record) -> String {
    let mut out = path.whole();
    if let Some(file) = &record.file {
        let file = file.whole();
        let mut below = file.as_str();
        while let Some(rest) = below.strip_prefix("../")
            && let Some((around, _)) = out.rsplit_once('/')
        {
            (out, below) = (around.to_owned(), rest);
        }
        out.push('/');
        out.push_str(below);
    }
    match (record.line, &record.pointer) {
        (Some(line), _) => out.push_str(&format!(":{line}")),
        (None, Some(pointer)) => out.push_str(&format!("#{}", pointer.whole())),
        (None, None) => {}
    }
    out
}
