//! Replacements for the strings of a transcript.

use std::cell::{Cell, RefCell};

use hashbrown::{HashMap, HashSet};
use sha2::{Digest, Sha256};

use crate::json::quote::quote;
use crate::proof::{is_id, is_label};
use crate::report::redact::{People, shape};
use crate::transcript::replaced;

/// Most keys whose replacements are kept, and most values that are known to stay.
const MOST_KEYS: usize = 1024;
/// Digits of the tag of a text.
const TAG: usize = 4;
/// Longest value of a structural member that stays, in bytes.
const STRUCTURE: usize = 256;

/// Replaces the strings of one copy. Equal strings have equal replacements.
#[derive(Debug)]
pub(super) struct Mask {
    /// Derived from the transcript: every copy of it is the same, and the hashes cannot be looked
    /// up in a table.
    key: [u8; 32],
    people: People,
    /// Whether IDs are replaced as well.
    strict: bool,
    /// Number of replaced texts.
    texts: Cell<u64>,
    /// Number of texts that were already replacements.
    marks: Cell<u64>,
    /// Replacements of keys, because every record has the same few.
    keys: RefCell<HashMap<String, String>>,
    /// Structural values that stay, because most are those of the record before.
    stay: RefCell<HashSet<Vec<u8>>>,
}

impl Mask {
    pub(super) fn new(key: [u8; 32], people: People, strict: bool) -> Mask {
        Mask {
            key,
            people,
            strict,
            texts: Cell::new(0),
            marks: Cell::new(0),
            keys: RefCell::default(),
            stay: RefCell::default(),
        }
    }

    /// The number of replaced texts, and of texts that were already replacements.
    pub(super) fn seen(&self) -> (u64, u64) {
        (self.texts.get(), self.marks.get())
    }

    fn hash(&self, text: &[u8]) -> [u8; 32] {
        let mut hasher = Sha256::new();
        hasher.update(self.key);
        hasher.update(text);
        hasher.finalize().into()
    }

    fn digits(&self, text: &[u8], bytes: usize) -> String {
        let digit = |half: u8| char::from_digit(u32::from(half), 16).unwrap_or('0');
        let hash = self.hash(text);
        let hash = hash.iter().take(bytes);
        hash.flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
    }

    /// The replacement of a free text: its length and a hash.
    pub(super) fn text(&self, text: &str) -> String {
        let seen = if is_mark(text) { &self.marks } else { &self.texts };
        seen.set(seen.get().saturating_add(1));
        let (size, tag) = (text.len(), self.digits(text.as_bytes(), 2));
        // In a member that no format knows, a label says nothing, so it stays one.
        if is_label(text) {
            format!("label-{size}-{tag}")
        } else {
            format!("[text {size} B #{tag}]")
        }
    }

    /// The replacement of an address, which does not exist.
    pub(super) fn address(&self, text: &str) -> Option<String> {
        let scheme = ["http://", "https://", "gs://", "s3://", "file://"].into_iter();
        let scheme = scheme.into_iter().find(|scheme| text.starts_with(scheme))?;
        let plain = !text.contains(char::is_whitespace);
        plain.then(|| format!("{scheme}redacted.invalid/{}", self.digits(text.as_bytes(), 4)))
    }

    /// The replacement of a key that no host uses.
    pub(super) fn key(&self, key: &str) -> String {
        let mut keys = self.keys.borrow_mut();
        if let Some(known) = keys.get(key) {
            return known.clone();
        }
        // What is an ID is not a text.
        let end = if is_id(key) { "_id" } else { "" };
        let made = format!("key-{}{end}", self.digits(key.as_bytes(), 4));
        if keys.len() < MOST_KEYS && key.len() <= STRUCTURE {
            keys.insert(key.to_owned(), made.clone());
        }
        made
    }

