//! A document that is damaged before its list: what can be read of it, to recognize whose it is. Where its records are is not
//! asked, because no reader gets there.

use std::borrow::Cow;

use crate::format::head::Sample;
use crate::json::node::{Node, Owned};
use crate::json::scan::{ScanMode, scan};
use crate::json::tape::{Kind, RecordEnd, Tape};

/// How many damaged places are skipped.
const MOST: usize = 16;
/// Longest name of a member, in bytes.
const NAME: usize = 64;
/// This many bytes after the damage of a list are searched for messages, from this many brackets.
const BEHIND: usize = 1 << 16;
const STARTS: usize = 256;

impl<'a> Sample<'a> {
    /// The sample of the same document without what is damaged in it. `None`: nothing is, or nothing can be read after that.
    pub(super) fn without_damage(&self) -> Option<Sample<'a>> {
        let (Owned(bytes), tape) = self.document.as_ref()?;
        let (bytes, tape) = without_damage(bytes, tape)?;
        let sample = Sample {
            single: self.single,
            document: Some((Owned(bytes), tape)),
            ..Sample::of_names(self.entries, self.name)
        };
        Some(sample.with_words())
    }

    /// Visits the whole messages after the damage of a document.
    pub(super) fn behind_damage(&self, visit: &mut dyn FnMut(Node<'_>)) {
        let mut rest = self.rest_behind_damage();
        for _ in 0..STARTS {
            let Some(start) = memchr::memchr(b'{', rest) else {
                return;
            };
            rest = &rest[start..];
            let tape = scan(rest, ScanMode::Document);
            let root = Node::root(&tape, &rest).filter(|root| !root.is_open());
            let next = root.map_or(1, |root| root.span().end as usize);
            if let Some(root) = root.filter(|root| root.has_kind("role", Kind::String)) {
                visit(root);
            }
            rest = rest.get(next.max(1)..).unwrap_or_default();
        }
    }

    /// Visits the names of members after the damage of a document, wherever they are.
    pub(super) fn names_behind_damage(&self, visit: &mut dyn FnMut(&str)) {
        let rest = self.rest_behind_damage();
        for quote in memchr::memchr_iter(b'"', rest) {
            // A quote in a string has a backslash before it.
            let is_escaped = quote.checked_sub(1).is_some_and(|before| rest[before] == b'\\');
            let name = name_at(&rest[quote + 1..]).filter(|_| !is_escaped);
            if let Some(Ok(name)) = name.map(str::from_utf8) {
                visit(name);
            }
        }
    }

    /// The first bytes from the damage of a document on; empty: there is none.
    fn rest_behind_damage(&self) -> &[u8] {
        let Some((Owned(bytes), tape)) = &self.document else {
            return &[];
        };
        let (RecordEnd::Bad { at } | RecordEnd::Trailing { at }) = tape.end else {
            return &[];
        };
        let rest = bytes.get(at as usize..).unwrap_or_default();
        &rest[..rest.len().min(BEHIND)]
    }
}

/// The members of an object that can be read: those before and after each damaged place. Members of inner objects may be among
/// them.
fn without_damage(bytes: &[u8], tape: &Tape) -> Option<(Vec<u8>, Tape)> {
    // The object of another language begins otherwise.
    let first = bytes.strip_prefix(b"{")?.trim_ascii_start().first();
    first.filter(|first| **first == b'"')?;
    let (mut text, mut tape) = (Cow::Borrowed(bytes), Cow::Borrowed(tape));
    for _ in 0..MOST {
        let at = match tape.end {
            RecordEnd::Bad { at } | RecordEnd::Trailing { at } => at as usize,
            _ => break,
        };
        let bytes: &[u8] = &text;
        let root = Node::root(&tape, &bytes).filter(|root| root.kind() == Kind::Object)?;
        let whole = root.members().filter(|(_, value)| !value.is_open());
        let keep = whole.last().map(|(_, value)| value.span().end as usize);
        // A string that lost its end ends where the next member begins.
        let begins = at.checked_sub(1).filter(|at| bytes[*at] == b'"');
        let next = member_after(bytes, begins.unwrap_or(at))?;
        let mut rest = bytes.get(..keep.unwrap_or(1))?.to_vec();
        if keep.is_some() {
            rest.push(b',');
        }
        rest.extend_from_slice(bytes.get(next..)?);
        tape = Cow::Owned(scan(&rest, ScanMode::Document));
        text = Cow::Owned(rest);
    }
    match text {
        Cow::Owned(text) => Some((text, tape.into_owned())),
        Cow::Borrowed(_) => None,
    }
}

/// Where the next member begins that a bracket or a comma is before.
fn member_after(text: &[u8], from: usize) -> Option<usize> {
    let rest = text.get(from..)?;
    memchr::memchr_iter(b'"', rest).map(|at| from + at).find(|at| {
        let before = text[..*at].trim_ascii_end().last();
        matches!(before, Some(b',' | b'{')) && name_at(&text[*at + 1..]).is_some()
    })
}

/// The name with which these bytes begin, before its quote and a colon.
fn name_at(text: &[u8]) -> Option<&[u8]> {
    let length = text
        .iter()
        .take(NAME)
        .take_while(|byte| byte.is_ascii_alphanumeric() || b"_-.$".contains(byte))
        .count();
    let (name, after) = text.split_at(length);
    let after = after.strip_prefix(b"\"")?.trim_ascii_start();
    (length > 0 && after.starts_with(b":")).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mended(text: &str) -> Option<String> {
        let tape = scan(text.as_bytes(), ScanMode::Document);
        without_damage(text.as_bytes(), &tape).map(|(text, _)| String::from_utf8(text).unwrap())
    }

    #[test]
    fn the_members_around_damage_are_read() {
        let whole = Some(r#"{"a":1,"messages":[2]}"#.to_owned());
        for text in [
            r#"{"a":1,"b" 2,"messages":[2]}"#,
            r#"{"a":1 "b":2,"messages":[2]}"#,
            r#"{"a":1,"b:2,"messages":[2]}"#,
        ] {
            assert_eq!(mended(text), whole, "{text}");
        }
        let open = r#"{"a":"x,"messages":[2]}"#;
        let found = r#"{"a":"x,","messages":[2]}"#;
        assert_eq!(mended(open), Some(found.to_owned()));
        // The object around is closed by the bracket of the inner one.
        let inner = r#"{"a":1,"b":{"c" 3,"d":4},"messages":[2]}"#;
        let found = r#"{"a":1,"d":4,"messages":[2]}"#;
        assert_eq!(mended(inner), Some(found.to_owned()));
    }

    #[test]
    fn what_is_whole_cut_off_or_of_another_language_has_no_such_members() {
        for text in [
            r#"{"a":1,"messages":[2]}"#,
            r#"{"a":1,"messages":[2"#,
            r#"{a:1,"messages":[2]}"#,
            r#"[1 2,{"messages":[2]}]"#,
            r#"{"a":1 "b"}"#,
        ] {
            assert_eq!(mended(text), None, "{text}");
        }
    }
}
