//! Findings, with the manual pages of their rules.

use super::words;
use super::{
    Look, PageBlock, PagePart, PagePartKind, StyledSpan, StyledText, more, part, prose, rule, says,
};
use crate::explain::rule::Manual;
use crate::outputs::human::{self, level_word};
use crate::outputs::layout::TextLayout;
use crate::outputs::paint::{of_fix, of_level};
use crate::report::ladder::rows;
use crate::report::model::{Choice, Conversation, ReportedFinding};
use crate::report::text::{Shown, fit};
use crate::rules;
use crate::transcript::{Code, Severity};

/// Findings of one code that are drawn in full for one conversation, unless everything is asked for.
pub(crate) const DRAWN: usize = 10;
/// Rows of a ladder, at most, unless everything is asked for: in a terminal, on a page.
const ROWS: [usize; 2] = [16, 40];
/// Choices, at most, unless everything is asked for.
const CHOICES: usize = 16;
/// Lines of a plan, at most, unless everything is asked for.
const PLAN: usize = 3;

/// How much of a finding is shown.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Depth {
    /// Its title.
    Title,
    /// What its fix does, and what may be chosen, too.
    Fix,
    /// Its place, and what may be chosen: what a repair left.
    Left,
    /// Its place, and what its fix does.
    Place,
    /// Its records, too.
    Evidence,
}

/// How something is said of a finding.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Says {
    /// As a remark below its title.
    Remark,
    /// As a sentence of its own.
    Sentence,
}

impl Says {
    fn block(self, text: &str) -> PageBlock {
        match self {
            Says::Remark => says(text),
            Says::Sentence => says(&words::sentence(text)),
        }
    }
}

/// The rules whose manual page is on the page already.
#[derive(Default)]
pub(crate) struct Rules {
    explained: Vec<Code>,
}

impl Rules {
    /// The manual page, where it was not told yet; else a link to it.
    pub(super) fn page(&mut self, code: Code, name: &str) -> PageBlock {
        let about = format!("About {code} {name}");
        if self.explained.contains(&code) {
            return PageBlock::Link(code.to_string(), about);
        }
        self.explained.push(code);
        let manual = rules::ALL.iter().find(|rule| rule.code == code).map(|rule| Manual::of(rule));
        let page = manual.as_ref().map(rule::page).unwrap_or_default();
        let part = PagePart {
            kind: PagePartKind::Chapter,
            name: code.to_string(),
            heading: Vec::new(),
            blocks: page,
        };
        PageBlock::Details(about, vec![PageBlock::Part(part)])
    }

    /// The manual page, where it was not told yet.
    pub(super) fn rest(&mut self, code: Code, name: &str) -> Option<PageBlock> {
        (!self.explained.contains(&code)).then(|| self.page(code, name))
    }
}

/// The findings of a conversation that `take` lets through.
pub(super) fn list(
    conversation: &Conversation,
    take: impl Fn(usize, &ReportedFinding) -> bool,
    layout: &TextLayout<'_>,
    rules: &mut Rules,
) -> Vec<PageBlock> {
    let findings = conversation.findings.iter().enumerate();
    let taken = findings.filter(|(at, finding)| take(*at, finding));
    let (drawn, more) = first_of_each(taken.map(|(_, finding)| finding), layout);
    let mut out = Vec::new();
    for finding in drawn {
        let path = &conversation.path;
        let mut more = choices(finding, path, layout, Says::Sentence);
        more.push(rules.page(finding.code, finding.name));
        out.push(block(finding, Depth::Evidence, path, layout, more));
    }
    let more: Vec<StyledText> =
        more.into_iter().map(|(code, more)| prose(&format!("{more} more {code}"))).collect();
    if !more.is_empty() {
        out.push(PageBlock::List(more));
    }
    out
}