    /// The replacement of a structural value; `None` if it stays. `is_id`: any other ID would do as
    /// well.
    pub(super) fn structure(&self, text: &[u8], is_id: bool) -> Option<String> {
        let may_be_replaced = is_id && self.strict;
        // That these bytes are text, is only asked of new ones.
        let is_known = self.stay.borrow().contains(text);
        if text.is_empty() || (is_known && !may_be_replaced) {
            return None;
        }
        let words = String::from_utf8_lossy(text);
        let stays = is_known || self.names_nobody(&words);
        if stays && !is_known && text.len() <= STRUCTURE {
            let mut known = self.stay.borrow_mut();
            if known.len() == MOST_KEYS {
                known.clear();
            }
            known.insert(text.to_owned());
        }
        let is_kept = stays && !(may_be_replaced && is_long(&words));
        (!is_kept).then(|| self.alike(&words))
    }

    fn names_nobody(&self, text: &str) -> bool {
        let is_time = || {
            let digits = text.bytes().filter(u8::is_ascii_digit).count();
            digits >= 8
                && text.len() <= 40
                && text.bytes().all(|c| c.is_ascii_digit() || b"-:.,+ TZ".contains(&c))
        };
        let is_id = text.len() <= STRUCTURE && shape::is_id(text) && !text.starts_with('/');
        (is_id || is_time() || is_plain_mark(text)) && self.people.leaves(text)
    }

    /// Another string with the same kinds of characters in the same places, always the same for
    /// equal strings.
    pub(super) fn alike(&self, text: &str) -> String {
        // Hosts write the same ID with and without dashes, and derive other IDs from it.
        let made_of = if shape::is_id(text) { self.with_other_uuids(text) } else { None };
        made_of.unwrap_or_else(|| self.shuffled(text))
    }

    fn shuffled(&self, text: &str) -> String {
        let seed = self.hash(text.as_bytes());
        let mut state =
            seed.iter().take(8).fold(1_u64, |state, byte| state << 8 | u64::from(*byte)) | 1;
        let mut next = || {
            // A plain generator is enough: only the seed is secret.
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 32) as u32
        };
        let head = prefix(text);
        let hex = text.bytes().all(|c| c.is_ascii_hexdigit() || c == b'-');
        let mut out = String::with_capacity(text.len());
        for (at, c) in text.char_indices() {
            // Keep the version and variant of a UUID.
            let kept = at < head || (hex && text.len() == 36 && matches!(at, 14 | 19));
            out.push(match c {
                c if kept => c,
                '0'..='9' => char::from(b'0' + (next() % 10) as u8),
                'a'..='z' if hex => char::from(b'a' + (next() % 6) as u8),
                'a'..='z' => char::from(b'a' + (next() % 26) as u8),
                'A'..='Z' if hex => char::from(b'A' + (next() % 6) as u8),
                'A'..='Z' => char::from(b'A' + (next() % 26) as u8),
                c if c.is_ascii() || c.is_whitespace() => c,
                _ => 'é',
            });
        }
        out
    }

    /// A file name with its IDs replaced as in the records.
    pub(super) fn name(&self, name: &str) -> String {
        let other = if self.strict { self.with_other_uuids(name) } else { None };
        other.unwrap_or_else(|| name.to_owned())
    }

    /// Replaces the UUIDs in a text as if each stood alone; `None` if it contains none.
    fn with_other_uuids(&self, text: &str) -> Option<String> {
        let mut out = String::with_capacity(text.len());
        let (mut rest, mut found) = (text, false);
        while !rest.is_empty() {
            let is_hex = |c: Option<char>| c.is_some_and(|c| c.is_ascii_hexdigit());
            let uuid = rest.get(..36).filter(|part| is_uuid(part)).or_else(|| {
                rest.get(..32).filter(|part| {
                    dashed(part).is_some()
                        && (!is_hex(out.chars().next_back()) && !is_hex(rest.chars().nth(32)))
                })
            });
            let width =
                uuid.map_or_else(|| rest.chars().next().map_or(1, char::len_utf8), str::len);
            let (part, after) = rest.split_at(width);
            match uuid {
                Some(uuid) => out.push_str(&self.uuid(uuid)),
                None => out.push_str(part),
            }
            found |= uuid.is_some();
            rest = after;
        }
        found.then_some(out)
    }

    fn uuid(&self, uuid: &str) -> String {
        match dashed(uuid) {
            Some(with_dashes) => self.shuffled(&with_dashes).replace('-', ""),
            None => self.shuffled(uuid),
        }
    }

    /// Replaces a text between a prefix and a suffix that the host wrote.
    pub(super) fn framed(&self, text: &str, front: usize, back: usize) -> String {
        let end = text.len().saturating_sub(back).max(front);
        let inside = text.get(front..end).unwrap_or_default();
        let hidden = if inside.trim().is_empty() { inside.to_owned() } else { self.text(inside) };
        format!("{}{hidden}{}", text.get(..front).unwrap_or(""), text.get(end..).unwrap_or(""))
    }
}

