//! What a run found on a page: how many ended how, which rules found what, then the damaged ones.

use super::finding::{self, Rules};
use super::{
    CountTable, Look, Page, PageBlock, PagePart, PagePartKind, StyledSpan, StyledText, TableCell,
    applied, chapter, conversation, prose, says, tail,
};
use crate::outputs::layout::{Medium, TextLayout};
use crate::outputs::table;
use crate::outputs::{self, Detail, OutputStyle, human};
use crate::report::model::{Conversation, Report, ReportedFinding, Verdict};
use crate::transcript::{Code, Severity};

/// Damaged conversations that are shown in full, at most, unless everything is asked for.
const SHOWN: usize = 100;
/// Others that are named, at most, unless everything is asked for.
const NAMED: usize = 1000;

/// Of a single conversation.
pub(super) fn alone(only: &Conversation, report: &Report, style: &OutputStyle) -> Page {
    let layout = ids(report, style);
    let mut rules = Rules::default();
    let mut blocks = vec![conversation::for_outsiders(only)];
    blocks.extend(body(only, &layout, &mut rules));
    blocks.extend(not_checked(report, &layout));
    blocks.extend(commands(report, style));
    blocks.push(tail::environment(only, &report.tool));
    let part = conversation::part(only, blocks);
    Page { title: conversation::title(only), blocks: vec![part, tail::made_by()] }
}

/// Of many.
pub(super) fn page(report: &Report, style: &OutputStyle) -> Page {
    let layout = ids(report, style);
    let mut rules = Rules::default();
    let title = outputs::many(report.summary.conversations, "conversation");
    let mut blocks = conversation::for_outsiders_of(report);
    blocks.extend([says(&human::totals(report)), verdicts(report)]);
    let hidden = human::not_selected(&report.conversations);
    blocks.extend(hidden.map(|hidden| says(&format!("Not shown: {hidden}."))));
    let by_rule = table::by_rule(report);
    let codes: Vec<(Code, &'static str)> =
        by_rule.iter().map(|(code, row)| (*code, row.name)).collect();
    if !by_rule.is_empty() {
        blocks.push(self::rules(by_rule));
    }
    blocks.extend(not_checked(report, &layout));
    blocks.extend(commands(report, style));
    let (mut damaged, mut others): (Vec<&Conversation>, Vec<&Conversation>) =
        report.conversations.iter().partition(|c| tells(c));
    // Of a file of rows those that have no entry of their own.
    others.retain(|c| c.listed_rows().is_none_or(|rows| rows.unlisted > 0));
    damaged.sort_by_key(|c| std::cmp::Reverse((c.verdict, c.findings.len())));
    let shown = damaged.len().min(layout.most(SHOWN));
    let name = |at: usize| format!("c{}", at + 1);
    if damaged.len() > 1 {
        let listed = || damaged.iter().enumerate().take(layout.most(NAMED));
        let mut hosts: Vec<&'static str> = Vec::new();
        for (_, c) in listed() {
            if !hosts.contains(&c.host_title) {
                hosts.push(c.host_title);
            }
        }
        let mut lists = Vec::new();
        for host in &hosts {
            if hosts.len() > 1 {
                lists.push(PageBlock::Text(vec![StyledSpan::new(Look::Strong, *host)]));
            }
            let own = listed().filter(|(_, c)| c.host_title == *host);
            lists.push(PageBlock::List(
                own.map(|(at, c)| index_line(c, (at < shown).then(|| name(at)))).collect(),
            ));
        }
        blocks.push(chapter("Worst first", lists));
    }
    for (at, c) in damaged.iter().enumerate().take(shown) {
        let mut inside = body(c, &layout, &mut rules);
        inside.extend(repair(c, style));
        blocks.push(PageBlock::Part(PagePart {
            kind: PagePartKind::Conversation,
            name: name(at),
            heading: conversation::heading(c),
            blocks: inside,
        }));
    }
    if damaged.len() > shown {
        blocks.push(says(&format!("{} more; -v shows them, too.", damaged.len() - shown)));
    }
    let more: Vec<PageBlock> =
        codes.into_iter().filter_map(|(code, name)| rules.rest(code, name)).collect();
    if !more.is_empty() {
        blocks.push(chapter("The other rules", more));
    }
    if !others.is_empty() {
        let mut list: Vec<StyledText> =
            others.iter().take(layout.most(NAMED)).map(|c| index_line(c, None)).collect();
        list.extend(
            layout.left_out(others.len(), NAMED).map(|more| prose(&format!("and {more} more"))),
        );
        let count: u64 =
            others.iter().map(|c| c.listed_rows().map_or(1, |rows| rows.unlisted)).sum();
        blocks.push(PageBlock::Details(
            format!("{count} without problems"),
            vec![PageBlock::List(list)],
        ));
    }
    let heading = prose(&title);
    let part = PagePart { kind: PagePartKind::Conversation, name: String::new(), heading, blocks };
    Page { title: title.clone(), blocks: vec![PageBlock::Part(part), tail::made_by()] }
}

/// Whether there is something to tell of it.
fn tells(c: &Conversation) -> bool {
    let damaged = c.rows.is_none() && c.verdict > Verdict::Pending;
    damaged || c.applied.is_some() || c.findings.iter().any(|f| f.severity > Severity::Note)
}

fn ids<'a>(report: &Report, style: &'a OutputStyle) -> TextLayout<'a> {
    let findings = report.conversations.iter().flat_map(|c| &c.findings);
    TextLayout::new(style, Medium::Page, findings.flat_map(ReportedFinding::calls))
}

