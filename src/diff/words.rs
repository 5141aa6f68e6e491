//! Which words of two texts differ, for the eye.

use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::outputs::paint::{Tone, paint, stand_out};

/// Words of a text that are compared; a value is shown cut anyway.
const MOST: usize = 400;

/// Words in the color of their text.
pub(super) struct ColoredWords<'a> {
    pub(super) text: &'a str,
    tone: Option<Tone>,
    /// Only one of the two texts has them.
    differ: bool,
}

impl<'a> ColoredWords<'a> {
    /// A text of one color.
    pub(super) fn of(tone: Option<Tone>, text: &'a str) -> ColoredWords<'a> {
        ColoredWords { text, tone, differ: false }
    }

    /// The same words, one by one.
    pub(super) fn each(&self) -> impl Iterator<Item = ColoredWords<'a>> + '_ {
        words(self.text).into_iter().map(|text| self.with(text))
    }

    /// Another text like these.
    pub(super) fn with<'b>(&self, text: &'b str) -> ColoredWords<'b> {
        ColoredWords { text, tone: self.tone, differ: self.differ }
    }

    /// They as they are printed.
    pub(super) fn painted(&self) -> String {
        match (self.tone, self.differ) {
            (None, _) => self.text.to_owned(),
            (Some(tone), false) => paint(tone, self.text).to_string(),
            (Some(tone), true) => stand_out(paint(tone, self.text)),
        }
    }
}

/// An old and a new text in their colors; where they share words, those that differ stand out.
pub(super) fn painted(both: [&str; 2]) -> [String; 2] {
    marked(both).map(|text| text.iter().map(ColoredWords::painted).collect())
}

/// The same in parts.
pub(super) fn marked([old, new]: [&str; 2]) -> [Vec<ColoredWords<'_>>; 2] {
    let (a, b) = (words(old), words(new));
    let ops = if a.len().max(b.len()) > MOST {
        Vec::new()
    } else {
        capture_diff_slices(Algorithm::Myers, &a, &b)
    };
    let shared = |op: &&DiffOp| matches!(op, DiffOp::Equal { .. });
    if !ops.iter().filter(shared).any(|op| a[op.old_range()].iter().any(|word| is_word(word))) {
        return [
            vec![ColoredWords::of(Some(Tone::Bad), old)],
            vec![ColoredWords::of(Some(Tone::Good), new)],
        ];
    }
    let side = |text, tone, all: &[&str], range: fn(&DiffOp) -> Range<usize>| {
        let words = |op: &DiffOp| ColoredWords {
            text: between(text, all, range(op)),
            tone: Some(tone),
            differ: !shared(&op),
        };
        let all = ops.iter().map(words);
        all.filter(|words| !words.text.is_empty()).collect()
    };
    [side(old, Tone::Bad, &a, DiffOp::old_range), side(new, Tone::Good, &b, DiffOp::new_range)]
}

/// The part of a text that these of its words are.
fn between<'a>(text: &'a str, words: &[&str], range: Range<usize>) -> &'a str {
    let start: usize = words[..range.start].iter().map(|word| word.len()).sum();
    let size: usize = words[range].iter().map(|word| word.len()).sum();
    text.get(start..start.saturating_add(size)).unwrap_or_default()
}

fn is_word(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

/// A text in words and what is between them. What hyphens and underlines join is one word, as an ID is.
fn words(text: &str) -> Vec<&str> {
    let joins = |c: char| matches!(c, '-' | '_');
    let (mut out, mut rest) = (Vec::new(), text);
    while let Some(first) = rest.chars().next() {
        let is_inside = |(at, c): (usize, char)| {
            let next = rest.get(at + c.len_utf8()..).and_then(|rest| rest.chars().next());
            c.is_alphanumeric() || joins(c) && next.is_some_and(char::is_alphanumeric)
        };
        let end = if first.is_alphanumeric() {
            rest.char_indices().find(|own| !is_inside(*own))
        } else {
            rest.char_indices().nth(1)
        };
        let (word, after) = rest.split_at(end.map_or(rest.len(), |(at, _)| at));
        out.push(word);
        rest = after;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(old: &str, new: &str) -> [String; 2] {
        crate::outputs::paint::force();
        painted([old, new]).map(|text| {
            text.replace("\u{1b}[31m", "")
                .replace("\u{1b}[32m", "")
                .replace("\u{1b}[1;4;31m", "<")
                .replace("\u{1b}[1;4;32m", "<")
                .replace("\u{1b}[0m", "|")
        })
    }

    #[test]
    fn the_words_that_differ_stand_out() {
        assert_eq!(
            marked("write the file", "wrote the file"),
            ["<write| the file|", "<wrote| the file|"]
        );
        assert_eq!(marked("a", "b"), ["a|", "b|"]);
        assert_eq!(marked("\"x\"", "\"y\""), ["\"x\"|", "\"y\"|"]);
        assert_eq!(
            marked("of 4f-a_1 - now", "of 4f-b_1 - now"),
            ["of |<4f-a_1| - now|", "of |<4f-b_1| - now|"]
        );
    }
}
