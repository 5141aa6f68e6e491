//! One UTF-8 sequence at a time.

/// What some bytes start with, the first of which is 0x80 or above.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Utf8Sequence {
    /// A character of this many bytes.
    Char(usize),
    /// U+0085, U+2028 or U+2029, of this many bytes.
    Separator(usize),
    /// This many invalid bytes.
    Invalid(usize),
    /// The start of a character that is cut off.
    Cut,
}

/// Reads the first sequence of `bytes`.
#[inline]
pub(super) fn first(bytes: &[u8]) -> Utf8Sequence {
    match bytes {
        // Most of East Asia.
        [0xE3..=0xEC, 0x80..=0xBF, 0x80..=0xBF, ..] => Utf8Sequence::Char(3),
        // Dashes, quotation marks and arrows, but not the separators U+2028 and U+2029.
        [0xE2, 0x81..=0xBF, 0x80..=0xBF, ..] | [0xE2, 0x80, 0x80..=0xA7, ..] => {
            Utf8Sequence::Char(3)
        }
        [0xC3..=0xDF, 0x80..=0xBF, ..] => Utf8Sequence::Char(2),
        // Pictures.
        [0xF0, 0x90..=0xBF, 0x80..=0xBF, 0x80..=0xBF, ..] => Utf8Sequence::Char(4),
        _ => rare(bytes),
    }
}

fn rare(bytes: &[u8]) -> Utf8Sequence {
    let (length, second) = match bytes.first() {
        Some(0xC2..=0xDF) => (2, 0x80..=0xBF),
        Some(0xE0) => (3, 0xA0..=0xBF),
        Some(0xED) => (3, 0x80..=0x9F),
        Some(0xE1..=0xEF) => (3, 0x80..=0xBF),
        Some(0xF0) => (4, 0x90..=0xBF),
        Some(0xF1..=0xF3) => (4, 0x80..=0xBF),
        Some(0xF4) => (4, 0x80..=0x8F),
        _ => return Utf8Sequence::Invalid(1),
    };
    for n in 1..length {
        match bytes.get(n) {
            None => return Utf8Sequence::Cut,
            Some(byte) if n == 1 && second.contains(byte) => {}
            Some(0x80..=0xBF) if n > 1 => {}
            Some(_) => return Utf8Sequence::Invalid(n),
        }
    }
    match bytes {
        [0xC2, 0x85, ..] | [0xE2, 0x80, 0xA8 | 0xA9, ..] => Utf8Sequence::Separator(length),
        _ => Utf8Sequence::Char(length),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_standard_library_on_every_start_of_three_bytes_and_some_fourth() {
        for n in 0x80_0000..=0xFF_FFFFu32 {
            let [_, a, b, c] = n.to_be_bytes();
            if a >= 0xF0 && c % 16 != 0 && c % 16 != 15 {
                continue;
            }
            for d in [0x00, 0x7F, 0x80, 0xBF, 0xC0, 0xFF] {
                if a < 0xF0 && d != 0x80 {
                    continue;
                }
                let bytes = [a, b, c, d];
                let expected = match std::str::from_utf8(&bytes) {
                    Ok(text) => Ok(text.chars().next().unwrap().len_utf8()),
                    Err(error) if error.valid_up_to() > 0 => {
                        let text = std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap();
                        Ok(text.chars().next().unwrap().len_utf8())
                    }
                    Err(error) => Err(error.error_len()),
                };
                match first(&bytes) {
                    Utf8Sequence::Char(length) | Utf8Sequence::Separator(length) => {
                        assert_eq!(Ok(length), expected)
                    }
                    Utf8Sequence::Invalid(length) => assert_eq!(Err(Some(length)), expected),
                    Utf8Sequence::Cut => assert_eq!(Err(None), expected),
                }
            }
        }
    }

    #[test]
    fn a_cut_character_differs_from_an_invalid_one() {
        assert_eq!(first(b"\xE2\x80"), Utf8Sequence::Cut);
        assert_eq!(first(b"\xF0"), Utf8Sequence::Cut);
        assert_eq!(first(b"\xE2\x80\""), Utf8Sequence::Invalid(2));
        assert_eq!(first("\u{2028}".as_bytes()), Utf8Sequence::Separator(3));
        assert_eq!(first("\u{2029}".as_bytes()), Utf8Sequence::Separator(3));
        assert_eq!(first("\u{85}".as_bytes()), Utf8Sequence::Separator(2));
        assert_eq!(first("\u{202A}".as_bytes()), Utf8Sequence::Char(3));
    }
}
