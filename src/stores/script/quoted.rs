//! Names and values in SQL.

use std::fmt::Write;

use crate::containers::database::ColumnValue;

/// A name.
pub(super) fn name(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A text.
pub(crate) fn text(text: &str) -> String {
    if text.chars().all(is_plain) {
        format!("'{}'", text.replace('\'', "''"))
    } else {
        format!("CAST({} AS TEXT)", blob(text.as_bytes()))
    }
}

fn blob(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() * 2 + 3);
    out.push_str("X'");
    for byte in bytes {
        let _ = write!(out, "{byte:02X}");
    }
    out.push('\'');
    out
}

/// Whether a character may be in a script as it is: not what changes how a terminal shows the script, what a client or an
/// editor turns into another line break, or where SQLite ends a text.
fn is_plain(c: char) -> bool {
    let is_shift = matches!(c, '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{FEFF}');
    !is_shift && (!c.is_control() || matches!(c, '\n' | '\t'))
}

/// What a comment may have of a text.
pub(super) fn comment(text: &str) -> String {
    text.chars()
        .map(|c| if is_plain(c) && !c.is_whitespace() || c == ' ' { c } else { '?' })
        .collect()
}

/// A value.
pub(super) fn value(value: &ColumnValue) -> String {
    match value {
        ColumnValue::Null => "NULL".to_owned(),
        ColumnValue::Integer(number) => number.to_string(),
        ColumnValue::Real(number) => real(*number),
        ColumnValue::Text(bytes) => match std::str::from_utf8(bytes) {
            Ok(own) => text(own),
            Err(_) => format!("CAST({} AS TEXT)", blob(bytes)),
        },
        ColumnValue::Blob(bytes) => blob(bytes),
    }
}

/// A number that SQLite reads back to the bit: old versions round long decimals wrongly. A whole number, and a division by a
/// power of two, are exact everywhere.
fn real(number: f64) -> String {
    // How many bits of a fraction are after the point, and the most that a double has before it.
    const BITS: u32 = 60;
    const MOST: f64 = 9_007_199_254_740_992.0;
    if number.is_infinite() {
        return if number > 0.0 { "9e999" } else { "-9e999" }.to_owned();
    }
    let (mut whole, mut power) = (number, 0);
    while whole.fract() != 0.0 && power < BITS {
        whole *= 2.0;
        power += 1;
    }
    if whole.fract() != 0.0 || whole.abs() > MOST {
        return format!("{number:e}");
    }
    match power {
        0 => format!("{whole:.1}"),
        power => format!("({whole:.1} / {:.1})", (1_u64 << power) as f64),
    }
}

/// Whether a column has exactly this value. Numbers are compared as numbers, because a whole one is stored in either form.
pub(crate) fn equal(column: &str, value: &ColumnValue) -> String {
    let name = self::name(column);
    match value {
        ColumnValue::Null => format!("{name} IS NULL"),
        ColumnValue::Integer(_) | ColumnValue::Real(_) => {
            format!("typeof({name}) IN ('integer', 'real') AND {name} = {}", self::value(value))
        }
        ColumnValue::Text(bytes) => {
            let bytes = match std::str::from_utf8(bytes) {
                Ok(own) if own.chars().all(is_plain) => format!("CAST({} AS BLOB)", text(own)),
                _ => blob(bytes),
            };
            format!("typeof({name}) = 'text' AND CAST({name} AS BLOB) = {bytes}")
        }
        ColumnValue::Blob(bytes) => format!("typeof({name}) = 'blob' AND {name} = {}", blob(bytes)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_without_anything_that_acts() {
        let text = |own: &[u8]| value(&ColumnValue::Text(own.to_vec()));
        assert_eq!(text(b"it's\n\"so\""), "'it''s\n\"so\"'");
        assert_eq!(text(b"\x1b[2J"), "CAST(X'1B5B324A' AS TEXT)");
        assert_eq!(text(b"\0json:"), "CAST(X'006A736F6E3A' AS TEXT)");
        assert_eq!(text(b"\xff"), "CAST(X'FF' AS TEXT)");
        assert_eq!(text("a\u{202e}b".as_bytes()), "CAST(X'61E280AE62' AS TEXT)");
        assert_eq!(name("a\"b"), "\"a\"\"b\"");
        assert_eq!(comment("a\nb\u{1b}"), "a?b?");
    }

    #[test]
    fn numbers_are_exact() {
        for (number, expected) in [
            (0.0, "0.0"),
            (-3.0, "-3.0"),
            (1775116811.5, "(3550233623.0 / 2.0)"),
            (f64::INFINITY, "9e999"),
        ] {
            assert_eq!(real(number), expected);
        }
        assert_eq!(real(1772359228.692), "(3716906701169885.0 / 2097152.0)");
    }
}
