//! What a run looks like: one file per shape, each a function of the report alone.
//!
//! A new shape is a file and a line in [`OUTPUTS`].

pub(crate) mod concise;
pub(crate) mod document;
pub(crate) mod explained;
pub(crate) mod github;
mod gitlab;
pub(crate) mod html;
pub(crate) mod human;
pub(crate) mod json;
pub(crate) mod jsonl;
mod junit;
mod layout;
pub(crate) mod link;
mod listing;
pub(crate) mod many_left;
pub(crate) mod markdown;
pub(crate) mod next;
pub(crate) mod paint;
mod rdjsonl;
mod review;
mod sarif;
mod sessions;
mod statistics;
mod table;
mod terminal;
pub(crate) mod wrap;

use std::io::{self, Write};

use crate::explain::Explained;
use crate::report::model::Report;
use crate::report::redact::{Redact, Redactor};
use crate::report::text::fit_path;
use link::Links;
use listing::PrintFiles;
use next::AsTyped;

pub(crate) use listing::ListedTranscript;
pub(crate) use table::BULK;

pub(crate) type Print = fn(&Report, &mut dyn Write, &OutputStyle) -> io::Result<()>;

/// Who reads an output, which decides what it may say and how it names files.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Audience {
    /// A person at this machine, or a reader of the log.
    Person,
    /// Whoever gets the page: it has texts of a conversation only where that was asked for.
    Page,
    /// A service for code review, which compares paths with those of the repository.
    Review,
    /// A program, which gets the same wherever it runs.
    Program,
}

impl Audience {
    /// Whether paths in the home begin with `~`.
    pub fn reads_tilde(self) -> bool {
        matches!(self, Audience::Person | Audience::Page)
    }
}

/// A shape that a report can be printed in.
#[derive(Debug)]
pub struct Output {
    /// The name for `--format` and `--report`.
    pub name: &'static str,
    /// One line for the help.
    pub summary: &'static str,
    /// It is printed as one whole, when all is known; else each conversation as soon as it is judged.
    pub document: bool,
    /// A person follows it: `repair` tells its plan and what it did step by step, and asks there. It gives way to a report
    /// that is wanted on standard output.
    pub interactive: bool,
    /// `check` and `explain` try the repair, because it tells what a repair would do.
    pub tries: bool,
    /// It says by what people recognize a session.
    pub introduces: bool,
    /// `check` tells which bytes a safe repair would write, so that other programs can offer it.
    pub offers_fixes: bool,
    /// `check` lists every row of a file of conversations, healthy ones too.
    pub every_row: bool,
    /// `diff` prints the counts of a difference, not the difference.
    pub counts_only: bool,
    /// Sentences name IDs whole, so that a program finds them.
    pub whole_ids: bool,
    pub audience: Audience,
    /// Prints what a run found. Colors are always written; the stream strips them.
    pub report: Print,
    /// Prints a part of the conversations, and what comes after all of them, if it needs no whole report.
    pub parts: Option<(Print, Print)>,
    /// Prints how often each rule found something, if it can.
    pub statistics: Option<Print>,
    /// Prints what would be checked, if it can.
    pub(crate) files: Option<PrintFiles>,
    /// Prints explanations. A shape that is no document gets them one by one.
    pub explained: fn(&[Explained], &mut dyn Write, &OutputStyle) -> io::Result<()>,
}

impl Output {
    /// For people, as it happens.
    const HUMAN: Output = Output {
        name: "human",
        summary: "verdict, evidence, and the next command",
        document: false,
        interactive: true,
        tries: false,
        introduces: true,
        offers_fixes: false,
        every_row: false,
        counts_only: false,
        whole_ids: false,
        audience: Audience::Person,
        report: human::write,
        parts: None,
        statistics: Some(statistics::write),
        files: Some(listing::write),
        explained: explained::write,
    };
    /// For whoever gets it when all is known.
    const DOCUMENT: Output = Output {
        document: true,
        interactive: false,
        statistics: None,
        files: None,
        ..Output::HUMAN
    };
    /// For a service that shows findings next to the lines of a change.
    const REVIEW: Output =
        Output { introduces: false, audience: Audience::Review, ..Output::DOCUMENT };
}