/// The first findings of each rule, and how many more there are of those that have more.
pub(super) fn first_of_each<'f>(
    findings: impl Iterator<Item = &'f ReportedFinding>,
    layout: &TextLayout<'_>,
) -> (Vec<&'f ReportedFinding>, Vec<(Code, usize)>) {
    let mut counts: Vec<(Code, usize)> = Vec::new();
    let mut count = |code: Code| {
        if let Some((_, count)) = counts.iter_mut().find(|(own, _)| *own == code) {
            *count += 1;
            return *count;
        }
        counts.push((code, 1));
        1
    };
    let drawn = findings.filter(|finding| count(finding.code) <= layout.most(DRAWN));
    let drawn = drawn.collect();
    (
        drawn,
        counts
            .into_iter()
            .filter_map(|(code, count)| Some((code, layout.left_out(count, DRAWN)?)))
            .collect(),
    )
}

/// Some findings for a terminal, at most `few`, unless everything is asked for.
pub(super) fn brief<'a>(
    findings: impl Iterator<Item = &'a ReportedFinding> + Clone,
    depth: Depth,
    few: usize,
    conversation: &Conversation,
    layout: &TextLayout<'_>,
) -> Vec<PageBlock> {
    let path = &conversation.path;
    let shown = findings.clone().take(layout.most(few));
    let mut out: Vec<PageBlock> =
        shown.map(|finding| block(finding, depth, path, layout, Vec::new())).collect();
    out.extend(more(layout.left_out(findings.count(), few)).map(PageBlock::Text));
    out
}

/// A finding with as much of it as `depth` says, and more below that.
pub(crate) fn block(
    finding: &ReportedFinding,
    depth: Depth,
    path: &Shown,
    layout: &TextLayout<'_>,
    more: Vec<PageBlock>,
) -> PageBlock {
    let mut blocks = told(finding, depth, path, layout);
    blocks.extend(more);
    let kind = PagePartKind::Finding(of_level(finding.severity));
    part(kind, heading(finding, layout), blocks)
}

/// `fatal TD104  two results answer one call  fix: safe`
pub(super) fn heading(finding: &ReportedFinding, layout: &TextLayout<'_>) -> StyledText {
    let mut out = vec![label(finding.severity, finding.code)];
    out.extend(prose(&format!(
        "{}{}",
        human::message_with(finding, |id| layout.ids.text(id)),
        words::mark(finding.confidence)
    )));
    if finding.severity > Severity::Note || !finding.resolution.fix.actions.is_empty() {
        let fix = format!("fix: {}", human::decision(finding));
        out.push(StyledSpan::new(Look::Label(of_fix(finding.resolution.fix.applicability)), fix));
    }
    out
}

/// `fatal TD104`
pub(super) fn label(severity: Severity, code: Code) -> StyledSpan {
    let text = format!("{} {code}", level_word(severity));
    StyledSpan::new(Look::Finding(severity, code), text)
}

