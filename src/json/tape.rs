//! The flat result of a scan: tokens with byte ranges, flaws, and how the record ends.

/// Deepest nesting of containers that is read, above the limits of the hosts' own parsers.
pub(crate) const MAX_DEPTH: usize = 1024;
/// Most tokens on one tape.
pub(crate) const MAX_TOKENS: usize = 1 << 22;
/// Most flaws listed on one tape; [`Tape::flaws_cut`] says whether there were more.
pub(crate) const MAX_FLAWS: usize = 1 << 16;

/// The type of a JSON value.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Kind {
    Object,
    Array,
    String,
    Number,
    True,
    False,
    Null,
}

/// A set of flags of a token.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Flags(u8);

impl Flags {
    /// A string that is the key of a member.
    pub const KEY: Flags = Flags(1);
    /// A string with a backslash.
    pub const ESCAPED: Flags = Flags(2);
    /// A string with a raw byte of 0x80 or above.
    pub const NON_ASCII: Flags = Flags(4);
    /// The value is not closed: the record ended or broke off before. Also a number that the end of
    /// the record may have cut short (`{"n":12`).
    pub const OPEN: Flags = Flags(8);
    /// A [`Flaw`] is in the value. A container has the flag if anything in it has.
    pub const FLAWED: Flags = Flags(16);
    /// A string with an escape that some writers write in another way: `\/`, or `\u` except for control
    /// characters that have no letter.
    pub const RESPELLED: Flags = Flags(32);

    /// Whether all flags of `other` are set.
    pub fn has(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether a flag of `other` is set.
    pub fn has_any(self, other: Flags) -> bool {
        self.0 & other.0 != 0
    }

    /// The union of both sets.
    #[must_use]
    pub fn with(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }
}

/// A value of a record, or the key of a member, whose value is the next token. 16 bytes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// First byte, 0-based in the record; includes the quote of a string.
    pub start: u32,
    /// Byte after the last one. For an open token: after the last non-blank byte of the record (for
    /// an open string, after its last byte), or the byte that broke the syntax.
    pub end: u32,
    /// Index of the token after this value and everything in it. For a key: of its value.
    pub next: u32,
    pub kind: Kind,
    pub flags: Flags,
}

/// What is wrong, without stopping the scan.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum FlawKind {
    /// A `\ud83d` escape without its counterpart; the range is its 6 bytes.
    LoneSurrogate,
    /// Invalid UTF-8 in a string; adjacent bytes are one flaw.
    InvalidUtf8,
    /// A raw byte below 0x20 in a string. It may be a newline in a document, never in a line.
    RawControl,
    /// A raw U+2028, U+2029 or U+0085 in a string: valid JSON, but many readers split lines there.
    RawSeparator,
    /// `NaN`, `Infinity` or `-Infinity`, which Python reads and writes. Its token is a number.
    NonFinite,
}

/// A place that strict readers reject. Flaws are sorted by offset.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Flaw {
    pub kind: FlawKind,
    /// First byte, 0-based in the record.
    pub start: u32,
    /// Byte after the last one.
    pub end: u32,
}

/// How a record ends. Offsets are bytes, 0-based in the record.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum RecordEnd {
    /// One value with only white space around it.
    Whole,
    /// Nothing, or only white space.
    #[default]
    Empty,
    /// Something other than white space follows the value.
    Trailing {
        /// The first byte that follows.
        at: u32,
    },
    /// The input or line ended inside the value; what is not closed has the flag [`Flags::OPEN`].
    Torn,
    /// A syntax error. The tape has everything before it; containers and a string around it are
    /// open.
    Bad {
        /// The first byte that is not allowed.
        at: u32,
    },
    /// Nested deeper than [`MAX_DEPTH`].
    TooDeep {
        /// The bracket that exceeds the limit.
        at: u32,
    },
    /// Longer than 4 GiB - 1 byte, or more than [`MAX_TOKENS`] tokens. The tape has everything
    /// before that.
    TooLong,
}

/// Where the keys of an object are: one place for all keys of one length and one sum of their ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct KeyIndex([u32; KeyIndex::SLOTS]);

/// What a [`KeyIndex`] knows of a key.
pub(super) enum KeyPlace {
    /// The object does not have it.
    Absent,
    /// If the object has it, it is the token with this index.
    At(u32),
    /// The object has several keys at this place.
    Unknown,
}

impl KeyIndex {
    const SLOTS: usize = 128;
    const ABSENT: u32 = 0;
    const UNKNOWN: u32 = u32::MAX;

    pub(super) fn new() -> KeyIndex {
        KeyIndex([KeyIndex::ABSENT; KeyIndex::SLOTS])
    }

    pub(super) fn insert(&mut self, key: &[u8], token: u32) {
        let place = &mut self.0[KeyIndex::slot(key)];
        *place = match *place {
            KeyIndex::ABSENT => token,
            _ => KeyIndex::UNKNOWN,
        };
    }

    #[inline]
    pub(super) fn find(&self, key: &[u8]) -> KeyPlace {
        match self.0[KeyIndex::slot(key)] {
            KeyIndex::ABSENT => KeyPlace::Absent,
            KeyIndex::UNKNOWN => KeyPlace::Unknown,
            token => KeyPlace::At(token),
        }
    }

