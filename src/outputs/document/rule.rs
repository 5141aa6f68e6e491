//! The manual page of a rule.

use super::{Block, Cell, Kind, Look, Part, Span, Table, part, prose, says};
use crate::explain::rule::{Manual, Paragraph};
use crate::outputs::document::words::sentence;
use crate::outputs::human::level_word;
use crate::outputs::paint::of_level;

/// A whole page about a rule.
pub(super) fn blocks(manual: &Manual) -> (String, Vec<Block>) {
    let title = format!("{} {}", manual.code, manual.name);
    let heading = vec![
        Span::new(Look::Strong, title.clone()),
        Span::new(
            Look::Label(of_level(manual.severity)),
            level_word(manual.severity),
        ),
        Span::new(Look::Quiet, format!("· fix: {}", manual.fix)),
    ];
    let mut blocks = vec![says(&sentence(&format!("{}.", manual.summary)))];
    blocks.extend(sections(manual));
    (title, vec![part(Kind::Conversation, heading, blocks)])
}

/// All rules.
pub(super) fn list(manuals: &[Manual]) -> (String, Vec<Block>) {
    let rows = manuals.iter().map(|manual| {
        vec![
            Cell::Rule(manual.code, manual.name),
            Cell::Level(manual.severity),
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
    let page = part(Kind::Page, prose("The rules"), blocks);
    ("the rules".to_owned(), vec![page])
}

/// The manual page of a rule below a heading that says nothing about its fix.
pub(super) fn page(manual: &Manual) -> Vec<Block> {
    let mut out = vec![says(&format!("Fix: {}.", manual.fix))];
    out.extend(sections(manual));
    out
}

fn sections(manual: &Manual) -> impl Iterator<Item = Block> {
    manual.sections.iter().map(|section| {
        let (mut blocks, mut list) = (Vec::new(), Vec::new());
        for paragraph in &section.paragraphs {
            match paragraph {
                Paragraph::Text(text) => blocks.push(says(text)),
                Paragraph::Quote(who, text) => list.push(vec![
                    Span::new(Look::Plain, format!("{who}: ")),
                    Span::new(Look::Name, text.as_ref()),
                ]),
                Paragraph::Cause(who, how) => list.push(prose(&format!("{who}: {how}"))),
                Paragraph::Diff(lines) => blocks.push(Block::Diff(lines.clone())),
            }
        }
        if !list.is_empty() {
            blocks.push(Block::List(list));
        }
        part(Kind::Section, prose(section.title), blocks)
    })
}
