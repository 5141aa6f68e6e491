//! What the explanations for people share: how wide sentences are, how much is told, how ids look.

use std::io::{self, Write};

use super::wrap::wrap;
use super::{Detail, Style};
use crate::report::text::{Ids, Shown, width};

/// Columns of sentences, at most: longer lines are hard to read.
const WIDEST: usize = 100;

/// An explanation that is being printed.
pub(crate) struct TextLayout<'a> {
    /// How it is printed.
    pub style: &'a Style,
    /// Columns of its sentences.
    pub columns: usize,
    /// Its ids, short and unlike each other; whole where everything is asked for.
    pub ids: Ids,
}

impl<'a> TextLayout<'a> {
    /// One that will name these ids.
    pub(crate) fn new<'i>(
        style: &'a Style,
        ids: impl Iterator<Item = &'i Shown>,
    ) -> TextLayout<'a> {
        let ids = match style.detail {
            Detail::All => Ids::default(),
            _ => Ids::short(&ids.map(Shown::exact).collect::<Vec<_>>()),
        };
        TextLayout {
            style,
            columns: style.width.min(WIDEST),
            ids,
        }
    }

    /// `few`, unless everything is asked for.
    pub(crate) fn most(&self, few: usize) -> usize {
        if self.style.detail == Detail::All {
            usize::MAX
        } else {
            few
        }
    }

    /// How many of `count` are left out where at most `few` are told; `None`: none.
    pub(crate) fn left_out(&self, count: usize, few: usize) -> Option<usize> {
        count.checked_sub(self.most(few)).filter(|more| *more > 0)
    }

    /// A sentence behind a head; further lines begin at the left.
    pub(crate) fn write(&self, head: &str, text: &str, out: &mut dyn Write) -> io::Result<()> {
        for (at, line) in wrap(text, self.columns, width(head)).iter().enumerate() {
            let head = if at == 0 { head } else { "" };
            writeln!(out, "{}", self.style.draw(&format!("{head}{line}")))?;
        }
        Ok(())
    }

    /// A sentence behind a head; further lines begin behind it too.
    pub(crate) fn write_indented(
        &self,
        head: &str,
        text: &str,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        // Colors take no room.
        let wide = width(&anstream::adapter::strip_str(head).to_string());
        let blank = " ".repeat(wide);
        for (at, line) in wrap(text, self.columns.saturating_sub(wide), 0)
            .iter()
            .enumerate()
        {
            let head = if at == 0 { head } else { &blank };
            writeln!(out, "{}", self.style.draw(&format!("{head}{line}")))?;
        }
        Ok(())
    }

    /// At most `few` words with commas between them, `…` for the others, unless everything is asked for.
    pub(crate) fn list(&self, words: impl Iterator<Item = impl ToString>, few: usize) -> String {
        list(words, self.most(few))
    }
}

/// At most `most` words with commas between them, `…` for the others.
pub(super) fn list(words: impl Iterator<Item = impl ToString>, most: usize) -> String {
    let mut words: Vec<String> = words
        .take(most.saturating_add(1))
        .map(|word| word.to_string())
        .collect();
    if words.len() > most {
        words.truncate(most);
        words.push("…".to_owned());
    }
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_tells_that_it_is_longer() {
        assert_eq!(list([1, 2].iter(), 2), "1, 2");
        assert_eq!(list([1, 2, 3].iter(), 2), "1, 2, …");
        assert_eq!(list([1, 2, 3].iter(), usize::MAX), "1, 2, 3");
    }

    #[test]
    fn sentences_hang_or_begin_at_the_left() {
        let style = Style {
            width: 12,
            ..Style::default()
        };
        let layout = TextLayout::new(&style, std::iter::empty());
        let printed = |write: fn(&TextLayout<'_>, &mut dyn Write) -> io::Result<()>| {
            let mut out = Vec::new();
            write(&layout, &mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        assert_eq!(
            printed(|layout, out| layout.write("So: ", "one two 日本 four", out)),
            "So: one two\n日本 four\n"
        );
        assert_eq!(
            printed(|layout, out| layout.write_indented("So: ", "one two 日本 four", out)),
            "So: one two\n    日本\n    four\n"
        );
    }
}
