//! The words of a sample, so that formats are not asked about transcripts that have none of theirs.

use crate::containers::PathStep;
use crate::json::fields::{WHOLE, ends_of};
use crate::json::node::Node;
use crate::json::tape::{Flags, Kind};

/// Numbers of 64 bits in a set.
const CELLS: usize = 16;
/// Members whose values are words, too.
const SPEAKING: [&[u8]; 2] = [b"role", b"type"];
/// The most tokens of a record whose words are examined.
const MOST_TOKENS: usize = 1 << 16;

/// A set of words, each a bit of a hash, so a set may seem to have a word more than it has, but never lacks one. Words are
///
/// - the values of members `role` and `type`, and what such a value has up to its first dot: `user`, `response.`
/// - the keys of any object, with what their values are: `content:[` has a list, `arguments:{` an object, `ts:-` something
///   else. `content:` stands for all three.
/// - [`CUT_OFF`], if the record is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct WordSet([u64; CELLS]);

/// The word of a record that is cut off.
pub(crate) const CUT_OFF: &str = ":";
/// What is after the colon of a key: a list, an object, something else.
const VALUES: [u8; 3] = *b"[{-";

impl WordSet {
    pub(crate) const NONE: WordSet = WordSet([0; CELLS]);
    /// All words, where they are not known.
    pub(crate) const ALL: WordSet = WordSet([u64::MAX; CELLS]);

    /// The set of these words.
    pub(crate) const fn of(words: &[&str]) -> WordSet {
        WordSet::NONE.and(words)
    }

    /// The set with these words, too.
    pub(crate) const fn and(mut self, words: &[&str]) -> WordSet {
        let mut at = 0;
        while at < words.len() {
            self = match words[at].as_bytes() {
                [key @ .., b':'] if !key.is_empty() => self.and_key(key),
                [key @ .., b':', value] => self.with_hash(hash_of_key(key, *value)),
                word => self.with_hash(hash(START, word)),
            };
            at += 1;
        }
        self
    }

    /// The set with these keys, too, whatever their values are.
    pub(crate) const fn and_keys(mut self, keys: &[&str]) -> WordSet {
        let mut at = 0;
        while at < keys.len() {
            self = self.and_key(keys[at].as_bytes());
            at += 1;
        }
        self
    }

    /// The set with the members with which these paths begin, too.
    pub(crate) const fn and_paths(mut self, paths: &[&[PathStep]]) -> WordSet {
        let mut at = 0;
        while at < paths.len() {
            if let [PathStep::Key(key), ..] = paths[at] {
                self = self.and_key(key.as_bytes());
            }
            at += 1;
        }
        self
    }

    const fn and_key(mut self, key: &[u8]) -> WordSet {
        let mut at = 0;
        while at < VALUES.len() {
            self = self.with_hash(hash_of_key(key, VALUES[at]));
            at += 1;
        }
        self
    }

    const fn with_hash(mut self, hash: u32) -> WordSet {
        let bit = (hash >> 16 ^ hash) as usize % (CELLS * 64);
        self.0[bit / 64] |= 1 << (bit % 64);
        self
    }

    /// The set with the words of these records.
    pub(crate) fn of_records<'a>(records: impl Iterator<Item = Node<'a>>) -> WordSet {
        let mut seen = RecentWords::NONE;
        records.fold(WordSet::NONE, |words, record| words.with(record, &mut seen))
    }

    /// The set with the words of a record, without those that were seen before.
    fn with(mut self, record: Node<'_>, seen: &mut RecentWords) -> WordSet {
        let tape = record.tape();
        if tape.tokens.len() > MOST_TOKENS {
            return WordSet::ALL;
        }
        if record.is_open() {
            self = self.and(&[CUT_OFF]);
        }
        let mut value_speaks = false;
        let mut tokens = tape.tokens.iter().peekable();
        while let Some(token) = tokens.next() {
            let is_key = token.flags.has(Flags::KEY);
            let is_word = is_key || value_speaks && token.kind == Kind::String;
            if !is_word {
                value_speaks = false;
                continue;
            }
            // It may spell any word.
            if token.flags.has(Flags::ESCAPED) {
                return WordSet::ALL;
            }
            let (start, end) = (token.start + 1, token.end.saturating_sub(1));
            let word = record.bytes(start.min(end), end);
            if is_key {
                let [list, object, other] = VALUES;
                let value = match tokens.peek().map(|value| value.kind) {
                    Some(Kind::Array) => list,
                    Some(Kind::Object) => object,
                    _ => other,
                };
                if seen.is_new(&word, value) {
                    self = self.with_hash(hash_of_key(&word, value));
                }
            } else if seen.is_new(&word, 0) {
                self = self.with_hash(hash(START, &word));
                if let Some(dot) = word.iter().position(|byte| *byte == b'.') {
                    self = self.with_hash(hash(START, &word[..=dot]));
                }
            }
            value_speaks = is_key && SPEAKING.contains(&&*word);
        }
        self
    }

    /// Whether the sets may have a word in common.
    pub(crate) fn meets(&self, other: &WordSet) -> bool {
        let mut both = self.0.iter().zip(&other.0);
        both.any(|(own, other)| own & other != 0)
    }
}