/// Whether a text is only a replacement: `[text 312 B #9f3c]`, `label-7-9f3c`.
fn is_mark(text: &str) -> bool {
    let of_words = || {
        let (size, rest) = text.strip_prefix("[text ")?.split_once(" B #")?;
        let (tag, rest) = rest.split_once(']')?;
        Some((size, tag, rest))
    };
    let rest = of_words()
        .or_else(|| {
            let (size, rest) = text.strip_prefix("label-")?.split_once('-')?;
            let (tag, rest) = rest.split_at_checked(TAG)?;
            Some((size, tag, rest))
        })
        .and_then(|(size, tag, rest)| {
            let hex = tag.len() == TAG && tag.bytes().all(|c| c.is_ascii_hexdigit());
            (hex && !size.is_empty() && size.bytes().all(|c| c.is_ascii_digit())).then_some(rest)
        });
    // After it come flaws, each after an `x`, and known words of errors.
    rest.is_some_and(|rest| {
        rest.chars().all(|c| {
            c == 'x' || c == '\u{FFFD}' || c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
        }) || super::record::known_error_in(rest) == Some(rest.trim())
    })
}

/// Whether a text is the mark of another program that redacts, and names nobody:
/// `[REDACTED_EMAIL]`, `<redacted>`.
fn is_plain_mark(text: &str) -> bool {
    let is_plain = text.bytes().all(|c| c.is_ascii_uppercase() || b"_-[]<>(){}*#".contains(&c))
        || text.trim_matches(|c: char| !c.is_ascii_alphabetic()).eq_ignore_ascii_case("redacted");
    is_plain && replaced::is_mark(text)
}

fn is_uuid(text: &str) -> bool {
    let dash = |at: usize| matches!(at, 8 | 13 | 18 | 23);
    text.bytes().enumerate().all(|(at, c)| if dash(at) { c == b'-' } else { c.is_ascii_hexdigit() })
}

/// A UUID without dashes, with its dashes.
fn dashed(text: &str) -> Option<String> {
    let bare = text.len() == 32 && text.bytes().all(|c| c.is_ascii_hexdigit());
    let part = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
    bare.then(|| [part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)].join("-"))
}

/// Whether an ID may identify something. A shorter one has too few other values, and one without
/// digits is a word.
fn is_long(text: &str) -> bool {
    const LONG: usize = 8;
    let own = text.get(prefix(text)..).unwrap_or_default();
    own.bytes().any(|c| c.is_ascii_digit())
        && own.bytes().filter(u8::is_ascii_alphanumeric).count() >= LONG
}

/// Length of the prefix of an ID that shows who made it: `toolu_`, `call_`, `fc-`. 0 if the text is
/// not an ID.
fn prefix(text: &str) -> usize {
    if !shape::is_id(text) {
        return 0;
    }
    let end = text.find(['_', '-']).map_or(0, |at| at + 1);
    let front = text.get(..end).unwrap_or("");
    let is_word = front.len() <= 12 && front.bytes().rev().skip(1).all(|c| c.is_ascii_lowercase());
    if is_word && front.len() > 2 { end } else { 0 }
}

