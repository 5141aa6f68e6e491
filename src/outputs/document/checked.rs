//! What a run found, for a terminal: conversation by conversation or the table of many, the totals, the next command.

use super::finding::{self, Depth, Says};
use super::many::{rules, verdicts};
use super::{
    IndexLine, LineMark, Look, PageBlock, PagePartKind, StyledSpan, StyledText, apart_from_above,
    command, conversation, coverage, prose, says,
};
use crate::outputs::human::{self};
use crate::outputs::layout::{Medium, TextLayout, list};
use crate::outputs::table::{self, BULK};
use crate::outputs::{self, Detail, OutputStyle};
use crate::report::model::{Conversation, Report, ReportedFinding, Verdict};
use crate::transcript::Severity;

/// Damaged conversations that are named.
const NAMED: usize = 20;
/// Codes of a damaged conversation that are named.
const CODES: usize = 3;

/// All of it.
pub(crate) fn blocks(report: &Report, style: &OutputStyle) -> Vec<PageBlock> {
    if style.detail == Detail::Normal && report.conversations.len() > BULK {
        return bulk(report, style);
    }
    let layout = layout(&report.conversations, style);
    let mut out: Vec<PageBlock> =
        told(report, style).into_iter().map(|c| self::conversation(c, &layout)).collect();
    let mut below = end(report, style);
    below.extend(next(report, style));
    out.push(apart_from_above(below));
    out
}

/// The conversations that are shown, the worst last, so that it is the one on the screen: of several not those that are healthy,
/// unless everything is asked for.
fn told<'r>(report: &'r Report, style: &OutputStyle) -> Vec<&'r Conversation> {
    // What is in a file stays together.
    let files = report.conversations.chunk_by(|a, b| a.path == b.path);
    let mut files: Vec<&[Conversation]> = files.collect();
    files.sort_by_key(|file| file.iter().map(|c| c.verdict).max());
    if style.detail != Detail::All && files.len() > 1 {
        files.retain(|file| !file.iter().all(is_healthy));
    }
    files.into_iter().flatten().collect()
}

/// Whether there is nothing to say of it.
fn is_healthy(c: &Conversation) -> bool {
    c.verdict <= Verdict::Healthy
        && !c.live
        && c.caveats.is_empty()
        && c.remarks.is_empty()
        && c.unknown_side_effects.is_empty()
        && c.findings.iter().all(|f| f.severity <= Severity::Note)
}

/// How findings of these conversations are shown.
pub(crate) fn layout<'a>(conversations: &[Conversation], style: &'a OutputStyle) -> TextLayout<'a> {
    let findings = conversations.iter().flat_map(|c| &c.findings);
    let calls = findings.flat_map(ReportedFinding::calls);
    TextLayout::new(style, Medium::Terminal, calls)
}

/// The verdicts only.
pub(crate) fn verdict_lines(report: &Report) -> Vec<PageBlock> {
    let lines = human::lines(report)
        .map(|line| IndexLine {
            mark: LineMark::Verdict(line.verdict),
            name: StyledSpan::new(Look::Name, line.place),
            says: human::in_brackets(&line.aside),
        })
        .collect();
    vec![PageBlock::Index(lines), not_checked(report)]
}

/// One conversation: its verdict, findings, remarks.
fn conversation(c: &Conversation, layout: &TextLayout<'_>) -> PageBlock {
    let has_findings = c.findings.iter().any(|f| f.severity > Severity::Note);
    // The verdicts are those of its rows, which follow.
    let rows_only = c.listed_rows().is_some_and(|rows| rows.are_listed() && !has_findings);
    let verdict = if rows_only { Vec::new() } else { vec![conversation::verdict(c)] };
    let mut blocks = vec![conversation::lead(c, Medium::Terminal, layout.style)];
    let notes = layout.style.detail == Detail::All || c.verdict == Verdict::Pending;
    let findings = c.findings.iter();
    let findings = findings.filter(|f| notes || f.is_told());
    let (drawn, more) = finding::first_of_each(findings, layout);
    blocks.extend(drawn.into_iter().map(|own| {
        let choices = finding::choices(own, &c.path, layout, Says::Remark);
        let block = finding::block(own, Depth::Evidence, &c.path, layout, choices);
        apart_from_above(vec![block])
    }));
    blocks.extend(more.into_iter().map(|(code, more)| {
        let more = format!("{more} more {code}; -v shows them");
        apart_from_above(vec![says(&more)])
    }));
    blocks
        .extend(side_effects(c, layout).map(|text| apart_from_above(vec![PageBlock::Text(text)])));
    blocks.extend(c.remarks.iter().map(|remark| says(remark)));
    let links = layout.style.links.as_ref();
    conversation::part_of(conversation::named(verdict, c, links), blocks)
}

