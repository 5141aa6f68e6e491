//! JSON values inside of a text: arguments that were encoded twice, written twice, or put into a Markdown fence.

use super::node::Node;
use super::scan::{ScanMode, scan};
use super::tape::{Kind, RecordEnd};

/// Whether a text is one JSON value.
pub(crate) fn is_json(text: &str) -> bool {
    let tape = scan(text.as_bytes(), ScanMode::Document);
    matches!(tape.end, RecordEnd::Whole) && tape.flaws.is_empty()
}

/// The JSON values that a text consists of, if it is nothing else: one after another, perhaps with a Markdown fence around
/// them. `None`: it has other text, or no object, list or string.
pub(crate) fn values_in(text: &str) -> Option<Vec<&str>> {
    let mut rest = without_fence(text.trim());
    let mut values = Vec::new();
    while !rest.is_empty() {
        let end = value_end(rest)?;
        let (value, after) = rest.split_at_checked(end)?;
        values.push(value);
        rest = after.trim_start();
    }
    (!values.is_empty()).then_some(values)
}

/// The only object in a text, as it is written there: other objects are empty or equal to it, and nothing else is in the
/// text.
pub(crate) fn only_object(text: &str) -> Option<String> {
    let mut found: Option<String> = None;
    for value in values_in(text)? {
        let object = object_of(value, NESTED)?;
        match &found {
            _ if is_empty_object(&object) => {}
            Some(found) if *found == object => {}
            Some(_) => return None,
            None => found = Some(object),
        }
    }
    found
}

/// The only object in a text that has other words, too.
pub(crate) fn object_among_words(text: &str) -> Option<String> {
    let mut found: Option<&str> = None;
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        rest = &rest[at..];
        let end = match value_end(rest) {
            Some(end) if is_empty_object(&rest[..end]) => end,
            Some(end) if found.is_none_or(|found| found == &rest[..end]) => {
                found = Some(&rest[..end]);
                end
            }
            Some(_) => return None,
            None => 1,
        };
        rest = &rest[end..];
    }
    found.map(str::to_owned)
}

/// Texts that encode texts are decoded this often.
const NESTED: u32 = 4;

/// The object that a value is, or that its text is.
fn object_of(value: &str, nested: u32) -> Option<String> {
    if value.starts_with('{') {
        return Some(value.to_owned());
    }
    let text = string_of(value)?;
    let inner = values_in(&text)?;
    match (&inner[..], nested) {
        ([only], 1..) => object_of(only, nested - 1),
        _ => None,
    }
}

/// The text of a value that is a string.
pub(crate) fn string_of(value: &str) -> Option<String> {
    let bytes = value.as_bytes();
    let tape = scan(bytes, ScanMode::Document);
    let is_whole = matches!(tape.end, RecordEnd::Whole) && tape.flaws.is_empty();
    let text = Node::root(&tape, &bytes).filter(|_| is_whole)?.str()?;
    Some(text.into_owned())
}

fn is_empty_object(object: &str) -> bool {
    let inside = object.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    inside.is_some_and(|inside| inside.trim().is_empty())
}

/// The text without the Markdown fence around it.
fn without_fence(text: &str) -> &str {
    let inside = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    let Some((language, inside)) = inside.and_then(|inside| inside.split_once('\n')) else {
        return text;
    };
    match language.trim() {
        "" | "json" | "JSON" => inside.trim(),
        _ => text,
    }
}

/// Where the first value of a text ends, which is an object, a list or a string without flaws.
fn value_end(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let end = match bytes.first()? {
        b'"' => string_end(bytes, 0)?,
        b'{' | b'[' => container_end(bytes)?,
        _ => return None,
    };
    let tape = scan(&bytes[..end], ScanMode::Document);
    let is_sound = matches!(tape.end, RecordEnd::Whole) && tape.flaws.is_empty();
    let kind = tape.tokens.first()?.kind;
    let is_value = matches!(kind, Kind::Object | Kind::Array | Kind::String);
    (is_sound && is_value).then_some(end)
}

/// Where the string that begins at `at` ends.
fn string_end(bytes: &[u8], at: usize) -> Option<usize> {
    let mut escaped = false;
    for (offset, byte) in bytes.iter().enumerate().skip(at + 1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Some(offset + 1),
            _ => {}
        }
    }
    None
}

/// Where the brackets that begin a text are closed.
fn container_end(bytes: &[u8]) -> Option<usize> {
    let (mut depth, mut at) = (0_usize, 0);
    loop {
        match bytes.get(at)? {
            b'"' => {
                at = string_end(bytes, at)?;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth == 1 => return Some(at + 1),
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_only_object_is_found() {
        for (text, object) in [
            (r#"{"q":"A"}"#, Some(r#"{"q":"A"}"#)),
            (r#"{}{"q":"A"}"#, Some(r#"{"q":"A"}"#)),
            (r#"{"q":"A"} {"q":"A"}"#, Some(r#"{"q":"A"}"#)),
            (r#""{\"q\":\"A\"}""#, Some(r#"{"q":"A"}"#)),
            ("```json\n{\"q\":\"A\"}\n```", Some(r#"{"q":"A"}"#)),
            (r#"{"q":"A"}{"q":"B"}"#, None),
            (r#"{"q":"A"} and more"#, None),
            (r#"{"q":"A"#, None),
            ("{}{}", None),
            ("7", None),
            ("", None),
            ("{\"q\":\"}\"}", Some("{\"q\":\"}\"}")),
        ] {
            assert_eq!(only_object(text).as_deref(), object, "{text}");
        }
        let among = |text| object_among_words(text);
        assert_eq!(among(r#"Sure: {"q":1}."#).as_deref(), Some(r#"{"q":1}"#));
        assert_eq!(among(r#"{"q":1} or {"q":2}"#), None);
        assert_eq!(among("none {"), None);
    }
}