fn body(c: &Conversation, layout: &TextLayout<'_>, rules: &mut Rules) -> Vec<PageBlock> {
    let mut out = vec![conversation::lead(c, Medium::Page, layout.style)];
    if let Some(applied) = &c.applied {
        out.extend(applied::page(c, applied, layout));
    } else {
        out.extend(c.remarks.iter().map(|remark| says(remark)));
    }
    out.extend(finding::list(c, |_, finding| finding.severity > Severity::Note, layout, rules));
    if !c.unknown_side_effects.is_empty() {
        let ids: Vec<String> =
            c.unknown_side_effects.iter().map(|id| layout.ids.text(id)).collect();
        let mut text =
            prose("Side effects unknown, may have run and the next request has no result: ");
        text.push(StyledSpan::new(Look::Name, ids.join(", ")));
        out.push(PageBlock::Text(text));
    }
    let notes = finding::list(c, |_, finding| finding.severity == Severity::Note, layout, rules);
    if !notes.is_empty() {
        out.push(PageBlock::Details("Worth knowing".to_owned(), notes));
    }
    out
}

fn index_line(c: &Conversation, link: Option<String>) -> StyledText {
    let place = c.place();
    let look = link.map_or(Look::Name, Look::To);
    let codes = table::codes(c);
    let unlisted = c.rows.as_ref().map_or(0, |rows| rows.unlisted);
    let verdict = if unlisted > 0 && !tells(c) { Verdict::Healthy } else { c.verdict };
    let mut out = vec![conversation::label(verdict), StyledSpan::new(look, place)];
    if unlisted > 0 {
        out.push(StyledSpan::new(Look::Quiet, outputs::many(unlisted, "row")));
    }
    if !codes.is_empty() {
        out.push(StyledSpan::new(Look::Quiet, codes.join(", ")));
    }
    out.extend(
        Some(human::aside(c))
            .filter(|aside| !aside.is_empty())
            .map(|aside| StyledSpan::new(Look::Quiet, aside)),
    );
    out
}

/// How many ended how.
pub(super) fn verdicts(report: &Report) -> PageBlock {
    let counts = table::by_verdict(report);
    let rows = counts
        .into_iter()
        .map(|(verdict, count)| vec![TableCell::Verdict(verdict), TableCell::Count(count)]);
    PageBlock::Table(CountTable { head: vec!["verdict", "conversations"], rows: rows.collect() })
}

/// Which rules found what.
pub(super) fn rules(by_rule: Vec<(Code, table::RuleRow)>) -> PageBlock {
    let head = vec!["rule", "conversations", "findings", "fix"];
    PageBlock::Table(CountTable {
        head,
        rows: by_rule
            .into_iter()
            .map(|(code, row)| {
                vec![
                    TableCell::Rule(code, row.name),
                    TableCell::Count(row.conversations),
                    TableCell::Count(row.findings),
                    TableCell::Fixes(row.fixes),
                ]
            })
            .collect(),
    })
}

fn not_checked(report: &Report, layout: &TextLayout<'_>) -> Option<PageBlock> {
    let mut blocks = Vec::new();
    if !report.not_checked.is_empty() {
        blocks.push(PageBlock::List(
            report
                .not_checked
                .iter()
                .map(|gone| -> StyledText {
                    vec![
                        StyledSpan::new(Look::Name, gone.path.whole()),
                        StyledSpan::new(Look::Plain, format!(": {}", gone.why)),
                    ]
                })
                .collect(),
        ));
    }
    if let Some(skipped) = human::skipped(report) {
        blocks.push(says(&format!("{skipped}.")));
        // The name of each of them is shown only if everything is asked for.
        if layout.style.detail == Detail::All {
            blocks.push(PageBlock::List(
                report
                    .skipped
                    .iter()
                    .map(|skipped| -> StyledText {
                        let path = StyledSpan::new(Look::Name, skipped.path.whole());
                        vec![path, StyledSpan::new(Look::Plain, format!(": {}", skipped.why))]
                    })
                    .collect(),
            ));
        }
    }
    (!blocks.is_empty()).then(|| chapter("Not checked", blocks))
}

/// The command that repairs all that can be repaired.
fn commands(report: &Report, style: &OutputStyle) -> Option<PageBlock> {
    if report
        .conversations
        .iter()
        .any(|c| c.applied.as_ref().is_some_and(|applied| !applied.planned_only))
    {
        return None;
    }
    let (word, line) = human::next_command(report, style)?;
    Some(super::command(word, line))
}

/// The same for one of many.
fn repair(c: &Conversation, style: &OutputStyle) -> Option<PageBlock> {
    let safe = c.findings.iter().any(|f| f.severity > Severity::Note && f.is_safe());
    let planned = c.applied.as_ref().is_none_or(|applied| applied.planned_only);
    (safe && planned).then(|| conversation::command(c, "Repair", "repair", &[], style)).flatten()
}
