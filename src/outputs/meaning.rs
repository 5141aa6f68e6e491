//! What a pasted error says by itself, for people.

use std::io::{self, Write};

use super::human::level_word;
use super::layout::TextLayout;
use super::paint::{of_level, paint};
use super::{Detail, Style, error};
use crate::explain::error::Meaning;
use crate::report::text::pad;

/// Prints what a text says, which damage makes somebody say it, and how to find it in a recording.
pub(crate) fn write(meaning: &Meaning, out: &mut dyn Write, style: &Style) -> io::Result<()> {
    if style.detail == Detail::Nothing {
        return Ok(());
    }
    let layout = TextLayout::new(style, meaning.read.ids.iter());
    layout.write_indented("Read:   ", &error::read(&meaning.read, &layout), out)?;
    if style.detail == Detail::Verdicts {
        return Ok(());
    }
    if !meaning.rules.is_empty() {
        writeln!(out, "\nPossible causes, most likely first:")?;
    }
    let wide = meaning
        .rules
        .iter()
        .map(|rule| rule.name.len())
        .max()
        .unwrap_or(0);
    for rule in &meaning.rules {
        let name = pad(rule.name, wide);
        let level = paint(
            of_level(rule.severity),
            &format!("{:<7}", level_word(rule.severity)),
        )
        .to_string();
        let head = format!("  {}  {name}  {level}  ", rule.code);
        layout.write_indented(&head, rule.summary, out)?;
    }
    if !meaning.hint.is_empty() {
        writeln!(out)?;
        layout.write("", meaning.hint, out)?;
    }
    let Some(how) = how_to_find(meaning) else {
        return Ok(());
    };
    writeln!(out)?;
    layout.write("", how, out)
}

/// How to find the recording; `None`: there is none to be found.
pub(crate) fn how_to_find(meaning: &Meaning) -> Option<&'static str> {
    let how = if meaning.searchable { SEARCH } else { NAME_IT };
    (!meaning.read.no_damage).then_some(how)
}

const NAME_IT: &str = "The text does not name a session. `transcript-doctor` lists your recent \
    sessions, damaged ones first; `explain FILE --error TEXT` finds the place in one of them.";
const SEARCH: &str = "No transcript was named: run `explain FILE --error TEXT`, or search all \
    sessions for these ids with `--find`.";
