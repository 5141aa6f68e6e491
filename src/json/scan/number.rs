//! Numbers, and the literals `true`, `false`, `null`, `NaN` and `Infinity`.

use super::{Mode, Scanner, State, Step};
use crate::json::tape::{End, Flags, FlawKind, Kind, Tape};

/// The part of a number that was read last.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    Minus,
    /// A leading zero.
    Zero,
    Digits,
    Dot,
    Fraction,
    /// `e` or `E`.
    Power,
    PowerSign,
    PowerDigits,
}

impl Progress {
    /// Whether the number may end here.
    pub(super) fn is_complete(self) -> bool {
        matches!(
            self,
            Progress::Zero | Progress::Digits | Progress::Fraction | Progress::PowerDigits
        )
    }

    fn step(self, byte: u8) -> Option<Progress> {
        use Progress::*;
        match (self, byte) {
            (Minus, b'0') => Some(Zero),
            (Minus, b'1'..=b'9') | (Digits, b'0'..=b'9') => Some(Digits),
            (Zero | Digits, b'.') => Some(Dot),
            (Dot | Fraction, b'0'..=b'9') => Some(Fraction),
            (Zero | Digits | Fraction, b'e' | b'E') => Some(Power),
            (Power, b'+' | b'-') => Some(PowerSign),
            (Power | PowerSign | PowerDigits, b'0'..=b'9') => Some(PowerDigits),
            _ => None,
        }
    }
}

/// A value written as a word.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Word {
    True,
    False,
    Null,
    Nan,
    Infinity,
}

impl Word {
    pub(super) fn kind(self) -> Kind {
        match self {
            Word::True => Kind::True,
            Word::False => Kind::False,
            Word::Null => Kind::Null,
            Word::Nan | Word::Infinity => Kind::Number,
        }
    }

    fn bytes(self) -> &'static [u8] {
        match self {
            Word::True => b"true",
            Word::False => b"false",
            Word::Null => b"null",
            Word::Nan => b"NaN",
            Word::Infinity => b"Infinity",
        }
    }
}

impl Scanner {
    /// Handles the first byte of a number or literal; `None` if it is neither.
    pub(super) fn begin_number_or_word(&mut self, byte: u8) -> Option<State> {
        let word = match byte {
            b'-' | b'0'..=b'9' => {
                self.number = Progress::Minus.step(byte).unwrap_or(Progress::Minus);
                return Some(State::Number);
            }
            b't' => Word::True,
            b'f' => Word::False,
            b'n' => Word::Null,
            b'N' => Word::Nan,
            b'I' => Word::Infinity,
            _ => return None,
        };
        self.word = word;
        self.matched = 1;
        Some(State::Word)
    }

    /// Continues reading a number.
    pub(super) fn number(&mut self, chunk: &[u8], mut i: usize, tape: &mut Tape) -> Step {
        while let Some(&byte) = chunk.get(i) {
            if let Some(next) = self.number.step(byte) {
                self.number = next;
                i += 1;
                continue;
            }
            if self.number == Progress::Minus && byte == b'I' {
                self.word = Word::Infinity;
                self.matched = 1;
                self.state = State::Word;
                return Step::On(i + 1);
            }
            if self.number.is_complete()
                && !matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-')
            {
                // Inside a container, a line that ends after a digit may have lost more digits.
                return match (self.mode, byte) {
                    (Mode::Line, b'\n') => self.newline_inside(i, tape),
                    (Mode::Line, b'\r') => self.hold_cr(i),
                    _ => {
                        self.end_number(self.at(i), tape);
                        Step::On(i)
                    }
                };
            }
            return self.unexpected(i, byte, tape);
        }
        Step::More
    }

    pub(super) fn end_number(&mut self, end: u32, tape: &mut Tape) {
        if self.recorded {
            tape.push(Kind::Number, self.start, end, Flags::default());
        }
        // The last byte of a token may be in an earlier chunk than the byte that ends it, only
        // here.
        self.content = end;
        self.state = self.behind_value();
    }

    /// Continues reading a literal.
    pub(super) fn word(&mut self, chunk: &[u8], mut i: usize, tape: &mut Tape) -> Step {
        let word = self.word.bytes();
        while let Some(expected) = word.get(self.matched) {
            let Some(&byte) = chunk.get(i) else {
                return Step::More;
            };
            if byte != *expected {
                return self.unexpected(i, byte, tape);
            }
            self.matched += 1;
            i += 1;
        }
        let end = self.at(i);
        if matches!(self.word, Word::Nan | Word::Infinity) {
            tape.flaw(FlawKind::NonFinite, self.start, end);
        }
        if self.recorded {
            tape.push(self.word.kind(), self.start, end, Flags::default());
        }
        self.state = self.behind_value();
        Step::On(i)
    }

    /// Handles a byte that is not allowed in a number, literal or escape.
    pub(super) fn unexpected(&mut self, i: usize, byte: u8, tape: &mut Tape) -> Step {
        match (self.mode, byte) {
            (Mode::Line, b'\n') => self.newline_inside(i, tape),
            (Mode::Line, b'\r') => self.hold_cr(i),
            _ => self.broken(i, self.at(i), End::Bad { at: self.at(i) }, tape),
        }
    }
}
