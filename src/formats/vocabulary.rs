//! The words of a sample, so that formats are not asked about transcripts that have none of theirs.

use crate::json::node::Node;
use crate::json::tape::{Flags, Kind};

/// Numbers of 64 bits in a set.
const CELLS: usize = 8;
/// Members whose values are words, too.
const SPEAKING: [&[u8]; 2] = [b"role", b"type"];
/// The most tokens of a record whose words are looked at.
const MOST_TOKENS: usize = 1 << 16;

/// A set of words: keys of any object, and the values of members `role` and `type`, with what such a value has up to its first
/// dot. Each word is a bit of a hash, so a set may seem to have a word more than it has, but never lacks one.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Words([u64; CELLS]);

impl Words {
    pub(super) const NONE: Words = Words([0; CELLS]);
    /// All words, where they are not known.
    pub(super) const ALL: Words = Words([u64::MAX; CELLS]);

    /// The set of these words.
    pub(crate) const fn of(words: &[&str]) -> Words {
        Words::NONE.and(words)
    }

    /// The set with these words, too.
    pub(crate) const fn and(mut self, words: &[&str]) -> Words {
        let mut at = 0;
        while at < words.len() {
            self.insert(words[at].as_bytes());
            at += 1;
        }
        self
    }

    const fn insert(&mut self, word: &[u8]) {
        let (mut hash, mut at) = (word.len() as u32, 0);
        while at < word.len() {
            hash = (hash ^ word[at] as u32).wrapping_mul(0x0100_0193);
            at += 1;
        }
        let bit = (hash >> 16) as usize % (CELLS * 64);
        self.0[bit / 64] |= 1 << (bit % 64);
    }

    /// The set with the words of a record.
    pub(super) fn with(mut self, record: Node<'_>) -> Words {
        let tape = record.tape();
        if tape.tokens.len() > MOST_TOKENS {
            return Words::ALL;
        }
        let mut value_speaks = false;
        for token in &tape.tokens {
            let is_key = token.flags.has(Flags::KEY);
            let is_word = is_key || value_speaks && token.kind == Kind::String;
            if !is_word {
                value_speaks = false;
                continue;
            }
            // It may spell any word.
            if token.flags.has(Flags::ESCAPED) {
                return Words::ALL;
            }
            let (start, end) = (token.start + 1, token.end.saturating_sub(1));
            let word = record.bytes(start.min(end), end);
            self.insert(&word);
            if !is_key && let Some(dot) = word.iter().position(|byte| *byte == b'.') {
                self.insert(&word[..=dot]);
            }
            value_speaks = is_key && SPEAKING.contains(&&*word);
        }
        self
    }

    /// Whether the sets may have a word in common.
    pub(super) fn meets(&self, other: &Words) -> bool {
        let mut both = self.0.iter().zip(&other.0);
        both.any(|(own, other)| own & other != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::scan::{Mode, scan};

    fn words(text: &str) -> Words {
        let bytes = text.as_bytes();
        let tape = scan(bytes, Mode::Line);
        Words::NONE.with(Node::root(&tape, &bytes).unwrap())
    }

    #[test]
    fn keys_and_the_values_of_roles_and_types_are_words() {
        let found =
            words(r#"{"a":[{"type":"response.created","role":"user"}],"type":{"b":"text"}}"#);
        assert_eq!(
            found,
            Words::of(&["a", "type", "role", "b"]).and(&["response.created", "response.", "user"])
        );
        assert!(found.meets(&Words::of(&["nothing", "b"])));
        assert!(!found.meets(&Words::of(&["text"])));
    }

    #[test]
    fn an_escape_may_be_any_word() {
        assert_eq!(words(r#"{"rol\u0065":1}"#), Words::ALL);
        assert_eq!(words(r#"{"role":"\u0075ser"}"#), Words::ALL);
        assert_ne!(words(r#"{"a":"\u0075ser"}"#), Words::ALL);
    }

    #[test]
    fn what_is_cut_off_is_no_error() {
        for text in [r#"{"role":"us"#, r#"{"ro"#, r#"{""#, r#"{"role":"#] {
            assert_ne!(words(text), Words::ALL, "{text}");
        }
    }
}
