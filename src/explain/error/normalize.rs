//! Normalizes a pasted text to the forms in which it is compared: without what terminals, shells
//! and programs put around it.

/// Most levels of quoting that are removed.
const LEVELS: usize = 12;

#[derive(Debug)]
pub(super) struct Normal {
    /// Line breaks as spaces; without line breaks; without any white space.
    pub forms: [String; 3],
    /// Byte offsets in the first form of spaces that replace a line break, ascending.
    pub breaks: Vec<usize>,
    /// The text before unquoting, and after each level of it.
    pub levels: Vec<String>,
}

impl Normal {
    /// Whether the first form has a line break at `at`, between two characters that IDs consist of.
    pub(super) fn is_wrapped_at(&self, at: usize) -> bool {
        let text = &self.forms[0];
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let after = text.get(at..).and_then(|text| text.chars().nth(1));
        self.breaks.binary_search(&at).is_ok()
            && before.is_some_and(is_token)
            && after.is_some_and(is_token)
    }
}

/// Whether IDs may contain this character.
pub(super) fn is_token(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_.:|/@+=-".contains(c)
}

/// Index into [`Normal::forms`] of the form without white space.
pub(super) const DENSE: usize = 2;

pub(super) fn normalize(text: &str) -> Normal {
    let mut levels = vec![unframed(&visible(text))];
    while let Some(last) = levels.last().filter(|_| levels.len() < LEVELS) {
        let next = unquoted(last);
        if next == *last {
            break;
        }
        levels.push(next);
    }
    let last = levels.last().map_or("", String::as_str);
    let lines = lines(last);
    let forms = [lines.join(" "), lines.concat(), last.split_whitespace().collect()];
    let ends = lines.iter().scan(0_usize, |at, line| {
        let end = *at + line.len();
        *at = end + 1;
        Some(end)
    });
    let breaks = ends.take(lines.len().saturating_sub(1)).collect();
    Normal { forms, breaks, levels }
}

/// Removes terminal escapes and invisible characters, and replaces typographic quotes and spaces.
fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => match chars.next() {
                Some('[') => while chars.next().is_some_and(|c| !('@'..='~').contains(&c)) {},
                Some(']') => while chars.next().is_some_and(|c| c != '\u{7}' && c != '\u{1b}') {},
                _ => {}
            },
            '\u{9b}' => while chars.next().is_some_and(|c| !('@'..='~').contains(&c)) {},
            '\r' if chars.peek() == Some(&'\n') => {}
            '\r' | '\u{2028}' | '\u{2029}' | '\u{85}' => out.push('\n'),
            '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{ad}' => {}
            '\u{2018}' | '\u{2019}' => out.push('\''),
            '\u{201c}' | '\u{201d}' => out.push('"'),
            '\n' => out.push('\n'),
            c if c.is_whitespace() => out.push(' '),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

/// Removes frames around lines, and quote marks if every line has one.
fn unframed(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(unframed_line).collect();
    for mark in [">", "|"] {
        let mut filled = lines.iter().filter(|line| !line.trim().is_empty()).peekable();
        if filled.peek().is_some() && filled.all(|line| line.trim_start().starts_with(mark)) {
            return lines
                .iter()
                .map(|line| line.trim_start().strip_prefix(mark).unwrap_or("").to_owned())
                .collect::<Vec<_>>()
                .join("\n");
        }
    }
    lines.join("\n")
}

fn unframed_line(line: &str) -> String {
    let line = line.trim();
    let is_drawn = line.chars().all(|c| ('\u{2500}'..='\u{257f}').contains(&c));
    if is_drawn {
        return String::new();
    }
    line.trim_matches(['│', '┃', '║', '▏', '▌', '╎', '┆']).to_owned()
}

/// Removes one level of JSON or Python quoting. Unknown escapes stay, such as the backslash of
/// `Invalid \escape`.
fn unquoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let (c, long) = match after.chars().next() {
            Some(c @ ('"' | '\'' | '\\' | '/')) => (Some(c), 1),
            Some('n' | 'r' | 't') => (Some(' '), 1),
            Some('u') => (coded(after, 4), 5),
            Some('x') => (coded(after, 2), 3),
            _ => (None, 0),
        };
        match c {
            Some(c) => {
                out.push(c);
                rest = &after[long..];
            }
            None => {
                out.push('\\');
                rest = after;
            }
        }
    }
    out + rest
}

/// The character of `uXXXX` or `xXX`; `None` for half a surrogate pair.
fn coded(text: &str, digits: usize) -> Option<char> {
    let hex =
        text.get(1..=digits).filter(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    let c = u32::from_str_radix(hex, 16).ok().and_then(char::from_u32)?;
    Some(if c.is_control() || c.is_whitespace() { ' ' } else { c })
}

/// The lines without indentation and with single spaces.
fn lines(text: &str) -> Vec<String> {
    text.lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .filter(|line| !line.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_forms() {
        let normal = normalize("tool_\n  use ids\nwere  found");
        assert_eq!(
            normal.forms,
            ["tool_ use ids were found", "tool_use idswere found", "tool_useidswerefound"]
        );
        assert_eq!(normal.breaks, [5, 13]);
    }

    #[test]
    fn quoting_is_undone_level_by_level() {
        for quoted in [r#"a "b" 'c'"#, r#"a \"b\" \'c\'"#, r#"a \\\"b\\\" \\\'c\\\'"#] {
            assert_eq!(normalize(quoted).forms[0], r#"a "b" 'c'"#, "{quoted}");
        }
        assert_eq!(normalize(r"one\\n two\n\u2026 \/ \x41").forms[0], "one two … / A");
        assert_eq!(normalize(r"Invalid \escape: \u12 \").forms[0], r"Invalid \escape: \u12 \");
    }

    #[test]
    fn what_a_terminal_draws_is_gone() {
        let framed =
            "\u{1b}[31m╭────╮\u{1b}[0m\r\n│ one │\n┃ two \u{200b}┃\n╰────╯\u{1b}]0;title\u{7}";
        assert_eq!(normalize(framed).forms[0], "one two");
        assert_eq!(normalize("> one\n> two\n\n").forms[0], "one two");
        assert_eq!(normalize("one > two\n> three").forms[0], "one > two > three");
        assert_eq!(normalize("\u{201c}a\u{201d}\u{a0}\u{2018}b\u{2019}").forms[0], "\"a\" 'b'");
    }

    #[test]
    fn any_text_has_forms() {
        for text in
            ["", "\\", "\u{1b}", "\u{1b}[", "\\u", "\\ué", "\\xé0", "│", ">", "\n\n", "\u{9b}"]
        {
            assert_eq!(normalize(text).forms.len(), 3);
        }
        assert!(normalize(&"\\".repeat(100_000)).levels.len() <= LEVELS);
    }
}