/// Words that were seen lately: the records of a file repeat theirs, and a hash costs more than a comparison.
struct RecentWords([(u64, u64, u32); RecentWords::PLACES]);

impl RecentWords {
    const PLACES: usize = 128;
    const NONE: RecentWords = RecentWords([(0, 0, 0); RecentWords::PLACES]);

    /// Whether a word with this value may not have been seen before. Notes it.
    fn is_new(&mut self, word: &[u8], value: u8) -> bool {
        // A longer word is more than its ends.
        if word.len() > WHOLE {
            return true;
        }
        let (first, last) = ends_of(word);
        // Above zero, so that the empty word is new at first.
        let shape = (1 + word.len() as u32) << 8 | u32::from(value);
        let mixed = first ^ last.rotate_left(32) ^ u64::from(shape);
        let place = mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 57;
        let place = &mut self.0[place as usize % RecentWords::PLACES];
        let is_new = *place != (first, last, shape);
        *place = (first, last, shape);
        is_new
    }
}

/// What a hash begins with. With this number, no word of a format has the bit of a word that many rows of chats have.
const START: u32 = 13705;

/// The hash of some bytes after those of another hash.
const fn hash(mut hash: u32, bytes: &[u8]) -> u32 {
    let mut at = 0;
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u32).wrapping_mul(0x0100_0193);
        at += 1;
    }
    hash
}

/// The hash of a key with a value of this kind.
const fn hash_of_key(key: &[u8], value: u8) -> u32 {
    hash(hash(START, &[value]), key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::scan::{ScanMode, scan};

    fn words(text: &str) -> WordSet {
        let bytes = text.as_bytes();
        let tape = scan(bytes, ScanMode::Line);
        let record = || Node::root(&tape, &bytes);
        let words = WordSet::of_records(record().into_iter());
        assert_eq!(words, WordSet::of_records(record().into_iter().chain(record())));
        words
    }

    #[test]
    fn keys_and_the_values_of_roles_and_types_are_words() {
        let found =
            words(r#"{"a":[{"type":"response.created","role":"user"}],"type":{"b":"text"}}"#);
        let keys = WordSet::of(&["a:[", "type:-", "role:-", "type:{", "b:-"]);
        assert_eq!(found, keys.and(&["response.created", "response.", "user"]));
        for other in ["text", "a", "a:{", "b:["] {
            assert!(!found.meets(&WordSet::of(&[other])), "{other}");
        }
        for key in ["a:", "b:", "type:"] {
            assert!(found.meets(&WordSet::of(&["nothing", key])), "{key}");
        }
    }

    #[test]
    fn an_escape_may_be_any_word() {
        assert_eq!(words(r#"{"rol\u0065":1}"#), WordSet::ALL);
        assert_eq!(words(r#"{"role":"\u0075ser"}"#), WordSet::ALL);
        assert_ne!(words(r#"{"a":"\u0075ser"}"#), WordSet::ALL);
    }

    #[test]
    fn what_is_cut_off_is_no_error() {
        for text in [r#"{"role":"us"#, r#"{"ro"#, r#"{""#, r#"{"role":"#] {
            let words = words(text);
            assert_ne!(words, WordSet::ALL, "{text}");
            assert!(words.meets(&WordSet::of(&[CUT_OFF])), "{text}");
        }
    }
}
