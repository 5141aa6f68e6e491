//! The manual page of a rule.

use super::{Block, Cell, Kind, Look, Part, Span, Table, Text, prose};
use crate::explain::rule::Manual;
use crate::outputs::human::level_word;
use crate::outputs::paint::of_level;

/// A whole page about a rule.
pub(super) fn blocks(manual: &Manual) -> (String, Vec<Block>) {
    let level = Span::new(
        Look::Label(of_level(manual.severity)),
        level_word(manual.severity),
    );
    let title = format!("{} {}", manual.code, manual.name);
    let heading = vec![level, Span::new(Look::Plain, title.clone())];
    let mut blocks = vec![Block::Text(prose(&format!("{}.", manual.summary)))];
    blocks.extend(page(manual));
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

/// The paragraphs of a manual page, and what somebody says who meets the damage.
pub(super) fn page(manual: &Manual) -> Vec<Block> {
    let paragraphs = manual
        .page
        .trim()
        .split("\n\n")
        .filter(|text| !text.trim().is_empty());
    let mut out: Vec<Block> = paragraphs.map(paragraph).collect();
    let says = |(who, text): &(&str, &str)| -> Text {
        vec![
            Span::new(Look::Plain, format!("{who} says: ")),
            Span::new(Look::Code, *text),
        ]
    };
    if !manual.says.is_empty() {
        out.push(Block::List(manual.says.iter().map(says).collect()));
    }
    out
}

fn paragraph(text: &str) -> Block {
    let heading = text.trim_start().starts_with('#');
    let lines: Vec<&str> = text
        .lines()
        .map(|line| line.trim().trim_start_matches(['#', ' ']))
        .collect();
    let text = lines.join(" ");
    Block::Text(if heading {
        vec![Span::new(Look::Strong, text)]
    } else {
        prose(&text)
    })
}
