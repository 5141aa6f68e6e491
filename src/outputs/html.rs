//! The page for support as one HTML file: no script, nothing loaded, nothing that a transcript holds can act.

mod arms;
mod style;
mod writer;

use std::io::{self, Write};

use super::document::{
    self, CommandLine, CountTable, IndexLine, Ladder, Look, Page, PageBlock, PagePart,
    PagePartKind, StoryStep, StyledSpan, TableCell,
};
use super::paint::Tone;
use super::{Detail, OutputStyle};
use crate::explain::Explained;
use crate::report::model::Report;
use writer::Html;

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
    let title = format!("{} · {}", page.title, env!("CARGO_PKG_NAME"));
    let mut html = Html::new(style.ascii);
    let headings = Headings { level: 1, name: None };
    style::document(&mut html, &title, |html| {
        html.tag("main", &[], |html| {
            page.blocks.iter().for_each(|block| self::block(html, block, headings))
        });
    });
    out.write_all(html.finish().as_bytes())
}

/// Where a block is.
#[derive(Copy, Clone)]
struct Headings {
    /// The level of its headings, from 1.
    level: usize,
    /// What a ladder in it is about, where the block does not say.
    name: Option<&'static str>,
}

fn block(html: &mut Html, block: &PageBlock, at: Headings) {
    // All blocks are drawn here: a new kind of block does not compile until each output has it.
    match block {
        PageBlock::Part(part) => self::part(html, part, at),
        PageBlock::Lead(lead) => lead.paragraphs().iter().for_each(|text| paragraph(html, text)),
        PageBlock::Text(text) => paragraph(html, text),
        PageBlock::List(list) => self::list(html, list.iter()),
        PageBlock::Index(entries) => self::list(html, entries.iter().map(IndexLine::text)),
        PageBlock::Steps(steps) => {
            html.tag("ol", &[("class", "steps")], |html| {
                steps.iter().for_each(|step| self::step(html, step))
            });
        }
        PageBlock::Facts(facts) => html.tag("dl", &[], |html| {
            for (name, text) in facts {
                html.tag("dt", &[], |html| html.text(name.trim_end_matches(':')));
                html.tag("dd", &[], |html| spans(html, text));
            }
        }),
        PageBlock::Table(table) => self::table(html, table),
        PageBlock::Ladder(ladder) => self::ladder(html, ladder, at.name.unwrap_or(ladder.about)),
        PageBlock::Choices(choices) => html.tag("ol", &[], |html| {
            for (text, line) in choices {
                html.tag("li", &[], |html| {
                    spans(html, text);
                    if let Some(line) = line {
                        html.text(", keep it with ");
                        html.tag("code", &[], |html| html.text(line));
                    }
                });
            }
        }),
        PageBlock::Command(command) => self::command(html, command),
        PageBlock::Diff(lines) => html.tag("pre", &[("tabindex", "0")], |html| {
            html.tag("code", &[], |html| html.lines(lines))
        }),
        PageBlock::Details(what, blocks) => html.tag("details", &[], |html| {
            html.tag("summary", &[], |html| html.text(what));
            blocks.iter().for_each(|block| self::block(html, block, at));
        }),
        PageBlock::Link(name, text) => html.tag("p", &[], |html| link(html, name, text)),
    }
}

fn paragraph(html: &mut Html, text: &[StyledSpan]) {
    html.tag("p", &[], |html| spans(html, text));
}

fn list(html: &mut Html, list: impl Iterator<Item = impl AsRef<[StyledSpan]>>) {
    html.tag("ul", &[], |html| {
        list.for_each(|text| html.tag("li", &[], |html| spans(html, text.as_ref())));
    });
}

fn command(html: &mut Html, command: &CommandLine) {
    html.tag("div", &[("class", "command")], |html| {
        if !command.what.is_empty() {
            html.tag("p", &[], |html| html.text(&command.what));
        }
        html.tag("pre", &[("tabindex", "0")], |html| {
            html.tag("code", &[], |html| html.text(&command.line))
        });
        if !command.note.is_empty() {
            html.tag("p", &[("class", "quiet")], |html| html.text(&command.note));
        }
    });
}

