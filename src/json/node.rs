//! Navigation in a record: a token of a tape, together with the bytes.

use std::borrow::Cow;
use std::ops::Range;

use super::quote::{between_quotes, quote};
use super::tape::{Flags, KeyIndex, KeyPlace, Kind, Tape, Token};
use super::{decode, nested};

/// Access to the bytes of a tape. Slices implement it; for a `bytes: Vec<u8>` pass `&&bytes[..]`.
pub trait TapeText {
    /// The bytes of a range, 0-based in the record. Bytes outside the record are left out.
    fn get(&self, start: u32, end: u32) -> Cow<'_, [u8]>;

    /// All bytes of the record, if they are in memory.
    fn near(&self) -> Option<&[u8]> {
        None
    }
}

// Not implemented for all `AsRef<[u8]>`: on a `Vec`, this `get` would hide that of slices.
impl TapeText for [u8] {
    fn get(&self, start: u32, end: u32) -> Cow<'_, [u8]> {
        Cow::Borrowed(part(self, start, end))
    }

    fn near(&self) -> Option<&[u8]> {
        Some(self)
    }
}

impl TapeText for &[u8] {
    fn get(&self, start: u32, end: u32) -> Cow<'_, [u8]> {
        TapeText::get(*self, start, end)
    }

    fn near(&self) -> Option<&[u8]> {
        Some(self)
    }
}

#[derive(Clone, Debug, Default)]
pub struct Owned(pub Vec<u8>);

impl TapeText for Owned {
    fn get(&self, start: u32, end: u32) -> Cow<'_, [u8]> {
        TapeText::get(self.0.as_slice(), start, end)
    }

    fn near(&self) -> Option<&[u8]> {
        Some(&self.0)
    }
}

/// The bytes of a range, without those outside.
#[inline]
fn part(bytes: &[u8], start: u32, end: u32) -> &[u8] {
    let end = bytes.len().min(end as usize);
    bytes.get(start as usize..end).unwrap_or_default()
}

/// Where the bytes of a record are. Almost all records are in memory, where a look at a few bytes must not cost a call
/// through a table.
#[derive(Copy, Clone)]
enum RecordBytes<'a> {
    Near(&'a [u8]),
    Far(&'a dyn TapeText),
}

impl<'a> RecordBytes<'a> {
    fn of(text: &'a dyn TapeText) -> RecordBytes<'a> {
        text.near().map_or(RecordBytes::Far(text), RecordBytes::Near)
    }

    #[inline]
    fn get(&self, start: u32, end: u32) -> Cow<'a, [u8]> {
        match self {
            RecordBytes::Near(bytes) => Cow::Borrowed(part(bytes, start, end)),
            RecordBytes::Far(text) => text.get(start, end),
        }
    }
}

impl Tape {
    /// Notes where the keys of the outermost object are, so that [`Node::get`] need not walk over all of them. It pays
    /// where many readers ask for many keys, as when every format is asked whether a record is its own.
    pub(crate) fn index_keys(&mut self, text: &dyn TapeText) {
        let (mut keys, mut is_plain) = (KeyIndex::new(), true);
        if let Some(root) = Node::root(self, text) {
            root.each_key(|at, key, _| {
                if key.flags.has(Flags::ESCAPED) {
                    is_plain = false
                } else {
                    keys.insert(&root.with_token(at, key).text_bytes(), at)
                }
            });
        }
        self.keys = is_plain.then(|| Box::new(keys));
    }
}

/// The longest spelling of one character, in bytes.
const LONGEST_CHAR: usize = 12;

/// A value of a record, or a key. Cheap to copy.
#[derive(Copy, Clone)]
pub struct Node<'a> {
    tape: &'a Tape,
    text: RecordBytes<'a>,
    at: u32,
    token: &'a Token,
}

