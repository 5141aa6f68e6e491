//! Skips the plain bytes of a string. The scanner spends most of its time in this loop.

use fearless_simd::prelude::*;
use fearless_simd::{i8x64, mask8x64, u8x64};

use super::escape::is_short_escape_at;

/// Finds the special bytes of a chunk, 64 bytes at a time. One block serves many short strings as
/// well as a long one.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct SpecialBytes {
    /// Index into the chunk of the lowest bit.
    start: usize,
    bits: u64,
}

impl SpecialBytes {
    /// Covers 64 bytes of a chunk.
    #[inline(always)]
    pub(super) fn at<S: Simd>(simd: S, chunk: &[u8], start: usize) -> SpecialBytes {
        SpecialBytes { start, bits: bits_at(simd, chunk, start) }
    }

    /// A bit for each special byte.
    #[inline(always)]
    pub(super) fn bits(&self) -> u64 {
        self.bits
    }

    /// Index of the first special byte at or after `i` that is no short escape; the length of the chunk if there is none. Also
    /// returns whether there is a short escape before it.
    #[inline(always)]
    pub(super) fn next<S: Simd>(&mut self, simd: S, chunk: &[u8], i: usize) -> (usize, bool) {
        let mut skip = i.wrapping_sub(self.start);
        if skip >= 64 {
            *self = SpecialBytes::at(simd, chunk, i);
            skip = 0;
        }
        let mut bits = self.bits & (u64::MAX << skip);
        let (mut is_escaped, mut escaped_first) = (false, 0);
        loop {
            while bits == 0 {
                let start = self.start + 64;
                if start >= chunk.len() {
                    return (chunk.len(), is_escaped);
                }
                *self = SpecialBytes::at(simd, chunk, start);
                bits = self.bits & !escaped_first;
                escaped_first = 0;
            }
            let at = self.start + bits.trailing_zeros() as usize;
            if !is_short_escape_at(chunk, at) {
                return (at, is_escaped);
            }
            is_escaped = true;
            // The byte after the backslash may be the first one of the next block.
            let backslash = bits & bits.wrapping_neg();
            escaped_first = backslash >> 63;
            bits &= !(backslash | backslash << 1);
        }
    }
}

/// Bits of the 64 bytes from `i` on; bytes past the end of the chunk are not special.
#[inline(always)]
fn bits_at<S: Simd>(simd: S, chunk: &[u8], i: usize) -> u64 {
    let rest = chunk.get(i..).unwrap_or_default();
    let last;
    let block = match rest.first_chunk() {
        Some(block) => block,
        None => {
            last = padded(rest);
            &last
        }
    };
    // Only numbers leave here: a mask that two branches join is taken apart, bit by bit.
    marks(simd, block).to_bitmask()
}

#[inline(never)]
fn padded(rest: &[u8]) -> [u8; 64] {
    let mut block = [b' '; 64];
    block.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
    block
}

/// The special bytes of a block.
#[inline(always)]
fn marks<S: Simd>(simd: S, block: &[u8; 64]) -> mask8x64<S> {
    const BIT: u8 = 0x02;
    // As a signed number, a byte of 0x80 or above is below 0x20, too. With this bit flipped, a quote is the next one, and the
    // bytes below 0x20 only change places: one comparison for all of them.
    const { assert!(b'"' ^ BIT == 0x20) };
    let bytes = u8x64::from_slice(simd, block);
    let flipped: i8x64<S> = (bytes ^ BIT).bitcast();
    flipped.simd_le(0x20) | bytes.simd_eq(b'\\')
}

#[cfg(test)]
pub(super) mod tests {
    use fearless_simd::{Level, dispatch};

    use super::*;

    /// Vectors of this processor, from those that every one of its platform has to the best.
    pub(in crate::json::scan) fn levels() -> Vec<Level> {
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        let between = Level::new().as_avx2().map(Level::Avx2);
        #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
        let between = None;
        [Some(Level::baseline()), between, Some(Level::new())].into_iter().flatten().collect()
    }

    fn is_special(byte: u8) -> bool {
        matches!(byte, 0..0x20 | b'"' | b'\\' | 0x80..)
    }

    #[test]
    fn finds_every_special_byte_at_every_place() {
        for length in [0, 1, 7, 63, 64, 65, 200, 400] {
            for place in 0..length {
                for byte in [0, 9, 0x1F, 0x20, b'"', b'"' + 1, b'\\', b'\\' - 1, 0x7F, 0x80, 0xFF] {
                    let mut bytes = vec![b'a'; length];
                    bytes[place] = byte;
                    let expected = if is_special(byte) { place } else { length };
                    for level in levels() {
                        let found = dispatch!(level, simd => {
                            let mut window = SpecialBytes::at(simd, &bytes, 0);
                            let starts = [0, place, place + 1].map(|i| window.next(simd, &bytes, i).0);
                            (starts, SpecialBytes::at(simd, &bytes, 0).next(simd, &bytes, place / 2).0)
                        });
                        assert_eq!(
                            found,
                            ([expected, expected, length], expected),
                            "byte {byte} at {place} of {length}, {level:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn has_a_bit_for_each_special_byte() {
        for shift in 0..4 {
            let block: [u8; 64] = std::array::from_fn(|at| u8::try_from(shift * 64 + at).unwrap());
            for level in levels() {
                let bits = dispatch!(level, simd => bits_at(simd, &block, 0));
                for (at, &byte) in block.iter().enumerate() {
                    assert_eq!(bits >> at & 1 == 1, is_special(byte), "{byte}, {level:?}");
                }
            }
        }
    }

    #[test]
    fn skips_short_escapes_at_every_place() {
        for escape in [&b"\\n"[..], b"\\\"", b"\\\\"] {
            for (before, count) in (0..140).flat_map(|before| [0, 1, 3, 40].map(|n| (before, n))) {
                let bytes = [&vec![b'a'; before], &escape.repeat(count), &b"\", "[..]].concat();
                for level in levels() {
                    let found = dispatch!(level, simd => {
                        SpecialBytes::at(simd, &bytes, 0).next(simd, &bytes, 0)
                    });
                    assert_eq!(
                        found,
                        (before + 2 * count, count > 0),
                        "{before} {count} {} {level:?}",
                        escape.escape_ascii()
                    );
                }
            }
        }
    }
}
