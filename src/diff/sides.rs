//! The old and the new text side by side, for `--side-by-side`.

use std::io::{self, Write};

use super::words::ColoredWords;
use crate::outputs::OutputStyle;
use crate::outputs::paint::{Tone, paint};
use crate::report::text::{fit, width};

/// Columns of the narrowest terminal that has room for two texts.
pub(crate) const FEWEST: usize = 100;
/// What is between them.
const BETWEEN: &str = "│";

/// Columns of each of two texts.
pub(super) fn columns(style: &OutputStyle, indent: usize) -> usize {
    let between = width(BETWEEN).saturating_add(2);
    style.width.saturating_sub(indent).saturating_sub(between) / 2
}

/// Writes two texts beside each other, each in as many lines as it needs; one that does not exist leaves its side empty.
///
/// # Errors
/// `out` does not take it.
pub(super) fn write(
    [old, new]: [&[ColoredWords<'_>]; 2],
    indent: usize,
    out: &mut dyn Write,
    style: &OutputStyle,
) -> io::Result<()> {
    let columns = columns(style, indent);
    let (old, new) = (lines(old, columns), lines(new, columns));
    let between = paint(Tone::Dim, &style.draw(BETWEEN)).to_string();
    for n in 0..old.len().max(new.len()) {
        let (text, used) = old.get(n).cloned().unwrap_or_default();
        let rest = new.get(n).map_or("", |(text, _)| text);
        let gap = " ".repeat(columns.saturating_sub(used));
        let rest = match rest {
            "" => String::new(),
            rest => format!(" {rest}"),
        };
        writeln!(out, "{}{text}{gap} {between}{rest}", " ".repeat(indent))?;
    }
    Ok(())
}

/// Painted lines of at most so many columns, with the columns that each takes.
fn lines(text: &[ColoredWords<'_>], columns: usize) -> Vec<(String, usize)> {
    let mut out: Vec<(String, usize)> = Vec::new();
    let mut line = (String::new(), 0);
    for word in text.iter().flat_map(ColoredWords::each) {
        let wide = width(word.text);
        if line.1 + wide > columns && line.1 > 0 {
            out.push(std::mem::take(&mut line));
        }
        if line.1 == 0 && word.text == " " && !out.is_empty() {
            continue;
        }
        // A word that is wider than the side is cut: it is a text without spaces.
        let cut = fit(word.text, columns).into_owned();
        line.1 += width(&cut);
        line.0.push_str(&word.with(&cut).painted());
    }
    if line.1 > 0 {
        out.push(line);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::words::marked;

    fn shown(both: [&str; 2], columns: usize) -> String {
        let style = OutputStyle { width: columns, ..OutputStyle::default() };
        let mut out = Vec::new();
        let [old, new] = marked(both);
        write([&old, &new], 2, &mut out, &style).unwrap();
        anstream::adapter::strip_str(std::str::from_utf8(&out).unwrap()).to_string()
    }

    #[test]
    fn texts_are_wrapped_beside_each_other() {
        assert_eq!(
            shown(["write the file now", "wrote it"], 25),
            "  write the  │ wrote it\n  file now   │\n"
        );
        assert_eq!(shown(["", "new"], 25), "             │ new\n");
        assert_eq!(shown(["abcdefghijklmnop", "日本日本日本"], 25), "  abcdefghi… │ 日本日本…\n");
    }
}
