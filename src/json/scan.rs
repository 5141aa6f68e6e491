//! The scanner: bytes in, a [`Tape`] out. It can stop and go on between any two bytes.
//!
//! A [`Scanner`] is a state machine with its own stack, so that the depth of the input costs no recursion. Inside
//! a chunk it runs in plain loops over the slice (`text`, `number`, `structure`); what must survive the end
//! of a chunk is in its fields.

mod number;
mod skip;
mod structure;
mod text;
mod utf8;

#[cfg(test)]
mod tests;

use self::number::{Progress, Word};
use self::text::Part;
use super::tape::{End, Flags, Kind, Tape};

/// What a newline means.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Mode {
    /// It ends the record, wherever it stands. A `\r` directly before it belongs to the line's ending.
    Line,
    /// It is white space, and a flaw inside a string. The record is the whole input.
    Document,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum State {
    /// A value must come: at the start, behind `:`, behind `,` in an array.
    Value,
    /// Behind `[`: a value or `]`.
    FirstItem,
    /// Behind `{`: a key or `}`.
    FirstKey,
    /// Behind `,` in an object.
    Key,
    Colon,
    /// Behind a value in a container: `,` or the closing bracket.
    Next,
    /// Behind the outermost value.
    After,
    Text,
    Number,
    Word,
    /// Behind a `\r` inside a token, in a line: whether it is the line's ending, the next byte tells.
    HeldCr,
    /// The tape is final, the rest of the line is not read.
    Skip,
    /// The record ended.
    Done,
}

/// A container that is being read.
#[derive(Copy, Clone, Debug)]
struct Frame {
    /// `None` if it is too deep to be recorded.
    token: Option<u32>,
    array: bool,
}

/// What a part of the machine did with the bytes it saw; indices into the chunk.
enum Step {
    /// Go on here.
    On(usize),
    /// All bytes are used.
    More,
    /// The record ended here.
    Stop(usize),
}

/// A resumable scanner of one record at a time; reusable. See [`scan`] for bytes that are all in memory.
#[derive(Debug)]
pub struct Scanner {
    mode: Mode,
    keep: usize,
    state: State,
    /// What was being read when a `\r` had to be held.
    held: State,
    stack: Vec<Frame>,
    /// Position of the chunk's first byte.
    base: u32,
    /// Behind the last byte that is not white space, as far as earlier chunks go.
    content: u32,
    /// First byte of the token that is being read.
    start: u32,
    /// Marks of the string that is being read.
    flags: Flags,
    part: Part,
    /// The last `\u` escape of that string.
    escape: u32,
    /// A high surrogate's escape that waits for its partner.
    high: Option<u32>,
    /// A UTF-8 sequence that the end of a chunk cut: its bytes, how many, and where.
    sequence: ([u8; 4], usize, u32),
    number: Progress,
    word: Word,
    /// How many of the word's bytes were seen.
    matched: usize,
}

impl Scanner {
    /// A scanner that is ready to read a first record (onto an empty tape).
    pub fn new(mode: Mode) -> Self {
        Scanner {
            mode,
            keep: usize::MAX,
            state: State::Value,
            held: State::Value,
            stack: Vec::new(),
            base: 0,
            content: 0,
            start: 0,
            flags: Flags::default(),
            part: Part::Plain,
            escape: 0,
            high: None,
            sequence: ([0; 4], 0, 0),
            number: Progress::Minus,
            word: Word::Null,
            matched: 0,
        }
    }

    /// Tokens deeper than `depth` are checked but not recorded (0: only the outermost value is).
    #[must_use]
    pub fn keep_depth(mut self, depth: usize) -> Self {
        self.keep = depth;
        self
    }

    /// Begins a record: clears the tape and forgets the last record.
    pub fn start(&mut self, tape: &mut Tape) {
        tape.clear();
        self.state = State::Value;
        self.stack.clear();
        self.base = 0;
        self.content = 0;
        self.part = Part::Plain;
        self.high = None;
    }

    /// Feeds the next bytes. `Some(n)`: the record ended, and `n` bytes of the chunk belong to it (in a line up
    /// to the `\n`, which is not one of them; behind a broken document up to the byte that broke it).
    /// `None`: all bytes are used, more are wanted.
    pub fn feed(&mut self, chunk: &[u8], tape: &mut Tape) -> Option<usize> {
        if self.state == State::Skip {
            return memchr::memchr(b'\n', chunk);
        }
        // Positions must fit into 32 bits: what lies behind is not read.
        let room = usize::try_from(u32::MAX - self.base).unwrap_or(usize::MAX);
        let (near, far) = chunk.split_at(chunk.len().min(room));
        let ended = self.run(near, tape);
        if ended.is_some() {
            return ended;
        }
        self.base = self.at(near.len());
        match (far.first(), self.mode) {
            (None, _) => None,
            (Some(b'\n'), Mode::Line) if self.state != State::Skip => {
                self.finish(tape);
                Some(near.len())
            }
            (Some(_), mode) => {
                if self.state != State::Skip {
                    self.broken(near.len(), self.base, End::TooLong, tape);
                }
                if mode == Mode::Document {
                    return Some(near.len());
                }
                memchr::memchr(b'\n', far).map(|n| near.len().saturating_add(n))
            }
        }
    }

