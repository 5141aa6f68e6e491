//! Beginnings of records that were read before.
//!
//! The records of one writer begin alike: with the same members in the same order, whose types, times and IDs have the same
//! lengths. If the quotes and all that is outside of strings is the same as in an earlier record, so are the tokens up to there,
//! and a copy of them costs a tenth of reading them: 1.1 instructions a byte of Codex.

use fearless_simd::Simd;

use super::skip::SpecialBytes;
use super::{OpenContainer, ScanMode, ScanState, Scanner};
use crate::json::tape::{Flags, Kind, RecordEnd, Tape, Token};

/// How many blocks of 64 bytes a beginning has at most.
const BLOCKS: usize = 2;
const LENGTH: usize = 64 * BLOCKS;
/// Most beginnings that are kept, which each new one is compared with.
const MOST: usize = 12;
/// How many records are learned from: where no two begin alike, learning gains nothing.
const LESSONS: u32 = 64;
/// The fewest tokens that are worth the search.
const FEWEST_TOKENS: usize = 3;

/// A record up to one of its keys.
#[derive(Debug)]
struct Beginning {
    /// A bit for each quote. There are no other special bytes.
    quotes: [u64; BLOCKS],
    /// A bit for each byte before the key.
    covered: [u64; BLOCKS],
    /// The quotes and the bytes outside of strings; others are 0.
    bytes: [u8; LENGTH],
    /// All bits of the bytes that count.
    mask: [u8; LENGTH],
    /// Where the key begins.
    end: usize,
    /// Whether it is the first one of its object.
    state: ScanState,
    tokens: Vec<Token>,
    stack: Vec<OpenContainer>,
    /// How many records began like this.
    hits: u32,
}

#[derive(Debug)]
pub(super) struct Beginnings {
    known: Vec<Beginning>,
    lessons_left: u32,
    /// Whether the record that is being read begins like none of them.
    is_new: bool,
}

impl Beginnings {
    pub(super) fn new() -> Beginnings {
        Beginnings {
            known: Vec::new(),
            lessons_left: LESSONS,
            is_new: false,
        }
    }

    /// How many records were read with one.
    #[cfg(test)]
    pub(super) fn uses(&self) -> u32 {
        self.known.iter().map(|known| known.hits).sum()
    }
}

impl Scanner {
    /// Takes over the tokens of an earlier record that begins like this chunk, which is the first one of a record. Returns where
    /// to continue.
    #[inline(always)]
    pub(super) fn recall<S: Simd>(&mut self, simd: S, chunk: &[u8], tape: &mut Tape) -> usize {
        self.beginnings.is_new = false;
        let Some(bytes) = chunk.first_chunk::<LENGTH>() else {
            return 0;
        };
        let mut special = [self.special; BLOCKS];
        for (at, block) in special.iter_mut().enumerate().skip(1) {
            *block = SpecialBytes::at(simd, chunk, 64 * at);
        }
        let mut known = self.beginnings.known.iter_mut();
        let Some(known) = known.find(|known| known.fits(&special, bytes)) else {
            self.beginnings.is_new = true;
            return 0;
        };
        known.hits = known.hits.saturating_add(1);
        tape.tokens.extend_from_slice(&known.tokens);
        self.stack.extend_from_slice(&known.stack);
        self.state = known.state;
        let end = known.end;
        self.enter(false);
        if let Some(block) = special.get(end / 64) {
            self.special = *block;
        }
        end
    }

    /// Learns the beginning of a record whose bytes are all in the chunk.
    pub(super) fn learn(&mut self, chunk: &[u8], tape: &Tape) {
        let beginnings = &mut self.beginnings;
        if !beginnings.is_new || beginnings.lessons_left == 0 || self.mode != ScanMode::Line {
            return;
        }
        beginnings.lessons_left -= 1;
        let Some(new) = Beginning::of(chunk, tape) else {
            return;
        };
        if beginnings.known.len() < MOST {
            beginnings.known.push(new);
        } else if let Some(least) = beginnings.known.iter_mut().min_by_key(|known| known.hits) {
            *least = new;
        }
    }
}

