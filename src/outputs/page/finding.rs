//! Findings on a page, with the manual pages of their rules.

use super::{Block, Kind, Look, Part, Span, Text, prose, rule, says};
use crate::explain::rule::Manual;
use crate::outputs::human::{self, level_word};
use crate::outputs::layout::TextLayout;
use crate::outputs::paint::{Tone, of_class, of_level};
use crate::outputs::story::words;
use crate::report::ladder::rows;
use crate::report::model::{Choice, Conversation, Finding, Level};
use crate::report::text::{Ids, fit};
use crate::rules;
use crate::transcript::Code;

/// Findings of one code that are drawn in full for one conversation, unless everything is asked for.
const DRAWN: usize = 10;
/// Rows of a ladder, at most, unless everything is asked for.
const ROWS: usize = 40;
/// Characters of a plan, at most, unless everything is asked for.
const PLAN: usize = 400;

/// The rules whose manual page stands on the page already.
#[derive(Default)]
pub(super) struct Rules {
    explained: Vec<Code>,
}

impl Rules {
    /// The manual page, where it was not told yet; else a link to it.
    pub(super) fn page(&mut self, code: Code, name: &str) -> Block {
        let about = format!("About {code} {name}");
        if self.explained.contains(&code) {
            return Block::Text(vec![Span::new(Look::To(code.to_string()), about)]);
        }
        self.explained.push(code);
        let manual = rules::ALL
            .iter()
            .find(|rule| rule.code == code)
            .map(|rule| Manual::of(rule));
        let page = manual.as_ref().map(rule::page).unwrap_or_default();
        let part = Part {
            kind: Kind::Chapter,
            name: code.to_string(),
            heading: Vec::new(),
            blocks: page,
        };
        Block::Details(about, vec![Block::Part(part)])
    }

    /// The manual page, where it was not told yet.
    pub(super) fn rest(&mut self, code: Code, name: &str) -> Option<Block> {
        (!self.explained.contains(&code)).then(|| self.page(code, name))
    }
}

/// The findings of a conversation that `take` lets through.
pub(super) fn list(
    conversation: &Conversation,
    take: impl Fn(usize, &Finding) -> bool,
    layout: &TextLayout<'_>,
    rules: &mut Rules,
) -> Vec<Block> {
    let mut out = Vec::new();
    let mut counts: Vec<(Code, usize)> = Vec::new();
    let taken = conversation
        .findings
        .iter()
        .enumerate()
        .filter(|(at, finding)| take(*at, finding));
    for (_, finding) in taken {
        let slot = counts
            .iter()
            .position(|(code, _)| *code == finding.code)
            .unwrap_or_else(|| {
                counts.push((finding.code, 0));
                counts.len() - 1
            });
        counts[slot].1 += 1;
        if counts[slot].1 <= layout.most(DRAWN) {
            out.push(block(finding, conversation, layout, rules));
        }
    }
    let more = counts
        .iter()
        .filter_map(|(code, count)| Some((code, layout.left_out(*count, DRAWN)?)));
    let more: Vec<Text> = more
        .map(|(code, more)| prose(&format!("{more} more {code}")))
        .collect();
    if !more.is_empty() {
        out.push(Block::List(more));
    }
    out
}

/// `fatal TD104  two results answer one call  fix: safe`
pub(super) fn heading(finding: &Finding) -> Text {
    let level = format!("{} {}", level_word(finding.severity), finding.code);
    let mut out = vec![Span::new(Look::Label(of_level(finding.severity)), level)];
    out.extend(prose(&format!(
        "{}{}",
        human::message(finding),
        words::mark(finding.confidence)
    )));
    if finding.severity > Level::Note || !finding.fix.actions.is_empty() {
        let fix = format!("fix: {}", human::decision(finding));
        out.push(Span::new(Look::Label(of_class(finding.fix.class)), fix));
    }
    out
}

fn block(
    finding: &Finding,
    conversation: &Conversation,
    layout: &TextLayout<'_>,
    rules: &mut Rules,
) -> Block {
    let mut blocks = Vec::new();
    let shown = finding
        .records
        .get(..finding.records.len().min(layout.most(ROWS)))
        .unwrap_or_default();
    if !shown.is_empty() {
        blocks.push(Block::Ladder(
            ladder(finding, shown, &layout.ids),
            "the records of this finding",
        ));
    }
    if let Some(more) = layout.left_out(finding.records.len(), ROWS) {
        blocks.push(says(&format!("and {more} more records")));
    }
    let mut facts: Vec<(&'static str, Text)> = Vec::new();
    if let Some(record) = human::main_record(finding) {
        let place = human::position(&conversation.path, record);
        facts.push(("at", vec![Span::new(Look::Code, place)]));
    }
    if !finding.affects.is_empty() {
        facts.push(("where", prose(&finding.affects)));
    }
    for effect in &finding.consequences {
        facts.push((
            "explains",
            prose(&format!("{}: {}", effect.code, effect.message)),
        ));
    }
    if !finding.fix.actions.is_empty() {
        let steps = human::steps(finding).join("; ");
        facts.push(("fix", prose(&fit(&steps, layout.most(PLAN)))));
    }
    if !facts.is_empty() {
        blocks.push(Block::Facts(facts));
    }
    if !finding.choices.is_empty() {
        blocks.push(says(&format!(
            "{}:",
            words::sentence(human::choose(finding))
        )));
        blocks.push(Block::List(
            finding
                .choices
                .iter()
                .map(|choice| chosen(choice, conversation, layout))
                .collect(),
        ));
    }
    if !finding.advice.is_empty() {
        blocks.push(says(&words::sentence(&human::advice(finding))));
    }
    blocks.push(rules.page(finding.code, finding.name));
    Block::Part(Part {
        kind: Kind::Finding(tone(finding)),
        name: String::new(),
        heading: heading(finding),
        blocks,
    })
}

/// A result that may be kept, and the command for it.
fn chosen(choice: &Choice, conversation: &Conversation, layout: &TextLayout<'_>) -> Text {
    let mut out = prose(&human::place_of(choice));
    out.extend(
        choice
            .text
            .as_ref()
            .map(|text| {
                let text = match text.is_masked() {
                    true => text.to_string(),
                    false => format!("\"{text}\""),
                };
                [Span::new(Look::Plain, ": "), Span::new(Look::Code, text)]
            })
            .into_iter()
            .flatten(),
    );
    if let Some(line) =
        human::choosing(choice, &conversation.path, layout.style).filter(|_| !choice.is_kept)
    {
        out.extend([
            Span::new(Look::Plain, ", keep it with "),
            Span::new(Look::Code, line),
        ]);
    }
    out
}

fn ladder(
    finding: &Finding,
    records: &[crate::report::model::Record],
    ids: &Ids,
) -> Vec<crate::report::ladder::Row> {
    rows(records, ids, human::alone(finding))
}

fn tone(finding: &Finding) -> Tone {
    of_level(finding.severity)
}
