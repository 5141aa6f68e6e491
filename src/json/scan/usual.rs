//! The path that almost all bytes take: values as writers of records lay them out, all of them in the chunk.
//!
//! Where it is in the record is the place in the code, and everything else that changes with each value is in registers. At
//! anything unusual it stores what it knows in the scanner, and the state machine continues.

use fearless_simd::Simd;

use super::skip::SpecialBytes;
use super::text::other_characters;
use super::{ScanState, Scanner};
use crate::json::tape::{Flags, Kind, MAX_TOKENS, Tape};

/// What stops reading here.
enum Unusual {
    /// A string: the index after the bytes already read, and the flags so far.
    Text(usize, Flags),
    /// Anything else. The state machine reads it from its first byte on.
    Other,
}

/// How far it is read. Everything is in registers.
struct UsualProgress<'a, S> {
    simd: S,
    chunk: &'a [u8],
    special: SpecialBytes,
    i: usize,
    state: ScanState,
}

impl<S> UsualProgress<'_, S> {
    #[inline(always)]
    fn byte(&self) -> Option<u8> {
        self.chunk.get(self.i).copied()
    }

    /// Goes past this byte and an optional space: many writers put one after a colon or a comma. Returns whether the byte is
    /// next.
    #[inline(always)]
    fn take(&mut self, byte: u8, state: ScanState) -> bool {
        let next = self.chunk.get(self.i..).and_then(<[u8]>::first_chunk);
        match next {
            Some([first, second]) if *first == byte => {
                self.i += 1 + usize::from(*second == b' ');
                self.state = state;
                true
            }
            _ => false,
        }
    }
}

impl Scanner {
    /// Reads values and keys, beginning with the key or value at `i`, up to anything unusual. Returns where to continue in
    /// the state that it leaves behind; `None` if it read nothing.
    #[inline(always)]
    pub(super) fn usual<S: Simd>(
        &mut self,
        simd: S,
        chunk: &[u8],
        i: usize,
        tape: &mut Tape,
    ) -> Option<usize> {
        let mut progress =
            UsualProgress { simd, chunk, special: self.special, i, state: self.state };
        let unusual = loop {
            if let Err(unusual) = self.usual_value(&mut progress, tape) {
                break unusual;
            }
        };
        self.special = progress.special;
        self.state = progress.state;
        match unusual {
            Unusual::Text(at, flags) => {
                self.begin_text(progress.i, flags);
                Some(at)
            }
            Unusual::Other => (progress.i > i).then_some(progress.i),
        }
    }

    /// Reads the next value, with its key, or the bracket that opens it. Then what follows a value, up to the next one.
    #[inline(always)]
    fn usual_value<S: Simd>(
        &mut self,
        progress: &mut UsualProgress<'_, S>,
        tape: &mut Tape,
    ) -> Result<(), Unusual> {
        let is_key = matches!(progress.state, ScanState::Key | ScanState::FirstKey);
        // Several members are read at once where they are as usual; else this one.
        if !is_key || !self.usual_members(progress, tape)? {
            if tape.tokens.len() >= MAX_TOKENS {
                return Err(Unusual::Other);
            }
            match progress.byte() {
                Some(b'"') => self.usual_text(progress, Flags::default(), tape)?,
                Some(bracket @ (b'{' | b'[')) => {
                    if self.stack.len() >= self.max_depth {
                        return Err(Unusual::Other);
                    }
                    progress.state =
                        self.push_container(self.at(progress.i), bracket == b'[', tape);
                    progress.i += 1;
                    if progress.byte() != Some(self.closing()) {
                        return Ok(());
                    }
                }
                _ => {
                    let (kind, end) =
                        number_or_literal(progress.chunk, progress.i).ok_or(Unusual::Other)?;
                    if self.recorded {
                        let (start, end) = (self.at(progress.i), self.at(end));
                        tape.push_sound(kind, start, end, Flags::default());
                    }
                    progress.i = end;
                }
            }
        }
        self.usual_ends(progress, tape)
    }

