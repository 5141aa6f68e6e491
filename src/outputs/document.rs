//! What a person reads: what it holds, not how it is written. [`terminal`](super::terminal), [`html`](super::html) and
//! [`markdown`](super::markdown) write it.
//!
//! Every string in it may come from a transcript: who writes it escapes all of them.

pub(crate) mod applied;
pub(crate) mod checked;
pub(crate) mod conversation;
mod coverage;
mod error;
pub(crate) mod finding;
mod format;
mod many;
mod meaning;
mod record;
mod rule;
mod sessions;
mod story;
mod tail;
mod text;
pub(crate) mod words;

use std::borrow::Cow;
pub(crate) use text::{Look, StyledSpan, StyledText, apart, prose};

use super::OutputStyle;
use super::human::{fix_word, verdict_word};
use super::layout::Medium;
use super::paint::{Tone, of_verdict};
use crate::explain::Explained;
use crate::explain::story::Account;
use crate::report::ladder::LadderRow;
use crate::report::model::{Report, Verdict};
use crate::transcript::{Applicability, Code, Severity};

#[derive(Debug)]
pub(crate) struct Page {
    /// What it is about, in a line.
    pub title: String,
    /// From top to bottom.
    pub blocks: Vec<PageBlock>,
}

/// A piece of a page.
#[derive(Debug)]
pub(crate) enum PageBlock {
    /// A part with a heading.
    Part(PagePart),
    /// What is said of a conversation at once.
    Lead(Lead),
    /// A paragraph.
    Text(StyledText),
    /// Things side by side.
    List(Vec<StyledText>),
    /// What happened, in order.
    Steps(Vec<StoryStep>),
    /// Names and values.
    Facts(Vec<(&'static str, StyledText)>),
    /// Counts. Nothing in it comes from a transcript.
    Table(CountTable),
    /// Transcripts, a line each.
    Index(Vec<IndexLine>),
    /// Records with the arms that join them.
    Ladder(Ladder),
    /// What may be chosen, each with the command for it.
    Choices(Vec<(StyledText, Option<String>)>),
    Command(CommandLine),
    /// The lines of a diff, with their signs.
    Diff(Vec<String>),
    /// What is read on demand. A terminal has nothing to unfold, and leaves it out.
    Details(String, Vec<PageBlock>),
    /// A link to the part of this name, and its words. A terminal leaves it out, too.
    Link(String, String),
}

/// What is said of a conversation below its heading.
#[derive(Debug)]
pub(crate) struct Lead {
    /// What people know it by.
    pub known: Option<String>,
    /// What it is, how big, and for whom it was judged; "" where that was said before.
    pub facts: String,
    /// What the verdict means.
    pub says: Vec<String>,
}

impl Lead {
    /// The paragraphs of a page.
    pub(crate) fn paragraphs(&self) -> Vec<StyledText> {
        let text = |look, text: &String| vec![StyledSpan::new(look, text.as_str())];
        let known = self.known.iter().map(|known| text(Look::Quiet, known));
        let says = self.says.iter().map(|says| text(Look::Strong, says));
        let facts = Some(&self.facts).filter(|facts| !facts.is_empty());
        let facts = facts.map(|facts| text(Look::Quiet, facts));
        known.chain(says).chain(facts).collect()
    }
}

/// A line of an index.
#[derive(Debug)]
pub(crate) struct IndexLine {
    /// What became of it.
    pub mark: LineMark,
    /// Its path, or what people know it by.
    pub name: StyledSpan,
    /// What else is said of it; "" for nothing.
    pub says: String,
}

/// What became of a transcript.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum LineMark {
    Verdict(Verdict),
    NotChecked,
    Skipped,
}

impl LineMark {
    /// In words, and what they mean.
    pub(crate) fn words(self) -> (Tone, &'static str) {
        match self {
            LineMark::Verdict(verdict) => (of_verdict(verdict), verdict_word(verdict)),
            LineMark::NotChecked => (Tone::Warn, "not checked"),
            LineMark::Skipped => (Tone::Dim, "skipped"),
        }
    }
}

impl IndexLine {
    /// The line on a page.
    pub(crate) fn text(&self) -> StyledText {
        let (tone, word) = self.mark.words();
        let label = StyledSpan::new(Look::Label(tone), word);
        vec![label, self.name.clone(), StyledSpan::new(Look::Quiet, self.says.trim())]
    }
}

/// Records in rows.
#[derive(Debug)]
pub(crate) struct Ladder {
    pub rows: Vec<LadderRow>,
    /// What they are, in words.
    pub about: &'static str,
    /// The row that a finding is at, as bad as that.
    pub main: Option<(usize, Tone)>,
}

/// A command that can be typed.
#[derive(Debug)]
pub(crate) struct CommandLine {
    /// What it is for; "" where the words before it say that.
    pub what: Cow<'static, str>,
    pub line: String,
    /// What must be so before it works; "" for nothing.
    pub note: String,
}

/// A part of a page.
#[derive(Debug)]
pub(crate) struct PagePart {
    pub kind: PagePartKind,
    /// The name that links lead to; "" for none.
    pub name: String,
    pub heading: StyledText,
    pub blocks: Vec<PageBlock>,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum PagePartKind {
    /// A whole page. A terminal leaves out its heading: it says what was asked for.
    Page,
    Conversation,
    Chapter,
    /// A chapter that an empty line announces well enough in a terminal.
    Passage,
    /// A piece of a page, with a title and no chapter of its own.
    Section,
    /// What a repair came to, without a heading: a terminal has its names and commands in columns.
    Result,
    /// A chapter of a sentence or two, which a terminal writes after its heading.
    Remark,
    /// The same, and it answers a question: well, with care, or not.
    Answer(Tone),
    /// A finding, as bad as that.
    Finding(Tone),
}

/// A thing that happened.
#[derive(Debug)]
pub(crate) struct StoryStep {
    /// The sentences: the first one, then what is said after it.
    pub says: Vec<StyledText>,
    /// When; "" where that is not known.
    pub time: String,
}

/// Counts in rows.
#[derive(Debug)]
pub(crate) struct CountTable {
    /// The heads of its columns.
    pub head: Vec<&'static str>,
    pub rows: Vec<Vec<TableCell>>,
}

impl CountTable {
    /// Whether a column holds counts.
    pub(crate) fn counts(&self, column: usize) -> bool {
        let first = self.rows.first().and_then(|row| row.get(column));
        first.is_some_and(|cell| matches!(cell, TableCell::Count(_)))
    }
}

/// A cell of a table: words of ours only.
#[derive(Debug)]
pub(crate) enum TableCell {
    Word(&'static str),
    /// What a row is about.
    Key(&'static str),
    Words(Vec<String>),
    /// What kinds of fixes there are.
    Fixes(Vec<Applicability>),
    Count(u64),
    Verdict(Verdict),
    Level(Severity),
    /// A rule: its code and its name.
    Rule(Code, &'static str),
}

impl TableCell {
    /// The words of a list.
    pub(crate) fn words(&self) -> Vec<&str> {
        match self {
            TableCell::Words(words) => words.iter().map(String::as_str).collect(),
            TableCell::Fixes(fixes) => fixes.iter().map(|own| fix_word(*own)).collect(),
            _ => Vec::new(),
        }
    }
}

pub(super) fn part(kind: PagePartKind, heading: StyledText, blocks: Vec<PageBlock>) -> PageBlock {
    PageBlock::Part(PagePart { kind, name: String::new(), heading, blocks })
}

/// What an empty line keeps apart from what is above it.
fn apart_from_above(blocks: Vec<PageBlock>) -> PageBlock {
    part(PagePartKind::Passage, Vec::new(), blocks)
}

fn chapter(heading: &str, blocks: Vec<PageBlock>) -> PageBlock {
    part(PagePartKind::Chapter, prose(heading), blocks)
}

/// A paragraph of one sentence.
pub(crate) fn says(text: &str) -> PageBlock {
    PageBlock::Text(prose(text))
}

fn ladder(rows: Vec<LadderRow>, about: &'static str) -> PageBlock {
    PageBlock::Ladder(Ladder { rows, about, main: None })
}

pub(crate) fn command(what: impl Into<Cow<'static, str>>, line: String) -> PageBlock {
    PageBlock::Command(CommandLine { what: what.into(), line, note: String::new() })
}

/// `and 3 more; -v shows them`, where some are left out.
fn more(left_out: Option<usize>) -> Option<StyledText> {
    left_out.map(|more| prose(&format!("and {more} more; -v shows them")))
}

/// The page of what a run found.
pub(crate) fn of_report(report: &Report, style: &OutputStyle) -> Page {
    match report.conversations.as_slice() {
        [only] if report.not_checked.is_empty() => many::alone(only, report, style),
        _ => many::page(report, style),
    }
}

/// An explanation: its title, and its content for this medium.
pub(crate) fn of_one(
    one: &Explained,
    style: &OutputStyle,
    medium: Medium,
    rules: &mut finding::Rules,
) -> (String, Vec<PageBlock>) {
    match one {
        Explained::Story(account) => story::blocks(account, style, medium, rules),
        Explained::Error(account) => error::blocks(account, style, medium, rules),
        Explained::Meaning(meaning) => meaning::blocks(meaning, style, medium, rules),
        Explained::Records(records) => record::blocks(records, style, medium),
        Explained::Rule(manual) => rule::blocks(manual),
        Explained::Rules(manuals) => rule::list(manuals),
        Explained::Formats(formats) => format::list(formats),
        Explained::Sessions(list) => sessions::list(list),
    }
}

/// The story of a transcript, for this medium.
pub(crate) fn of_story(
    account: &Account,
    style: &OutputStyle,
    medium: Medium,
    rules: &mut finding::Rules,
) -> Vec<PageBlock> {
    story::blocks(account, style, medium, rules).1
}

/// The page of what was explained.
pub(crate) fn of_explained(explanations: &[Explained], style: &OutputStyle) -> Page {
    let mut rules = finding::Rules::default();
    let mut titles = Vec::new();
    let mut blocks = Vec::new();
    for one in explanations {
        let (title, more) = of_one(one, style, Medium::Page, &mut rules);
        titles.push(title);
        blocks.extend(more);
    }
    let title = match titles.as_slice() {
        [] => "nothing was found".to_owned(),
        [only] => only.clone(),
        [first, rest @ ..] => format!("{first} and {} more", rest.len()),
    };
    if explanations.len() != 1 {
        // One heading for all of them.
        let heading = match explanations.len() {
            0 => prose("Nothing was found"),
            many => prose(&format!("{many} transcripts")),
        };
        blocks = vec![part(PagePartKind::Page, heading, blocks)];
    }
    blocks.push(tail::made_by());
    Page { title, blocks }
}