    #[inline]
    fn slot(key: &[u8]) -> usize {
        let byte = |byte: Option<&u8>| byte.map_or(0, |byte| usize::from(*byte));
        let ends = byte(key.first()).wrapping_add(byte(key.last()) << 1);
        key.len().wrapping_mul(7).wrapping_add(ends) % KeyIndex::SLOTS
    }
}

/// The tokens of one record in byte order, its flaws and its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tape {
    /// All values and keys; a container comes before its content.
    pub tokens: Vec<Token>,
    /// At most [`MAX_FLAWS`] flaws.
    pub flaws: Vec<Flaw>,
    /// How the record ends; [`RecordEnd::Empty`] while it is being read.
    pub end: RecordEnd,
    /// Offset after the first byte of the last flaw, listed or not; 0 without flaws.
    after_flaw: u32,
    flaws_cut: bool,
    /// The keys of the outermost object, if somebody asked for an index.
    pub(super) keys: Option<Box<KeyIndex>>,
}

impl Tape {
    /// An empty tape with room for the tokens of this many bytes of usual records.
    pub(crate) fn for_bytes(length: usize) -> Tape {
        const PER_TOKEN: usize = 24;
        Tape { tokens: Vec::with_capacity((length / PER_TOKEN).min(512)), ..Tape::default() }
    }

    /// Empties the tape, but keeps its memory.
    pub fn clear(&mut self) {
        self.tokens.clear();
        self.flaws.clear();
        self.end = RecordEnd::Empty;
        self.after_flaw = 0;
        self.flaws_cut = false;
        self.keys = None;
    }

    /// Copies the tokens of one value to `into`, as if it were a record of its own. Flaws are left
    /// out.
    pub(crate) fn cut(&self, value: u32, into: &mut Tape) {
        into.clear();
        let Some(first) = self.tokens.get(value as usize) else {
            return;
        };
        let tokens = self.tokens.get(value as usize..first.next as usize);
        into.tokens.extend(tokens.unwrap_or_default().iter().map(|token| Token {
            start: token.start - first.start,
            end: token.end - first.start,
            next: token.next - value,
            ..*token
        }));
        into.end = RecordEnd::Whole;
    }

    /// Whether flaws are missing because there were more than [`MAX_FLAWS`].
    pub fn flaws_cut(&self) -> bool {
        self.flaws_cut
    }

    /// Adds a flaw; flaws must be added in byte order.
    #[cold]
    pub(super) fn flaw(&mut self, kind: FlawKind, start: u32, end: u32) {
        self.after_flaw = start.saturating_add(1);
        let full = self.flaws.len() >= MAX_FLAWS;
        match self.flaws.last_mut() {
            Some(last)
                if kind == FlawKind::InvalidUtf8 && last.kind == kind && last.end == start =>
            {
                last.end = end;
            }
            _ if full => self.flaws_cut = true,
            _ => self.flaws.push(Flaw { kind, start, end }),
        }
    }

    /// [`Flags::FLAWED`] if there is a flaw after `start`.
    fn flawed_since(&self, start: u32) -> Flags {
        if self.after_flaw > start { Flags::FLAWED } else { Flags::default() }
    }

    /// The index of the next token.
    #[inline]
    pub(super) fn next_index(&self) -> u32 {
        // MAX_TOKENS is far smaller, so nothing is cut off.
        self.tokens.len() as u32
    }

    /// Adds a token without children.
    pub(super) fn push(&mut self, kind: Kind, start: u32, end: u32, flags: Flags) {
        let flags = flags.with(self.flawed_since(start));
        self.push_sound(kind, start, end, flags);
    }

    /// Adds a token that has no flaw in it, without children.
    #[inline]
    pub(super) fn push_sound(&mut self, kind: Kind, start: u32, end: u32, flags: Flags) {
        let next = self.next_index().wrapping_add(1);
        self.tokens.push(Token { start, end, next, kind, flags });
    }

    /// Closes the container with this index; it contains all tokens added since.
    #[inline]
    pub(super) fn close(&mut self, index: u32, end: u32, flags: Flags) {
        let next = self.next_index();
        if let Some(token) = self.tokens.get_mut(index as usize) {
            let flaw = if self.after_flaw > token.start { Flags::FLAWED } else { Flags::default() };
            *token = Token { end, next, flags: flags.with(flaw), ..*token };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_takes_16_bytes() {
        assert_eq!(size_of::<Token>(), 16);
    }

    #[test]
    fn adjacent_invalid_bytes_are_one_flaw_and_the_list_is_bounded() {
        let mut tape = Tape::default();
        tape.flaw(FlawKind::InvalidUtf8, 1, 2);
        tape.flaw(FlawKind::InvalidUtf8, 2, 4);
        tape.flaw(FlawKind::InvalidUtf8, 5, 6);
        tape.flaw(FlawKind::RawControl, 6, 7);
        tape.flaw(FlawKind::RawControl, 7, 8);
        assert_eq!(
            tape.flaws.iter().map(|f| (f.start, f.end)).collect::<Vec<_>>(),
            [(1, 4), (5, 6), (6, 7), (7, 8)]
        );
        assert!(!tape.flaws_cut());
        for at in 0..u32::try_from(MAX_FLAWS).unwrap() {
            tape.flaw(FlawKind::RawControl, 8 + at, 9 + at);
        }
        assert_eq!(tape.flaws.len(), MAX_FLAWS);
        assert!(tape.flaws_cut());
        assert_eq!(tape.flawed_since(9), Flags::FLAWED);
        tape.clear();
        assert_eq!(tape, Tape::default());
    }
}
