//! The manual page of a rule.

use super::{
    CountTable, Look, PageBlock, PagePart, PagePartKind, StyledSpan, TableCell, part, prose, says,
};
use crate::explain::rule::{Manual, Paragraph};
use crate::outputs::document::words::sentence;
use crate::outputs::human::level_word;
use crate::outputs::paint::of_level;

/// A whole page about a rule.
pub(super) fn blocks(manual: &Manual) -> (String, Vec<PageBlock>) {
    let title = format!("{} {}", manual.code, manual.name);
    let heading = vec![
        StyledSpan::new(Look::Strong, title.clone()),
        StyledSpan::new(Look::Label(of_level(manual.severity)), level_word(manual.severity)),
        StyledSpan::new(Look::Quiet, format!("· fix: {}", manual.fix)),
    ];
    let mut blocks = vec![says(&sentence(&format!("{}.", manual.summary)))];
    blocks.extend(sections(manual));
    (title, vec![part(PagePartKind::Conversation, heading, blocks)])
}

/// All rules.
pub(super) fn list(manuals: &[Manual]) -> (String, Vec<PageBlock>) {
    let rows = manuals.iter().map(|manual| {
        vec![
            TableCell::Rule(manual.code, manual.name),
            TableCell::Level(manual.severity),
            TableCell::Word(manual.summary),
        ]
    });
    let table = CountTable { head: vec!["rule", "severity", "meaning"], rows: rows.collect() };
    let mut blocks = vec![PageBlock::Table(table)];
    for manual in manuals {
        let inside = PageBlock::Part(PagePart {
            kind: PagePartKind::Chapter,
            name: manual.code.to_string(),
            heading: Vec::new(),
            blocks: page(manual),
        });
        blocks.push(PageBlock::Details(format!("{} {}", manual.code, manual.name), vec![inside]));
    }
    let page = part(PagePartKind::Page, prose("The rules"), blocks);
    ("the rules".to_owned(), vec![page])
}

/// The manual page of a rule below a heading that says nothing about its fix.
pub(super) fn page(manual: &Manual) -> Vec<PageBlock> {
    let mut out = vec![says(&format!("Fix: {}.", manual.fix))];
    out.extend(sections(manual));
    out
}

fn sections(manual: &Manual) -> impl Iterator<Item = PageBlock> {
    manual.sections.iter().map(|section| {
        let (mut blocks, mut list) = (Vec::new(), Vec::new());
        for paragraph in &section.paragraphs {
            match paragraph {
                Paragraph::Text(text) => blocks.push(says(text)),
                Paragraph::Quote(who, text) => list.push(vec![
                    StyledSpan::new(Look::Plain, format!("{who}: ")),
                    StyledSpan::new(Look::Name, text.as_ref()),
                ]),
                Paragraph::Cause(who, how) => list.push(prose(&format!("{who}: {how}"))),
                Paragraph::Diff(lines) => blocks.push(PageBlock::Diff(lines.clone())),
            }
        }
        if !list.is_empty() {
            blocks.push(PageBlock::List(list));
        }
        part(PagePartKind::Section, prose(section.title), blocks)
    })
}