fn part(html: &mut Html, part: &PagePart, at: Headings) {
    // Without a heading there is nothing that a section could be named by.
    let (tag, class) = match part.kind {
        PagePartKind::Section => return section(html, part, at),
        PagePartKind::Passage | PagePartKind::Result if part.heading.is_empty() => {
            let blocks = part.blocks.iter();
            return blocks.for_each(|block| self::block(html, block, at));
        }
        PagePartKind::Page | PagePartKind::Conversation => ("article", "conversation"),
        PagePartKind::Chapter
        | PagePartKind::Passage
        | PagePartKind::Result
        | PagePartKind::Remark => ("section", "chapter"),
        PagePartKind::Answer(tone) => {
            ("section", if tone == Tone::Good { "answer good" } else { "answer warn" })
        }
        PagePartKind::Finding(tone) => ("section", finding_class(tone)),
    };
    let mut attributes = vec![("class", class)];
    if !part.name.is_empty() {
        attributes.push(("id", part.name.as_str()));
    }
    html.tag(tag, &attributes, |html| {
        let mut below = at;
        if !part.heading.is_empty() {
            let level = ["h1", "h2", "h3", "h4", "h5", "h6"][at.level.clamp(1, 6) - 1];
            html.tag(level, &[], |html| spans(html, &part.heading));
            below.level = at.level.saturating_add(1);
        }
        part.blocks.iter().for_each(|block| self::block(html, block, below));
    });
}

/// A title among the paragraphs of its chapter.
fn section(html: &mut Html, part: &PagePart, at: Headings) {
    html.tag("p", &[], |html| html.tag("strong", &[], |html| spans(html, &part.heading)));
    part.blocks.iter().for_each(|block| self::block(html, block, at));
}

fn finding_class(tone: Tone) -> &'static str {
    match tone {
        Tone::Fatal | Tone::Bad => "finding bad",
        Tone::Warn => "finding warn",
        _ => "finding note",
    }
}

fn step(html: &mut Html, step: &StoryStep) {
    html.tag("li", &[], |html| {
        html.tag("div", &[], |html| {
            step.says.iter().for_each(|text| html.tag("p", &[], |html| spans(html, text)));
        });
        if !step.time.is_empty() {
            html.tag("span", &[("class", "time")], |html| html.text(&step.time));
        }
    });
}

fn table(html: &mut Html, table: &CountTable) {
    html.scrolled("table", "counts", |html| {
        html.tag("table", &[], |html| {
            html.tag("thead", &[], |html| {
                html.tag("tr", &[], |html| {
                    for (column, head) in table.head.iter().enumerate() {
                        let class = if table.counts(column) { "count" } else { "word" };
                        html.tag("th", &[("scope", "col"), ("class", class)], |html| {
                            html.text(head)
                        });
                    }
                });
            });
            html.tag("tbody", &[], |html| {
                for row in &table.rows {
                    html.tag("tr", &[], |html| row.iter().for_each(|cell| self::cell(html, cell)));
                }
            });
        });
    });
}

fn cell(html: &mut Html, cell: &TableCell) {
    match cell {
        TableCell::Count(count) => {
            html.tag("td", &[("class", "count")], |html| html.text(&count.to_string()));
        }
        TableCell::Word(word) => html.tag("td", &[], |html| spans(html, &document::prose(word))),
        TableCell::Key(word) => {
            html.tag("td", &[], |html| html.tag("code", &[], |html| html.text(word)))
        }
        TableCell::Words(_) | TableCell::Fixes(_) => {
            html.tag("td", &[], |html| html.text(&cell.words().join(", ")))
        }
        TableCell::Verdict(verdict) => html.tag("td", &[], |html| {
            let label = Look::Label(super::paint::of_verdict(*verdict));
            span(html, &StyledSpan::new(label, super::human::verdict_word(*verdict)));
        }),
        TableCell::Level(level) => html.tag("td", &[], |html| {
            let label = Look::Label(super::paint::of_level(*level));
            span(html, &StyledSpan::new(label, super::human::level_word(*level)));
        }),
        TableCell::Rule(code, name) => html.tag("td", &[], |html| {
            link(html, code.as_str(), code.as_str());
            html.text(" ");
            html.text(name);
        }),
    }
}