/// All shapes, the default first.
pub const OUTPUTS: &[Output] = &[
    Output::HUMAN,
    Output {
        name: "concise",
        summary: "one line per finding",
        introduces: false,
        interactive: false,
        counts_only: true,
        report: concise::write,
        ..Output::HUMAN
    },
    Output {
        name: "json",
        audience: Audience::Program,
        summary: "the schema transcript-doctor/report/v1",
        introduces: false,
        whole_ids: true,
        report: json::write,
        statistics: Some(statistics::json),
        files: Some(listing::json),
        explained: json::explained,
        ..Output::DOCUMENT
    },
    Output {
        name: "jsonl",
        audience: Audience::Program,
        summary: "one object per conversation or row of a file, then the summary",
        introduces: false,
        every_row: true,
        whole_ids: true,
        report: jsonl::write,
        parts: Some((jsonl::conversations, jsonl::end)),
        statistics: Some(statistics::jsonl),
        files: Some(listing::jsonl),
        explained: json::explained,
        ..Output::DOCUMENT
    },
    Output {
        name: "sarif",
        summary: "SARIF 2.1.0, for code scanning and editors",
        offers_fixes: true,
        report: sarif::write,
        ..Output::REVIEW
    },
    Output {
        name: "junit",
        summary: "JUnit XML, a test case per conversation",
        report: junit::write,
        ..Output::REVIEW
    },
    Output {
        name: "github",
        summary: "annotations of GitHub Actions, the worst first",
        report: github::write,
        ..Output::REVIEW
    },
    Output {
        name: "gitlab",
        summary: "Code Quality of GitLab",
        report: gitlab::write,
        ..Output::REVIEW
    },
    Output {
        name: "rdjsonl",
        summary: "diagnostics of reviewdog, one per line",
        report: rdjsonl::write,
        ..Output::REVIEW
    },
    Output {
        name: "markdown",
        audience: Audience::Page,
        summary: "a page for support, to paste into an issue",
        tries: true,
        report: markdown::write,
        explained: markdown::explained,
        ..Output::DOCUMENT
    },
    Output {
        name: "html",
        audience: Audience::Page,
        summary: "a page for support, one file for any browser",
        tries: true,
        report: html::write,
        explained: html::explained,
        ..Output::DOCUMENT
    },
];

/// The shape of this name.
pub(crate) fn by_name(name: &str) -> Option<&'static Output> {
    OUTPUTS.iter().find(|output| output.name == name)
}

/// How much is printed.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// Nothing: `-qq`.
    Nothing,
    /// The verdicts: `-q`.
    Verdicts,
    /// Findings, plans and the next command.
    Normal,
    /// Notes, whole IDs and every conversation too: `-v`.
    All,
}

/// Columns from which on there is room for what can be left out.
const ROOMY: usize = 80;
/// Columns that a path gets in any case.
const FEWEST: usize = 20;

/// How a report is printed.
#[derive(Clone, Debug)]
pub struct OutputStyle {
    /// Columns.
    pub width: usize,
    /// Standard output is a terminal, or is to look as if it were one.
    pub is_screen: bool,
    /// No box drawing, no `…`.
    pub ascii: bool,
    pub detail: Detail,
    /// How the commands that are proposed begin and end.
    pub next: AsTyped,
    /// How hyperlinks around places begin; `None`: there are none.
    pub links: Option<Links>,
    /// The old and the new text of a difference side by side.
    pub side_by_side: bool,
}

impl Default for OutputStyle {
    fn default() -> OutputStyle {
        OutputStyle {
            width: 80,
            is_screen: false,
            ascii: false,
            detail: Detail::Normal,
            next: AsTyped::default(),
            links: None,
            side_by_side: false,
        }
    }
}

impl Redact for OutputStyle {
    fn redact(&mut self, reader: &Redactor) {
        self.next.redact(reader);
    }
}

impl OutputStyle {
    /// An escaped path after `used` columns of its line: shortened in the middle where a screen has no room for it, whole with
    /// `-v` and `-q`. Commands that are proposed name it whole.
    pub(crate) fn path(&self, path: &str, used: usize) -> String {
        match self.detail {
            _ if !self.is_screen => path.to_owned(),
            Detail::All | Detail::Verdicts => path.to_owned(),
            _ => self.draw(&fit_path(path, self.width.saturating_sub(used).max(FEWEST))),
        }
    }

    /// Whether lines are shorter than most terminals have them.
    fn is_narrow(&self) -> bool {
        self.width < ROOMY
    }

    /// The same with whole lines, for programs that read them.
    fn unbroken(&self) -> OutputStyle {
        OutputStyle { width: usize::MAX, ..self.clone() }
    }

    /// A text of ours, or one with IDs shortened by us, for a terminal that may know ASCII only. Column for column.
    pub fn draw(&self, text: &str) -> String {
        if !self.ascii {
            return text.to_owned();
        }
        text.chars()
            .map(|c| match c {
                '─' | '·' | '–' => '-',
                '│' => '|',
                '┐' | '┘' | '┤' | '┼' => '+',
                '╴' => ' ',
                '…' => '~',
                '→' => '>',
                '×' => 'x',
                other => other,
            })
            .collect()
    }
}

/// A count with its word: `1 call`, `2 calls`.
pub(crate) fn many(count: u64, word: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {word}{plural}", grouped(count))
}

/// A number with separators, where it is long enough to need some: `9876`, `40,112`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    if number < 10_000 {
        return digits;
    }
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests;

#[cfg(test)]
#[path = "pages_tests.rs"]
mod pages_tests;
