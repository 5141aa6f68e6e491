//! The flat result of a scan: tokens with byte ranges, flaws, and how the record ended.

/// Deepest nesting of containers that is read; it sits above what the hosts' own parsers take.
pub(crate) const MAX_DEPTH: usize = 1024;
/// Most tokens on one tape.
pub(crate) const MAX_TOKENS: usize = 1 << 22;
/// Most flaws listed on one tape; of further ones only [`Tape::flaws_cut`] tells.
pub(crate) const MAX_FLAWS: usize = 1 << 16;

/// What kind of JSON value a token is.
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

/// A set of marks of a token.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Flags(u8);

impl Flags {
    /// A string that is the key of an object's member.
    pub const KEY: Flags = Flags(1);
    /// A string with a backslash in it.
    pub const ESCAPED: Flags = Flags(2);
    /// A string with a raw byte of 0x80 or above.
    pub const NON_ASCII: Flags = Flags(4);
    /// The value was not ended when the record ended or broke off. Also on a number that the end of the
    /// record may have cut short (`{"n":12`).
    pub const OPEN: Flags = Flags(8);
    /// A [`Flaw`] lies in it; containers have the mark of what they contain.
    pub const FLAWED: Flags = Flags(16);

    /// Whether all marks of `other` are set.
    pub fn has(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }

    /// These marks and those of `other`.
    #[must_use]
    pub fn with(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }
}

/// One value of a record, or the key of a member (its value is the next token). 16 bytes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// First byte, 0-based from the record's first byte; strings include their quotes.
    pub start: u32,
    /// Byte behind the last one. Of an open token: behind the last byte of the record that is not blank
    /// (of an open string: behind its last byte), or the byte that broke the syntax.
    pub end: u32,
    /// Index of the token behind this value and all within it. Of a key: of its value.
    pub next: u32,
    /// What it is.
    pub kind: Kind,
    /// Its marks.
    pub flags: Flags,
}

/// What is wrong at a place that does not stop the reading.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum FlawKind {
    /// A `\ud83d` escape without its partner; the range is its 6 bytes.
    LoneSurrogate,
    /// Bytes in a string that are not UTF-8; adjacent ones are one flaw.
    InvalidUtf8,
    /// A raw byte below 0x20 in a string. In a document that may be a newline, in a line it never is.
    RawControl,
    /// U+2028, U+2029 or U+0085 raw in a string: valid JSON, but many readers split lines there.
    RawSeparator,
    /// `NaN`, `Infinity` or `-Infinity`, which Python writes and reads; on the tape it is a number.
    NonFinite,
}

/// A place that strict readers refuse or stumble over. Listed in the order of their places.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Flaw {
    /// What is wrong.
    pub kind: FlawKind,
    /// First byte, 0-based from the record's first byte.
    pub start: u32,
    /// Byte behind the last one.
    pub end: u32,
}

/// How a record ended. Positions are bytes, 0-based from the record's first byte.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum End {
    /// Exactly one value, with nothing but white space around it.
    Whole,
    /// White space only, or nothing.
    #[default]
    Empty,
    /// One value ended, and something that is not blank follows.
    Trailing {
        /// The first such byte.
        at: u32,
    },
    /// The input or line ended inside the value; what was not ended is marked [`Flags::OPEN`].
    Torn,
    /// A syntax error. The tape has what was whole before it; containers and a string around it are open.
    Bad {
        /// The first byte that cannot be.
        at: u32,
    },
    /// Nested deeper than [`MAX_DEPTH`].
    TooDeep {
        /// The bracket that is one too many.
        at: u32,
    },
    /// Longer than 4 GiB - 1 byte, or more than [`MAX_TOKENS`] tokens. The tape has what came before.
    TooLong,
}

/// The tokens of one record in the order of their first bytes, its flaws and its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tape {
    /// Every value and key, containers before what they contain.
    pub tokens: Vec<Token>,
    /// At most [`MAX_FLAWS`] flaws.
    pub flaws: Vec<Flaw>,
    /// How the record ended; [`End::Empty`] while it is being read.
    pub end: End,
    /// Behind the first byte of the last flaw, listed or not; 0 if there is none.
    behind_flaw: u32,
    flaws_cut: bool,
}

impl Tape {
    /// Empties the tape and keeps its memory.
    pub fn clear(&mut self) {
        self.tokens.clear();
        self.flaws.clear();
        self.end = End::Empty;
        self.behind_flaw = 0;
        self.flaws_cut = false;
    }

    /// Whether there were more than [`MAX_FLAWS`] flaws, so that some are not listed.
    pub fn flaws_cut(&self) -> bool {
        self.flaws_cut
    }

    /// Lists a flaw; it must not lie before one that is listed.
    #[cold]
    pub(super) fn flaw(&mut self, kind: FlawKind, start: u32, end: u32) {
        self.behind_flaw = start.saturating_add(1);
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

    /// The mark of a value that begins at `start` and ends here.
    fn flawed_since(&self, start: u32) -> Flags {
        if self.behind_flaw > start {
            Flags::FLAWED
        } else {
            Flags::default()
        }
    }

    /// The index that the next token gets.
    pub(super) fn next_index(&self) -> u32 {
        // MAX_TOKENS is far below, so this never saturates.
        u32::try_from(self.tokens.len()).unwrap_or(u32::MAX)
    }

    /// Adds a token without children.
    #[inline]
    pub(super) fn push(&mut self, kind: Kind, start: u32, end: u32, flags: Flags) {
        let next = self.next_index().saturating_add(1);
        let flags = flags.with(self.flawed_since(start));
        self.tokens.push(Token {
            start,
            end,
            next,
            kind,
            flags,
        });
    }

    /// Ends the container with this index; all that was added since lies in it.
    pub(super) fn close(&mut self, index: u32, end: u32, flags: Flags) {
        let next = self.next_index();
        if let Some(token) = self.tokens.get_mut(index as usize) {
            let flaw = if self.behind_flaw > token.start {
                Flags::FLAWED
            } else {
                Flags::default()
            };
            *token = Token {
                end,
                next,
                flags: flags.with(flaw),
                ..*token
            };
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
            tape.flaws
                .iter()
                .map(|f| (f.start, f.end))
                .collect::<Vec<_>>(),
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
