//! The scanner: bytes in, a [`Tape`] out. It can stop and go on between any two bytes.
//!
//! A [`Scanner`] is a state machine with its own stack, so that the depth of the input costs no recursion. Inside
//! a chunk it runs in plain loops over the slice (`text`, `number`, `structure`); what must survive the end
//! of a chunk is in its fields.

mod ends;
mod escape;
mod number;
mod skip;
mod structure;
mod text;
mod utf8;

#[cfg(test)]
mod tests;

use self::escape::Part;
use self::number::{Progress, Word};
use self::skip::Window;
use super::tape::{End, Flags, MAX_DEPTH, Tape};

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

impl State {
    /// Whether it is one of those that `structure` reads on in.
    fn is_between(self) -> bool {
        !matches!(
            self,
            State::Text | State::Number | State::Word | State::HeldCr | State::Skip | State::Done
        )
    }
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
    most: usize,
    state: State,
    /// What was being read when a `\r` had to be held.
    held: State,
    /// The containers that are being read: where they are on the tape (`None` if they are too deep to be
    /// recorded), and whether they lie in an array.
    stack: Vec<(Option<u32>, bool)>,
    /// Whether the innermost one is an array.
    in_array: bool,
    /// Whether a token at this depth goes onto the tape.
    recorded: bool,
    /// Position of the chunk's first byte.
    base: u32,
    /// Behind the last byte that is not white space, as far as earlier chunks go.
    content: u32,
    /// First byte of the token that is being read.
    start: u32,
    window: Window,
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
            most: MAX_DEPTH,
            state: State::Value,
            held: State::Value,
            stack: Vec::new(),
            in_array: false,
            recorded: true,
            base: 0,
            content: 0,
            start: 0,
            window: Window::new(&[]),
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

    /// Goes down to this depth instead of [`MAX_DEPTH`].
    #[must_use]
    pub fn most_depth(mut self, depth: usize) -> Self {
        self.most = depth;
        self
    }

    /// Begins a record: clears the tape and forgets the last record.
    pub fn start(&mut self, tape: &mut Tape) {
        tape.clear();
        self.state = State::Value;
        self.stack.clear();
        self.enter(false);
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
            // No position is needed any more, so the line may be of any length.
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
        self.window = Window::new(chunk);
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
        // `feed` sees to it that the sum fits, and so does `i`.
        self.base.wrapping_add(i as u32)
    }

    /// The state behind a value.
    fn behind_value(&self) -> State {
        if self.stack.is_empty() {
            State::After
        } else {
            State::Next
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
