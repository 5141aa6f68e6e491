//! New JSON in the style of an existing record: quoted strings and flat objects.

use super::tape::{Flags, Kind, Tape, Token};

/// Quotes `s` as a JSON string; non-ASCII characters stay as they are.
pub(crate) fn quote(s: &str) -> String {
    // Without a branch, so that many bytes are compared at once: images and replacements have nothing to escape.
    let has_escapes =
        s.bytes().fold(false, |has, byte| has | (byte < b' ') | (byte == b'"') | (byte == b'\\'));
    if !has_escapes {
        return ["\"", s, "\""].concat();
    }
    // Only a map with keys that are no strings, or a writer, can fail.
    serde_json::to_string(s).unwrap_or_default()
}

/// The bytes of a quoted string without its quotes.
pub(super) fn between_quotes(quoted: &str) -> &[u8] {
    let bytes = quoted.as_bytes();
    bytes.get(1..bytes.len().saturating_sub(1)).unwrap_or_default()
}

/// Quotes `s` as an ASCII JSON string with `\u` escapes (surrogate pairs above U+FFFF), as Python's
/// `json.dumps` does.
pub(crate) fn quote_ascii(s: &str) -> String {
    let mut quoted = String::with_capacity(s.len() + 2);
    let mut units = [0; 2];
    for char in quote(s).chars() {
        // Python escapes DEL too.
        if char.is_ascii() && char != '\u{7F}' {
            quoted.push(char);
            continue;
        }
        for unit in char.encode_utf16(&mut units) {
            quoted.push_str(&format!("\\u{unit:04x}"));
        }
    }
    quoted
}

/// How a record is written, so that a new one can match it.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct JsonStyle {
    /// Non-ASCII characters are escaped.
    pub ascii: bool,
    /// A space follows each colon.
    pub colon_space: bool,
    /// A space follows each comma on the same line.
    pub comma_space: bool,
    /// Members are on separate lines, indented by this many spaces or tabs per level.
    pub indent: Option<usize>,
    /// Width of the indentation before the closing bracket, if members are on separate lines.
    pub outer: usize,
    /// Indented by tabs.
    pub tabs: bool,
}

impl JsonStyle {
    /// The style of a record. What the record does not show (it may have no comma, or no non-ASCII
    /// character) follows from the rest: in Python, spaces and escapes go together.
    pub(crate) fn of(record: &[u8], tape: &Tape) -> JsonStyle {
        let colon_space =
            tape.tokens.iter().find(|token| token.flags.has(Flags::KEY)).is_some_and(|key| {
                let value = tape.tokens.get(key.next as usize);
                value.is_some_and(|value| between(record, key, value).ends_with(b" "))
            });
        let indent = after_newline(leading_space(record, tape));
        let comma_space = match indent {
            Some(_) => false,
            None => comma(record, tape).map_or(colon_space, |gap| gap.ends_with(b" ")),
        };
        let raw = tape.tokens.iter().any(|token| token.flags.has(Flags::NON_ASCII));
        let ascii = !raw && (colon_space && comma_space || has_escape_above_ascii(record));
        JsonStyle {
            ascii,
            colon_space,
            comma_space,
            indent: indent.map(<[u8]>::len),
            outer: after_newline(trailing_space(record, tape)).map_or(0, <[u8]>::len),
            tabs: indent.is_some_and(|gap| gap.starts_with(b"\t")),
        }
    }

    pub(crate) fn quote(&self, s: &str) -> String {
        if self.ascii { quote_ascii(s) } else { quote(s) }
    }
}

/// The bytes after the last newline, if there is one.
fn after_newline(gap: &[u8]) -> Option<&[u8]> {
    let newline = memchr::memrchr(b'\n', gap)?;
    gap.get(newline.saturating_add(1)..)
}

/// White space between the first bracket and the token after it.
fn leading_space<'r>(record: &'r [u8], tape: &Tape) -> &'r [u8] {
    match tape.tokens.as_slice() {
        [root, first, ..] if matches!(root.kind, Kind::Object | Kind::Array) => {
            record.get(root.start as usize + 1..first.start as usize).unwrap_or_default()
        }
        _ => &[],
    }
}

/// White space between the last value in the outermost container and the closing bracket.
fn trailing_space<'r>(record: &'r [u8], tape: &Tape) -> &'r [u8] {
    let (Some(root), Some(last)) = (tape.tokens.first(), tape.tokens.last()) else {
        return &[];
    };
    let end = (root.end as usize).saturating_sub(1);
    let gap = record.get(last.end as usize..end).unwrap_or_default();
    // Brackets that close the last member do not count.
    gap.rsplit(|byte| matches!(byte, b'}' | b']')).next().unwrap_or_default()
}

/// The first comma between two members or items, with the white space around it.
fn comma<'r>(record: &'r [u8], tape: &Tape) -> Option<&'r [u8]> {
    tape.tokens.iter().zip(1..).find_map(|(parent, first)| {
        let first: &Token = match parent.kind {
            Kind::Object => tape.tokens.get(tape.tokens.get(first)?.next as usize)?,
            Kind::Array => tape.tokens.get(first)?,
            _ => return None,
        };
        let second = (first.next < parent.next).then(|| tape.tokens.get(first.next as usize))??;
        Some(between(record, first, second))
    })
}

fn between<'r>(record: &'r [u8], one: &Token, two: &Token) -> &'r [u8] {
    record.get(one.end as usize..two.start as usize).unwrap_or_default()
}