fn side_effects(c: &Conversation, layout: &TextLayout<'_>) -> Option<StyledText> {
    let ids = &c.unknown_side_effects;
    let names: Vec<String> = ids.iter().map(|id| layout.ids.text(id)).collect();
    let (calls, them) = match names.len() {
        0 => return None,
        1 => ("call", "it"),
        _ => ("calls", "them"),
    };
    let text = format!(
        "Side effects unknown: the {calls} {} may or may not have run, and the next request has no \
         result for {them}.",
        names.join(", ")
    );
    Some(vec![StyledSpan::new(Look::Plain, text)])
}

/// What is below the conversations of a run.
pub(crate) fn end(report: &Report, style: &OutputStyle) -> Vec<PageBlock> {
    let mut out = vec![not_checked(report), says(&human::totals(report))];
    out.extend(hidden(report));
    out.extend(skipped(report, style));
    if style.detail == Detail::All {
        out.extend(coverage::asked(report));
    }
    out
}

fn next(report: &Report, style: &OutputStyle) -> Option<PageBlock> {
    let (word, line) = human::next_command(report, style)?;
    Some(command(word, line))
}

/// Many conversations: how many ended how, which rules found what, the worst ones, and the one command that repairs everything
/// that is safe.
fn bulk(report: &Report, style: &OutputStyle) -> Vec<PageBlock> {
    let mut counts = vec![verdicts(report)];
    let by_rule = table::by_rule(report);
    if !by_rule.is_empty() {
        counts.push(rules(by_rule));
    }
    counts.extend(worst(report, style));
    let all = outputs::many(report.summary.conversations, "conversation");
    let mut out = vec![super::part(PagePartKind::Section, prose(&all), counts)];
    let mut missing = vec![not_checked(report)];
    missing.extend(hidden(report));
    missing.extend(skipped(report, style));
    if report.not_checked.is_empty() && report.skipped.is_empty() {
        out.extend(missing)
    } else {
        out.push(apart_from_above(missing))
    }
    let levels = human::levels(report);
    if !levels.is_empty() {
        out.push(apart_from_above(vec![says(&format!("{levels}."))]));
    }
    out.extend(next(report, style));
    out
}

/// The damaged conversations, worst first, each with its codes.
fn worst(report: &Report, style: &OutputStyle) -> Vec<PageBlock> {
    let mut all: Vec<&Conversation> = report
        .conversations
        .iter()
        .filter(|c| (c.rows.is_none() || !c.findings.is_empty()) && c.verdict > Verdict::Pending)
        .collect();
    all.sort_by_key(|c| std::cmp::Reverse((c.verdict, c.findings.len())));
    let most = if style.is_narrow() { CODES - 1 } else { CODES };
    let lines = all.iter().take(NAMED).map(|c| worst_line(c, most, style));
    let mut out = vec![PageBlock::Index(lines.collect())];
    let more = all.len().checked_sub(NAMED).filter(|more| *more > 0);
    out.extend(more.map(|more| says(&format!("and {more} more; -v shows all of them"))));
    out
}

/// A damaged conversation with so many of its codes.
fn worst_line(c: &Conversation, most: usize, style: &OutputStyle) -> IndexLine {
    let codes = list(table::codes(c).iter(), most);
    IndexLine {
        mark: LineMark::Verdict(c.verdict),
        name: match human::by_id(c, &style.next) {
            Some(known) => StyledSpan::new(Look::Plain, known),
            None => StyledSpan::new(Look::Name, c.place()),
        },
        says: format!("  {codes}{}", human::in_brackets(&human::aside(c))),
    }
}

/// What could not be checked, a line each.
fn not_checked(report: &Report) -> PageBlock {
    PageBlock::Index(
        report
            .not_checked
            .iter()
            .map(|gone| IndexLine {
                mark: LineMark::NotChecked,
                name: StyledSpan::new(Look::Name, gone.path.whole()),
                says: gone.why.clone(),
            })
            .collect(),
    )
}

/// What was met on a walk and not checked: a sentence, and with `-v` a line each.
fn skipped(report: &Report, style: &OutputStyle) -> Vec<PageBlock> {
    let (entries, hint) = match style.detail {
        Detail::All => (
            report
                .skipped
                .iter()
                .map(|skipped| IndexLine {
                    mark: LineMark::Skipped,
                    name: StyledSpan::new(Look::Name, skipped.path.whole()),
                    says: skipped.why.to_string(),
                })
                .collect(),
            "",
        ),
        _ => (Vec::new(), " (list: -v)"),
    };
    let skipped = human::skipped(report).map(|skipped| says(&format!("{skipped}{hint}.")));
    [PageBlock::Index(entries)].into_iter().chain(skipped).collect()
}

/// What the baseline hides, and the selection of rules in all conversations together, where there are several.
fn hidden(report: &Report) -> Vec<PageBlock> {
    let known = human::known(report).map(|known| format!("{known}."));
    let hidden = human::not_selected(&report.conversations)
        .filter(|_| report.summary.conversations > 1)
        .map(|hidden| format!("Not shown: {hidden}."));
    known.iter().chain(&hidden).map(|text| says(text)).collect()
}