fn told(
    finding: &ReportedFinding,
    depth: Depth,
    path: &Shown,
    layout: &TextLayout<'_>,
) -> Vec<PageBlock> {
    let mut out = Vec::new();
    if depth == Depth::Evidence {
        out.extend(evidence(finding, layout));
    }
    // The deeper the reader wants to look, the more of these there are.
    let mut facts: Vec<(&'static str, StyledText)> = Vec::new();
    if depth >= Depth::Left {
        facts.extend(place(finding, path, layout).map(|place| ("at", place)));
    }
    if depth >= Depth::Place {
        for effect in &finding.consequences {
            let effect = format!("{}: {}", effect.code, effect.message);
            facts.push(("explains", prose(&effect)));
        }
    }
    if !matches!(depth, Depth::Title | Depth::Left) && !finding.resolution.fix.actions.is_empty() {
        let steps = human::steps(finding).join("; ");
        let room = layout.most(layout.columns.saturating_mul(PLAN));
        facts.push(("fix:", prose(&fit(&steps, room))));
        if layout.shows_all() {
            let reasons = human::reasons(finding);
            facts.extend(reasons.iter().map(|reason| ("why:", prose(reason))));
        }
    }
    if !facts.is_empty() {
        out.push(PageBlock::Facts(facts));
    }
    if matches!(depth, Depth::Fix | Depth::Left) {
        out.extend(choices(finding, path, layout, Says::Remark));
    }
    out
}

/// The records of a finding, and who is affected.
fn evidence(finding: &ReportedFinding, layout: &TextLayout<'_>) -> Vec<PageBlock> {
    let mut out = Vec::new();
    let few = ROWS[usize::from(layout.is_page())];
    let records = &finding.records;
    let shown = records.get(..records.len().min(layout.most(few)));
    let shown = shown.unwrap_or_default();
    if !shown.is_empty() {
        let main = human::main_record(finding);
        let main = main.and_then(|main| shown.iter().position(|own| std::ptr::eq(own, main)));
        out.push(PageBlock::Ladder(super::Ladder {
            rows: rows(shown, &layout.ids, human::alone(finding)),
            about: "the records of this finding",
            main: main.map(|main| (main, of_level(finding.severity))),
        }));
    }
    let all = finding.identity.count.max(records.len() as u64);
    let left_out = all.saturating_sub(shown.len() as u64);
    if left_out > 0 {
        let hint = if records.len() > shown.len() { "; -v shows them" } else { "" };
        out.push(says(&format!("and {left_out} more{hint}")));
    }
    if !finding.affected.says.is_empty() {
        out.push(if layout.is_page() {
            Says::Sentence.block(&finding.affected.says)
        } else {
            Says::Remark.block(&finding.affected.says)
        });
    }
    out
}

/// `run.jsonl:63`
fn place(finding: &ReportedFinding, path: &Shown, layout: &TextLayout<'_>) -> Option<StyledText> {
    let record = human::main_record(finding)?;
    let place = layout.path(&human::position(path, record), "  at ".len());
    let links = layout.style.links.as_ref().filter(|_| !layout.is_page());
    let link = links.and_then(|links| links.target(path, Some(record)));
    Some(vec![StyledSpan::new(Look::Place(link), place)])
}

/// What a person may choose, with the command for each, or what they can do where no fix is known.
pub(crate) fn choices(
    finding: &ReportedFinding,
    path: &Shown,
    layout: &TextLayout<'_>,
    says: Says,
) -> Vec<PageBlock> {
    let style = layout.style;
    if !finding.resolution.advice.is_empty() {
        let look = human::look(finding, path, style);
        let mut out = vec![says.block(&human::advice(finding))];
        out.extend(look.map(|line| super::command("", line)));
        return out;
    }
    if finding.resolution.choices.is_empty() {
        return Vec::new();
    }
    let command = |choice: &Choice| {
        let line = human::choosing(choice, path, style);
        line.filter(|_| !choice.is_kept)
    };
    let mut out = vec![says.block(&format!("{}:", human::choose(finding)))];
    out.extend(listed(finding, layout, command));
    out
}

/// The choices, each with what `command` gives for it.
pub(crate) fn listed(
    finding: &ReportedFinding,
    layout: &TextLayout<'_>,
    command: impl Fn(&Choice) -> Option<String>,
) -> Vec<PageBlock> {
    let all = &finding.resolution.choices;
    let shown = all.iter().take(layout.most(CHOICES));
    let list: Vec<(StyledText, Option<String>)> =
        shown.map(|choice| (chosen(choice), command(choice))).collect();
    if list.is_empty() {
        return Vec::new();
    }
    let more = more(layout.left_out(all.len(), CHOICES));
    [PageBlock::Choices(list)].into_iter().chain(more.map(PageBlock::Text)).collect()
}

/// `event 2, 4, 2026-01-21 09:48:16: "the first words"`
fn chosen(choice: &Choice) -> StyledText {
    let mut out = prose(&human::place_of(choice));
    if let Some(text) = &choice.text {
        let text = if text.is_masked() { text.to_string() } else { format!("\"{text}\"") };
        out.extend([StyledSpan::new(Look::Plain, ": "), StyledSpan::new(Look::Name, text)]);
    }
    out
}