/// Records in rows: a table, so that wide characters and any font keep the columns.
fn ladder(html: &mut Html, ladder: &Ladder, about: &str) {
    let rows = &ladder.rows;
    // An empty column would only take room.
    let mut columns: Vec<usize> = (0..5).collect();
    columns.retain(|n| rows.iter().any(|row| !row.cells[*n].is_empty()));
    let heads = ["record", "time", "kind", "tool", "part"];
    let lanes = rows.iter().map(|row| row.arms.chars().count()).max().unwrap_or(0);
    let notes = rows.iter().any(|row| !row.note.is_empty());
    html.scrolled("ladder", about, |html| {
        html.tag("table", &[], |html| {
            html.tag("thead", &[], |html| {
                html.tag("tr", &[], |html| {
                    for n in &columns {
                        html.tag("th", &[("scope", "col")], |html| html.text(heads[*n]));
                    }
                    if lanes > 0 {
                        html.tag("td", &[], |_| {});
                    }
                    if notes {
                        html.tag("th", &[("scope", "col")], |html| html.text("note"));
                    }
                });
            });
            html.tag("tbody", &[], |html| {
                for (at, row) in rows.iter().enumerate() {
                    let is_main = ladder.main.is_some_and(|(main, _)| main == at);
                    let class: &[_] = if is_main { &[("class", "main")] } else { &[] };
                    html.tag("tr", class, |html| {
                        for n in &columns {
                            let class = ["number", "time", "kind", "tool", "what"][*n];
                            html.tag("td", &[("class", class)], |html| html.text(&row.cells[*n]));
                        }
                        if lanes > 0 {
                            html.tag("td", &[("class", "arms")], |html| {
                                arms::draw(html, &row.arms, lanes)
                            });
                        }
                        if notes {
                            html.tag("td", &[("class", "note")], |html| html.text(&row.note));
                        }
                    });
                }
            });
        });
    });
}

fn spans(html: &mut Html, text: &[StyledSpan]) {
    for (at, one) in text.iter().enumerate() {
        if document::apart(text, at) {
            html.text(" ");
        }
        span(html, one);
    }
}

fn span(html: &mut Html, span: &StyledSpan) {
    match &span.look {
        Look::Plain => html.text(&span.text),
        Look::Code | Look::Name | Look::Place(_) => {
            html.tag("code", &[], |html| html.text(&span.text))
        }
        Look::Strong => html.tag("strong", &[], |html| html.text(&span.text)),
        Look::Quiet => html.tag("span", &[("class", "quiet")], |html| html.text(&span.text)),
        Look::Label(tone) => {
            html.tag("span", &[("class", label(*tone))], |html| html.text(&span.text))
        }
        Look::Finding(level, _) => {
            html.tag("span", &[("class", label(super::paint::of_level(*level)))], |html| {
                html.text(&span.text)
            })
        }
        Look::To(name) => link(html, name, &span.text),
    }
}

fn link(html: &mut Html, name: &str, text: &str) {
    html.tag("a", &[("href", &format!("#{name}"))], |html| html.text(text));
}

fn label(tone: Tone) -> &'static str {
    match tone {
        Tone::Fatal | Tone::Bad => "label bad",
        Tone::Warn => "label warn",
        Tone::Good => "label good",
        Tone::Place | Tone::Strong | Tone::Dim => "label note",
    }
}

#[cfg(test)]
#[path = "html/tests.rs"]
mod tests;
