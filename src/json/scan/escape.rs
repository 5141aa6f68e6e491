//! Escapes, and everything in a string that the end of a chunk can cut.

use super::utf8::{self, Utf8Sequence};
use super::{ScanStep, Scanner};
use crate::json::tape::{Flags, FlawKind, Tape};

/// Position within a string. Anything but `Plain` occurs only at the end of a chunk and in rare
/// escapes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum StringState {
    Plain,
    /// After a backslash.
    Escape,
    /// After `\u` and `digits` digits.
    Hex {
        digits: u8,
        code: u16,
    },
    /// After the escape of a high surrogate.
    High,
    /// After the escape of a high surrogate and a backslash.
    HighEscape,
    /// Inside a UTF-8 sequence.
    Sequence,
}

const HIGH: std::ops::RangeInclusive<u16> = 0xD800..=0xDBFF;
const LOW: std::ops::RangeInclusive<u16> = 0xDC00..=0xDFFF;

/// The bytes that may follow a backslash, except `u` and `/`, which few writers escape. A table,
/// because a `match` compiles to a jump that the processor mispredicts.
const SHORT_ESCAPES: [bool; 256] = {
    let mut table = [false; 256];
    let mut bytes: &[u8] = b"\"\\bfnrt";
    while let [first, rest @ ..] = bytes {
        table[*first as usize] = true;
        bytes = rest;
    }
    table
};

#[inline]
fn is_short_escape(byte: u8) -> bool {
    SHORT_ESCAPES[usize::from(byte)]
}

/// Whether the chunk has a short escape at `i`.
#[inline(always)]
pub(super) fn is_short_escape_at(chunk: &[u8], i: usize) -> bool {
    let escape = chunk.get(i..).and_then(<[u8]>::first_chunk);
    escape.is_some_and(|&[first, second]| first == b'\\' && is_short_escape(second))
}

/// The values of hexadecimal digits; `NO_DIGIT` for all other bytes.
const DIGITS: [u16; 256] = {
    let mut table = [NO_DIGIT; 256];
    let mut value = 0;
    while value < 16 {
        table[b"0123456789abcdef"[value as usize] as usize] = value;
        table[b"0123456789ABCDEF"[value as usize] as usize] = value;
        value += 1;
    }
    table
};
const NO_DIGIT: u16 = 0x10;

fn hex(byte: u8) -> Option<u16> {
    Some(DIGITS[usize::from(byte)]).filter(|&value| value != NO_DIGIT)
}

impl Scanner {
    /// Reads the escape that starts at `i`. If the chunk cuts it, `byte` continues.
    pub(super) fn escape(&mut self, chunk: &[u8], i: usize) -> usize {
        let (next, flags) = long_escapes(chunk, i);
        self.flags = self.flags.with(flags);
        if next > i {
            return next;
        }
        self.part = StringState::Escape;
        self.escape = self.at(i);
        i + 1
    }

    /// Reads the rest of an escape or sequence, byte by byte.
    #[cold]
    pub(super) fn rest(
        &mut self,
        chunk: &[u8],
        mut i: usize,
        tape: &mut Tape,
    ) -> Result<usize, ScanStep> {
        while self.part != StringState::Plain {
            let Some(&byte) = chunk.get(i) else {
                return Err(ScanStep::More);
            };
            match self.byte(i, byte, tape) {
                Some(true) => i += 1,
                Some(false) => {}
                None => return Err(self.unexpected(i, byte, tape)),
            }
        }
        Ok(i)
    }

    /// Reads one byte of an escape or sequence. `true`: consumed; `false`: the byte must be read
    /// again; `None`: not allowed.
    fn byte(&mut self, i: usize, byte: u8, tape: &mut Tape) -> Option<bool> {
        match self.part {
            StringState::Plain => return Some(false),
            StringState::Escape if is_short_escape(byte) => self.part = StringState::Plain,
            StringState::Escape if byte == b'/' => {
                self.flags = self.flags.with(Flags::RESPELLED);
                self.part = StringState::Plain;
            }
            StringState::Escape if byte == b'u' => {
                self.part = StringState::Hex { digits: 0, code: 0 }
            }
            StringState::Escape => return None,
            // A number is complete after four digits; until then nothing is known of the character.
            StringState::Hex { digits, code } => {
                let code = (code << 4) | hex(byte)?;
                self.part = StringState::Hex { digits: digits + 1, code };
                if digits == 3 {
                    if !is_usual_escape(code, byte) {
                        self.flags = self.flags.with(Flags::RESPELLED);
                    }
                    self.code(code, tape);
                }
            }
            StringState::High if byte == b'\\' => {
                self.part = StringState::HighEscape;
                self.escape = self.at(i);
            }
            StringState::HighEscape if byte == b'u' => {
                self.part = StringState::Hex { digits: 0, code: 0 }
            }
            StringState::High | StringState::HighEscape => {
                self.lone_high(tape);
                self.part = if self.part == StringState::High {
                    StringState::Plain
                } else {
                    StringState::Escape
                };
                return Some(false);
            }
            StringState::Sequence => return Some(self.sequence_byte(byte, tape)),
        }
        Some(true)
    }

