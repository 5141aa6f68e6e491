//! The manual page of a rule.

use super::{Block, Cell, Kind, Look, Part, Span, Table, prose, says};
use crate::explain::rule::{Manual, Paragraph};
use crate::outputs::human::level_word;
use crate::outputs::paint::of_level;
use crate::outputs::story::words::sentence;

/// A whole page about a rule.
pub(super) fn blocks(manual: &Manual) -> (String, Vec<Block>) {
    let level = Span::new(
        Look::Label(of_level(manual.severity)),
        level_word(manual.severity),
    );
    let title = format!("{} {}", manual.code, manual.name);
    let fix = Span::new(Look::Quiet, format!("fix: {}", manual.fix));
    let heading = vec![level, Span::new(Look::Plain, title.clone()), fix];
    let mut blocks = vec![says(&sentence(&format!("{}.", manual.summary)))];
    blocks.extend(sections(manual));
    (
        title,
        vec![Block::Part(Part {
            kind: Kind::Conversation,
            name: String::new(),
            heading,
            blocks,
        })],
    )
}

/// All rules.
pub(super) fn list(manuals: &[Manual]) -> (String, Vec<Block>) {
    let rows = manuals.iter().map(|manual| {
        vec![
            Cell::Rule(manual.code, manual.name),
            Cell::Word(level_word(manual.severity)),
            Cell::Word(manual.summary),
        ]
    });
    let table = Table {
        head: vec!["rule", "severity", "meaning"],
        rows: rows.collect(),
    };
    let mut blocks = vec![Block::Table(table)];
    for manual in manuals {
        let inside = Block::Part(Part {
            kind: Kind::Chapter,
            name: manual.code.to_string(),
            heading: Vec::new(),
            blocks: page(manual),
        });
        blocks.push(Block::Details(
            format!("{} {}", manual.code, manual.name),
            vec![inside],
        ));
    }
    let heading = prose("The rules");
    let part = Part {
        kind: Kind::Conversation,
        name: String::new(),
        heading,
        blocks,
    };
    ("the rules".to_owned(), vec![Block::Part(part)])
}

/// The manual page of a rule below a heading that says nothing about its fix.
pub(super) fn page(manual: &Manual) -> Vec<Block> {
    let mut out = vec![says(&format!("Fix: {}.", manual.fix))];
    out.extend(sections(manual));
    out
}

fn sections(manual: &Manual) -> Vec<Block> {
    let mut out = Vec::new();
    for section in &manual.sections {
        out.push(Block::Text(vec![Span::new(Look::Strong, section.title)]));
        let mut list = Vec::new();
        for paragraph in &section.paragraphs {
            match paragraph {
                Paragraph::Text(text) => out.push(Block::Text(prose(text))),
                Paragraph::Quote(who, text) => list.push(vec![
                    Span::new(Look::Plain, format!("{who}: ")),
                    Span::new(Look::Code, text.as_ref()),
                ]),
                Paragraph::Cause(who, how) => list.push(prose(&format!("{who}: {how}"))),
                Paragraph::Diff(lines) => out.push(Block::Diff(lines.clone())),
            }
        }
        if !list.is_empty() {
            out.push(Block::List(list));
        }
    }
    out
}
