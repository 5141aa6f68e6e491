//! Columns on a terminal.

use std::borrow::Cow;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Columns that an escaped string takes.
pub(crate) fn width(s: &str) -> usize {
    s.width()
}

/// The string in at most `cols` columns, its end replaced by `…` where it is wider.
pub(crate) fn fit(s: &str, cols: usize) -> Cow<'_, str> {
    if width(s) <= cols {
        return Cow::Borrowed(s);
    }
    let Some(room) = cols.checked_sub(1) else {
        return Cow::Borrowed("");
    };
    let mut used = 0;
    let mut end = 0;
    for (at, c) in s.char_indices() {
        used += c.width().unwrap_or(0);
        if used > room {
            break;
        }
        end = at + c.len_utf8();
    }
    Cow::Owned(format!("{}…", s.get(..end).unwrap_or("")))
}

/// The string filled up with blanks to `cols` columns; a wider one stays.
pub(crate) fn pad(s: &str, cols: usize) -> String {
    let missing = cols.saturating_sub(width(s));
    format!("{s}{}", " ".repeat(missing))
}

/// Bytes for people.
pub(crate) fn size(bytes: u64) -> String {
    let units = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")];
    match units.into_iter().find(|(unit, _)| bytes >= *unit) {
        // Tenths, rounded down.
        Some((unit, name)) => format!("{}.{} {name}", bytes / unit, bytes % unit / (unit / 10)),
        None => format!("{bytes} B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_count_twice() {
        assert_eq!(fit("日本語", 6), "日本語");
        assert_eq!(fit("日本語", 5), "日本…");
        assert_eq!(fit("日本語", 4), "日…");
        assert_eq!(fit("abc", 1), "…");
        assert_eq!(fit("abc", 0), "");
        assert_eq!(pad("日", 4), "日  ");
        assert_eq!(pad("abcd", 2), "abcd");
    }

    #[test]
    fn sizes() {
        assert_eq!(size(0), "0 B");
        assert_eq!(size(999), "999 B");
        assert_eq!(size(1_590), "1.5 kB");
        assert_eq!(size(4_100_000_000), "4.1 GB");
    }
}