    /// Handles the code unit of a complete `\u` escape.
    fn code(&mut self, code: u16, tape: &mut Tape) {
        self.part = StringState::Plain;
        if LOW.contains(&code) && self.high.is_some() {
            self.high = None;
            return;
        }
        self.lone_high(tape);
        if LOW.contains(&code) {
            tape.flaw(FlawKind::LoneSurrogate, self.escape, self.escape.saturating_add(6));
        } else if HIGH.contains(&code) {
            self.high = Some(self.escape);
            self.part = StringState::High;
        }
    }

    /// Reports the preceding high surrogate, if any, as lone.
    pub(super) fn lone_high(&mut self, tape: &mut Tape) {
        if let Some(at) = self.high.take() {
            tape.flaw(FlawKind::LoneSurrogate, at, at.saturating_add(6));
        }
    }

    /// Reads the next byte of a sequence that the chunk cut. Returns whether it was consumed.
    fn sequence_byte(&mut self, byte: u8, tape: &mut Tape) -> bool {
        let (bytes, length, start) = &mut self.sequence;
        let Some(slot) = bytes.get_mut(*length) else {
            self.part = StringState::Plain;
            return false;
        };
        *slot = byte;
        *length += 1;
        let (kind, used) = match utf8::first(bytes.get(..*length).unwrap_or_default()) {
            Utf8Sequence::Cut => return true,
            Utf8Sequence::Char(_) => (None, *length),
            Utf8Sequence::Separator(used) => (Some(FlawKind::RawSeparator), used),
            Utf8Sequence::Invalid(used) => (Some(FlawKind::InvalidUtf8), used),
        };
        self.part = StringState::Plain;
        if let Some(kind) = kind {
            tape.flaw(kind, *start, start.saturating_add(u32::try_from(used).unwrap_or(4)));
        }
        used == *length
    }
}

/// Reads the `\u` escapes that start at `i`. Returns where they end, and the flags of a string with them.
pub(super) fn long_escapes(chunk: &[u8], i: usize) -> (usize, Flags) {
    let (mut next, mut flags) = (i, Flags::ESCAPED);
    // Text in other scripts may be one escape after the other.
    while let Some(code) = code_at(chunk, next) {
        let length = match code {
            0..0xD800 | 0xE000.. => 6,
            0xD800..0xDC00 if code_at(chunk, next + 6).is_some_and(|low| LOW.contains(&low)) => 12,
            _ => break,
        };
        if !is_usual_escape(code, chunk[next + 5]) {
            flags = flags.with(Flags::RESPELLED);
        }
        next += length;
    }
    (next, flags)
}

/// Whether all writers spell a character as this `\uXXXX` escape, which ends with the digit `last`: control characters
/// without a letter of their own, in lower case. Terminals' colors begin with one, so many results have them.
#[inline]
fn is_usual_escape(code: u16, last: u8) -> bool {
    const LETTERS: u32 = 1 << 0x08 | 1 << b'\t' | 1 << b'\n' | 1 << 0x0C | 1 << b'\r';
    code < 0x20 && LETTERS >> code & 1 == 0 && !last.is_ascii_uppercase()
}

/// The code unit of a complete `\uXXXX` escape at `i`.
#[inline]
pub(in crate::json) fn code_at(chunk: &[u8], i: usize) -> Option<u16> {
    let [b'\\', b'u', digits @ ..] = chunk.get(i..)?.first_chunk::<6>()? else {
        return None;
    };
    let [a, b, c, d] = digits.map(|digit| DIGITS[usize::from(digit)]);
    ((a | b | c | d) < NO_DIGIT).then_some((a << 12) | (b << 8) | (c << 4) | d)
}
