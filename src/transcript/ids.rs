//! The interner: every id, kind and name of a conversation once, as a small number.

use std::hash::{BuildHasher, Hasher};
use std::num::NonZeroU32;

use hashbrown::{DefaultHashBuilder, HashTable};

/// A string of this conversation: an event id, a call id, a kind, a tool name. Compare ids, not strings.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(NonZeroU32);

impl Id {
    /// The one with this number among all of them, from 0.
    pub(super) fn at(slot: usize) -> Id {
        let number = u32::try_from(slot).unwrap_or(u32::MAX);
        Id(NonZeroU32::MIN.saturating_add(number))
    }

    /// Its number among all of them, from 0.
    pub(super) fn slot(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// All strings of one conversation. Equal strings have equal [`Id`]s; numbers follow the order of first sight, so they
/// are the same in every run.
#[derive(Default, Debug)]
pub struct Interner {
    text: String,
    ends: Vec<usize>,
    /// Each id with the hash of its string, so that growing does not read the strings again.
    table: HashTable<(u32, Id)>,
    hasher: DefaultHashBuilder,
}

impl Interner {
    /// An empty one with the hashes of another.
    pub(super) fn beside(other: &Interner) -> Interner {
        Interner {
            hasher: other.hasher.clone(),
            ..Interner::default()
        }
    }

    /// The id of this string, new or known.
    pub fn intern(&mut self, s: &str) -> Id {
        let Interner {
            text,
            ends,
            table,
            hasher,
        } = &*self;
        let short = shorten(hasher.hash_one(s));
        let found = table.find(spread(short), |(other, id)| {
            *other == short && slice(text, ends, *id) == s
        });
        if let Some((_, id)) = found {
            return *id;
        }
        let id = self.push(s);
        self.table
            .insert_unique(spread(short), (short, id), |(short, _)| spread(*short));
        id
    }

    /// A new id with the string of another one, which [`find`](Interner::find) does not find: for what only looks the same.
    pub(super) fn another(&mut self, id: Id) -> Id {
        let text = self.get(id).to_owned();
        self.push(&text)
    }

    fn push(&mut self, s: &str) -> Id {
        self.text.push_str(s);
        self.ends.push(self.text.len());
        // A conversation of 4 billion different strings does not fit in memory long before this saturates.
        let number = u32::try_from(self.ends.len()).unwrap_or(u32::MAX);
        Id(NonZeroU32::new(number).unwrap_or(NonZeroU32::MAX))
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// All of them, in the order of first sight.
    pub(super) fn all(&self) -> impl Iterator<Item = Id> + use<> {
        let last = u32::try_from(self.ends.len()).unwrap_or(u32::MAX);
        (1..=last).filter_map(NonZeroU32::new).map(Id)
    }

    /// The id of this string, if some record held it.
    pub fn find(&self, s: &str) -> Option<Id> {
        let short = shorten(self.hasher.hash_one(s));
        let same =
            |(other, id): &(u32, Id)| *other == short && slice(&self.text, &self.ends, *id) == s;
        self.table.find(spread(short), same).map(|(_, id)| *id)
    }

    /// The string of an id.
    pub fn get(&self, id: Id) -> &str {
        slice(&self.text, &self.ends, id)
    }

    /// A hash of some bytes, to tell copies within this conversation. It differs between runs.
    pub fn digest(&self, bytes: &[u8]) -> u64 {
        self.hasher.hash_one(bytes)
    }

    /// As [`Interner::digest`], of bytes that come in pieces; where they are cut counts, too.
    pub fn digest_of(&self, feed: impl FnOnce(&mut dyn FnMut(&[u8]))) -> u64 {
        let mut hasher = self.hasher.build_hasher();
        feed(&mut |bytes| hasher.write(bytes));
        hasher.finish()
    }

    /// Whether the string of an id is empty.
    pub fn is_empty(&self, id: Id) -> bool {
        self.get(id).is_empty()
    }
}

/// The id that a word names among these: itself, its two ends as ids are printed, or its beginning where no other begins so.
pub(crate) fn named<'a>(word: &str, ids: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let (head, tail) = word
        .split_once('…')
        .or_else(|| word.split_once("..."))
        .unwrap_or((word, ""));
    let fits = |id: &str| {
        head.len() + tail.len() <= id.len()
            && id.starts_with(head)
            && id.ends_with(tail)
            && !head.is_empty()
    };
    let mut found: Option<&str> = None;
    for id in ids.into_iter().filter(|id| fits(id)) {
        match found {
            _ if id == word => return Some(id),
            Some(other) if other != id => found = Some(""),
            _ => found = Some(id),
        }
    }
    found.filter(|id| !id.is_empty())
}

/// 32 bits of a hash: enough to tell almost all strings apart without reading them.
fn shorten(hash: u64) -> u32 {
    (hash ^ (hash >> 32)) as u32
}

/// A table wants 64 good bits: the upper ones choose among neighbors.
fn spread(short: u32) -> u64 {
    u64::from(short).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

fn slice<'a>(text: &'a str, ends: &[usize], id: Id) -> &'a str {
    let slot = id.slot();
    let end = ends.get(slot).copied().unwrap_or(0);
    let start = slot
        .checked_sub(1)
        .and_then(|before| ends.get(before).copied())
        .unwrap_or(0);
    text.get(start..end).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_strings_are_one_id() {
        let mut ids = Interner::default();
        let (a, b, empty) = (
            ids.intern("toolu_01"),
            ids.intern("toolu_02"),
            ids.intern(""),
        );
        assert_eq!(ids.intern("toolu_01"), a);
        assert_ne!(a, b);
        assert_eq!(
            (ids.get(a), ids.get(b), ids.get(empty)),
            ("toolu_01", "toolu_02", "")
        );
        assert_eq!(ids.find("toolu_02"), Some(b));
        assert_eq!(ids.find("toolu_03"), None);
    }

    #[test]
    fn a_word_names_one_id_or_none() {
        let ids = ["toolu_01Aaaa", "toolu_01Abbb", "toolu_02", "call", "call_1"];
        let named = |word| named(word, ids);
        for (word, id) in [
            ("toolu_02", "toolu_02"),
            ("toolu_01Aa", "toolu_01Aaaa"),
            ("toolu_01…bbb", "toolu_01Abbb"),
            ("toolu_01A...aaa", "toolu_01Aaaa"),
            ("call", "call"),
            ("call_", "call_1"),
        ] {
            assert_eq!(named(word), Some(id), "{word}");
        }
        for word in [
            "",
            "toolu",
            "toolu_01A",
            "…bbb",
            "toolu_01Aaaa…Aaaa",
            "x",
            "toolu_02x",
        ] {
            assert_eq!(named(word), None, "{word}");
        }
    }
}