    /// The input ended. Has no effect on a record that ended before.
    pub fn finish(&mut self, tape: &mut Tape) {
        match self.state {
            State::Done => {}
            State::Skip => self.state = State::Done,
            State::HeldCr => {
                self.state = self.held;
                self.end_of_input(self.base.saturating_sub(1), tape);
            }
            State::Text | State::Number | State::Word => self.end_of_input(self.base, tape),
            _ => self.end_of_input(self.content, tape),
        }
    }

    fn run(&mut self, chunk: &[u8], tape: &mut Tape) -> Option<usize> {
        let mut i = 0;
        loop {
            let step = match self.state {
                State::Text => self.text(chunk, i, tape),
                State::Number => self.number(chunk, i, tape),
                State::Word => self.word(chunk, i, tape),
                State::HeldCr => self.held_cr(chunk, i, tape),
                State::Skip => chunk
                    .get(i..)
                    .and_then(|rest| memchr::memchr(b'\n', rest))
                    .map_or(Step::More, |n| Step::Stop(i + n)),
                State::Done => Step::Stop(i),
                _ => self.structure(chunk, i, tape),
            };
            match step {
                Step::On(next) => i = next,
                Step::More => return None,
                Step::Stop(used) => return Some(used),
            }
        }
    }

    /// The position of the chunk's `i`th byte.
    fn at(&self, i: usize) -> u32 {
        // `feed` sees to it that this never saturates.
        self.base.saturating_add(u32::try_from(i).unwrap_or(u32::MAX))
    }

    /// Whether a token at this depth goes onto the tape.
    fn recorded(&self) -> bool {
        self.stack.len() <= self.keep
    }

    /// The state behind a value.
    fn behind_value(&self) -> State {
        if self.stack.is_empty() { State::After } else { State::Next }
    }

    /// A `\n` in a line, while a string, a number or a word is being read.
    fn newline_inside(&mut self, i: usize, tape: &mut Tape) -> Step {
        self.end_of_input(self.at(i), tape);
        Step::Stop(i)
    }

    /// A `\r` in a line, while a string, a number or a word is being read.
    fn hold_cr(&mut self, i: usize) -> Step {
        self.held = self.state;
        self.state = State::HeldCr;
        Step::On(i + 1)
    }

    fn held_cr(&mut self, chunk: &[u8], i: usize, tape: &mut Tape) -> Step {
        let Some(&byte) = chunk.get(i) else { return Step::More };
        let cr = self.at(i).saturating_sub(1);
        self.state = self.held;
        if byte == b'\n' {
            self.end_of_input(cr, tape);
            return Step::Stop(i);
        }
        if self.state == State::Text && self.part == Part::Plain {
            tape.flaw(super::tape::FlawKind::RawControl, cr, cr.saturating_add(1));
            return Step::On(i);
        }
        if self.state == State::Number && self.number.is_complete() {
            self.end_number(cr, tape);
            return Step::On(i);
        }
        self.broken(i, cr, End::Bad { at: cr }, tape)
    }

    /// The record cannot be read from position `at` on; `i` is where the chunk is.
    #[cold]
    fn broken(&mut self, i: usize, at: u32, end: End, tape: &mut Tape) -> Step {
        let state = if self.state == State::HeldCr { self.held } else { self.state };
        if state == State::Text {
            self.end_text(at, Flags::OPEN, tape);
        }
        self.close_all(at, tape);
        tape.end = end;
        if self.mode == Mode::Document {
            self.state = State::Done;
            return Step::Stop(i);
        }
        self.state = State::Skip;
        Step::On(i)
    }

    /// The input or the line ended; `content` is behind its last byte that counts.
    fn end_of_input(&mut self, content: u32, tape: &mut Tape) {
        let kind = match self.state {
            State::Text => {
                self.end_text(content, Flags::OPEN, tape);
                None
            }
            State::Number if self.stack.is_empty() && self.number.is_complete() => {
                self.end_number(content, tape);
                None
            }
            State::Number => Some(Kind::Number),
            State::Word => Some(self.word.kind()),
            _ => None,
        };
        if let Some(kind) = kind
            && self.recorded()
        {
            tape.push(kind, self.start, content, Flags::OPEN);
        }
        tape.end = match self.state {
            State::After => End::Whole,
            State::Value if self.stack.is_empty() => End::Empty,
            _ => End::Torn,
        };
        self.close_all(content, tape);
        self.state = State::Done;
    }

    /// Marks the containers around as open and ended at `at`.
    fn close_all(&mut self, at: u32, tape: &mut Tape) {
        let next = tape.next_index();
        while let Some(frame) = self.stack.pop() {
            self.close(frame, at, next, Flags::OPEN, tape);
        }
    }
}

/// Scans a record that is in memory. In a line, bytes behind the first `\n` are not read.
pub fn scan(bytes: &[u8], mode: Mode) -> Tape {
    let mut tape = Tape::default();
    let mut scanner = Scanner::new(mode);
    if scanner.feed(bytes, &mut tape).is_none() {
        scanner.finish(&mut tape);
    }
    tape
}