/// A JSON string with its quotes.
pub(super) fn quoted(text: &str) -> Vec<u8> {
    quote(text).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mask(strict: bool) -> Mask {
        Mask::new([7; 32], People::new(Some("/home/ana".into()), Vec::new()), strict)
    }

    #[test]
    fn structure_stays_and_text_in_its_place_does_not() {
        let (plain, strict) = (mask(false), mask(true));
        for text in [
            "toolu_01EvR",
            "2026-01-21T09:48:05.911Z",
            "2026-01-21 09:48:05",
            "claude-opus-4-1",
            "",
        ] {
            assert_eq!(plain.structure(text.as_bytes(), true), None, "{text}");
        }
        for text in [
            "ask ana",
            "/etc/passwd",
            "my-secret",
            "sk-ant-api03-0123456789",
            "for-ana-7",
            "a\u{202e}",
        ] {
            let other = plain.structure(text.as_bytes(), false).unwrap();
            assert!(
                other != text && other.chars().count() == text.chars().count(),
                "{text}: {other}"
            );
        }
        assert_eq!(strict.structure(b"assistant", false), None);
        let id = "toolu_01EvREYhc5WD2";
        let other = strict.structure(id.as_bytes(), true).unwrap();
        assert!(other.starts_with("toolu_") && other != id && other.len() == id.len(), "{other}");
        assert_eq!(strict.structure(id.as_bytes(), true).unwrap(), other);
        for short in ["toolu_01", "7", "HumanMessage", "__root__"] {
            assert_eq!(strict.structure(short.as_bytes(), true), None, "{short}");
        }
    }

    #[test]
    fn marks_that_name_nobody_stay() {
        for mark in ["[REDACTED]", "[REDACTED_EMAIL_ADDRESS]", "<redacted>"] {
            assert_eq!(mask(false).structure(mark.as_bytes(), false), None, "{mark}");
        }
        for text in ["[REDACTED: Ana Roe]", "[redacted_ana]", "[ANA ROE]", "<ana>"] {
            assert!(mask(false).structure(text.as_bytes(), false).is_some(), "{text}");
        }
    }

    #[test]
    fn uuids_stay_uuids_also_in_names() {
        let uuid = "572b42e3-9d4c-4f1a-8e57-1d1f0a9f7e11";
        let other = mask(true).alike(uuid);
        assert!(is_uuid(&other) && other != uuid, "{other}");
        assert_eq!(other.as_bytes()[14], b'4');
        assert_eq!(
            mask(true).name(&format!("event-00001-{uuid}.json")),
            format!("event-00001-{other}.json")
        );
        assert_eq!(mask(false).name(uuid), uuid);
        assert_eq!(mask(true).name(&uuid.replace('-', "")), other.replace('-', ""));
        assert_eq!(mask(true).name("é.json"), "é.json");
    }

    #[test]
    fn equal_texts_are_told_by_their_tags() {
        let mask = mask(false);
        assert_eq!(mask.text("one"), mask.text("one"));
        assert_ne!(mask.text("one"), mask.text("two"));
        assert!(mask.text("one").starts_with("label-3-"));
        assert!(mask.text("one two").starts_with("[text 7 B #"));
        assert!(is_mark(&mask.text("one")) && is_mark(&mask.text("one two")));
        assert!(mask.key("promptId").ends_with("_id") && !mask.key("prompt").ends_with("_id"));
        assert!(
            mask.address("https://example.com/a?b=c")
                .unwrap()
                .starts_with("https://redacted.invalid/")
        );
        assert_eq!(mask.address("https://a and more"), None);
        assert_eq!(
            mask.framed("[Tool 'x' failed]", 1, 1).len(),
            "[]".len() + mask.text("Tool 'x' failed").len()
        );
    }
}
