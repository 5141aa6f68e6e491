//! The members that a reader looks for in an object, found in one walk over its keys.
//!
//! Most keys differ in length, so most are rejected without comparing bytes.

use super::node::Node;
use super::tape::{Flags, Token};

/// Declares the members of one kind of object that a reader looks for.
///
/// ```ignore
/// fields! {
///     /// Members of a line.
///     enum Line { Type = "type", Uuid = "uuid" }
/// }
/// let line = Fields::<Line>::of(node);
/// line.get(Line::Uuid)
/// ```
macro_rules! fields {
    ($(#[$doc:meta])* $vis:vis enum $name:ident { $($field:ident = $key:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Copy, Clone)]
        $vis enum $name { $($field),+ }

        impl $crate::json::fields::Keys for $name {
            type Places = [u32; [$($key),+].len()];
            const ABSENT: Self::Places = [0; [$($key),+].len()];
            const TABLE: &'static $crate::json::fields::KeyTable =
                &$crate::json::fields::KeyTable::new(&[$($key),+]);

            fn slot(self) -> usize {
                self as usize
            }
        }
    };
}

pub(crate) use fields;

/// The members that a reader looks for; implemented by [`fields!`].
pub(crate) trait Keys: Copy {
    /// Indices of values on the tape, one per key.
    type Places: Copy + AsRef<[u32]> + AsMut<[u32]>;
    /// No member is present. The value of a member is never the first token, so 0 is free.
    const ABSENT: Self::Places;
    const TABLE: &'static KeyTable;

    fn slot(self) -> usize;
}

/// Most keys in a table. Keys of at least this length share a bucket.
const MOST: usize = 64;

/// Keys, indexed by length.
pub(crate) struct KeyTable {
    keys: &'static [&'static str],
    /// The first and the last eight bytes of each key.
    ends: [(u64, u64); MOST],
    /// For each length, one bit per key.
    by_length: [u64; MOST],
    /// For each length, a mask of the first eight bytes that belong to a key.
    masks: [u64; MOST],
}

impl KeyTable {
    pub(crate) const fn new(keys: &'static [&'static str]) -> KeyTable {
        assert!(keys.len() <= MOST, "one bit per key");
        let (mut ends, mut by_length, mut masks) = ([(0, 0); MOST], [0; MOST], [u64::MAX; MOST]);
        let mut at = 0;
        while at < 8 {
            masks[at] = (1 << (8 * at)) - 1;
            at += 1;
        }
        at = 0;
        while at < keys.len() {
            ends[at] = outer_words(keys[at].as_bytes());
            by_length[bucket(keys[at].len())] |= 1 << at;
            at += 1;
        }
        KeyTable { keys, ends, by_length, masks }
    }

    /// The slot of a key whose bytes need a closer look.
    #[inline(never)]
    fn find_unusual(&self, key: Node<'_>) -> Option<usize> {
        if key.is_open() {
            return None;
        }
        let text = key.text_bytes();
        self.keys.iter().position(|own| own.as_bytes() == &*text)
    }

    /// The slot of a key without escapes that is in memory. `None`: its bytes need a closer look.
    ///
    /// This runs for each key of each record. A range of eight bytes takes one comparison, and a mask from a table less than one
    /// that is shifted: with that, and with the bounds of `each_key`, a key costs 80 instructions instead of 105.
    #[inline(always)]
    fn find_usual(&self, record: &[u8], key: &Token) -> Option<Option<usize>> {
        if key.flags.has_any(Flags::ESCAPED.with(Flags::OPEN)) {
            return None;
        }
        let start = key.start as usize + 1;
        let length = (key.end as usize).wrapping_sub(start + 1);
        let bucket = bucket(length);
        let mut candidates = self.by_length[bucket];
        if candidates == 0 {
            return Some(None);
        }
        let word = |at: usize| {
            let bytes = record.get(at..at.wrapping_add(8))?;
            Some(u64::from_le_bytes(*bytes.first_chunk()?))
        };
        // The first and the last eight bytes: together they are most keys as a whole.
        let first = word(start)? & self.masks[bucket];
        let last = match length {
            0..=8 => 0,
            _ => word(key.end as usize - 9)?,
        };
        while candidates != 0 {
            let slot = candidates.trailing_zeros() as usize % MOST;
            if self.ends[slot] == (first, last)
                && (length <= WHOLE
                    || record.get(start..start + length)
                        == self.keys.get(slot).map(|key| key.as_bytes()))
            {
                return Some(Some(slot));
            }
            candidates &= candidates - 1;
        }
        Some(None)
    }
}

/// The first eight bytes of a key, and the last eight of a longer one: keys of one length that share both are the same up to
/// [`WHOLE`] bytes. Unlike [`ends_of`], this takes one word of the record for most keys, whatever their length.
const fn outer_words(key: &[u8]) -> (u64, u64) {
    let (mut first, mut at) = (0, 0);
    while at < key.len() && at < 8 {
        first |= (key[at] as u64) << (8 * at);
        at += 1;
    }
    match key.last_chunk() {
        Some(last) if key.len() > 8 => (first, u64::from_le_bytes(*last)),
        _ => (first, 0),
    }
}

/// The longest key that its ends show as a whole.
pub(crate) const WHOLE: usize = 16;

