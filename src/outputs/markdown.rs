//! The page for support as Markdown, for issues and chats: what a recording holds stays text in it.

mod writer;

use std::io::{self, Write};

use super::document::{self, Block, Cell, IndexLine, Kind, Look, Page, Part, Span, Step, Table};
use super::{Detail, Style};
use crate::explain::Explained;
use crate::report::ladder::{self, Row};
use crate::report::model::Report;
use writer::{Markdown, code, prose};

/// Columns of ladders.
const WIDE: usize = 110;

/// Prints the report.
pub(crate) fn write(report: &Report, out: &mut dyn Write, style: &Style) -> io::Result<()> {
    print(&document::of_report(report, style), out, style)
}

/// Prints explanations.
pub(crate) fn explained(
    explanations: &[Explained],
    out: &mut dyn Write,
    style: &Style,
) -> io::Result<()> {
    print(&document::of_explained(explanations, style), out, style)
}

fn print(page: &Page, out: &mut dyn Write, style: &Style) -> io::Result<()> {
    if style.detail == Detail::Nothing {
        return Ok(());
    }
    let mut markdown = Markdown::default();
    let printer = Printer { style };
    page.blocks
        .iter()
        .for_each(|block| printer.block(&mut markdown, block, 1));
    out.write_all(markdown.finish().as_bytes())
}

struct Printer<'a> {
    style: &'a Style,
}

impl Printer<'_> {
    fn block(&self, out: &mut Markdown, block: &Block, level: usize) {
        match block {
            Block::Part(part) => self.part(out, part, level),
            Block::Lead(lead) => {
                let paragraphs = lead.paragraphs();
                paragraphs
                    .iter()
                    .for_each(|text| out.paragraph(&self.text(text)));
            }
            Block::Text(text) => out.paragraph(&self.text(text)),
            Block::List(list) => self.list(out, list.iter()),
            Block::Index(entries) => self.list(out, entries.iter().map(IndexLine::text)),
            Block::Steps(steps) => {
                steps
                    .iter()
                    .enumerate()
                    .for_each(|(at, step)| self.step(out, at + 1, step));
                out.gap();
            }
            Block::Facts(facts) => {
                for (name, text) in facts {
                    let name = name.trim_end_matches(':');
                    out.item("- ", &format!("{name}: {}", self.text(text)));
                }
                out.gap();
            }
            Block::Table(table) => self.table(out, table),
            Block::Ladder(ladder) => out.fenced(&self.ladder(&ladder.rows)),
            Block::Choices(choices) => {
                for (number, (text, line)) in (1..).zip(choices) {
                    let line = line
                        .as_ref()
                        .map(|line| format!(", keep it with {}", code(line)));
                    let text = format!("{}{}", self.text(text), line.unwrap_or_default());
                    out.item(&format!("{number}. "), &text);
                }
                out.gap();
            }
            Block::Command(command) => {
                if !command.what.is_empty() {
                    out.paragraph(&format!("{}:", command.what));
                }
                out.fenced(std::slice::from_ref(&command.line));
                if !command.note.is_empty() {
                    out.paragraph(&prose(&command.note));
                }
            }
            Block::Diff(lines) => out.fenced(lines),
            Block::Details(what, blocks) => out.details(what, |out| {
                blocks
                    .iter()
                    .for_each(|block| self.block(out, block, level));
            }),
            Block::Link(_, text) => out.paragraph(&prose(text)),
        }
    }

    fn list(&self, out: &mut Markdown, list: impl Iterator<Item = impl AsRef<[Span]>>) {
        list.for_each(|text| out.item("- ", &self.text(text.as_ref())));
        out.gap();
    }

    fn part(&self, out: &mut Markdown, part: &Part, level: usize) {
        let below = if part.heading.is_empty() {
            level
        } else if part.kind == Kind::Section {
            out.paragraph(&format!("**{}**", self.text(&part.heading)));
            level
        } else {
            out.heading(level, &self.text(&part.heading));
            level.saturating_add(1)
        };
        part.blocks
            .iter()
            .for_each(|block| self.block(out, block, below));
    }

    fn step(&self, out: &mut Markdown, number: usize, step: &Step) {
        let time = if step.time.is_empty() {
            String::new()
        } else {
            format!(" {}", code(&step.time))
        };
        for (at, text) in step.says.iter().enumerate() {
            match at {
                0 => out.item(
                    &format!("{number}. "),
                    &format!("{}{time}", self.text(text)),
                ),
                _ => out.item("   - ", &self.text(text)),
            }
        }
    }

    fn table(&self, out: &mut Markdown, table: &Table) {
        let cell = |cell: &Cell| match cell {
            Cell::Word(word) => prose(word),
            Cell::Key(word) => code(word),
            Cell::Words(_) | Cell::Fixes(_) => prose(&cell.words().join(", ")),
            Cell::Count(count) => count.to_string(),
            Cell::Verdict(verdict) => super::human::verdict_word(*verdict).to_owned(),
            Cell::Level(level) => super::human::level_word(*level).to_owned(),
            Cell::Rule(code, name) => format!("{code} {name}"),
        };
        let columns = 0..table.head.len();
        let line: Vec<&str> = columns
            .map(|column| if table.counts(column) { "---:" } else { "---" })
            .collect();
        out.row(
            &table
                .head
                .iter()
                .map(|head| (*head).to_owned())
                .collect::<Vec<_>>(),
        );
        out.row(&line.into_iter().map(str::to_owned).collect::<Vec<_>>());
        table
            .rows
            .iter()
            .for_each(|row| out.row(&row.iter().map(cell).collect::<Vec<_>>()));
        out.gap();
    }

    fn ladder(&self, rows: &[Row]) -> Vec<String> {
        let lines = ladder::layout(rows.to_vec(), WIDE);
        // What has no room at the end of a row is in a line below it.
        let lines = lines.iter().flat_map(|row| row.split('\n'));
        lines
            .map(|line| self.style.draw(line.get(4..).unwrap_or(line)))
            .collect()
    }

    fn text(&self, text: &[Span]) -> String {
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
