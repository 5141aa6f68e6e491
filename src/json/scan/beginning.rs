//! Beginnings of records that were read before.
//!
//! The records of one writer begin alike: with the same members in the same order, whose types, times and IDs have the same
//! lengths. If the quotes and all that is outside of strings are those of an earlier record, so are the tokens up to there. To
//! compare and copy them costs as much as to read two strings; they are 3 to 20. Of 20 MB of Codex this took 0.9 instructions a
//! byte, of Claude Code 0.7, of OpenHands and Pi 0.5.

use std::cell::Cell;

use fearless_simd::Simd;

use super::skip::SpecialBytes;
use super::{OpenContainer, ScanState, Scanner};
use crate::json::tape::{Flags, Kind, RecordEnd, Tape, Token};

/// How many blocks of 64 bytes a beginning has at most.
const BLOCKS: usize = 4;
const LENGTH: usize = 64 * BLOCKS;
/// Most beginnings that are kept, which each new one is compared with.
const MOST: usize = 12;
/// How many records are learned from at most, unless what was learned was of use: where no two begin alike, learning gains nothing.
const LESSONS: u32 = 64;
/// How many records of each file are learned from at least: its program may be another one.
const LESSONS_OF_FILE: u32 = 4;
/// A beginning may also be that of records that go on alike. Whether they do is asked of the first ones.
const TRIALS: u32 = 4;
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
    /// How many records of this file began like this.
    hits: u32,
    /// How many records ever did, up to [`TRIALS`].
    trials: u32,
}

/// What was learned from records.
#[derive(Debug)]
struct Learned {
    /// The longest one first.
    known: Vec<Beginning>,
    lessons_left: u32,
}

thread_local! {
    /// What a thread learned from the files that it read: the sessions of a program begin alike, too.
    static LEARNED: Cell<Option<Learned>> = const { Cell::new(None) };
}

/// The beginnings that a scanner knows. When it is dropped, they are left to the next one.
#[derive(Debug)]
pub(super) struct Beginnings {
    /// `None`: it does not learn.
    learned: Option<Learned>,
    /// How much of the record that is being read was known; `None` if there is nothing to learn.
    learns_after: Option<usize>,
}

impl Beginnings {
    /// For a scanner of records that are not of one file.
    pub(super) const NONE: Beginnings = Beginnings { learned: None, learns_after: None };

    pub(super) fn new() -> Beginnings {
        let learned = Learned { known: Vec::new(), lessons_left: LESSONS };
        Beginnings { learned: Some(learned), learns_after: None }
    }

    /// Knows what this thread learned before.
    pub(super) fn of_thread() -> Beginnings {
        let Some(mut learned) = LEARNED.take() else {
            return Beginnings::new();
        };
        learned.known.iter_mut().for_each(|known| known.hits = 0);
        learned.lessons_left = learned.lessons_left.max(LESSONS_OF_FILE);
        Beginnings { learned: Some(learned), learns_after: None }
    }

    /// How much of the record that was read last was known, as long as there are trials.
    #[cfg(test)]
    pub(super) fn used(&self) -> Option<usize> {
        self.learns_after.filter(|known| *known > 0)
    }
}

impl Drop for Beginnings {
    fn drop(&mut self) {
        if let Some(learned) = self.learned.take() {
            // A thread that ends has no next scanner.
            let _ = LEARNED.try_with(|latest| latest.set(Some(learned)));
        }
    }
}

