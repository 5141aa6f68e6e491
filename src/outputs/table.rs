//! Many conversations: how many ended how, which rules found what, the worst ones, and the one command that repairs
//! everything that is safe.

use crate::transcript::Code;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::{self, Write};

use super::human::{self, class_word, verdict_word};
use super::layout::list;
use super::paint::{of_class, of_verdict, paint};
use super::{Detail, OutputStyle, grouped, many};
use crate::report::model::{Conversation, Level, Report, Verdict};
use crate::report::text::{fit, pad, width};

/// More conversations than this are told as a table.
pub(crate) const BULK: usize = 20;
/// Damaged conversations that are named.
const NAMED: usize = 20;

/// Codes of a damaged conversation that are named.
const CODES: usize = 3;

/// Columns from which on findings are counted beside conversations.
const ROOMY: usize = 80;

/// Codes that the proposed command names.
const NAMED_CODES: usize = 6;

/// What one rule found.
pub(super) struct RuleRow {
    /// Its name.
    pub name: &'static str,
    /// The worst of its findings.
    pub severity: Level,
    /// Conversations with findings of it.
    pub conversations: u64,
    /// All of them.
    pub findings: u64,
    /// What may be done about them.
    pub classes: Vec<&'static str>,
}

/// Prints the table.
pub(super) fn write(report: &Report, out: &mut dyn Write, style: &OutputStyle) -> io::Result<()> {
    writeln!(
        out,
        "{}",
        many(report.summary.conversations, "conversation")
    )?;
    verdicts(report, out, style)?;
    rules(report, out, style)?;
    worst(report, out, style)?;
    if !report.not_examined.is_empty() || !report.skipped.is_empty() {
        writeln!(out)?;
    }
    human::not_examined(report, out, style)?;
    human::hidden(report, out, style)?;
    human::not_checked(report, out, style)?;
    let levels = human::levels(report);
    if !levels.is_empty() {
        writeln!(out)?;
        human::write_wrapped(&format!("{levels}."), "", out, style)?;
    }
    match repair_all(report, style) {
        Some(line) => human::write_command("Repair all that is safe:  ", &line, out, style),
        None => Ok(()),
    }
}

/// The one command that repairs everything that is safe, where there is something.
pub(super) fn repair_all(report: &Report, style: &OutputStyle) -> Option<String> {
    let safe = safe_codes(report);
    if safe.is_empty() {
        return None;
    }
    // A short list says what will happen; without one everything that is safe is taken, which is the same.
    let only = safe.join(",");
    let only: &[&str] = if safe.len() <= NAMED_CODES {
        &["--only", &only]
    } else {
        &[]
    };
    style
        .next
        .for_all("repair", &[only, &["--yes", "--keep-mtime"]].concat())
}

/// How many conversations ended how, the worst first; none that did not occur.
pub(super) fn by_verdict(report: &Report) -> Vec<(Verdict, u64)> {
    let sum = &report.summary;
    let counts = [
        (Verdict::Unreadable, sum.unreadable),
        (Verdict::Stuck, sum.stuck),
        (Verdict::Lossy, sum.lossy),
        (Verdict::Unknown, sum.unknown),
        (Verdict::Pending, sum.pending),
        (Verdict::Healthy, sum.healthy),
        (Verdict::Empty, sum.empty),
    ];
    counts.into_iter().filter(|(_, count)| *count > 0).collect()
}

fn verdicts(report: &Report, out: &mut dyn Write, style: &OutputStyle) -> io::Result<()> {
    let mut used = 0;
    for (verdict, count) in by_verdict(report) {
        let (word, count) = (verdict_word(verdict), grouped(count));
        let wide = width(word) + width(&count) + 3;
        if used > 0 && used + wide > style.width {
            writeln!(out)?;
            used = 0;
        }
        used += wide;
        write!(out, "  {} {count}", paint(of_verdict(verdict), word))?;
    }
    writeln!(out)
}

/// By rule, worst first: severity, then conversations.
pub(super) fn by_rule(report: &Report) -> Vec<(Code, RuleRow)> {
    let mut rows: BTreeMap<Code, RuleRow> = BTreeMap::new();
    for conversation in &report.conversations {
        let mut here: Vec<Code> = Vec::new();
        for finding in &conversation.findings {
            let row = rows.entry(finding.code).or_insert(RuleRow {
                name: finding.name,
                severity: finding.severity,
                conversations: 0,
                findings: 0,
                classes: Vec::new(),
            });
            row.severity = row.severity.max(finding.severity);
            row.findings += finding.count;
            // A finding of a recording with many conversations stands for as many of its rows.
            if conversation.rows.is_some() {
                row.conversations += finding.count;
            } else if !here.contains(&finding.code) {
                here.push(finding.code);
                row.conversations += 1;
            }
            if finding.severity > Level::Note && !row.classes.contains(&finding.fix.class) {
                row.classes.push(finding.fix.class);
            }
        }
    }
    let mut rows: Vec<(Code, RuleRow)> = rows.into_iter().collect();
    rows.sort_by_key(|(code, row)| (std::cmp::Reverse((row.severity, row.conversations)), *code));
    rows.iter_mut()
        .for_each(|(_, row)| row.classes.sort_unstable());
    rows
}

