//! What a pasted error says by itself.

use super::finding::Rules;
use super::{CountTable, PageBlock, PagePartKind, TableCell, error, part, prose, says};
use crate::explain::error::{Meaning, Searched};
use crate::outputs::OutputStyle;
use crate::outputs::layout::{Medium, TextLayout};

/// What a text says, which damage makes somebody say it, and how to find it in a transcript.
pub(super) fn blocks(
    meaning: &Meaning,
    style: &OutputStyle,
    medium: Medium,
    rules: &mut Rules,
) -> (String, Vec<PageBlock>) {
    let layout = TextLayout::new(style, medium, meaning.read.ids.iter());
    let read = prose(&error::read(&meaning.read, &layout));
    let mut blocks = vec![PageBlock::Facts(vec![(error::ERROR, read)])];
    if !layout.is_brief() {
        blocks.extend(causes(meaning, rules));
        let more = [meaning.hint, how_to_find(meaning)];
        let more = more.into_iter().filter(|text| !text.is_empty());
        blocks.extend(more.map(|text| part(PagePartKind::Passage, Vec::new(), vec![says(text)])));
    }
    let page = part(PagePartKind::Page, prose("A pasted error"), blocks);
    ("a pasted error".to_owned(), vec![page])
}

fn causes(meaning: &Meaning, rules: &mut Rules) -> Option<PageBlock> {
    let rows = meaning.rules.iter().map(|rule| {
        vec![
            TableCell::Rule(rule.code, rule.name),
            TableCell::Level(rule.severity),
            TableCell::Word(rule.summary),
        ]
    });
    let mut blocks = vec![PageBlock::Table(CountTable {
        head: vec!["rule", "severity", "meaning"],
        rows: rows.collect(),
    })];
    let pages = meaning.rules.iter();
    blocks.extend(pages.map(|rule| rules.page(rule.code, rule.name)));
    let heading = prose("Possible causes, most likely first");
    (!meaning.rules.is_empty()).then(|| part(PagePartKind::Section, heading, blocks))
}

/// How to find the transcript; "": there is none to be found.
fn how_to_find(meaning: &Meaning) -> &'static str {
    match (meaning.read.no_damage, meaning.searched, meaning.searchable) {
        (true, ..) => "",
        (_, Some(Searched::Ids), _) => NOT_HERE,
        (_, Some(Searched::Causes), _) => NO_CAUSE,
        (_, None, true) => SEARCH,
        (_, None, false) => NAME_IT,
    }
}

const NAME_IT: &str = "The text does not name a session. `transcript-doctor` lists your recent \
    sessions, damaged ones first; `explain FILE --error TEXT` finds the place in one of them.";
const SEARCH: &str = "No transcript was named: run `explain FILE --error TEXT`, or search all \
    sessions for these IDs with `--find`.";
const NOT_HERE: &str = "No session on this machine contains these IDs. The session may be on another machine, deleted, or \
    in a folder that is not searched. Name it: `explain FILE --error TEXT`, or `explain FOLDER --find --error TEXT`.";
const NO_CAUSE: &str = "No new session has damage that causes this. `explain FILE --error TEXT` looks into an older one; \
    `transcript-doctor sessions --all` lists them.";
