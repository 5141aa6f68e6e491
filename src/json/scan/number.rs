//! Numbers, and the literals `true`, `false`, `null`, `NaN` and `Infinity`.

use super::{ScanMode, ScanState, ScanStep, Scanner};
use crate::json::tape::{Flags, FlawKind, Kind, RecordEnd, Tape};

/// The part of a number that was read last.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum NumberState {
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

impl NumberState {
    /// Whether the number may end here.
    pub(super) fn is_complete(self) -> bool {
        matches!(
            self,
            NumberState::Zero
                | NumberState::Digits
                | NumberState::Fraction
                | NumberState::PowerDigits
        )
    }

    /// Whether any number of digits may follow.
    fn takes_digits(self) -> bool {
        matches!(self, NumberState::Digits | NumberState::Fraction | NumberState::PowerDigits)
    }

    fn step(self, byte: u8) -> Option<NumberState> {
        use NumberState::*;
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
pub(super) enum Literal {
    True,
    False,
    Null,
    Nan,
    Infinity,
}

impl Literal {
    pub(super) fn kind(self) -> Kind {
        match self {
            Literal::True => Kind::True,
            Literal::False => Kind::False,
            Literal::Null => Kind::Null,
            Literal::Nan | Literal::Infinity => Kind::Number,
        }
    }

    fn bytes(self) -> &'static [u8] {
        match self {
            Literal::True => b"true",
            Literal::False => b"false",
            Literal::Null => b"null",
            Literal::Nan => b"NaN",
            Literal::Infinity => b"Infinity",
        }
    }
}

impl Scanner {
    /// Handles the first byte of a number or literal; `None` if it is neither.
    pub(super) fn begin_number_or_literal(&mut self, byte: u8) -> Option<ScanState> {
        let literal = match byte {
            b'-' | b'0'..=b'9' => {
                self.number = NumberState::Minus.step(byte).unwrap_or(NumberState::Minus);
                return Some(ScanState::Number);
            }
            b't' => Literal::True,
            b'f' => Literal::False,
            b'n' => Literal::Null,
            b'N' => Literal::Nan,
            b'I' => Literal::Infinity,
            _ => return None,
        };
        self.literal = literal;
        self.matched = 1;
        Some(ScanState::Literal)
    }

    /// Continues reading a number.
    pub(super) fn number(&mut self, chunk: &[u8], mut i: usize, tape: &mut Tape) -> ScanStep {
        while let Some(&byte) = chunk.get(i) {
            if let Some(next) = self.number.step(byte) {
                self.number = next;
                i += 1;
                if next.takes_digits() {
                    let rest = chunk.get(i..).unwrap_or_default();
                    i += rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
                }
                continue;
            }
            if self.number == NumberState::Minus && byte == b'I' {
                self.literal = Literal::Infinity;
                self.matched = 1;
                self.state = ScanState::Literal;
                return ScanStep::On(i + 1);
            }
            if self.number.is_complete()
                && !matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-')
            {
                // Inside a container, a line that ends after a digit may have lost more digits.
                return match (self.mode, byte) {
                    (ScanMode::Line, b'\n') => self.newline_inside(i, tape),
                    (ScanMode::Line, b'\r') => self.hold_cr(i),
                    _ => {
                        self.end_number(self.at(i), tape);
                        ScanStep::On(i)
                    }
                };
            }
            return self.unexpected(i, byte, tape);
        }
        ScanStep::More
    }

    pub(super) fn end_number(&mut self, end: u32, tape: &mut Tape) {
        if self.recorded {
            tape.push(Kind::Number, self.start, end, Flags::default());
        }
        // Only here, the last byte of a token may be in an earlier chunk than the byte that ends
        // the token.
        self.content = end;
        self.state = self.state_after_value();
    }

    /// Continues reading a literal.
    pub(super) fn literal(&mut self, chunk: &[u8], mut i: usize, tape: &mut Tape) -> ScanStep {
        let literal = self.literal.bytes();
        while let Some(expected) = literal.get(self.matched) {
            let Some(&byte) = chunk.get(i) else {
                return ScanStep::More;
            };
            if byte != *expected {
                return self.unexpected(i, byte, tape);
            }
            self.matched += 1;
            i += 1;
        }
        let end = self.at(i);
        if matches!(self.literal, Literal::Nan | Literal::Infinity) {
            tape.flaw(FlawKind::NonFinite, self.start, end);
        }
        if self.recorded {
            tape.push(self.literal.kind(), self.start, end, Flags::default());
        }
        self.state = self.state_after_value();
        ScanStep::On(i)
    }

    /// Handles a byte that is not allowed in a number, literal or escape.
    pub(super) fn unexpected(&mut self, i: usize, byte: u8, tape: &mut Tape) -> ScanStep {
        match (self.mode, byte) {
            (ScanMode::Line, b'\n') => self.newline_inside(i, tape),
            (ScanMode::Line, b'\r') => self.hold_cr(i),
            _ => self.broken(i, self.at(i), RecordEnd::Bad { at: self.at(i) }, tape),
        }
    }
}
