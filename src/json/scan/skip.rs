//! Skips the plain bytes of a string. The scanner spends most of its time in this loop.

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, i8x64, mask8x64, u8x64};

use super::escape::is_short_escape;

/// Finds the special bytes of a chunk, 64 bytes at a time. One block serves many short strings as
/// well as a long one.
#[derive(Copy, Clone, Debug)]
pub(super) struct SpecialBytes {
    /// Index into the chunk of the lowest bit.
    start: usize,
    bits: u64,
}

impl SpecialBytes {
    /// Covers the first bytes of a chunk.
    pub(super) fn new(chunk: &[u8]) -> SpecialBytes {
        SpecialBytes {
            start: 0,
            bits: bits_at(chunk, 0),
        }
    }

    /// Like [`SpecialBytes::next`], but skips short escapes. Also returns whether it skipped any.
    #[inline(always)]
    pub(super) fn after_escapes(&mut self, chunk: &[u8], mut i: usize) -> (usize, bool) {
        // A copy stays in registers.
        let mut special = *self;
        let mut escaped = false;
        loop {
            let at = special.next(chunk, i);
            match (chunk.get(at), chunk.get(at + 1)) {
                (Some(b'\\'), Some(&next)) if is_short_escape(next) => {
                    escaped = true;
                    i = at + 2;
                }
                _ => {
                    *self = special;
                    return (at, escaped);
                }
            }
        }
    }

    /// Index of the first special byte at or after `i`; the length of the chunk if there is none.
    #[inline(always)]
    pub(super) fn next(&mut self, chunk: &[u8], i: usize) -> usize {
        let mut skip = i.wrapping_sub(self.start);
        if skip >= 64 {
            *self = SpecialBytes {
                start: i,
                bits: bits_at(chunk, i),
            };
            skip = 0;
        }
        let mut bits = self.bits & (u64::MAX << skip);
        let mut start = self.start;
        while bits == 0 {
            start += 64;
            // A block without special bytes is often followed by more such blocks, as in an image.
            if self.bits == 0 {
                while let Some(block) = chunk.get(start..).and_then(<[u8]>::first_chunk::<64>)
                    && dispatch!(Level::baseline(), simd => marks(simd, block).all_false())
                {
                    start += 64;
                }
            }
            if start >= chunk.len() {
                return chunk.len();
            }
            bits = bits_at(chunk, start);
            *self = SpecialBytes { start, bits };
        }
        self.start + bits.trailing_zeros() as usize
    }
}

/// Bits of the 64 bytes from `i` on; bytes past the end of the chunk are not special.
#[inline]
fn bits_at(chunk: &[u8], i: usize) -> u64 {
    let rest = chunk.get(i..).unwrap_or_default();
    match rest.first_chunk() {
        Some(block) => specials(block),
        None => tail(rest),
    }
}

#[inline(never)]
fn tail(rest: &[u8]) -> u64 {
    let mut block = [b' '; 64];
    block
        .iter_mut()
        .zip(rest)
        .for_each(|(to, from)| *to = *from);
    specials(&block)
}

/// One bit for each special byte of a block.
#[inline(always)]
fn specials(block: &[u8; 64]) -> u64 {
    // The vectors that every processor of the platform has need no question which ones there are.
    dispatch!(Level::baseline(), simd => marks(simd, block).to_bitmask())
}

/// The special bytes of a block.
#[inline(always)]
fn marks<S: Simd>(simd: S, block: &[u8; 64]) -> mask8x64<S> {
    let bytes: i8x64<S> = u8x64::from_slice(simd, block).bitcast();
    // As a signed number, a byte of 0x80 or above is below 0x20, too: one comparison for both.
    bytes.simd_lt(0x20) | bytes.simd_eq(b'"'.cast_signed()) | bytes.simd_eq(b'\\'.cast_signed())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_special(byte: u8) -> bool {
        matches!(byte, 0..0x20 | b'"' | b'\\' | 0x80..)
    }

    #[test]
    fn finds_every_special_byte_at_every_place() {
        for length in [0, 1, 7, 63, 64, 65, 200, 400] {
            for place in 0..length {
                for byte in [
                    0,
                    9,
                    0x1F,
                    0x20,
                    b'"',
                    b'"' + 1,
                    b'\\',
                    b'\\' - 1,
                    0x7F,
                    0x80,
                    0xFF,
                ] {
                    let mut bytes = vec![b'a'; length];
                    bytes[place] = byte;
                    let expected = if is_special(byte) { place } else { length };
                    let mut window = SpecialBytes::new(&bytes);
                    assert_eq!(
                        window.next(&bytes, 0),
                        expected,
                        "byte {byte} at {place} of {length}"
                    );
                    assert_eq!(window.next(&bytes, place), expected);
                    assert_eq!(window.next(&bytes, place + 1), length);
                    assert_eq!(SpecialBytes::new(&bytes).next(&bytes, place / 2), expected);
                }
            }
        }
    }

    #[test]
    fn has_a_bit_for_each_special_byte() {
        for shift in 0..4 {
            let block = std::array::from_fn(|at| u8::try_from(shift * 64 + at).unwrap());
            for (at, &byte) in block.iter().enumerate() {
                assert_eq!(specials(&block) >> at & 1 == 1, is_special(byte), "{byte}");
            }
        }
    }
}
