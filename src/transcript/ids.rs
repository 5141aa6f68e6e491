//! The interner: stores every ID, kind and name of a conversation once, as a small number.

use std::hash::{BuildHasher, Hasher};
use std::num::NonZeroU32;
use std::ops::Range;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::index::{IdRange, Idx, IndexVec};
use super::uuids::{self, Uuid, Uuids};
use crate::json::fields::{WHOLE, ends_of};

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
    strings: StringList,
    /// The IDs by the hashes of their strings, which are not kept: they would double its size.
    table: HashTable<Id>,
    hasher: DefaultHashBuilder,
    recent: Recent,
}

/// Bytes that the strings of a record usually take.
const USUAL_ID: usize = 16;

/// Strings in the order of their IDs.
#[derive(Default, Debug)]
struct StringList {
    /// All strings that are not UUIDs.
    text: String,
    /// Where each string begins, and where the last one ends, without the bits above 32.
    bounds: Vec<u32>,
    /// The indices in `bounds` from which on one more is to be added above these bits.
    beyond: Vec<usize>,
    /// The strings that are UUIDs, which are empty in `text`.
    uuids: Uuids,
}

impl StringList {
    fn len(&self) -> usize {
        self.bounds.len().saturating_sub(1)
    }

    fn push_uuid(&mut self, uuid: Uuid) -> Id {
        self.uuids.push(self.len(), uuid);
        self.push("")
    }

    fn push(&mut self, s: &str) -> Id {
        if self.bounds.is_empty() {
            self.bounds.push(0);
        }
        let before = self.text.len() >> 32;
        self.text.push_str(s);
        let more = (self.text.len() >> 32) - before;
        self.beyond.extend(std::iter::repeat_n(self.bounds.len(), more));
        self.bounds.push(self.text.len() as u32);
        // Memory runs out long before there are 4 billion different strings, so this never saturates.
        let number = u32::try_from(self.len()).unwrap_or(u32::MAX);
        Id(NonZeroU32::new(number).unwrap_or(NonZeroU32::MAX))
    }

    /// Where a string is in `text`.
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

    fn get(&self, id: Id) -> &str {
        let range = self.range(id);
        if range.is_empty() {
            return self.uuids.text(id.index()).unwrap_or("");
        }
        self.text.get(range).unwrap_or("")
    }

    /// The string of an ID, to compare it.
    #[inline]
    fn key(&self, id: Id) -> StringKey<'_> {
        let range = self.range(id);
        if !range.is_empty() {
            return StringKey::Text(self.text.as_bytes().get(range).unwrap_or_default());
        }
        let uuid = self.uuids.get(id.index());
        uuid.map_or(StringKey::Text(b""), StringKey::Uuid)
    }
}

/// A string, to compare it. Its bytes need not be cut between characters.
#[derive(Copy, Clone, PartialEq, Eq)]
enum StringKey<'a> {
    Uuid(Uuid),
    Text(&'a [u8]),
}

impl StringKey<'_> {
    fn of(s: &[u8]) -> StringKey<'_> {
        Uuid::of(s).map_or(StringKey::Text(s), StringKey::Uuid)
    }

    fn hash(self, hasher: &DefaultHashBuilder) -> u64 {
        match self {
            StringKey::Uuid(uuid) => hasher.hash_one(uuid),
            StringKey::Text(text) => {
                let mut hasher = hasher.build_hasher();
                hasher.write(text);
                hasher.finish()
            }
        }
    }
}

/// Strings that were interned lately, found without a hash. Most strings of a record are those of the records right before
/// it: its kind, its session, the ID of its parent, of a call that it answers.
#[derive(Default, Debug)]
struct Recent([Option<RecentString>; Recent::PLACES]);

#[derive(Copy, Clone, Debug)]
struct RecentString {
    id: Id,
    is: RecentKey,
}

/// How a string is compared with one that was interned lately.
#[derive(Copy, Clone, Debug)]
enum RecentKey {
    /// Its length, and its ends, which show all of it: most strings of a record are such words, and none is read again.
    Short(usize, (u64, u64)),
    /// What may be a UUID, as it was written.
    Uuid([u8; uuids::LENGTH]),
    /// With what is stored.
    Stored,
}

impl Recent {
    const PLACES: usize = 32;

    /// Where a string of this length and with these ends is kept. IDs differ at the end.
    #[inline]
    fn place(length: usize, (start, end): (u64, u64)) -> usize {
        let end = if length < 8 { start ^ end << 32 } else { end };
        (spread_bits(end.wrapping_add(length as u64)) >> 59) as usize % Recent::PLACES
    }
}

impl Interner {
    /// An empty interner whose digests can be compared with those of `other`.
    pub(super) fn with_hasher_of(other: &Interner) -> Interner {
        Interner { hasher: other.hasher.clone(), ..Interner::default() }
    }

    pub(super) fn reserve(&mut self, more: usize) {
        let Interner { strings, table, hasher, .. } = self;
        table.reserve(more, |id| strings.key(*id).hash(hasher));
        strings.bounds.reserve(more);
        strings.text.reserve(more * USUAL_ID);
    }

    /// Gives back the room that was made for more strings.
    pub(super) fn shrink_to_fit(&mut self) {
        self.strings.bounds.shrink_to_fit();
        self.strings.text.shrink_to_fit();
        self.strings.uuids.shrink_to_fit();
    }

    /// The ID of this string, which is added if it is new.
    pub fn intern(&mut self, s: &str) -> Id {
        self.intern_utf8(s.as_bytes())
    }