/// The first and the last eight bytes of a key as numbers, which two keys of one length share only if these bytes are the
/// same. Two comparisons of numbers cost less than one call that compares bytes.
#[inline(always)]
pub(crate) const fn ends_of(key: &[u8]) -> (u64, u64) {
    match (key.first_chunk(), key.last_chunk()) {
        (Some(first), Some(last)) => (u64::from_le_bytes(*first), u64::from_le_bytes(*last)),
        _ => match (key.first_chunk(), key.last_chunk(), key) {
            (Some(first), Some(last), _) => {
                (u32::from_le_bytes(*first) as u64, u32::from_le_bytes(*last) as u64)
            }
            (_, _, [first, .., last]) => {
                let middle = key[key.len() / 2];
                (u32::from_le_bytes([*first, middle, *last, 0]) as u64, 0)
            }
            (_, _, [only]) => (*only as u64, 0),
            (_, _, []) => (0, 0),
        },
    }
}

const fn bucket(length: usize) -> usize {
    if length < MOST { length } else { MOST - 1 }
}

/// The members of an object by the keys of `K`.
pub(crate) struct Fields<'a, K: Keys> {
    node: Node<'a>,
    places: K::Places,
    has_others: bool,
}

impl<'a, K: Keys> Fields<'a, K> {
    /// Looks up the members of an object; finds none for any other value.
    pub(crate) fn of(node: Node<'a>) -> Fields<'a, K> {
        let (mut places, mut has_others) = (K::ABSENT, false);
        let record = node.record();
        node.each_key(|at, key, value| {
            let found = K::TABLE.find_usual(record, key);
            match found.unwrap_or_else(|| K::TABLE.find_unusual(node.with_token(at, key))) {
                Some(slot) => places.as_mut()[slot] = value,
                None => has_others = true,
            }
        });
        Fields { node, places, has_others }
    }

    /// The value of a member. Of several with this key, the last one counts.
    #[inline]
    pub(crate) fn get(&self, key: K) -> Option<Node<'a>> {
        match self.places.as_ref()[key.slot()] {
            0 => None,
            place => self.node.sibling(place),
        }
    }

    /// The keys that the object has, one bit per key in order of declaration.
    pub(crate) fn found(&self) -> u64 {
        let places = self.places.as_ref().iter().enumerate();
        let found = places.filter(|(_, place)| **place != 0);
        found.fold(0, |bits, (slot, _)| bits | 1 << slot)
    }

    /// The keys that the object has, in order of declaration.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        let found = K::TABLE.keys.iter().zip(self.places.as_ref());
        found.filter(|(_, place)| **place != 0).map(|(name, _)| *name)
    }

    /// Whether the object has members that are not in the table.
    pub(crate) fn has_others(&self) -> bool {
        self.has_others
    }

    pub(crate) fn name(key: K) -> &'static str {
        K::TABLE.keys[key.slot()]
    }

    pub(crate) fn node(&self) -> Node<'a> {
        self.node
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::scan::{ScanMode, scan};

    fields! {
        enum Key { A = "a", Bc = "bc", Empty = "", Missing = "missing", Cb = "cb" }
    }

    #[test]
    fn members_are_found_as_get_finds_them() {
        for text in
            [r#"{"a":1,"b\u0063":[2],"a":3,"":4,"bd":5}"#, r#"{"a":1,"bc""#, r#"[{"a":1}]"#, "{}"]
        {
            let tape = scan(text.as_bytes(), ScanMode::Document);
            let bytes = text.as_bytes();
            let node = Node::root(&tape, &bytes).unwrap();
            let fields = Fields::<Key>::of(node);
            for (key, name) in [
                (Key::A, "a"),
                (Key::Bc, "bc"),
                (Key::Empty, ""),
                (Key::Missing, "missing"),
                (Key::Cb, "cb"),
            ] {
                assert_eq!(
                    fields.get(key).map(|value| value.span()),
                    node.get(name).map(|value| value.span()),
                    "{name} of {text}"
                );
            }
            let known = node.members().filter_map(|(key, _)| Key::TABLE.find_unusual(key));
            assert_eq!(fields.names().count() > 0, known.count() > 0, "{text}");
            assert_eq!(fields.has_others(), node.get("bd").is_some(), "{text}");
        }
    }

    #[test]
    fn keys_of_every_length_differ_by_each_byte() {
        fields! {
            #[allow(dead_code)]
            enum Length {
                A = "a",
                B = "ab",
                C = "abc",
                D = "abcd",
                G = "abcdefg",
                H = "abcdefgh",
                I = "abcdefghi",
                P = "abcdefghijklmnop",
                Q = "abcdefghijklmnopq",
                T = "abcdefghijklmnopqrst",
            }
        }
        let found = |key: &[u8]| {
            let text = [b"{\"".as_slice(), key, b"\":\"a text after it\"}"].concat();
            let tape = scan(&text, ScanMode::Document);
            let bytes = text.as_slice();
            Fields::<Length>::of(Node::root(&tape, &bytes).unwrap()).found()
        };
        for (slot, key) in Length::TABLE.keys.iter().enumerate() {
            assert_eq!(found(key.as_bytes()), 1 << slot, "{key}");
            for at in 0..key.len() {
                let mut other = key.as_bytes().to_vec();
                other[at] = b'A';
                assert_eq!(found(&other), 0, "{key} at {at}");
            }
        }
    }
}
