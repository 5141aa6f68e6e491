//! The interner: stores every ID, kind and name of a conversation once, as a small number.

use std::hash::{BuildHasher, Hasher};
use std::num::NonZeroU32;
use std::ops::Range;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::index::{IdRange, Idx, IndexVec};
use crate::json::fields::ends_of;

/// A string of this conversation: an event ID, a call ID, a kind, a tool name. Compare IDs, not strings.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(NonZeroU32);

impl Idx for Id {
    fn new(slot: usize) -> Id {
        let number = u32::try_from(slot).unwrap_or(u32::MAX);
        Id(NonZeroU32::MIN.saturating_add(number))
    }

    fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// All strings of one conversation. Equal strings have equal [`Id`]s. Numbers follow the order in which strings were
/// first seen, so they are the same in every run.
#[derive(Default, Debug)]
pub struct Interner {
    text: String,
    /// Where each string begins, and where the last one ends, without the bits above 32.
    bounds: Vec<u32>,
    /// The indices in `bounds` from which on one more is to be added above these bits.
    beyond: Vec<usize>,
    /// Each ID with the hash of its string, so that growing the table does not hash the strings again.
    table: HashTable<(u32, Id)>,
    hasher: DefaultHashBuilder,
    recent: Recent,
}

/// Bytes that the strings of a record usually take.
const USUAL_ID: usize = 16;

/// Strings that were interned lately, found without a hash. Most strings of a record are those of the records right before
/// it: its kind, its session, the ID of its parent, of a call that it answers.
#[derive(Default, Debug)]
struct Recent([Option<Id>; Recent::PLACES]);

impl Recent {
    const PLACES: usize = 32;

    /// Where a string is kept. IDs differ at the end.
    #[inline]
    fn place(s: &[u8]) -> usize {
        let (start, end) = ends_of(s);
        let end = if s.len() < 8 { start ^ end << 32 } else { end };
        (spread_bits(end.wrapping_add(s.len() as u64)) >> 59) as usize % Recent::PLACES
    }
}

impl Interner {
    /// An empty interner whose digests can be compared with those of `other`.
    pub(super) fn with_hasher_of(other: &Interner) -> Interner {
        Interner {
            hasher: other.hasher.clone(),
            ..Interner::default()
        }
    }

    pub(super) fn reserve(&mut self, more: usize) {
        self.bounds.reserve(more);
        self.text.reserve(more * USUAL_ID);
        self.table.reserve(more, |(short, _)| spread(*short));
    }

    /// The ID of this string, which is added if it is new.
    pub fn intern(&mut self, s: &str) -> Id {
        self.intern_utf8(s.as_bytes())
    }

    /// The ID of the string with these bytes, which should be valid UTF-8. They are checked only if the string is new.
    pub(crate) fn intern_utf8(&mut self, s: &[u8]) -> Id {
        let place = Recent::place(s);
        match self.recent.0[place] {
            Some(id) if self.bytes(id) == s => id,
            _ => {
                let id = self.intern_hashed(s);
                self.recent.0[place] = Some(id);
                id
            }
        }
    }

    fn intern_hashed(&mut self, s: &[u8]) -> Id {
        let short = self.short_hash(s);
        if let Some(id) = self.find_hashed(short, s) {
            return id;
        }
        // Almost all are valid, and the plain check is faster than the lossy conversion.
        let id = match std::str::from_utf8(s) {
            Ok(text) => self.push(text),
            Err(_) => self.push(&String::from_utf8_lossy(s)),
        };
        self.table
            .insert_unique(spread(short), (short, id), |(short, _)| spread(*short));
        id
    }

    /// A second ID with the same string, which [`find`](Interner::find) does not find: for things that only look the same.
    pub(super) fn duplicate(&mut self, id: Id) -> Id {
        let text = self.get(id).to_owned();
        self.push(&text)
    }

    fn push(&mut self, s: &str) -> Id {
        if self.bounds.is_empty() {
            self.bounds.push(0);
        }
        let before = self.text.len() >> 32;
        self.text.push_str(s);
        let more = (self.text.len() >> 32) - before;
        self.beyond
            .extend(std::iter::repeat_n(self.bounds.len(), more));
        self.bounds.push(self.text.len() as u32);
        // Memory runs out long before there are 4 billion different strings, so this never saturates.
        let number = u32::try_from(self.len()).unwrap_or(u32::MAX);
        Id(NonZeroU32::new(number).unwrap_or(NonZeroU32::MAX))
    }

    pub(super) fn len(&self) -> usize {
        self.bounds.len().saturating_sub(1)
    }

    /// All IDs, in the order in which their strings were first seen.
    pub(super) fn all(&self) -> IdRange<Id> {
        IdRange::new(Id::new(0), Id::new(self.len()))
    }

