//! The scanner: turns bytes into a [`Tape`]. It can stop and resume between any two bytes.
//!
//! A [`Scanner`] is a state machine with its own stack, so deep input costs no recursion. Within a
//! chunk it runs in plain loops over the slice (`text`, `number`, `structure`). Everything that
//! must survive the end of a chunk is in its fields. Almost all bytes take a shorter way (`usual`), on
//! which nothing has to survive.

mod beginning;
mod ends;
mod escape;
mod number;
mod skip;
mod structure;
mod text;
mod usual;
mod utf8;

#[cfg(test)]
mod tests;

use fearless_simd::{Level, Simd, dispatch};

use self::beginning::Beginnings;
use self::escape::StringState;
pub(super) use self::escape::code_at;
use self::number::{Literal, NumberState};
use self::skip::SpecialBytes;
use super::tape::{Flags, MAX_DEPTH, RecordEnd, Tape};

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ScanMode {
    /// A newline ends the record, wherever it occurs. A `\r` directly before it belongs to the line
    /// ending.
    Line,
    /// A newline is white space, and a flaw inside a string. The record is the whole input.
    Document,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum ScanState {
    /// Expects a value: at the start, after `:`, or after `,` in an array.
    Value,
    /// After `[`: a value or `]`.
    FirstItem,
    /// After `{`: a key or `}`.
    FirstKey,
    /// After `,` in an object.
    Key,
    Colon,
    /// After a value in a container: `,` or the closing bracket.
    Next,
    /// After the outermost value.
    After,
    Text,
    Number,
    Literal,
    /// After a `\r` inside a token of a line: the next byte decides whether it belongs to the line
    /// ending.
    HeldCr,
    /// The tape is final; the rest of the line is skipped.
    Skip,
    Done,
}

impl ScanState {
    /// Whether `structure` handles this state.
    fn is_between(self) -> bool {
        !matches!(
            self,
            ScanState::Text
                | ScanState::Number
                | ScanState::Literal
                | ScanState::HeldCr
                | ScanState::Skip
                | ScanState::Done
        )
    }
}

/// What a part of the state machine did with its bytes. Indices into the chunk.
enum ScanStep {
    /// Continue at this byte.
    On(usize),
    /// All bytes are consumed.
    More,
    /// The record ended here.
    Stop(usize),
}

/// An open container: its index on the tape (`None` if too deep to be recorded), and whether it is inside an array.
type OpenContainer = (Option<u32>, bool);

/// A resumable, reusable scanner for one record at a time. For bytes that are all in memory, see
/// [`scan`].
#[derive(Debug)]
pub struct Scanner {
    mode: ScanMode,
    /// The vectors that this processor has.
    level: Level,
    keep: usize,
    max_depth: usize,
    state: ScanState,
    /// The state in which a `\r` was held back.
    held: ScanState,
    stack: Vec<OpenContainer>,
    /// Whether the innermost container is an array.
    in_array: bool,
    /// Whether a token at this depth is recorded on the tape.
    recorded: bool,
    /// Offset of the first byte of the chunk.
    base: u32,
    /// Offset after the last byte of earlier chunks that is not white space.
    content: u32,
    /// First byte of the current token.
    start: u32,
    special: SpecialBytes,
    /// What earlier records began with.
    beginnings: Beginnings,
    /// Flags of the current string.
    flags: Flags,
    part: StringState,
    /// Offset of the last `\u` escape of that string.
    escape: u32,
    /// Offset of a high surrogate escape that has no counterpart yet.
    high: Option<u32>,
    /// A UTF-8 sequence cut by the end of a chunk: its bytes, their number, and its offset.
    sequence: ([u8; 4], usize, u32),
    number: NumberState,
    literal: Literal,
    /// How many bytes of the literal have matched.
    matched: usize,
}

impl Scanner {
    /// A scanner for a first record, onto an empty tape.
    pub fn new(mode: ScanMode) -> Self {
        Scanner {
            mode,
            level: Level::new(),
            keep: usize::MAX,
            max_depth: MAX_DEPTH,
            state: ScanState::Value,
            held: ScanState::Value,
            stack: Vec::new(),
            in_array: false,
            recorded: true,
            base: 0,
            content: 0,
            start: 0,
            special: SpecialBytes::default(),
            beginnings: Beginnings::NONE,
            flags: Flags::default(),
            part: StringState::Plain,
            escape: 0,
            high: None,
            sequence: ([0; 4], 0, 0),
            number: NumberState::Minus,
            literal: Literal::Null,
            matched: 0,
        }
    }

    /// A scanner for the lines of a file, which may begin like those of other files.
    pub fn of_lines() -> Self {
        Scanner { beginnings: Beginnings::of_thread(), ..Scanner::new(ScanMode::Line) }
    }

    /// Checks tokens nested deeper than `depth`, but does not record them. With 0, only the
    /// outermost value is recorded.
    #[must_use]
    pub fn keep_depth(mut self, depth: usize) -> Self {
        self.keep = depth;
        self
    }

    /// Sets the depth limit, instead of [`MAX_DEPTH`].
    #[must_use]
    pub fn max_depth(mut self, depth: usize) -> Self {
        self.max_depth = depth;
        self
    }

    /// Starts a record: clears the tape and forgets the previous record.
    pub fn start(&mut self, tape: &mut Tape) {
        tape.clear();
        self.state = ScanState::Value;
        self.stack.clear();
        self.enter(false);
        self.base = 0;
        self.content = 0;
        self.part = StringState::Plain;
        self.high = None;
    }

    /// Scans the next bytes. Returns `Some(n)` when the record ended: `n` bytes of the chunk belong
    /// to it. In a line, that is up to the `
    /// `, which does not count; in a broken document, up to the byte that broke it. Returns `None`
    /// when all bytes are consumed and more are expected.
    pub fn feed(&mut self, chunk: &[u8], tape: &mut Tape) -> Option<usize> {
        if self.state == ScanState::Skip {
            // No offset is needed anymore, so the line may have any length.
            return memchr::memchr(b'\n', chunk);
        }
        // Offsets must fit into 32 bits: bytes after that are not read.
        let room = usize::try_from(u32::MAX - self.base).unwrap_or(usize::MAX);
        let (near, far) = chunk.split_at(chunk.len().min(room));
        let is_first = self.base == 0;
        let ended = self.run(near, tape);
        if ended.is_some() {
            if is_first {
                self.learn(near, tape);
            }
            return ended;
        }
        self.base = self.at(near.len());
        match (far.first(), self.mode) {
            (None, _) => None,
            (Some(b'\n'), ScanMode::Line) if self.state != ScanState::Skip => {
                self.finish(tape);
                Some(near.len())
            }
            (Some(_), mode) => {
                if self.state != ScanState::Skip {
                    self.broken(near.len(), self.base, RecordEnd::TooLong, tape);
                }
                if mode == ScanMode::Document {
                    return Some(near.len());
                }
                memchr::memchr(b'\n', far).map(|n| near.len().saturating_add(n))
            }
        }
    }

    /// Ends the input. Does nothing if the record ended before.
    pub fn finish(&mut self, tape: &mut Tape) {
        match self.state {
            ScanState::Done => {}
            ScanState::Skip => self.state = ScanState::Done,
            ScanState::HeldCr => {
                self.state = self.held;
                self.end_of_input(self.base.saturating_sub(1), tape);
            }
            ScanState::Text | ScanState::Number | ScanState::Literal => {
                self.end_of_input(self.base, tape)
            }
            _ => self.end_of_input(self.content, tape),
        }
    }

    fn run(&mut self, chunk: &[u8], tape: &mut Tape) -> Option<usize> {
        // Asked once for each chunk. Everything below is in line, so that all of it uses these vectors.
        dispatch!(self.level, simd => self.run_with(simd, chunk, tape))
    }

    #[inline(always)]
    fn run_with<S: Simd>(&mut self, simd: S, chunk: &[u8], tape: &mut Tape) -> Option<usize> {
        self.special = SpecialBytes::at(simd, chunk, 0);
        let mut i = 0;
        if self.base == 0 && self.state == ScanState::Value && self.stack.is_empty() {
            i = self.recall(simd, chunk, tape);
        }
        loop {
            let step = match self.state {
                ScanState::Text => self.text(simd, chunk, i, tape),
                ScanState::Number => self.number(chunk, i, tape),
                ScanState::Literal => self.literal(chunk, i, tape),
                ScanState::HeldCr => self.held_cr(chunk, i, tape),
                ScanState::Skip => chunk
                    .get(i..)
                    .and_then(|rest| memchr::memchr(b'\n', rest))
                    .map_or(ScanStep::More, |n| ScanStep::Stop(i + n)),
                ScanState::Done => ScanStep::Stop(i),
                _ => self.structure(simd, chunk, i, tape),
            };
            match step {
                ScanStep::On(next) => i = next,
                ScanStep::More => return None,
                ScanStep::Stop(used) => return Some(used),
            }
        }
    }

    /// The offset of the chunk's `i`th byte.
    fn at(&self, i: usize) -> u32 {
        // `feed` ensures that the sum fits.
        self.base.wrapping_add(i as u32)
    }

    /// The state after a value.
    fn state_after_value(&self) -> ScanState {
        if self.stack.is_empty() { ScanState::After } else { ScanState::Next }
    }
}

/// Scans a record that is in memory. In a line, bytes after the first `
/// ` are not read.
pub fn scan(bytes: &[u8], mode: ScanMode) -> Tape {
    scan_with(Scanner::new(mode), bytes, Tape::for_bytes(bytes.len()))
}

/// Scans a document and records nothing but its outermost value.
pub(crate) fn scan_outermost(bytes: &[u8]) -> Tape {
    let scanner = Scanner::new(ScanMode::Document).keep_depth(0);
    scan_with(scanner, bytes, Tape::default())
}

fn scan_with(mut scanner: Scanner, bytes: &[u8], mut tape: Tape) -> Tape {
    if scanner.feed(bytes, &mut tape).is_none() {
        scanner.finish(&mut tape);
    }
    tape
}
