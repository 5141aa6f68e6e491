//! Everything between values: brackets, commas, colons, white space.

use fearless_simd::Simd;

use super::{ScanMode, ScanState, ScanStep, Scanner};
use crate::json::tape::{Flags, MAX_TOKENS, RecordEnd, Tape};

impl Scanner {
    /// Reads values and what separates them, up to the end of the chunk or record.
    #[inline(always)]
    pub(super) fn structure<S: Simd>(
        &mut self,
        simd: S,
        chunk: &[u8],
        mut i: usize,
        tape: &mut Tape,
    ) -> ScanStep {
        while let Some(&byte) = chunk.get(i) {
            if matches!(byte, b' ' | b'\t' | b'\r' | b'\n') {
                if byte == b'\n' && self.mode == ScanMode::Line {
                    self.end_of_input(self.content_end(chunk, i), tape);
                    return ScanStep::Stop(i);
                }
                i += 1;
                continue;
            }
            let step = match self.state {
                ScanState::Key | ScanState::FirstKey if byte == b'"' => {
                    match self.usual(simd, chunk, i, tape) {
                        Some(next) => ScanStep::On(next),
                        None => self.text_from(i, Flags::KEY, tape),
                    }
                }
                ScanState::Value | ScanState::FirstItem if byte != b']' => {
                    match self.usual(simd, chunk, i, tape) {
                        Some(next) => ScanStep::On(next),
                        None => self.value(chunk, i, byte, tape),
                    }
                }
                ScanState::Next if byte == b',' => {
                    self.state = if self.in_array { ScanState::Value } else { ScanState::Key };
                    ScanStep::On(i + 1)
                }
                ScanState::Next if byte == self.closing() => self.close_top(i, tape),
                ScanState::FirstKey | ScanState::FirstItem if byte == self.closing() => {
                    self.close_top(i, tape)
                }
                ScanState::Colon if byte == b':' => {
                    self.state = ScanState::Value;
                    ScanStep::On(i + 1)
                }
                ScanState::After => {
                    self.broken(i, self.at(i), RecordEnd::Trailing { at: self.at(i) }, tape)
                }
                _ => self.broken(i, self.at(i), RecordEnd::Bad { at: self.at(i) }, tape),
            };
            match step {
                // The new state has to be handled before anything else is read.
                ScanStep::On(next) if self.state.is_between() => i = next,
                step => return step,
            }
        }
        self.content = self.content_end(chunk, chunk.len());
        ScanStep::More
    }

    /// Reads the value that starts at `i`.
    #[cold]
    fn value(&mut self, chunk: &[u8], i: usize, byte: u8, tape: &mut Tape) -> ScanStep {
        match byte {
            b'"' => self.text_from(i, Flags::default(), tape),
            b'{' => self.open(i, false, tape),
            b'[' => self.open(i, true, tape),
            _ => match self.begin_number_or_literal(byte) {
                Some(state) => self.token(chunk, i, state, tape),
                None => self.broken(i, self.at(i), RecordEnd::Bad { at: self.at(i) }, tape),
            },
        }
    }

    /// Reads the number or literal that starts at `i`.
    fn token(&mut self, chunk: &[u8], i: usize, state: ScanState, tape: &mut Tape) -> ScanStep {
        if self.recorded && tape.tokens.len() >= MAX_TOKENS {
            return self.broken(i, self.at(i), RecordEnd::TooLong, tape);
        }
        self.start = self.at(i);
        self.flags = Flags::default();
        self.state = state;
        match state {
            ScanState::Number => self.number(chunk, i + 1, tape),
            _ => self.literal(chunk, i + 1, tape),
        }
    }

    /// Reads the string that starts at `i`.
    fn text_from(&mut self, i: usize, flags: Flags, tape: &mut Tape) -> ScanStep {
        if self.recorded && tape.tokens.len() >= MAX_TOKENS {
            return self.broken(i, self.at(i), RecordEnd::TooLong, tape);
        }
        self.begin_text(i, flags);
        ScanStep::On(i + 1)
    }

    /// Opens a container.
    fn open(&mut self, i: usize, array: bool, tape: &mut Tape) -> ScanStep {
        let at = self.at(i);
        if self.stack.len() >= self.max_depth {
            return self.broken(i, at, RecordEnd::TooDeep { at }, tape);
        }
        if self.recorded && tape.tokens.len() >= MAX_TOKENS {
            return self.broken(i, at, RecordEnd::TooLong, tape);
        }
        self.state = self.push_container(at, array, tape);
        ScanStep::On(i + 1)
    }

    /// The bracket that closes the innermost container.
    #[inline]
    pub(super) fn closing(&self) -> u8 {
        if self.in_array { b']' } else { b'}' }
    }

    /// Handles the closing bracket of the innermost container.
    fn close_top(&mut self, i: usize, tape: &mut Tape) -> ScanStep {
        self.leave(self.at(i + 1), Flags::default(), tape);
        self.state = self.state_after_value();
        ScanStep::On(i + 1)
    }

    /// Ends the innermost container before `end`, and returns whether there was one.
    #[inline]
    pub(super) fn leave(&mut self, end: u32, flags: Flags, tape: &mut Tape) -> bool {
        let Some((index, in_array)) = self.stack.pop() else {
            return false;
        };
        if let Some(index) = index {
            tape.close(index, end, flags);
        }
        self.enter(in_array);
        true
    }

    /// Updates the fields that depend on the stack. `array`: the innermost container is an array.
    #[inline]
    pub(super) fn enter(&mut self, array: bool) {
        self.in_array = array;
        self.recorded = self.stack.len() <= self.keep;
    }

    /// Offset after the last byte before index `i` that is not white space.
    fn content_end(&self, chunk: &[u8], i: usize) -> u32 {
        let seen = chunk.get(..i).unwrap_or(chunk);
        let last = seen.iter().rposition(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
        last.map_or(self.content, |last| self.at(last + 1))
    }
}
