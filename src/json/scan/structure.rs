//! Between the values: brackets, commas, colons, white space.

use super::{Frame, Mode, Scanner, State, Step};
use crate::json::tape::{End, Flags, Kind, MAX_DEPTH, MAX_TOKENS, Tape, Token};

impl Scanner {
    /// Reads up to the inside of a string, or to a number or word.
    pub(super) fn structure(&mut self, chunk: &[u8], mut i: usize, tape: &mut Tape) -> Step {
        while let Some(&byte) = chunk.get(i) {
            match (self.state, byte) {
                (_, b' ' | b'\t' | b'\r') => {}
                (_, b'\n') if self.mode == Mode::Document => {}
                (_, b'\n') => {
                    self.end_of_input(self.content_end(chunk, i), tape);
                    return Step::Stop(i);
                }
                (State::Colon, b':') => self.state = State::Value,
                (State::Next, b',') => {
                    self.state = if self.in_array() { State::Value } else { State::Key };
                }
                (State::Next | State::FirstKey, b'}') if !self.in_array() => self.close_top(i, tape),
                (State::Next | State::FirstItem, b']') if self.in_array() => self.close_top(i, tape),
                (State::Key | State::FirstKey, b'"') => {
                    return self.token(i, Flags::KEY, State::Text, tape);
                }
                (State::Value | State::FirstItem, b'"') => {
                    return self.token(i, Flags::default(), State::Text, tape);
                }
                (State::Value | State::FirstItem, b'{') => {
                    if let Some(step) = self.open(i, false, tape) {
                        return step;
                    }
                }
                (State::Value | State::FirstItem, b'[') => {
                    if let Some(step) = self.open(i, true, tape) {
                        return step;
                    }
                }
                (State::Value | State::FirstItem, _) => match self.begin_number_or_word(byte) {
                    Some(state) => return self.token(i, Flags::default(), state, tape),
                    None => return self.broken(i, self.at(i), End::Bad { at: self.at(i) }, tape),
                },
                (State::After, _) => {
                    return self.broken(i, self.at(i), End::Trailing { at: self.at(i) }, tape);
                }
                _ => return self.broken(i, self.at(i), End::Bad { at: self.at(i) }, tape),
            }
            i += 1;
        }
        self.content = self.content_end(chunk, chunk.len());
        Step::More
    }

    /// A string, number or word begins at the chunk's `i`th byte.
    fn token(&mut self, i: usize, flags: Flags, state: State, tape: &mut Tape) -> Step {
        if self.recorded() && tape.tokens.len() >= MAX_TOKENS {
            return self.broken(i, self.at(i), End::TooLong, tape);
        }
        self.start = self.at(i);
        self.flags = flags;
        self.state = state;
        Step::On(i + 1)
    }

    /// A container begins; `Some` if it cannot be read.
    fn open(&mut self, i: usize, array: bool, tape: &mut Tape) -> Option<Step> {
        let at = self.at(i);
        if self.stack.len() >= MAX_DEPTH {
            return Some(self.broken(i, at, End::TooDeep { at }, tape));
        }
        let mut token = None;
        if self.recorded() {
            if tape.tokens.len() >= MAX_TOKENS {
                return Some(self.broken(i, at, End::TooLong, tape));
            }
            token = Some(tape.next_index());
            let kind = if array { Kind::Array } else { Kind::Object };
            tape.tokens.push(Token { start: at, end: at, next: 0, kind, flags: Flags::default() });
        }
        self.stack.push(Frame { token, array });
        self.state = if array { State::FirstItem } else { State::FirstKey };
        None
    }

    fn in_array(&self) -> bool {
        self.stack.last().is_some_and(|frame| frame.array)
    }

    /// The closing bracket of the innermost container.
    fn close_top(&mut self, i: usize, tape: &mut Tape) {
        if let Some(frame) = self.stack.pop() {
            self.close(frame, self.at(i + 1), tape.next_index(), Flags::default(), tape);
        }
        self.state = self.behind_value();
    }

    pub(super) fn close(&self, frame: Frame, end: u32, next: u32, flags: Flags, tape: &mut Tape) {
        let Some(start) = frame.token.and_then(|at| tape.tokens.get(at as usize)).map(|token| token.start)
        else {
            return;
        };
        let flags = flags.with(tape.flawed_since(start));
        if let Some(token) = frame.token.and_then(|at| tape.tokens.get_mut(at as usize)) {
            token.end = end;
            token.next = next;
            token.flags = flags;
        }
    }

    /// Behind the last byte before the chunk's `i`th that is not white space.
    fn content_end(&self, chunk: &[u8], i: usize) -> u32 {
        let seen = chunk.get(..i).unwrap_or(chunk);
        let last = seen.iter().rposition(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
        last.map_or(self.content, |last| self.at(last + 1))
    }
}