impl<'a> Node<'a> {
    /// The outermost value, even of a truncated record; `None` if there is no value.
    pub fn root(tape: &'a Tape, text: &'a dyn TapeText) -> Option<Node<'a>> {
        Node::of(tape, text, 0)
    }

    /// The outermost value, whose token is known.
    pub(super) fn first(tape: &'a Tape, text: &'a dyn TapeText, token: &'a Token) -> Node<'a> {
        Node { tape, text: RecordBytes::of(text), at: 0, token }
    }

    /// The value or key at this index of the tape.
    pub fn of(tape: &'a Tape, text: &'a dyn TapeText, index: u32) -> Option<Node<'a>> {
        let token = tape.tokens.get(index as usize)?;
        Some(Node { tape, text: RecordBytes::of(text), at: index, token })
    }

    /// Another value or key of the record.
    #[inline]
    pub(super) fn sibling(&self, index: u32) -> Option<Node<'a>> {
        let token = self.tape.tokens.get(index as usize)?;
        Some(Node { at: index, token, ..*self })
    }

    /// Calls `each` with the keys of an object: their index, their token, and the index of their value. Leaves out a key
    /// without a value, like [`Node::members`].
    #[inline(always)]
    pub(super) fn each_key(&self, mut each: impl FnMut(u32, &'a Token, u32)) {
        let tokens = self.tape.tokens.as_slice();
        let end = self.end_of(Kind::Object) as usize;
        // Cut once, so that the bounds of a token show whether it is in the object.
        let tokens = tokens.get(..end).unwrap_or(tokens);
        let mut at = self.at.saturating_add(1);
        while let Some(key) = tokens.get(at as usize)
            && let Some(value) = tokens.get(key.next as usize)
        {
            each(at, key, key.next);
            at = value.next;
        }
    }

    /// The whole record if it is in memory, otherwise nothing.
    #[inline(always)]
    pub(super) fn record(&self) -> &'a [u8] {
        match self.text {
            RecordBytes::Near(bytes) => bytes,
            RecordBytes::Far(_) => &[],
        }
    }

    /// The value or key with this token of the record.
    #[inline]
    pub(super) fn with_token(&self, at: u32, token: &'a Token) -> Node<'a> {
        Node { at, token, ..*self }
    }

    /// Bytes between the quotes of a string without escapes, which may be open.
    #[inline]
    fn raw_len(&self) -> Option<usize> {
        let is_plain = !self.flags().has(Flags::ESCAPED);
        is_plain.then(|| (self.token.end - self.token.start).saturating_sub(2) as usize)
    }

    /// Index after the last token inside a container of this kind; 0 for any other value.
    fn end_of(&self, container: Kind) -> u32 {
        if self.kind() == container { self.token.next } else { 0 }
    }

    pub fn kind(&self) -> Kind {
        self.token.kind
    }

    pub fn flags(&self) -> Flags {
        self.token.flags
    }

    /// Index of the token on the tape.
    pub fn index(&self) -> u32 {
        self.at
    }

    /// Whether the record ended before this value was closed.
    pub fn is_open(&self) -> bool {
        self.token.flags.has(Flags::OPEN)
    }

    /// Byte range in the record, 0-based; includes the quotes of a string.
    pub fn span(&self) -> Range<u32> {
        self.token.start..self.token.end
    }

    pub fn tape(&self) -> &'a Tape {
        self.tape
    }

    /// The bytes of a range of the record, 0-based. Bytes outside the record are left out.
    pub(crate) fn bytes(&self, start: u32, end: u32) -> Cow<'a, [u8]> {
        self.text.get(start, end)
    }

    /// Keys and values of an object in order; none for any other value. Leaves out a key without a
    /// value, which a truncated record may have.
    pub fn members(&self) -> impl Iterator<Item = (Node<'a>, Node<'a>)> + use<'a> {
        // The last key of a truncated record is the last token of its object.
        let end = self.token.next;
        self.children(Kind::Object)
            .filter(move |key| key.token.next < end)
            .filter_map(|key| Some((key, key.sibling(key.token.next)?)))
    }

    /// Items of an array in order; none for any other value.
    pub fn items(&self) -> impl Iterator<Item = Node<'a>> + use<'a> {
        self.children(Kind::Array)
    }

    /// Direct children; for an object its keys.
    fn children(&self, container: Kind) -> impl Iterator<Item = Node<'a>> + use<'a> {
        let parent = *self;
        let end = self.end_of(container);
        let mut next = parent.at.saturating_add(1);
        std::iter::from_fn(move || {
            if next >= end {
                return None;
            }
            let child = parent.sibling(next)?;
            let value =
                if child.flags().has(Flags::KEY) { parent.sibling(child.token.next) } else { None };
            next = value.unwrap_or(child).token.next;
            Some(child)
        })
    }

    /// The value of a member. Of several with this key the last, as in JavaScript and Python.
    pub fn get(&self, key: &str) -> Option<Node<'a>> {
        self.entry(key).map(|(_, value)| value)
    }

    /// The text of a member, if it is a string.
    pub(crate) fn string(&self, key: &str) -> Option<Cow<'a, str>> {
        self.get(key)?.str()
    }

    /// Whether a member is a string with this text.
    pub(crate) fn has_str(&self, key: &str, text: &str) -> bool {
        self.get(key).is_some_and(|value| value.is_str(text))
    }

    /// The items of a member; none if it is not an array.
    pub(crate) fn items_of(&self, key: &str) -> impl Iterator<Item = Node<'a>> + use<'a> {
        self.get(key).into_iter().flat_map(|list| list.items())
    }

    pub fn entry(&self, key: &str) -> Option<(Node<'a>, Node<'a>)> {
        if let (0, Some(keys)) = (self.at, &self.tape.keys) {
            match keys.find(key.as_bytes()) {
                KeyPlace::Absent => return None,
                KeyPlace::At(place) => {
                    let name = self.sibling(place).filter(|name| name.is_str(key))?;
                    return Some((name, self.sibling(name.token.next)?));
                }
                KeyPlace::Unknown => {}
            }
        }
        // Most keys differ in length.
        let quoted = u32::try_from(key.len()).ok()?.checked_add(2)?;
        let mut found = None;
        self.each_key(|at, name, value| {
            let may_fit = name.end - name.start == quoted || name.flags.has(Flags::ESCAPED);
            if may_fit && self.with_token(at, name).is_str(key) {
                found = Some((at, value));
            }
        });
        let (name, value) = found?;
        Some((self.sibling(name)?, self.sibling(value)?))
    }

    /// The value at a path of keys.
    pub fn at(&self, path: &[&str]) -> Option<Node<'a>> {
        path.iter().try_fold(*self, |node, key| node.get(key))
    }

    /// Whether this is a string with the text `text`.
    #[inline]
    pub fn is_str(&self, text: &str) -> bool {
        // Almost all texts differ in length.
        self.raw_len().is_none_or(|length| length == text.len()) && self.has_text(text)
    }

    #[inline]
    fn has_text(&self, text: &str) -> bool {
        if self.str_is_absent() {
            return false;
        }
        if self.flags().has(Flags::ESCAPED) {
            return self.has_escaped_text(text);
        }
        let inside = self.inside();
        *self.text.get(inside.start, inside.end) == *text.as_bytes()
    }

    #[cold]
    fn has_escaped_text(&self, text: &str) -> bool {
        // An escape is as long as its character, and at most six times as long.
        let fits = text.len()..=text.len().saturating_mul(6);
        fits.contains(&self.inside().len()) && self.str().is_some_and(|own| own == text)
    }

    /// The range between the quotes of a closed string.
    #[inline]
    fn inside(&self) -> Range<u32> {
        let end = self.token.end.saturating_sub(1);
        self.token.start.saturating_add(1).min(end)..end
    }

    /// The unescaped text of a closed string, with U+FFFD for lone surrogates and invalid UTF-8.
    /// `None` for any other value.
    pub fn str(&self) -> Option<Cow<'a, str>> {
        if self.str_is_absent() {
            return None;
        }
        let inside = self.inside();
        Some(decode::unescape_text(
            self.text.get(inside.start, inside.end),
            self.flags().has(Flags::ESCAPED),
        ))
    }

    /// The bytes of [`Node::str`]. The scanner found out whether they are valid UTF-8; asking again costs more than most
    /// uses of a short text.
    #[inline]
    pub(crate) fn utf8(&self) -> Option<Cow<'a, [u8]>> {
        if self.str_is_absent() {
            return None;
        }
        if self.flags().has_any(Flags::ESCAPED.with(Flags::FLAWED)) {
            return self.str().map(into_bytes);
        }
        let inside = self.inside();
        Some(self.text.get(inside.start, inside.end))
    }

    /// As [`Node::str`], but invalid UTF-8 stays.
    pub(crate) fn str_bytes(&self) -> Option<Cow<'a, [u8]>> {
        if self.str_is_absent() {
            return None;
        }
        let inside = self.inside();
        let raw = self.text.get(inside.start, inside.end);
        Some(if self.flags().has(Flags::ESCAPED) {
            Cow::Owned(decode::unescape_bytes(&raw))
        } else {
            raw
        })
    }

    /// Whether this is a string that is certainly the text of one JSON object. `false` leaves it open.
    pub(crate) fn is_plain_object_text(&self) -> bool {
        let inside = self.inside();
        let is_sound = !self.str_is_absent() && !self.is_flawed();
        is_sound && nested::is_plain_object(&self.text.get(inside.start, inside.end))
    }

    /// The unescaped bytes of a key or a closed string, which may not be valid text.
    #[inline(always)]
    pub fn text_bytes(&self) -> Cow<'a, [u8]> {
        if self.flags().has(Flags::ESCAPED) {
            return self.unescaped_bytes();
        }
        let inside = self.inside();
        self.text.get(inside.start, inside.end)
    }

    #[cold]
    fn unescaped_bytes(&self) -> Cow<'a, [u8]> {
        Cow::Owned(self.str().unwrap_or_default().into_owned().into_bytes())
    }

    /// Whether the value or anything in it has a flaw.
    fn is_flawed(&self) -> bool {
        self.flags().has(Flags::FLAWED)
    }

    /// The raw bytes; includes the quotes of a string.
    pub fn raw(&self) -> Cow<'a, [u8]> {
        self.text.get(self.token.start, self.token.end)
    }

    pub fn is_null(&self) -> bool {
        self.kind() == Kind::Null && !self.is_open()
    }

    pub fn as_bool(&self) -> Option<bool> {
        match self.kind() {
            Kind::True if !self.is_open() => Some(true),
            Kind::False if !self.is_open() => Some(false),
            _ => None,
        }
    }

    /// The value of an integer, if it is written without fraction and exponent and fits.
    pub fn as_u64(&self) -> Option<u64> {
        self.number()
    }

    /// Like [`Node::as_u64`], for signed integers.
    pub fn as_i64(&self) -> Option<i64> {
        self.number()
    }

    fn number<T: std::str::FromStr>(&self) -> Option<T> {
        // No 64-bit number is longer than 20 bytes, so do not fetch a longer one.
        if self.kind() != Kind::Number || self.is_open() || self.span().len() > 20 {
            return None;
        }
        std::str::from_utf8(&self.raw()).ok()?.parse().ok()
    }

    /// Whether this is a closed string that is empty or white space. Reads only up to the first
    /// other character.
    pub fn is_blank_str(&self) -> bool {
        // Bytes fetched at once.
        const WINDOW: u32 = 256;
        if self.str_is_absent() {
            return false;
        }
        let Range { mut start, end } = self.inside();
        while start < end {
            let stop = start.saturating_add(WINDOW).min(end);
            let window = self.text.get(start, stop);
            let mut used = 0;
            while let Some((char, length)) = window.get(used..).and_then(decode::first_char) {
                if !char.is_whitespace() {
                    return false;
                }
                used += length;
                if stop < end && window.len().saturating_sub(used) < LONGEST_CHAR {
                    break;
                }
            }
            if used == 0 {
                return false;
            }
            start = start.saturating_add(u32::try_from(used).unwrap_or(WINDOW));
        }
        true
    }

    /// The first character of a closed string that is not white space; `None` if there is none near its start.
    pub(crate) fn first_char(&self) -> Option<char> {
        const NEAR: u32 = 256;
        let start = self.begin(NEAR)?;
        let is_cut = start.len() < self.inside().len();
        let mut rest = &*start;
        while let Some((char, length)) = decode::first_char(rest) {
            if is_cut && rest.len() < LONGEST_CHAR {
                break;
            }
            if !char.is_whitespace() {
                return Some(char);
            }
            rest = rest.get(length..)?;
        }
        None
    }

    /// The first raw bytes of a closed string, at most `most`.
    pub(crate) fn begin(&self, most: u32) -> Option<Cow<'a, [u8]>> {
        let Range { start, end } = self.inside();
        (!self.str_is_absent()).then(|| self.bytes(start, end.min(start.saturating_add(most))))
    }

    /// The text of a closed string, like [`Node::str`]. For a long string, only the text of `most`
    /// raw bytes at each end, which is cheaper than decoding all of it.
    pub fn ends(&self, most: u32) -> Option<(Cow<'a, str>, Option<Cow<'a, str>>)> {
        let Range { start, end } = self.inside();
        if end - start <= most.saturating_mul(2) || self.str_is_absent() {
            return self.str().map(|whole| (whole, None));
        }
        let is_escaped = self.flags().has(Flags::ESCAPED);
        // The cut may split an escape or a character, which leaves a wrong character there.
        let piece = |from, to| decode::unescape_text(self.text.get(from, to), is_escaped);
        Some((piece(start, start + most), Some(piece(end - most, end))))
    }

    /// Whether this is not a closed string.
    fn str_is_absent(&self) -> bool {
        self.kind() != Kind::String || self.is_open()
    }

    /// Passes bytes to `out` that are equal, piece by piece, for two values with the same meaning:
    /// strings have one spelling, white space is left out. The order of members and the spelling of
    /// numbers count.
    pub fn feed_meaning(&self, out: &mut dyn FnMut(&[u8])) {
        let all = &self.tape.tokens;
        let end = all.get(self.at as usize).map_or(0, |token| token.next);
        for at in self.at..end {
            let Some(node) = self.sibling(at) else {
                break;
            };
            let mut length = 0_u64;
            node.feed_value(&mut |bytes| {
                length += bytes.len() as u64;
                out(bytes);
            });
            // The length is known only after the value. Read from the end, these bytes are
            // unambiguous.
            let inside = all.get(at as usize).map_or(0, |token| token.next - at);
            // The kind of a value has few bits, the number of its tokens at most 32.
            let shape = u64::from(inside) << 8 | node.kind() as u64;
            out(&(u128::from(length) << 64 | u128::from(shape)).to_le_bytes());
        }
    }

    /// The part of [`Node::feed_meaning`] for this value without its children.
    fn feed_value(&self, out: &mut dyn FnMut(&[u8])) {
        match self.kind() {
            Kind::Object | Kind::Array => {}
            // A string that is not valid text is compared by its raw bytes.
            Kind::String if self.is_flawed() || self.is_open() => {
                match self.str().filter(|text| !text.contains('\u{FFFD}')) {
                    Some(text) => decode::feed(between_quotes(&quote(&text)), out),
                    None => out(&self.raw()),
                }
            }
            Kind::String => {
                let inside = self.inside();
                let raw = self.text.get(inside.start, inside.end);
                if self.flags().has(Flags::RESPELLED) {
                    decode::feed_respelled(&raw, out);
                } else {
                    decode::feed(&raw, out);
                }
            }
            _ => out(&self.raw()),
        }
    }

    /// The bytes of [`Node::feed_meaning`].
    pub fn meaning(&self) -> Vec<u8> {
        let mut all = Vec::new();
        self.feed_meaning(&mut |bytes| all.extend_from_slice(bytes));
        all
    }

    /// Whether both have the same raw bytes.
    pub fn same_as(&self, other: &Node<'_>) -> bool {
        self.span().len() == other.span().len() && self.raw() == other.raw()
    }
}

fn into_bytes(text: Cow<'_, str>) -> Cow<'_, [u8]> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    }
}

impl std::fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Node")
            .field("at", &self.at)
            .field("token", self.token)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
