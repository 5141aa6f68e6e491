//! Strings: escapes, UTF-8, raw control characters.

use super::utf8::{self, Sequence};
use super::{Mode, Scanner, State, Step, skip};
use crate::json::tape::{Flags, FlawKind, Kind, Tape};

/// Where in a string the scanner is. Only at the end of a chunk, and in rare escapes, it is not `Plain`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Plain,
    /// Behind a backslash.
    Escape,
    /// Behind `\u` and `digits` digits.
    Hex {
        digits: u8,
        code: u16,
    },
    /// Behind the escape of a high surrogate.
    High,
    /// Behind that and a backslash.
    HighEscape,
    /// Inside a UTF-8 sequence.
    Sequence,
}

const HIGH: std::ops::RangeInclusive<u16> = 0xD800..=0xDBFF;
const LOW: std::ops::RangeInclusive<u16> = 0xDC00..=0xDFFF;

fn is_short_escape(byte: u8) -> bool {
    matches!(byte, b'n' | b'"' | b'\\' | b't' | b'r' | b'/' | b'b' | b'f')
}

fn hex(byte: u8) -> Option<u16> {
    (byte as char).to_digit(16).and_then(|digit| u16::try_from(digit).ok())
}

impl Scanner {
    /// Reads on in a string.
    pub(super) fn text(&mut self, chunk: &[u8], mut i: usize, tape: &mut Tape) -> Step {
        loop {
            if self.part != Part::Plain {
                let Some(&byte) = chunk.get(i) else { return Step::More };
                match self.byte(i, byte, tape) {
                    Some(true) => i += 1,
                    Some(false) => {}
                    None => return self.unexpected(i, byte, tape),
                }
                continue;
            }
            i = skip::plain(chunk, i);
            let Some(&byte) = chunk.get(i) else { return Step::More };
            match byte {
                b'"' => {
                    self.end_text(self.at(i + 1), Flags::default(), tape);
                    return Step::On(i + 1);
                }
                b'\\' => i = self.escape(chunk, i),
                0x80.. => i = self.sequences(chunk, i, tape),
                b'\n' if self.mode == Mode::Line => return self.newline_inside(i, tape),
                b'\r' if self.mode == Mode::Line => return self.hold_cr(i),
                _ => {
                    tape.flaw(FlawKind::RawControl, self.at(i), self.at(i + 1));
                    i += 1;
                }
            }
        }
    }

    /// The string ends (or, with the mark for it, breaks off) before `end`.
    pub(super) fn end_text(&mut self, end: u32, flags: Flags, tape: &mut Tape) {
        self.lone_high(tape);
        if self.part == Part::Sequence {
            let (_, length, start) = self.sequence;
            tape.flaw(FlawKind::InvalidUtf8, start, start.saturating_add(u32::try_from(length).unwrap_or(4)));
        }
        self.part = Part::Plain;
        let key = self.flags.has(Flags::KEY);
        if self.recorded() {
            let flags = self.flags.with(flags).with(tape.flawed_since(self.start));
            tape.push(Kind::String, self.start, end, flags);
        }
        // Of a string that is open, the caller still has to look at the state.
        if !flags.has(Flags::OPEN) {
            self.state = if key { State::Colon } else { self.behind_value() };
        }
    }

    /// An escape begins at `i`. All of it that is short or whole in the chunk is read here; else `byte` goes on.
    fn escape(&mut self, chunk: &[u8], i: usize) -> usize {
        self.flags = self.flags.with(Flags::ESCAPED);
        match chunk.get(i + 1) {
            Some(&byte) if is_short_escape(byte) => return i + 2,
            Some(b'u') => match (code_at(chunk, i), code_at(chunk, i + 6)) {
                (Some(code), _) if !HIGH.contains(&code) && !LOW.contains(&code) => return i + 6,
                (Some(code), Some(next)) if HIGH.contains(&code) && LOW.contains(&next) => return i + 12,
                _ => {}
            },
            _ => {}
        }
        self.part = Part::Escape;
        self.escape = self.at(i);
        i + 1
    }

