//! Everything between values: brackets, commas, colons, white space.

use super::skip::SpecialBytes;
use super::{ScanMode, ScanState, ScanStep, Scanner};
use crate::json::tape::{Flags, Kind, MAX_TOKENS, RecordEnd, Tape};

/// A string that needs the slow path.
struct Rare {
    /// Index after the bytes already read.
    at: usize,
    flags: Flags,
}

impl Scanner {
    /// Reads values and what separates them, up to the end of the chunk or record.
    pub(super) fn structure(&mut self, chunk: &[u8], mut i: usize, tape: &mut Tape) -> ScanStep {
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
                    self.members(chunk, i, tape)
                }
                ScanState::Value | ScanState::FirstItem if byte != b']' => {
                    self.value(chunk, i, byte, tape)
                }
                ScanState::Next if byte == b',' => {
                    self.state = if self.in_array {
                        ScanState::Value
                    } else {
                        ScanState::Key
                    };
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

    /// Reads the key at `i` and what follows, as long as the layout is the usual one.
    fn members(&mut self, chunk: &[u8], i: usize, tape: &mut Tape) -> ScanStep {
        // A copy stays in registers.
        let mut special = self.special;
        let (i, rare) = self.plain_members(&mut special, chunk, i, tape);
        self.special = special;
        match rare {
            Some(Rare { at, flags }) => self.text_from(chunk, i, at, flags, tape),
            None => ScanStep::On(i),
        }
    }

    /// Reads keys and string values, up to anything else or a string that needs the slow path.
    #[inline(always)]
    fn plain_members(
        &mut self,
        special: &mut SpecialBytes,
        chunk: &[u8],
        mut i: usize,
        tape: &mut Tape,
    ) -> (usize, Option<Rare>) {
        loop {
            match self.plain(special, chunk, i, Flags::KEY, tape) {
                Ok(end) => i = end,
                Err(rare) => return (i, Some(rare)),
            }
            if chunk.get(i) != Some(&b':') {
                self.state = ScanState::Colon;
                return (i, None);
            }
            i = skip_space(chunk, i + 1);
            if chunk.get(i) != Some(&b'"') {
                self.state = ScanState::Value;
                return (i, None);
            }
            match self.plain(special, chunk, i, Flags::default(), tape) {
                Ok(end) => i = end,
                Err(rare) => return (i, Some(rare)),
            }
            if chunk.get(i) != Some(&b',') {
                self.state = ScanState::Next;
                return (i, None);
            }
            i = skip_space(chunk, i + 1);
            if chunk.get(i) != Some(&b'"') {
                self.state = ScanState::Key;
                return (i, None);
            }
        }
    }

    /// Reads the string at `i` if the chunk has all of it and nothing in it is rarer than a short
    /// escape. Returns where it ends.
    #[inline(always)]
    fn plain(
        &self,
        special: &mut SpecialBytes,
        chunk: &[u8],
        i: usize,
        flags: Flags,
        tape: &mut Tape,
    ) -> Result<usize, Rare> {
        let (at, escaped) = special.after_escapes(chunk, i + 1);
        let flags = if escaped {
            flags.with(Flags::ESCAPED)
        } else {
            flags
        };
        if chunk.get(at) != Some(&b'"') || tape.tokens.len() >= MAX_TOKENS {
            return Err(Rare { at, flags });
        }
        if self.recorded {
            tape.push(Kind::String, self.at(i), self.at(at + 1), flags);
        }
        Ok(at + 1)
    }

    /// Reads the value that starts at `i`.
    #[inline]
    fn value(&mut self, chunk: &[u8], i: usize, byte: u8, tape: &mut Tape) -> ScanStep {
        match byte {
            b'"' => self.text_from(chunk, i, i + 1, Flags::default(), tape),
            b'{' => self.open(i, false, tape),
            b'[' => self.open(i, true, tape),
            _ => match self.begin_number_or_literal(byte) {
                Some(state) => self.token(chunk, i, state, tape),
                None => self.broken(i, self.at(i), RecordEnd::Bad { at: self.at(i) }, tape),
            },
        }
    }

    /// Reads the number or literal that starts at `i`.
    #[inline]
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

    /// Reads the string that starts at `i`. Everything before `at` was already read.
    fn text_from(
        &mut self,
        chunk: &[u8],
        i: usize,
        at: usize,
        flags: Flags,
        tape: &mut Tape,
    ) -> ScanStep {
        if self.recorded && tape.tokens.len() >= MAX_TOKENS {
            return self.broken(i, self.at(i), RecordEnd::TooLong, tape);
        }
        self.start = self.at(i);
        self.flags = flags;
        self.state = ScanState::Text;
        self.text(chunk, at, tape)
    }

    /// Opens a container.
    fn open(&mut self, i: usize, array: bool, tape: &mut Tape) -> ScanStep {
        let at = self.at(i);
        if self.stack.len() >= self.max_depth {
            return self.broken(i, at, RecordEnd::TooDeep { at }, tape);
        }
        let mut index = None;
        if self.recorded {
            if tape.tokens.len() >= MAX_TOKENS {
                return self.broken(i, at, RecordEnd::TooLong, tape);
            }
            index = Some(tape.next_index());
            tape.push(
                if array { Kind::Array } else { Kind::Object },
                at,
                at,
                Flags::default(),
            );
        }
        self.stack.push((index, self.in_array));
        self.enter(array);
        self.state = if array {
            ScanState::FirstItem
        } else {
            ScanState::FirstKey
        };
        ScanStep::On(i + 1)
    }

    /// The bracket that closes the innermost container.
    fn closing(&self) -> u8 {
        if self.in_array { b']' } else { b'}' }
    }

    /// Handles the closing bracket of the innermost container.
    fn close_top(&mut self, i: usize, tape: &mut Tape) -> ScanStep {
        self.leave(self.at(i + 1), Flags::default(), tape);
        self.state = self.state_after_value();
        ScanStep::On(i + 1)
    }

    /// Ends the innermost container before `end`, and returns whether there was one.
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
    pub(super) fn enter(&mut self, array: bool) {
        self.in_array = array;
        self.recorded = self.stack.len() <= self.keep;
    }

    /// Offset after the last byte before index `i` that is not white space.
    fn content_end(&self, chunk: &[u8], i: usize) -> u32 {
        let seen = chunk.get(..i).unwrap_or(chunk);
        let last = seen
            .iter()
            .rposition(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
        last.map_or(self.content, |last| self.at(last + 1))
    }
}

/// The index after an optional space at `i`: many writers put one after a colon or a comma.
#[inline(always)]
fn skip_space(chunk: &[u8], i: usize) -> usize {
    i + usize::from(chunk.get(i) == Some(&b' '))
}
