//! The way over the plain bytes of a string: the loop in which most of the time goes.

const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

fn is_special(byte: u8) -> bool {
    !(0x20..0x80).contains(&byte) || byte == b'"' || byte == b'\\'
}

/// The index of the first byte from `i` on that is a quote, a backslash, below 0x20 or above 0x7F; or the length.
pub(super) fn plain(bytes: &[u8], mut i: usize) -> usize {
    // Most strings are short or have an escape soon: look at 8 words of 8 bytes first.
    for _ in 0..8 {
        let Some(word) = bytes.get(i..).and_then(<[u8]>::first_chunk::<8>) else { break };
        let word = u64::from_le_bytes(*word);
        let quote = (word ^ (LOW * 0x22)).wrapping_sub(LOW);
        let backslash = (word ^ (LOW * 0x5C)).wrapping_sub(LOW);
        let control = word.wrapping_sub(LOW * 0x20);
        // A borrow makes marks above the first true one only, and the first is what counts.
        let marks = (quote | backslash | control | word) & HIGH;
        if marks != 0 {
            return i + (marks.trailing_zeros() / 8) as usize;
        }
        i += 8;
    }
    while let Some(block) = bytes.get(i..).and_then(<[u8]>::first_chunk::<64>) {
        if block.iter().fold(false, |any, &byte| any | is_special(byte)) {
            break;
        }
        i += 64;
    }
    let rest = bytes.get(i..).unwrap_or_default();
    i + rest.iter().position(|&byte| is_special(byte)).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_every_special_byte_at_every_place() {
        for length in [0, 1, 7, 8, 9, 63, 64, 65, 127, 128, 200] {
            for place in 0..length {
                for byte in 0..=255u8 {
                    let mut bytes = vec![b'a'; length];
                    bytes[place] = byte;
                    let expected = if is_special(byte) { place } else { length };
                    assert_eq!(plain(&bytes, 0), expected, "byte {byte} at {place} of {length}");
                    assert_eq!(plain(&bytes, place), expected);
                    assert_eq!(plain(&bytes, place + 1), length);
                }
            }
        }
    }
}