/// Whether a character above U+007F is escaped.
fn has_escape_above_ascii(record: &[u8]) -> bool {
    memchr::memmem::find_iter(record, b"\\u").any(|at| {
        // `\\u` is an escaped backslash followed by a plain u.
        let backslashes = record.iter().take(at).rev().take_while(|&&byte| byte == b'\\').count();
        let digits = record.get(at + 2..at + 6);
        backslashes % 2 == 0
            && digits.is_some_and(|digits| !matches!(digits, [b'0', b'0', b'0'..=b'7', _]))
    })
}

/// Writes a flat object with these members in order; the values are raw JSON. No newline at the
/// end.
pub(crate) fn object(members: &[(&str, String)], style: &JsonStyle) -> Vec<u8> {
    let line = |width| format!("\n{}", if style.tabs { "\t" } else { " " }.repeat(width));
    let (before, comma, after) = match style.indent {
        _ if members.is_empty() => (String::new(), "", String::new()),
        Some(width) => (line(width), ",", line(style.outer)),
        None => (String::new(), if style.comma_space { ", " } else { "," }, String::new()),
    };
    let colon = if style.colon_space { ": " } else { ":" };
    let list: Vec<String> = members
        .iter()
        .map(|(key, value)| format!("{before}{}{colon}{value}", style.quote(key)))
        .collect();
    format!("{{{}{after}}}", list.join(comma)).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::scan::{ScanMode, scan};

    fn style(record: &str) -> JsonStyle {
        JsonStyle::of(record.as_bytes(), &scan(record.as_bytes(), ScanMode::Document))
    }

    const PYTHON: JsonStyle = JsonStyle {
        ascii: true,
        colon_space: true,
        comma_space: true,
        indent: None,
        outer: 0,
        tabs: false,
    };
    const COMPACT: JsonStyle = JsonStyle {
        ascii: false,
        colon_space: false,
        comma_space: false,
        indent: None,
        outer: 0,
        tabs: false,
    };

    #[test]
    fn quoted_text_round_trips() {
        let text = "a\"b\\c\n\u{1}\u{7f}é€😀\u{2028}";
        assert_eq!(serde_json::from_str::<String>(&quote(text)).unwrap(), text);
        assert_eq!(serde_json::from_str::<String>(&quote_ascii(text)).unwrap(), text);
        assert_eq!(quote_ascii(text), r#""a\"b\\c\n\u0001\u007f\u00e9\u20ac\ud83d\ude00\u2028""#);
        assert_eq!(quote("é/"), "\"é/\"");
    }

    #[test]
    fn styles_are_recognized() {
        assert_eq!(style(r#"{"a":1,"b":[1,2]}"#), COMPACT);
        assert_eq!(style(r#"{"a": 1, "b": [1, 2]}"#), PYTHON);
        assert_eq!(style(r#"{"a": 1}"#), PYTHON);
        assert_eq!(style(r#"{"a": "é", "b": 2}"#), JsonStyle { ascii: false, ..PYTHON });
        assert_eq!(style(r#"{"a":"\u00e9"}"#), JsonStyle { ascii: true, ..COMPACT });
        assert_eq!(style(r#"{"a":"\\u00e9 \u001b"}"#), COMPACT);
        assert_eq!(
            style(r#"{"a": 1,"b": 2}"#),
            JsonStyle { comma_space: false, ascii: false, ..PYTHON }
        );
        assert_eq!(style("{\n  \"a\": 1,\n  \"b\": [1, 2]\n}").indent, Some(2));
        assert_eq!(style("{\n      \"a\": {\n        \"b\": 1\n      }\n    }").outer, 4);
        assert_eq!(
            style("{\n\t\"a\": 1\n}"),
            JsonStyle { colon_space: true, indent: Some(1), tabs: true, ..COMPACT }
        );
        assert_eq!(style("[1, 2]"), JsonStyle { comma_space: true, ..COMPACT });
        for odd in ["", "1", "{}", "[", "{\"a\"", "[[],[]]", "nul", "{\"a\":"] {
            assert_eq!(style(odd), COMPACT, "{odd}");
        }
    }

    #[test]
    fn written_objects_have_the_given_style() {
        let members = [("a", "1".to_string()), ("é", quote("x"))];
        for style in [
            PYTHON,
            JsonStyle { ascii: false, ..PYTHON },
            COMPACT,
            JsonStyle { ascii: true, ..COMPACT },
            JsonStyle { colon_space: true, indent: Some(4), ..COMPACT },
            JsonStyle { colon_space: true, indent: Some(1), tabs: true, ..COMPACT },
            JsonStyle { colon_space: true, indent: Some(6), outer: 4, ..COMPACT },
        ] {
            let text = object(&members, &style);
            assert_eq!(JsonStyle::of(&text, &scan(&text, ScanMode::Document)), style);
            assert_eq!(
                serde_json::from_slice::<serde_json::Value>(&text).unwrap(),
                serde_json::json!({"a": 1, "é": "x"})
            );
        }
        assert_eq!(object(&members[..1], &PYTHON), br#"{"a": 1}"#);
        assert_eq!(object(&[], &JsonStyle { indent: Some(2), ..COMPACT }), b"{}");
        assert_eq!(
            object(&members, &JsonStyle { colon_space: true, indent: Some(2), ..COMPACT }),
            "{\n  \"a\": 1,\n  \"é\": \"x\"\n}".as_bytes()
        );
    }
}
