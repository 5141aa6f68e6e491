//! The page for support as Markdown, for issues and chats: what a transcript holds stays text in it.

mod writer;

use std::io::{self, Write};

use super::document::{
    self, CountTable, IndexLine, Look, Page, PageBlock, PagePart, PagePartKind, StoryStep,
    StyledSpan, TableCell,
};
use super::{Detail, OutputStyle};
use crate::explain::Explained;
use crate::report::ladder::{self, LadderRow};
use crate::report::model::Report;
use writer::{Markdown, code, prose};

/// Columns of ladders.
const WIDE: usize = 110;

pub(crate) fn write(report: &Report, out: &mut dyn Write, style: &OutputStyle) -> io::Result<()> {
    print(&document::of_report(report, style), out, style)
}

pub(crate) fn explained(
    explanations: &[Explained],
    out: &mut dyn Write,
    style: &OutputStyle,
) -> io::Result<()> {
    print(&document::of_explained(explanations, style), out, style)
}

fn print(page: &Page, out: &mut dyn Write, style: &OutputStyle) -> io::Result<()> {
    if style.detail == Detail::Nothing {
        return Ok(());
    }
    let mut markdown = Markdown::default();
    let printer = Printer { style };
    page.blocks.iter().for_each(|block| printer.block(&mut markdown, block, 1));
    out.write_all(markdown.finish().as_bytes())
}

struct Printer<'a> {
    style: &'a OutputStyle,
}

impl Printer<'_> {
    fn block(&self, out: &mut Markdown, block: &PageBlock, level: usize) {
        // All blocks are drawn here: a new kind of block does not compile until each output has it.
        match block {
            PageBlock::Part(part) => self.part(out, part, level),
            PageBlock::Lead(lead) => {
                let paragraphs = lead.paragraphs();
                paragraphs.iter().for_each(|text| out.paragraph(&self.text(text)));
            }
            PageBlock::Text(text) => out.paragraph(&self.text(text)),
            PageBlock::List(list) => self.list(out, list.iter()),
            PageBlock::Index(entries) => self.list(out, entries.iter().map(IndexLine::text)),
            PageBlock::Steps(steps) => {
                steps.iter().enumerate().for_each(|(at, step)| self.step(out, at + 1, step));
                out.gap();
            }
            PageBlock::Facts(facts) => {
                for (name, text) in facts {
                    let name = name.trim_end_matches(':');
                    out.item("- ", &format!("{name}: {}", self.text(text)));
                }
                out.gap();
            }
            PageBlock::Table(table) => self.table(out, table),
            PageBlock::Ladder(ladder) => out.fenced(&self.ladder(&ladder.rows)),
            PageBlock::Choices(choices) => {
                for (number, (text, line)) in (1..).zip(choices) {
                    let line = line.as_ref().map(|line| format!(", keep it with {}", code(line)));
                    let text = format!("{}{}", self.text(text), line.unwrap_or_default());
                    out.item(&format!("{number}. "), &text);
                }
                out.gap();
            }
            PageBlock::Command(command) => {
                if !command.what.is_empty() {
                    out.paragraph(&format!("{}:", command.what));
                }
                out.fenced(std::slice::from_ref(&command.line));
                if !command.note.is_empty() {
                    out.paragraph(&prose(&command.note));
                }
            }
            PageBlock::Diff(lines) => out.fenced(lines),
            PageBlock::Details(what, blocks) => out.details(what, |out| {
                blocks.iter().for_each(|block| self.block(out, block, level));
            }),
            PageBlock::Link(_, text) => out.paragraph(&prose(text)),
        }
    }

    fn list(&self, out: &mut Markdown, list: impl Iterator<Item = impl AsRef<[StyledSpan]>>) {
        list.for_each(|text| out.item("- ", &self.text(text.as_ref())));
        out.gap();
    }

    fn part(&self, out: &mut Markdown, part: &PagePart, level: usize) {
        let below = if part.heading.is_empty() {
            level
        } else if part.kind == PagePartKind::Section {
            out.paragraph(&format!("**{}**", self.text(&part.heading)));
            level
        } else {
            out.heading(level, &self.text(&part.heading));
            level.saturating_add(1)
        };
        part.blocks.iter().for_each(|block| self.block(out, block, below));
    }

    fn step(&self, out: &mut Markdown, number: usize, step: &StoryStep) {
        let time =
            if step.time.is_empty() { String::new() } else { format!(" {}", code(&step.time)) };
        for (at, text) in step.says.iter().enumerate() {
            match at {
                0 => out.item(&format!("{number}. "), &format!("{}{time}", self.text(text))),
                _ => out.item("   - ", &self.text(text)),
            }
        }
    }

    fn table(&self, out: &mut Markdown, table: &CountTable) {
        let columns = 0..table.head.len();
        let line: Vec<&str> =
            columns.map(|column| if table.counts(column) { "---:" } else { "---" }).collect();
        out.row(&table.head.iter().map(|head| (*head).to_owned()).collect::<Vec<_>>());
        out.row(&line.into_iter().map(str::to_owned).collect::<Vec<_>>());
        table.rows.iter().for_each(|row| {
            out.row(
                &row.iter()
                    .map(|cell| match cell {
                        TableCell::Word(word) => prose(word),
                        TableCell::Key(word) => code(word),
                        TableCell::Words(_) | TableCell::Fixes(_) => {
                            prose(&cell.words().join(", "))
                        }
                        TableCell::Count(count) => count.to_string(),
                        TableCell::Verdict(verdict) => {
                            super::human::verdict_word(*verdict).to_owned()
                        }
                        TableCell::Level(level) => super::human::level_word(*level).to_owned(),
                        TableCell::Rule(code, name) => format!("{code} {name}"),
                    })
                    .collect::<Vec<_>>(),
            )
        });
        out.gap();
    }

    fn ladder(&self, rows: &[LadderRow]) -> Vec<String> {
        let lines = ladder::layout(rows.to_vec(), WIDE);
        // What has no room at the end of a row is in a line below it.
        let lines = lines.iter().flat_map(|row| row.split('\n'));
        lines.map(|line| self.style.draw(line.get(4..).unwrap_or(line))).collect()
    }

    fn text(&self, text: &[StyledSpan]) -> String {
        let mut out = String::new();
        for (at, span) in text.iter().enumerate() {
            if document::apart(text, at) {
                out.push(' ');
            }
            let drawn = self.style.draw(&span.text);
            // Blanks at its ends stand outside of what marks it.
            let inner = drawn.trim_matches(' ');
            if drawn.starts_with(' ') {
                out.push(' ');
            }
            if !inner.is_empty() {
                out.push_str(&match &span.look {
                    Look::Plain | Look::Quiet | Look::To(_) => prose(inner),
                    Look::Code | Look::Name | Look::Place(_) => code(inner),
                    Look::Strong | Look::Label(_) | Look::Finding(..) => {
                        format!("**{}**", prose(inner))
                    }
                });
            }
            if drawn.ends_with(' ') && !inner.is_empty() {
                out.push(' ');
            }
        }
        out
    }
}

#[cfg(test)]
#[path = "markdown/tests.rs"]
mod tests;
