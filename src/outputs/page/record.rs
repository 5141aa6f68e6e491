//! Single records on a page.

use super::{Block, Kind, Look, Part, Span, Text, chapter, prose};
use crate::explain::record::Records;
use crate::outputs::human::level_word;
use crate::outputs::layout::TextLayout;
use crate::outputs::paint::of_level;
use crate::outputs::{Style, record};

/// What is known of some records.
pub(super) fn blocks(records: &Records, style: &Style) -> (String, Vec<Block>) {
    let layout = TextLayout::new(style, record::ids(records).into_iter());
    let path = records.path.whole();
    let mut blocks = Vec::new();
    for known in &records.records {
        let mut lines: Vec<Text> = record::lines(known, &layout)
            .iter()
            .map(|line| prose(line))
            .collect();
        if let Some(words) = &known.preview {
            lines.push(vec![
                Span::new(Look::Plain, "says: "),
                Span::new(Look::Code, words.to_string()),
            ]);
        }
        for finding in &known.findings {
            let label = format!("{} {}", level_word(finding.severity), finding.code);
            let mut line = vec![Span::new(Look::Label(of_level(finding.severity)), label)];
            line.extend(prose(&finding.message));
            lines.push(line);
        }
        blocks.push(chapter(
            &format!("{} {}", known.unit, known.number),
            vec![Block::List(lines)],
        ));
    }
    if records.left_out > 0 {
        blocks.push(super::says(&format!("and {} more", records.left_out)));
    }
    let heading = vec![Span::new(Look::Code, path.clone())];
    let part = Part {
        kind: Kind::Conversation,
        name: String::new(),
        heading,
        blocks,
    };
    (path, vec![Block::Part(part)])
}