impl Scanner {
    /// Takes over the tokens of an earlier record that begins like this chunk, which is the first one of a record. Returns where
    /// to continue.
    #[inline(always)]
    pub(super) fn recall<S: Simd>(&mut self, simd: S, chunk: &[u8], tape: &mut Tape) -> usize {
        self.beginnings.learns_after = None;
        let (Some(learned), Some(bytes)) =
            (self.beginnings.learned.as_mut(), chunk.first_chunk::<LENGTH>())
        else {
            return 0;
        };
        let mut special = [self.special; BLOCKS];
        for (at, block) in special.iter_mut().enumerate().skip(1) {
            *block = SpecialBytes::at(simd, chunk, 64 * at);
        }
        let mut known = learned.known.iter_mut();
        let Some(known) = known.find(|known| known.fits(&special, bytes)) else {
            self.beginnings.learns_after = Some(0);
            return 0;
        };
        known.hits = known.hits.saturating_add(1);
        if known.trials < TRIALS {
            // A lesson that was of use is given back.
            let first = u32::from(known.trials == 0);
            learned.lessons_left = LESSONS.min(learned.lessons_left + first);
            known.trials += 1;
            self.beginnings.learns_after = Some(known.end);
        }
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

    /// Learns the beginning of a record whose bytes are all in the chunk, unless as much of it was known.
    pub(super) fn learn(&mut self, chunk: &[u8], tape: &Tape) {
        if let Some(known) = self.beginnings.learns_after
            && let Some(learned) = &mut self.beginnings.learned
            && learned.lessons_left > 0
            && tape.end == RecordEnd::Whole
        {
            learned.learn(known, chunk, tape);
        }
    }
}

impl Learned {
    fn learn(&mut self, known: usize, chunk: &[u8], tape: &Tape) {
        let new = last_key(tape).filter(|(_, key)| key.start as usize > known);
        if new.is_none() && known > 0 {
            return;
        }
        self.lessons_left -= 1;
        if let Some((before, key)) = new {
            let fewest = self.known.iter().map(|known| known.hits).min();
            if self.known.len() == MOST
                && let Some(at) = self.known.iter().rposition(|known| Some(known.hits) == fewest)
            {
                self.known.remove(at);
            }
            let new = Beginning::of(before, key, chunk);
            let place = self.known.partition_point(|known| known.end >= new.end);
            self.known.insert(place, new);
        }
        if self.lessons_left == 0 {
            self.known.retain(|known| known.trials > 0);
        }
    }
}

/// The last key that is near and before which there is nothing unusual, with the tokens before it.
fn last_key(tape: &Tape) -> Option<(&[Token], &Token)> {
    let plain = tape
        .tokens
        .iter()
        .take_while(|token| match token.kind {
            _ if token.start as usize >= LENGTH => false,
            // Its end is not known yet.
            Kind::Object | Kind::Array => true,
            // Most numbers differ from record to record.
            Kind::Number => false,
            _ => token.flags == Flags::default() || token.flags == Flags::KEY,
        })
        .count();
    let plain = tape.tokens.get(..plain)?;
    let last = plain.iter().rposition(|token| token.flags.has(Flags::KEY))?;
    let (before, rest) = plain.split_at_checked(last)?;
    (last >= FEWEST_TOKENS).then_some((before, rest.first()?))
}

impl Beginning {
    /// A record up to a key, and the tokens before it.
    fn of(before: &[Token], key: &Token, chunk: &[u8]) -> Beginning {
        let end = key.start as usize;
        let mut new = Beginning {
            quotes: [0; BLOCKS],
            covered: std::array::from_fn(|at| match end.saturating_sub(64 * at) {
                rest @ 0..64 => (1 << rest) - 1,
                _ => u64::MAX,
            }),
            bytes: [0; LENGTH],
            mask: [0; LENGTH],
            end,
            state: ScanState::Key,
            tokens: before.to_vec(),
            stack: Vec::new(),
            hits: 0,
            trials: 0,
        };
        new.open(before.len());
        new.note_bytes(chunk);
        new
    }

    /// Opens the containers in which the key is, whose token has this index.
    fn open(&mut self, key: usize) {
        let mut in_array = false;
        for (at, token) in (0..).zip(&mut self.tokens) {
            let is_open = token.next as usize > key;
            if is_open {
                self.stack.push((Some(at), in_array));
                in_array = token.kind == Kind::Array;
                *token =
                    Token { end: token.start, next: at + 1, flags: Flags::default(), ..*token };
            }
            self.state = if is_open { ScanState::FirstKey } else { ScanState::Key };
        }
    }

    /// Notes the bytes that count.
    fn note_bytes(&mut self, chunk: &[u8]) {
        self.mask.iter_mut().take(self.end).for_each(|mask| *mask = u8::MAX);
        for token in self.tokens.iter().filter(|token| token.kind == Kind::String) {
            let (start, last) = (token.start as usize, token.end as usize - 1);
            let inside = self.mask.get_mut(start + 1..last);
            inside.unwrap_or_default().fill(0);
            for quote in [start, last] {
                if let Some(quotes) = self.quotes.get_mut(quote / 64) {
                    *quotes |= 1 << (quote % 64);
                }
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
