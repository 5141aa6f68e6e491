//! The manual page of a rule.

use std::borrow::Cow;

use serde::Serialize;

use crate::hosts;
use crate::rules::Rule;
use crate::rules::life::{Stage, life};
use crate::rules::page::{RuleExample, RulePage};
use crate::targets;
use crate::transcript::{Code, Severity};

/// The manual page of a rule. All of it is our own text.
#[derive(Clone, Debug, Serialize)]
pub struct Manual {
    /// `TD104`.
    pub code: Code,
    /// `two-results`.
    pub name: &'static str,
    /// Its severity, unless the format or provider changes it.
    pub severity: Severity,
    /// Who decides about the fix: `safe`, `unsafe`, `you decide`.
    pub fix: &'static str,
    /// One line.
    pub summary: &'static str,
    /// How far it can be relied on.
    pub stage: Stage,
    /// The version that has it at this stage.
    pub since: &'static str,
    /// The sections of the page, in order. No section is empty.
    pub sections: Vec<Section>,
}

/// A part of the page, under a heading.
#[derive(Clone, Debug, Serialize)]
pub struct Section {
    /// `What it means`.
    pub title: &'static str,
    pub paragraphs: Vec<Paragraph>,
}

/// A paragraph of a page.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Paragraph {
    /// Prose, in Markdown.
    Text(String),
    /// The title of a provider or host, and its error text.
    Quote(&'static str, Cow<'static, str>),
    /// A cause, and who causes it.
    Cause(&'static str, Cow<'static, str>),
    /// Lines of a diff, with their signs.
    Diff(Vec<String>),
}

impl Manual {
    /// The page of this rule.
    pub fn of(rule: &'static Rule) -> Manual {
        let (stage, since) = life(rule.code);
        Manual {
            code: rule.code,
            name: rule.name,
            severity: rule.severity,
            fix: rule.page.fix,
            summary: rule.summary,
            stage,
            since,
            sections: sections(rule.code, &rule.page),
        }
    }
}

fn sections(code: Code, page: &'static RulePage) -> Vec<Section> {
    let texts =
        targets::ALL.iter().flat_map(|target| target.texts.iter().map(|text| (target.title, text)));
    let quotes = texts
        .filter(|(_, (about, _))| *about == code)
        .map(|(title, (_, text))| Paragraph::Quote(title, Cow::Borrowed(*text)))
        .chain(said_by_hosts(code));
    let causes = page.causes.iter().map(|(who, how)| Paragraph::Cause(who, Cow::Borrowed(*how)));
    let text = |text: &str| Paragraph::Text(text.to_owned());
    let otherwise = (!page.otherwise.is_empty()).then(|| text(page.otherwise));
    // A heading that promises a way out where `repair` alone has none.
    let needs_more = page.fix.contains("unsafe") || page.fix.contains("you decide");
    let otherwise_title = if needs_more { "If it is not safe" } else { "Other choices" };
    let parts = [
        ("What you see", quotes.collect()),
        ("What it means", vec![text(page.means)]),
        ("Causes", causes.collect()),
        ("What repair does", vec![text(page.repair)]),
        (otherwise_title, otherwise.into_iter().collect()),
        ("Example", example(&page.example)),
    ];
    parts
        .into_iter()
        .filter(|(_, paragraphs): &(_, Vec<Paragraph>)| !paragraphs.is_empty())
        .map(|(title, paragraphs)| Section { title, paragraphs })
        .collect()
}

/// What hosts say when this damage stops them, in the wordings that are fixed.
fn said_by_hosts(code: Code) -> impl Iterator<Item = Paragraph> {
    let texts = hosts::ALL.iter().flat_map(|format| {
        let title = format.host.title;
        format.traits.errors.iter().map(move |text| (title, text))
    });
    texts.filter(move |(_, text)| text.codes.first() == Some(&code)).flat_map(|(title, text)| {
        let wordings = text.wordings().into_iter();
        wordings.map(move |said| Paragraph::Quote(title, Cow::Owned(said)))
    })
}

/// The example: the command, and the diff that it makes. Characters that cannot be seen and bytes that are not
/// UTF-8 are escaped.
fn example(example: &RuleExample) -> Vec<Paragraph> {
    let diff = String::from_utf8_lossy(example.diff);
    let lines = diff.lines().map(|line| {
        line.chars()
            .map(|c| match c {
                c if c.is_control() || matches!(c, '\u{feff}' | '\u{2028}') => {
                    c.escape_default().to_string()
                }
                c => c.to_string(),
            })
            .collect()
    });
    // What another process has open is only repaired as a copy.
    let copy: &[&str] = if example.is_open() { &["-o", "COPY"] } else { &[] };
    let repair = ["transcript-doctor", "repair"];
    let command = [&repair, example.options, copy, &["FILE"]].concat();
    vec![Paragraph::Text(format!("`{}`", command.join(" "))), Paragraph::Diff(lines.collect())]
}
