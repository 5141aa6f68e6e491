//! Strings: escapes, UTF-8, raw control characters.

use fearless_simd::Simd;

use super::escape::{self, StringState};
use super::utf8::{self, Utf8Sequence};
use super::{ScanMode, ScanState, ScanStep, Scanner};
use crate::json::tape::{Flags, FlawKind, Kind, Tape};

impl Scanner {
    /// Continues reading a string.
    #[inline(always)]
    pub(super) fn text<S: Simd>(
        &mut self,
        simd: S,
        chunk: &[u8],
        mut i: usize,
        tape: &mut Tape,
    ) -> ScanStep {
        loop {
            if self.part != StringState::Plain {
                match self.rest(chunk, i, tape) {
                    Ok(next) => i = next,
                    Err(step) => return step,
                }
            }
            let (at, is_escaped) = self.special.next(simd, chunk, i);
            if is_escaped {
                self.flags = self.flags.with(Flags::ESCAPED);
            }
            if chunk.get(at) == Some(&b'"') {
                return self.close_text(at, tape);
            }
            match self.rare_byte(chunk, at, tape) {
                Ok(next) => i = next,
                Err(step) => return step,
            }
        }
    }

    /// Handles the rarer special bytes. `Ok`: the string continues there.
    #[inline(never)]
    fn rare_byte(&mut self, chunk: &[u8], i: usize, tape: &mut Tape) -> Result<usize, ScanStep> {
        match chunk.get(i) {
            Some(b'\\') => Ok(self.escape(chunk, i)),
            Some(0x80..) => Ok(self.sequences(chunk, i, tape)),
            Some(b'\n') if self.mode == ScanMode::Line => Err(self.newline_inside(i, tape)),
            Some(b'\r') if self.mode == ScanMode::Line => Err(self.hold_cr(i)),
            Some(_) => {
                tape.flaw(FlawKind::RawControl, self.at(i), self.at(i + 1));
                Ok(i + 1)
            }
            None => Err(ScanStep::More),
        }
    }

    /// Closes the string at the quote at `i`.
    #[inline]
    pub(super) fn close_text(&mut self, i: usize, tape: &mut Tape) -> ScanStep {
        if self.recorded {
            tape.push(Kind::String, self.start, self.at(i + 1), self.flags);
        }
        self.state =
            if self.flags.has(Flags::KEY) { ScanState::Colon } else { self.state_after_value() };
        ScanStep::On(i + 1)
    }

    /// Ends a string that is cut off before `end`.
    pub(super) fn break_text(&mut self, end: u32, tape: &mut Tape) {
        self.lone_high(tape);
        if self.part == StringState::Sequence {
            let (_, length, start) = self.sequence;
            tape.flaw(
                FlawKind::InvalidUtf8,
                start,
                start.saturating_add(u32::try_from(length).unwrap_or(4)),
            );
        }
        self.part = StringState::Plain;
        if self.recorded {
            tape.push(Kind::String, self.start, end, self.flags.with(Flags::OPEN));
        }
    }

    /// Reads the multi-byte characters that start at `i`, also if they are flaws or cut.
    fn sequences(&mut self, chunk: &[u8], mut i: usize, tape: &mut Tape) -> usize {
        self.flags = self.flags.with(Flags::NON_ASCII);
        while let Some(rest) = chunk.get(i..)
            && rest.first().is_some_and(|&byte| byte >= 0x80)
        {
            match utf8::first(rest) {
                Utf8Sequence::Char(length) => i += length,
                Utf8Sequence::Separator(length) => {
                    tape.flaw(FlawKind::RawSeparator, self.at(i), self.at(i + length));
                    i += length;
                }
                Utf8Sequence::Invalid(length) => {
                    tape.flaw(FlawKind::InvalidUtf8, self.at(i), self.at(i + length));
                    i += length;
                }
                Utf8Sequence::Cut => {
                    self.part = StringState::Sequence;
                    self.sequence = ([0; 4], 0, self.at(i));
                    return i;
                }
            }
        }
        i
    }
}

/// Reads the multi-byte characters, or the long escapes, that start at `i`. Returns where they end, and the flags of a string
/// with them; `None` if the first one is unusual.
#[inline(never)]
pub(super) fn other_characters(chunk: &[u8], i: usize) -> Option<(usize, Flags)> {
    let (mut next, mut flags) = (i, Flags::NON_ASCII);
    match chunk.get(i)? {
        b'\\' => (next, flags) = escape::long_escapes(chunk, i),
        0x80.. => {
            while let Some(rest) = chunk.get(next..)
                && rest.first().is_some_and(|&byte| byte >= 0x80)
                && let Utf8Sequence::Char(length) = utf8::first(rest)
            {
                next += length;
            }
        }
        _ => {}
    }
    (next > i).then_some((next, flags))
}