impl Beginning {
    /// The beginning of a record up to its last key that is near, and before which there is nothing unusual.
    fn of(chunk: &[u8], tape: &Tape) -> Option<Beginning> {
        if tape.end != RecordEnd::Whole {
            return None;
        }
        let near = tape
            .tokens
            .iter()
            .take_while(|token| (token.start as usize) < LENGTH);
        let is_plain = |token: &&Token| match token.kind {
            // Its end is not known yet.
            Kind::Object | Kind::Array => true,
            // Most numbers differ from record to record.
            Kind::Number => false,
            _ => token.flags == Flags::default() || token.flags == Flags::KEY,
        };
        let plain = near.take_while(is_plain).count();
        let plain = tape.tokens.get(..plain)?;
        let count = plain
            .iter()
            .rposition(|token| token.flags.has(Flags::KEY))?;
        if count < FEWEST_TOKENS {
            return None;
        }
        let end = plain.get(count)?.start as usize;
        let mut new = Beginning {
            quotes: [0; BLOCKS],
            covered: [0; BLOCKS],
            bytes: [0; LENGTH],
            mask: [0; LENGTH],
            end,
            state: ScanState::Key,
            tokens: plain.get(..count)?.to_vec(),
            stack: Vec::new(),
            hits: 0,
        };
        new.open(count);
        new.note_bytes(chunk);
        Some(new)
    }

    /// Opens the containers in which the key is, whose token has this index.
    fn open(&mut self, key: usize) {
        let mut in_array = false;
        for (at, token) in (0..).zip(&mut self.tokens) {
            let is_open = token.next as usize > key;
            if is_open {
                self.stack.push((Some(at), in_array));
                in_array = token.kind == Kind::Array;
                *token = Token {
                    end: token.start,
                    next: at + 1,
                    flags: Flags::default(),
                    ..*token
                };
            }
            self.state = match is_open {
                true => ScanState::FirstKey,
                false => ScanState::Key,
            };
        }
    }

    /// Notes the bytes that count.
    fn note_bytes(&mut self, chunk: &[u8]) {
        self.mask
            .iter_mut()
            .take(self.end)
            .for_each(|mask| *mask = u8::MAX);
        for token in self
            .tokens
            .iter()
            .filter(|token| token.kind == Kind::String)
        {
            let (start, last) = (token.start as usize, token.end as usize - 1);
            let inside = self.mask.get_mut(start + 1..last);
            inside.unwrap_or_default().fill(0);
            for quote in [start, last] {
                if let Some(quotes) = self.quotes.get_mut(quote / 64) {
                    *quotes |= 1 << (quote % 64);
                }
            }
        }
        for at in 0..self.end {
            if let Some(covered) = self.covered.get_mut(at / 64) {
                *covered |= 1 << (at % 64);
            }
        }
        let bytes = self.bytes.iter_mut().zip(&self.mask).zip(chunk);
        bytes.for_each(|((byte, mask), own)| *byte = own & mask);
    }

    /// Whether a record with these bytes begins like this.
    #[inline(always)]
    fn fits(&self, special: &[SpecialBytes; BLOCKS], bytes: &[u8; LENGTH]) -> bool {
        let mut others = 0;
        for ((special, covered), quotes) in special.iter().zip(&self.covered).zip(&self.quotes) {
            others |= (special.bits() & covered) ^ quotes;
        }
        if others != 0 {
            return false;
        }
        // Without a branch, so that the compiler compares vectors.
        let mut others = 0;
        for ((byte, mask), own) in bytes.iter().zip(&self.mask).zip(&self.bytes) {
            others |= (byte & mask) ^ own;
        }
        others == 0
    }
}