    /// The ID of the string with these bytes, which should be valid UTF-8. They are checked only if the string is new.
    pub(crate) fn intern_utf8(&mut self, s: &[u8]) -> Id {
        let ends = ends_of(s);
        let place = Recent::place(s.len(), ends);
        match &self.recent.0[place] {
            Some(recent) if self.is_same(recent, s, ends) => recent.id,
            _ => {
                let id = self.intern_key(StringKey::of(s));
                // What is no UTF-8 is stored in another way.
                let is = match s.try_into() {
                    Ok(uuid) => RecentKey::Uuid(uuid),
                    Err(_) if s.len() <= WHOLE && (self.strings.key(id) == StringKey::Text(s)) => {
                        RecentKey::Short(s.len(), ends)
                    }
                    Err(_) => RecentKey::Stored,
                };
                self.recent.0[place] = Some(RecentString { id, is });
                id
            }
        }
    }

    #[inline]
    fn is_same(&self, recent: &RecentString, s: &[u8], ends: (u64, u64)) -> bool {
        match &recent.is {
            RecentKey::Short(length, own) => (s.len(), ends) == (*length, *own),
            RecentKey::Uuid(uuid) => uuid == s,
            RecentKey::Stored => self.strings.key(recent.id) == StringKey::Text(s),
        }
    }

    /// The ID of a string of another conversation.
    pub(super) fn intern_from(&mut self, other: &Interner, id: Id) -> Id {
        self.intern_key(other.strings.key(id))
    }

    fn intern_key(&mut self, key: StringKey<'_>) -> Id {
        let hash = key.hash(&self.hasher);
        if let Some(id) = self.find_hashed(hash, key) {
            return id;
        }
        let id = match key {
            StringKey::Uuid(uuid) => self.strings.push_uuid(uuid),
            // Almost all are valid, and the plain check is faster than the lossy conversion.
            StringKey::Text(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => self.strings.push(text),
                Err(_) => self.strings.push(&String::from_utf8_lossy(bytes)),
            },
        };
        let (strings, hasher) = (&self.strings, &self.hasher);
        self.table.insert_unique(hash, id, |id| strings.key(*id).hash(hasher));
        id
    }

    /// A second ID with the same string, which [`find`](Interner::find) does not find: for things that only look the same.
    pub(super) fn duplicate(&mut self, id: Id) -> Id {
        match self.strings.key(id) {
            StringKey::Uuid(uuid) => self.strings.push_uuid(uuid),
            StringKey::Text(_) => {
                let text = self.get(id).to_owned();
                self.strings.push(&text)
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        self.strings.len()
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
        let key = StringKey::of(s.as_bytes());
        self.find_hashed(key.hash(&self.hasher), key)
    }

    fn find_hashed(&self, hash: u64, key: StringKey<'_>) -> Option<Id> {
        let found = self.table.find(hash, |id| self.strings.key(*id) == key);
        found.copied()
    }

    /// The string of an ID.
    pub fn get(&self, id: Id) -> &str {
        self.strings.get(id)
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

    /// Whether the string of an ID is a UUID in lowercase with dashes. This does not spell it.
    pub(super) fn is_uuid(&self, id: Id) -> bool {
        matches!(self.strings.key(id), StringKey::Uuid(_))
    }

    /// Whether the string of an ID is empty.
    #[inline]
    pub fn is_empty(&self, id: Id) -> bool {
        self.strings.range(id).is_empty() && !self.is_uuid(id)
    }
}

/// The one of these IDs that a word stands for: the ID itself, its abbreviation as reports print it (`start…end`), or
/// a prefix that no other ID has.
pub(crate) fn find_abbreviated<'a>(
    word: &str,
    ids: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let (head, tail) =
        word.split_once('…').or_else(|| word.split_once("...")).unwrap_or((word, ""));
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

fn spread_bits(bits: u64) -> u64 {
    bits.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_strings_are_one_id() {
        let mut ids = Interner::default();
        let (a, b, empty) = (ids.intern("toolu_01"), ids.intern("toolu_02"), ids.intern(""));
        assert_eq!(ids.intern("toolu_01"), a);
        assert_ne!(a, b);
        assert_eq!((ids.get(a), ids.get(b), ids.get(empty)), ("toolu_01", "toolu_02", ""));
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
    fn uuids_are_strings_like_others() {
        let mut ids = Interner::default();
        let uuid = "01234567-89ab-cdef-fedc-ba9876543210";
        let names = [uuid, "", &uuid.to_uppercase(), &uuid[1..], "a", &uuid.replace('0', "f")];
        let first = names.map(|name| ids.intern(name));
        assert_eq!(first, names.map(|name| ids.intern(name)));
        assert_eq!(first.map(Some), names.map(|name| ids.find(name)));
        assert_eq!(names, first.map(|id| ids.get(id)));
        assert_eq!(first.map(|id| ids.is_empty(id)), names.map(str::is_empty));
        let copy = ids.duplicate(first[0]);
        assert_eq!((ids.get(copy), ids.find(uuid)), (uuid, Some(first[0])));
    }

    #[test]
    fn strings_beyond_4_gib_have_their_places() {
        let near = u32::MAX - 1;
        let strings = StringList {
            bounds: vec![0, near, 5, 9, 2],
            beyond: vec![2, 4, 4],
            ..StringList::default()
        };
        let (near, high) = (near as usize, 1_usize << 32);
        let ranges = (0..strings.len()).map(|slot| strings.range(Id::new(slot)));
        let expected = [0..near, near..high + 5, high + 5..high + 9, high + 9..3 * high + 2];
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
        for word in ["", "toolu", "toolu_01A", "…bbb", "toolu_01Aaaa…Aaaa", "x", "toolu_02x"] {
            assert_eq!(named(word), None, "{word}");
        }
    }
}