    /// A table with a value for each ID: faster than a map, because IDs are small numbers.
    pub(crate) fn table<T: Clone>(&self, value: T) -> IndexVec<Id, T> {
        IndexVec::filled(self.len(), value)
    }

    /// The ID of this string, if a record has it.
    pub fn find(&self, s: &str) -> Option<Id> {
        self.find_hashed(self.short_hash(s.as_bytes()), s.as_bytes())
    }

    fn find_hashed(&self, short: u32, s: &[u8]) -> Option<Id> {
        let same = |(other, id): &(u32, Id)| *other == short && self.bytes(*id) == s;
        self.table.find(spread(short), same).map(|(_, id)| *id)
    }

    fn short_hash(&self, s: &[u8]) -> u32 {
        let mut hasher = self.hasher.build_hasher();
        hasher.write(s);
        fold_hash(hasher.finish())
    }

    /// The bytes of [`Interner::get`], which need not be cut between characters.
    #[inline]
    fn bytes(&self, id: Id) -> &[u8] {
        let text = self.text.as_bytes();
        text.get(self.range(id)).unwrap_or_default()
    }

    #[inline]
    fn range(&self, id: Id) -> Range<usize> {
        let slot = id.index();
        let range = match self.bounds.get(slot..slot + 2) {
            Some([start, end]) => *start as usize..*end as usize,
            _ => 0..0,
        };
        if self.beyond.is_empty() {
            return range;
        }
        let above = |index: usize| self.beyond.partition_point(|from| *from <= index) << 32;
        range.start + above(slot)..range.end + above(slot + 1)
    }

    /// The string of an ID.
    pub fn get(&self, id: Id) -> &str {
        self.text.get(self.range(id)).unwrap_or("")
    }

    /// A hash of bytes, to recognize copies in this conversation. It differs between runs.
    pub fn digest(&self, bytes: &[u8]) -> u64 {
        self.hasher.hash_one(bytes)
    }

    /// Like [`Interner::digest`], for bytes that come in chunks. The chunk boundaries affect the hash.
    pub fn digest_of(&self, feed: impl FnOnce(&mut dyn FnMut(&[u8]))) -> u64 {
        let mut hasher = self.hasher.build_hasher();
        feed(&mut |bytes| hasher.write(bytes));
        hasher.finish()
    }

    /// Whether the string of an ID is empty.
    pub fn is_empty(&self, id: Id) -> bool {
        self.range(id).is_empty()
    }
}

/// The one of these IDs that a word stands for: the ID itself, its abbreviation as reports print it (`start…end`), or
/// a prefix that no other ID has.
pub(crate) fn find_abbreviated<'a>(
    word: &str,
    ids: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
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

/// Folds a hash to 32 bits, which distinguish almost all strings without comparing them.
fn fold_hash(hash: u64) -> u32 {
    (hash ^ (hash >> 32)) as u32
}

/// Spreads a folded hash over 64 bits: the table uses the upper bits to distinguish neighbors.
fn spread(short: u32) -> u64 {
    spread_bits(u64::from(short))
}

fn spread_bits(bits: u64) -> u64 {
    bits.wrapping_mul(0x9E37_79B9_7F4A_7C15)
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
    fn strings_with_the_same_end_are_different_ids() {
        let mut ids = Interner::default();
        let ends = ["", "-00000001", "00000001", "1", "\u{e9}"];
        let names: Vec<String> = (0..3)
            .flat_map(|start| ends.map(|end| format!("{}{end}", "x".repeat(start))))
            .collect();
        let first: Vec<Id> = names.iter().map(|name| ids.intern(name)).collect();
        let again: Vec<Id> = names.iter().map(|name| ids.intern(name)).collect();
        assert_eq!(first, again);
        assert_eq!(ids.len(), names.len());
        for (id, name) in first.iter().zip(&names) {
            assert_eq!(ids.get(*id), name);
        }
    }

    #[test]
    fn strings_beyond_4_gib_have_their_places() {
        let near = u32::MAX - 1;
        let ids = Interner {
            bounds: vec![0, near, 5, 9, 2],
            beyond: vec![2, 4, 4],
            ..Interner::default()
        };
        let (near, high) = (near as usize, 1_usize << 32);
        let ranges = ids.all().map(|id| ids.range(id));
        let expected = [
            0..near,
            near..high + 5,
            high + 5..high + 9,
            high + 9..3 * high + 2,
        ];
        assert!(ranges.eq(expected));
    }

    #[test]
    fn an_abbreviation_matches_one_id_or_none() {
        let ids = ["toolu_01Aaaa", "toolu_01Abbb", "toolu_02", "call", "call_1"];
        let named = |word| find_abbreviated(word, ids);
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