    /// Characters of more than one byte begin at `i`.
    fn sequences(&mut self, chunk: &[u8], mut i: usize, tape: &mut Tape) -> usize {
        self.flags = self.flags.with(Flags::NON_ASCII);
        while let Some(rest) = chunk.get(i..)
            && rest.first().is_some_and(|&byte| byte >= 0x80)
        {
            match utf8::first(rest) {
                Sequence::Char(length) => i += length,
                Sequence::Separator(length) => {
                    tape.flaw(FlawKind::RawSeparator, self.at(i), self.at(i + length));
                    i += length;
                }
                Sequence::Invalid(length) => {
                    tape.flaw(FlawKind::InvalidUtf8, self.at(i), self.at(i + length));
                    i += length;
                }
                Sequence::Cut => {
                    self.part = Part::Sequence;
                    self.sequence = ([0; 4], 0, self.at(i));
                    return i;
                }
            }
        }
        i
    }

    /// One byte of what is not plain. `true`: it is used up; `false`: look at it again; `None`: it cannot be.
    fn byte(&mut self, i: usize, byte: u8, tape: &mut Tape) -> Option<bool> {
        match self.part {
            Part::Plain => return Some(false),
            Part::Escape if is_short_escape(byte) => self.part = Part::Plain,
            Part::Escape if byte == b'u' => self.part = Part::Hex { digits: 0, code: 0 },
            Part::Escape => return None,
            Part::Hex { digits, code } => {
                let code = (code << 4) | hex(byte)?;
                self.part = Part::Hex { digits: digits + 1, code };
                if digits == 3 {
                    self.code(code, tape);
                }
            }
            Part::High if byte == b'\\' => {
                self.part = Part::HighEscape;
                self.escape = self.at(i);
            }
            Part::HighEscape if byte == b'u' => self.part = Part::Hex { digits: 0, code: 0 },
            Part::High | Part::HighEscape => {
                self.lone_high(tape);
                self.part = if self.part == Part::High { Part::Plain } else { Part::Escape };
                return Some(false);
            }
            Part::Sequence => return Some(self.sequence_byte(byte, tape)),
        }
        Some(true)
    }

    /// A `\u` escape was read to its end.
    fn code(&mut self, code: u16, tape: &mut Tape) {
        self.part = Part::Plain;
        if LOW.contains(&code) && self.high.is_some() {
            self.high = None;
            return;
        }
        self.lone_high(tape);
        if LOW.contains(&code) {
            tape.flaw(FlawKind::LoneSurrogate, self.escape, self.escape.saturating_add(6));
        } else if HIGH.contains(&code) {
            self.high = Some(self.escape);
            self.part = Part::High;
        }
    }

    /// The high surrogate before this place, if there is one, has no partner.
    fn lone_high(&mut self, tape: &mut Tape) {
        if let Some(at) = self.high.take() {
            tape.flaw(FlawKind::LoneSurrogate, at, at.saturating_add(6));
        }
    }

    /// The next byte of a sequence that the end of a chunk cut. Whether it is used up.
    fn sequence_byte(&mut self, byte: u8, tape: &mut Tape) -> bool {
        let (bytes, length, start) = &mut self.sequence;
        let Some(slot) = bytes.get_mut(*length) else {
            self.part = Part::Plain;
            return false;
        };
        *slot = byte;
        *length += 1;
        let (kind, used) = match utf8::first(bytes.get(..*length).unwrap_or_default()) {
            Sequence::Cut => return true,
            Sequence::Char(_) => (None, *length),
            Sequence::Separator(used) => (Some(FlawKind::RawSeparator), used),
            Sequence::Invalid(used) => (Some(FlawKind::InvalidUtf8), used),
        };
        self.part = Part::Plain;
        if let Some(kind) = kind {
            tape.flaw(kind, *start, start.saturating_add(u32::try_from(used).unwrap_or(4)));
        }
        used == *length
    }
}

/// The code of a `\uXXXX` escape that is whole at `i`.
fn code_at(chunk: &[u8], i: usize) -> Option<u16> {
    match chunk.get(i..)?.first_chunk::<6>()? {
        [b'\\', b'u', a, b, c, d] => Some((hex(*a)? << 12) | (hex(*b)? << 8) | (hex(*c)? << 4) | hex(*d)?),
        _ => None,
    }
}