fn rules(report: &Report, out: &mut dyn Write, style: &OutputStyle) -> io::Result<()> {
    let rows = by_rule(report);
    let name = |(code, row): &(Code, RuleRow)| format!("{code} {}", row.name);
    let Some(names) = rows.iter().map(|row| width(&name(row))).max() else {
        return Ok(());
    };
    let findings = |count: &dyn Display| match style.width < ROOMY {
        true => String::new(),
        false => format!("  {count:>8}"),
    };
    writeln!(
        out,
        "  {:<names$}  {:>13}{}  fix",
        "rule",
        "conversations",
        findings(&"findings")
    )?;
    for row in rows {
        let (name, row) = (pad(&name(&row), names), row.1);
        let fixes: Vec<String> = row
            .classes
            .iter()
            .map(|class| paint(of_class(class), class_word(class)).to_string())
            .collect();
        let counts = format!(
            "  {name}  {:>13}{}",
            grouped(row.conversations),
            findings(&grouped(row.findings))
        );
        let decisions: Vec<&str> = row.classes.iter().map(|class| class_word(class)).collect();
        let gap = match width(&counts) + 2 + width(&decisions.join(", ")) > style.width {
            _ if fixes.is_empty() => "",
            true => "\n      fix: ",
            false => "  ",
        };
        writeln!(out, "{}{gap}{}", counts.trim_end(), fixes.join(", "))?;
    }
    Ok(())
}

/// The damaged conversations, worst first, each with its codes.
fn worst(report: &Report, out: &mut dyn Write, style: &OutputStyle) -> io::Result<()> {
    let tells = |c: &Conversation| c.rows.is_none() || !c.findings.is_empty();
    let damaged = |c: &&Conversation| tells(c) && c.verdict > Verdict::Pending;
    let mut all: Vec<&Conversation> = report.conversations.iter().filter(damaged).collect();
    all.sort_by_key(|c| std::cmp::Reverse((c.verdict, c.findings.len())));
    let most = match style.detail {
        Detail::All => usize::MAX,
        _ if style.width < ROOMY => CODES - 1,
        _ => CODES,
    };
    for c in all.iter().take(NAMED) {
        let word = format!("{:<10}", verdict_word(c.verdict));
        let rest = format!(
            "  {}{}",
            list(codes(c).iter(), most),
            human::in_brackets(&human::aside(c))
        );
        let used = width(&word) + 4 + width(&rest);
        let word = paint(of_verdict(c.verdict), &word);
        // A session that a command can name by its id is listed as people know it.
        let known = style.next.name_of(&c.path).and(human::introduction(c));
        let place = match known.filter(|_| style.detail < Detail::All) {
            Some(known) => style.draw(&fit(&known, style.width.saturating_sub(used))),
            None => style.path(&c.place(), used),
        };
        writeln!(out, "  {word}  {place}{rest}")?;
    }
    match all.len().checked_sub(NAMED) {
        None | Some(0) => Ok(()),
        Some(more) => writeln!(out, "  and {more} more; -v shows all of them"),
    }
}

/// The codes of what is wrong with a conversation, with their counts: `2 TD104`.
pub(super) fn codes(c: &Conversation) -> Vec<String> {
    let mut codes: BTreeMap<Code, u64> = BTreeMap::new();
    for finding in c.findings.iter().filter(|f| f.severity > Level::Note) {
        *codes.entry(finding.code).or_default() += finding.count;
    }
    codes
        .into_iter()
        .map(|(code, n)| {
            if n == 1 {
                code.to_string()
            } else {
                format!("{n} {code}")
            }
        })
        .collect()
}

/// Codes that have a safe fix somewhere, in their order.
fn safe_codes(report: &Report) -> Vec<&'static str> {
    let findings = report.conversations.iter().flat_map(|c| &c.findings);
    let mut codes: Vec<&str> = findings
        .filter(|f| f.is_safe() && f.severity > Level::Note)
        .map(|f| f.code.as_str())
        .collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}
