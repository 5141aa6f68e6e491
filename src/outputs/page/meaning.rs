//! What a pasted error says by itself, on a page.

use super::finding::Rules;
use super::{Block, Kind, Look, Part, Span, Text, prose, says};
use crate::explain::error::Meaning;
use crate::outputs::human::level_word;
use crate::outputs::layout::TextLayout;
use crate::outputs::paint::of_level;
use crate::outputs::{Style, error, meaning};

/// What a text says, which damage makes somebody say it, and how to find it in a recording.
pub(super) fn blocks(meaning: &Meaning, style: &Style, rules: &mut Rules) -> (String, Vec<Block>) {
    let layout = TextLayout::new(style, meaning.read.ids.iter());
    let facts: Vec<(&'static str, Text)> =
        vec![("the text says", prose(&error::read(&meaning.read, &layout)))];
    let mut blocks = vec![Block::Facts(facts)];
    if !meaning.rules.is_empty() {
        blocks.push(says("Possible causes, most likely first:"));
    }
    for rule in &meaning.rules {
        let level = format!("{} {}", level_word(rule.severity), rule.code);
        let mut text = vec![Span::new(Look::Label(of_level(rule.severity)), level)];
        text.extend(prose(rule.summary));
        blocks.push(Block::Text(text));
        blocks.push(rules.page(rule.code, rule.name));
    }
    if !meaning.hint.is_empty() {
        blocks.push(says(meaning.hint));
    }
    blocks.extend(meaning::how_to_find(meaning).map(says));
    let heading = prose("A pasted error");
    let part = Part {
        kind: Kind::Conversation,
        name: String::new(),
        heading,
        blocks,
    };
    ("a pasted error".to_owned(), vec![Block::Part(part)])
}
