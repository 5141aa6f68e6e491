//! Which words of two texts differ, for the eye.

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::outputs::paint::{Tone, paint, stand_out};

/// Words of a text that are compared; a value is shown cut anyway.
const MOST: usize = 400;

/// An old and a new text in their colors; where they share words, those that differ stand out.
pub(super) fn painted([old, new]: [&str; 2]) -> [String; 2] {
    let (a, b) = (words(old), words(new));
    let ops = match a.len().max(b.len()) > MOST {
        true => Vec::new(),
        false => capture_diff_slices(Algorithm::Myers, &a, &b),
    };
    let shared = |op: &&DiffOp| matches!(op, DiffOp::Equal { .. });
    let says = |op: &DiffOp| a[op.old_range()].iter().any(|word| is_word(word));
    if !ops.iter().filter(shared).any(says) {
        return [
            paint(Tone::Bad, old).to_string(),
            paint(Tone::Good, new).to_string(),
        ];
    }
    let mut out = [String::new(), String::new()];
    for op in &ops {
        let same = matches!(op, DiffOp::Equal { .. });
        let sides = [
            (a[op.old_range()].concat(), Tone::Bad),
            (b[op.new_range()].concat(), Tone::Good),
        ];
        for (out, (text, tone)) in out.iter_mut().zip(sides) {
            let painted = paint(tone, &text);
            match (same, text.is_empty()) {
                (_, true) => {}
                (true, _) => out.push_str(&painted.to_string()),
                (false, _) => out.push_str(&stand_out(painted)),
            }
        }
    }
    out
}

fn is_word(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

/// A text in words and what is between them.
fn words(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let inside = first.is_alphanumeric();
        let end = match inside {
            true => rest.find(|c: char| !c.is_alphanumeric()),
            false => Some(first.len_utf8()),
        };
        let (word, after) = rest.split_at(end.unwrap_or(rest.len()));
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
    }
}