    /// Reads members with strings, which are most. Returns whether the last one was such: otherwise its value comes next.
    #[inline(always)]
    fn usual_members<S: Simd>(
        &mut self,
        progress: &mut UsualProgress<'_, S>,
        tape: &mut Tape,
    ) -> Result<bool, Unusual> {
        loop {
            // Room for a key and its value.
            if progress.byte() != Some(b'"') || tape.tokens.len() >= MAX_TOKENS - 1 {
                return Err(Unusual::Other);
            }
            self.usual_text(progress, Flags::KEY, tape)?;
            if !progress.take(b':', ScanState::Value) {
                progress.state = ScanState::Colon;
                return Err(Unusual::Other);
            }
            if progress.byte() != Some(b'"') {
                return Ok(false);
            }
            self.usual_text(progress, Flags::default(), tape)?;
            if !progress.take(b',', ScanState::Key) {
                return Ok(true);
            }
        }
    }

    /// Reads the brackets after a value, and the comma.
    #[inline(always)]
    fn usual_ends<S: Simd>(
        &mut self,
        progress: &mut UsualProgress<'_, S>,
        tape: &mut Tape,
    ) -> Result<(), Unusual> {
        while !self.stack.is_empty() {
            let next = if self.in_array { ScanState::Value } else { ScanState::Key };
            if progress.byte() == Some(self.closing()) {
                progress.i += 1;
                self.leave(self.at(progress.i), Flags::default(), tape);
            } else if progress.take(b',', next) {
                return Ok(());
            } else {
                break;
            }
        }
        progress.state = self.state_after_value();
        Err(Unusual::Other)
    }

    /// Reads the string that comes next, if the chunk has all of it and nothing in it is unusual.
    #[inline(always)]
    fn usual_text<S: Simd>(
        &self,
        progress: &mut UsualProgress<'_, S>,
        mut flags: Flags,
        tape: &mut Tape,
    ) -> Result<(), Unusual> {
        let chunk = progress.chunk;
        let mut i = progress.i + 1;
        let end = loop {
            let (at, is_escaped) = progress.special.next(progress.simd, chunk, i);
            if is_escaped {
                flags = flags.with(Flags::ESCAPED);
            }
            if chunk.get(at) == Some(&b'"') {
                break at + 1;
            }
            let (next, more) = other_characters(chunk, at).ok_or(Unusual::Text(at, flags))?;
            (i, flags) = (next, flags.with(more));
        };
        if self.recorded {
            tape.push_sound(Kind::String, self.at(progress.i), self.at(end), flags);
        }
        progress.i = end;
        Ok(())
    }

    /// Begins the string at `i`, of which some bytes may have been read.
    pub(super) fn begin_text(&mut self, i: usize, flags: Flags) {
        self.start = self.at(i);
        self.flags = flags;
        self.state = ScanState::Text;
    }

    /// Opens a container at an offset; returns the state after its bracket.
    #[inline(always)]
    pub(super) fn push_container(&mut self, at: u32, array: bool, tape: &mut Tape) -> ScanState {
        let mut index = None;
        if self.recorded {
            index = Some(tape.next_index());
            let kind = if array { Kind::Array } else { Kind::Object };
            tape.push_sound(kind, at, at, Flags::default());
        }
        self.stack.push((index, self.in_array));
        self.enter(array);
        if array { ScanState::FirstItem } else { ScanState::FirstKey }
    }
}

/// The kind and the end of the number or literal at `i`, if the chunk shows that it ends there.
#[inline(always)]
fn number_or_literal(chunk: &[u8], i: usize) -> Option<(Kind, usize)> {
    let rest = chunk.get(i..)?;
    let (kind, length) = match rest.first()? {
        b'0'..=b'9' => (Kind::Number, number(rest)),
        b't' if rest.starts_with(b"true") => (Kind::True, 4),
        b'f' if rest.starts_with(b"false") => (Kind::False, 5),
        b'n' if rest.starts_with(b"null") => (Kind::Null, 4),
        _ => return None,
    };
    matches!(rest.get(length)?, b',' | b'}' | b']').then_some((kind, i + length))
}

/// The length of the number at the start of `bytes`, which begin with a digit, up to a power or anything that is no part of
/// one.
#[inline(always)]
fn number(bytes: &[u8]) -> usize {
    let digits_from = |from: usize| {
        let digits = bytes.get(from..).unwrap_or_default().iter();
        from + digits.take_while(|byte| byte.is_ascii_digit()).count()
    };
    let whole = match bytes.first() {
        Some(b'0') => 1,
        _ => digits_from(1),
    };
    match bytes.get(whole..) {
        Some([b'.', b'0'..=b'9', ..]) => digits_from(whole + 2),
        _ => whole,
    }
}
