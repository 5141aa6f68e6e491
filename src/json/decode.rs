//! Unescapes the raw bytes of a string.

use std::borrow::Cow;

use super::scan::code_at;

/// The text of a string from the raw bytes between its quotes. Lone surrogates, invalid UTF-8 and
/// unknown escapes (which a closed string on a tape never has) become U+FFFD.
pub(super) fn unescape_text(raw: Cow<'_, [u8]>, escaped: bool) -> Cow<'_, str> {
    match raw {
        Cow::Borrowed(bytes) if !escaped => valid(bytes),
        Cow::Owned(bytes) if !escaped => Cow::Owned(match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        }),
        _ => Cow::Owned(unescape(&raw)),
    }
}

/// Almost all text is valid, and the plain check is much faster than the lossy conversion.
fn valid(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

fn unescape(raw: &[u8]) -> String {
    String::from_utf8(unescape_bytes(raw))
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// As [`unescape_text`], but invalid UTF-8 stays.
pub(super) fn unescape_bytes(raw: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(raw.len());
    let mut from = 0;
    while let Some(at) = next_backslash(raw, from) {
        text.extend_from_slice(raw.get(from..at).unwrap_or_default());
        from = at + 2;
        match raw.get(at + 1) {
            Some(b'n') => text.push(b'\n'),
            Some(byte @ (b'"' | b'\\' | b'/')) => text.push(*byte),
            _ => {
                let escape = escape(raw.get(at..).unwrap_or_default());
                let Some((char, length)) = escape else {
                    from = raw.len();
                    break;
                };
                text.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
                from = at + length;
            }
        }
    }
    text.extend_from_slice(raw.get(from..).unwrap_or_default());
    text
}

/// The first backslash at or after `from`.
#[inline(always)]
pub(super) fn next_backslash(raw: &[u8], from: usize) -> Option<usize> {
    // In JSON within JSON the next one is near, and starting a search costs more than a look at eight bytes at once.
    const NEAR: usize = 32;
    let mut rest = raw.get(from..)?;
    for block in 0..NEAR / 8 {
        // If it is not in the first eight, one comparison of all shows whether the others need one each.
        if block == 1
            && let Some((near, after)) = rest.split_first_chunk::<NEAR>()
            && !near.iter().fold(false, |any, byte| any | (*byte == b'\\'))
        {
            rest = after;
            break;
        }
        let Some((block, after)) = rest.split_first_chunk() else {
            break;
        };
        // The highest bit of each byte that is a backslash, and perhaps of bytes after the first such.
        let other = u64::from_le_bytes(*block) ^ (0x0101_0101_0101_0101 * u64::from(b'\\'));
        let marks = other.wrapping_sub(0x0101_0101_0101_0101) & !other & 0x8080_8080_8080_8080;
        if marks != 0 {
            return Some(raw.len() - rest.len() + marks.trailing_zeros() as usize / 8);
        }
        rest = after;
    }
    memchr::memchr(b'\\', rest).map(|at| raw.len() - rest.len() + at)
}

/// Bytes passed on at once.
const BLOCK: usize = 1024;

/// Passes the raw bytes of a string to `out`, in the same blocks as [`feed_respelled`].
pub(super) fn feed(raw: &[u8], out: &mut dyn FnMut(&[u8])) {
    raw.chunks(BLOCK).for_each(out);
}

/// Passes the raw bytes of a valid string to `out` in blocks, with one spelling of each character:
/// escaped only where it must be, and by a letter if there is one.
pub(super) fn feed_respelled(raw: &[u8], out: &mut dyn FnMut(&[u8])) {
    let (mut block, mut used) = ([0; BLOCK], 0);
    // Whole blocks: a call for each character would cost more than what it passes on.
    let mut push = |mut bytes: &[u8]| {
        while !bytes.is_empty() {
            let (now, rest) = bytes.split_at(bytes.len().min(BLOCK - used));
            block[used..used + now.len()].copy_from_slice(now);
            (used, bytes) = (used + now.len(), rest);
            if used == BLOCK {
                out(&block);
                used = 0;
            }
        }
    };
    let (mut from, mut next) = (0, 0);
    while let Some(at) = next_backslash(raw, next) {
        next = at + 2;
        let (char, length) = match raw.get(at + 1) {
            Some(b'u') => unicode(raw.get(at..).unwrap_or_default()),
            Some(b'/') => ('/', 2),
            _ => continue,
        };
        if from < at {
            push(raw.get(from..at).unwrap_or_default());
        }
        match letter(char) {
            _ if !char.is_ascii() => push(char.encode_utf8(&mut [0; 4]).as_bytes()),
            Some(letter) => push(&[b'\\', letter]),
            None if char < ' ' => {
                let (high, low) = (char as u8 >> 4, char as u8 & 15);
                let low = b"0123456789abcdef"[usize::from(low)];
                push(&[b'\\', b'u', b'0', b'0', b'0' + high, low]);
            }
            None => push(char.encode_utf8(&mut [0; 4]).as_bytes()),
        }
        next = at + length;
        from = next;
    }
    push(raw.get(from..).unwrap_or_default());
    if used > 0 {
        out(&block[..used]);
    }
}

/// The letter of a character that is escaped by one.
fn letter(char: char) -> Option<u8> {
    Some(match char {
        '"' => b'"',
        '\\' => b'\\',
        '\n' => b'n',
        '\t' => b't',
        '\r' => b'r',
        '\u{8}' => b'b',
        '\u{C}' => b'f',
        _ => return None,
    })
}

/// The first character of a string's raw bytes and how many bytes it takes; `None` at the end.
pub(crate) fn first_char(raw: &[u8]) -> Option<(char, usize)> {
    match raw.first()? {
        b'\\' => escape(raw),
        byte @ 0..0x80 => Some((char::from(*byte), 1)),
        _ => {
            let head = raw.get(..4).unwrap_or(raw);
            let chunk = head.utf8_chunks().next()?;
            Some(match chunk.valid().chars().next() {
                Some(char) => (char, char.len_utf8()),
                None => (char::REPLACEMENT_CHARACTER, chunk.invalid().len().max(1)),
            })
        }
    }
}

/// The character of the escape at the start of `raw`, and how many bytes the escape takes.
fn escape(raw: &[u8]) -> Option<(char, usize)> {
    let char = match *raw.get(1..)?.first()? {
        byte @ (b'"' | b'\\' | b'/') => char::from(byte),
        b'n' => '\n',
        b't' => '\t',
        b'r' => '\r',
        b'b' => '\u{8}',
        b'f' => '\u{C}',
        b'u' => return Some(unicode(raw)),
        _ => return Some((char::REPLACEMENT_CHARACTER, 1)),
    };
    Some((char, 2))
}

#[inline]
fn unicode(raw: &[u8]) -> (char, usize) {
    let Some(code) = code_at(raw, 0).map(u32::from) else {
        return (char::REPLACEMENT_CHARACTER, 2);
    };
    if let (0xD800..=0xDBFF, Some(low @ 0xDC00..=0xDFFF)) = (code, code_at(raw, 6).map(u32::from)) {
        let pair = 0x1_0000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        return (char::from_u32(pair).unwrap_or(char::REPLACEMENT_CHARACTER), 12);
    }
    (char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), 6)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(raw: &[u8]) -> String {
        unescape_text(Cow::Borrowed(raw), true).into_owned()
    }

    #[test]
    fn escapes_are_read_as_by_serde_json() {
        let raw = r#"a\"\\\/\b\f\n\r\t\u0041\u00e9\u20AC\ud83D\uDe00z é€😀"#;
        let expected: String = serde_json::from_str(&format!("\"{raw}\"")).unwrap();
        assert_eq!(decoded(raw.as_bytes()), expected);
        let mut rest = raw.as_bytes();
        let mut chars = String::new();
        while let Some((char, used)) = first_char(rest) {
            chars.push(char);
            rest = &rest[used..];
        }
        assert_eq!(chars, expected);
    }

    #[test]
    fn invalid_text_becomes_the_replacement_character() {
        assert_eq!(decoded(br"a\ud83d"), "a\u{FFFD}");
        assert_eq!(decoded(br"\ud83d\n"), "\u{FFFD}\n");
        assert_eq!(decoded(br"\ud83d\ud83d\ude00\ude00"), "\u{FFFD}\u{1F600}\u{FFFD}");
        assert_eq!(decoded(b"a\xFFb\\n\xE2\x80"), "a\u{FFFD}b\n\u{FFFD}");
        assert_eq!(decoded(br"\q\u12"), "\u{FFFD}q\u{FFFD}12");
        assert_eq!(decoded(b"a\\"), "a");
        assert_eq!(first_char(b"\xFFa"), Some(('\u{FFFD}', 1)));
        assert_eq!(first_char(b"\xE2\x80\""), Some(('\u{FFFD}', 2)));
    }

    #[test]
    fn the_next_backslash_is_found_at_every_place() {
        for length in [0, 1, 8, 31, 32, 33, 70] {
            for place in 0..length {
                let mut raw = vec![b'\\' + 1; length];
                raw[place] = b'\\';
                for from in 0..length + 2 {
                    let expected = Some(place).filter(|place| *place >= from);
                    assert_eq!(next_backslash(&raw, from), expected, "{place} of {length}");
                }
            }
        }
    }

    #[test]
    fn plain_text_is_borrowed() {
        assert!(matches!(unescape_text(Cow::Borrowed(b"abc"), false), Cow::Borrowed("abc")));
        assert_eq!(unescape_text(Cow::Owned(b"a\xFF".to_vec()), false), "a\u{FFFD}");
    }
}
