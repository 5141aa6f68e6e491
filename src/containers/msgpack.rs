//! MessagePack values as JSON, written in one pass over the bytes.
//!
//! Nothing is built from a value, and no length in it is trusted: what it announces must be there. So memory grows with the bytes.

pub(crate) mod write;

use crate::json::quote::quote;

/// Most levels of a value, with those in its extensions.
const LEVELS: u32 = 200;

/// How an extension with unknown content begins in JSON. These bytes cannot occur inside a string, where quotes are escaped.
pub(crate) const UNKNOWN: &str = "{\"__unknown_extension__\":";

/// Finds the value inside an extension, which is written in its place.
pub(crate) type InsideExtension = fn(code: i8, payload: &[u8]) -> Option<&[u8]>;

/// A value, or the start of a list or map, whose values follow.
enum Head<'b> {
    Nil,
    Bool(bool),
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    Text(&'b [u8]),
    Bytes(&'b [u8]),
    List(usize),
    Map(usize),
    Extension(i8, &'b [u8]),
}

/// The value as JSON on one line. `None`: the bytes are not one whole value, or it is too deep.
pub(crate) fn to_json(bytes: &[u8], inside: InsideExtension) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(bytes.len() * 5 / 4);
    let rest = write(bytes, inside, LEVELS, &mut out)?;
    rest.is_empty().then_some(out)
}

/// The values of a list; `None`: it is none.
pub(crate) fn items(bytes: &[u8]) -> Option<Vec<&[u8]>> {
    let (Head::List(count), mut rest) = head(bytes)? else {
        return None;
    };
    let mut items = Vec::new();
    for _ in 0..count {
        let after = skip(rest)?;
        items.push(rest.get(..rest.len() - after.len())?);
        rest = after;
    }
    Some(items)
}

/// What follows a value.
fn skip(bytes: &[u8]) -> Option<&[u8]> {
    let (mut rest, mut left) = (bytes, 1_usize);
    while left > 0 {
        let (value, after) = head(rest)?;
        let own = match value {
            Head::List(count) => count,
            Head::Map(count) => count.checked_mul(2)?,
            _ => 0,
        };
        left = (left - 1).checked_add(own)?;
        rest = after;
    }
    Some(rest)
}

fn write<'b>(
    bytes: &'b [u8],
    inside: InsideExtension,
    levels: u32,
    out: &mut Vec<u8>,
) -> Option<&'b [u8]> {
    let levels = levels.checked_sub(1)?;
    let (value, mut rest) = head(bytes)?;
    let leaf = match value {
        Head::Nil => "null".to_owned(),
        Head::Bool(is) => is.to_string(),
        Head::Unsigned(number) => number.to_string(),
        Head::Signed(number) => number.to_string(),
        // Not a number has no JSON.
        Head::Float(number) => serde_json::to_string(&number).ok()?,
        Head::Text(bytes) => quote(&String::from_utf8_lossy(bytes)),
        Head::Bytes(bytes) => quote(&base64_simd::STANDARD.encode_to_string(bytes)),
        Head::Extension(code, payload) => match inside(code, payload) {
            Some(own) => {
                return write(own, inside, levels, out)?.is_empty().then_some(rest);
            }
            None => format!("{UNKNOWN}{code}}}"),
        },
        Head::List(count) => {
            out.push(b'[');
            for at in 0..count {
                out.extend((at > 0).then_some(b','));
                rest = write(rest, inside, levels, out)?;
            }
            "]".to_owned()
        }
        Head::Map(count) => {
            out.push(b'{');
            for at in 0..count {
                out.extend((at > 0).then_some(b','));
                rest = key(rest, inside, levels, out)?;
                out.push(b':');
                rest = write(rest, inside, levels, out)?;
            }
            "}".to_owned()
        }
    };
    out.extend(leaf.into_bytes());
    Some(rest)
}

/// A key, which may be any value here, and is a text in JSON.
fn key<'b>(
    bytes: &'b [u8],
    inside: InsideExtension,
    levels: u32,
    out: &mut Vec<u8>,
) -> Option<&'b [u8]> {
    let mut own = Vec::new();
    let rest = write(bytes, inside, levels, &mut own)?;
    match own.first() {
        Some(b'"') => out.extend(own),
        _ => out.extend(quote(&String::from_utf8_lossy(&own)).into_bytes()),
    }
    Some(rest)
}

/// The first value, and what follows its head.
fn head(bytes: &[u8]) -> Option<(Head<'_>, &[u8])> {
    let (first, rest) = bytes.split_first()?;
    let fixed = |head| Some((head, rest));
    match first {
        0x00..=0x7F => fixed(Head::Unsigned(u64::from(*first))),
        0x80..=0x8F => fixed(Head::Map(usize::from(first & 0x0F))),
        0x90..=0x9F => fixed(Head::List(usize::from(first & 0x0F))),
        0xA0..=0xBF => text((usize::from(first & 0x1F), rest)),
        0xC0 => fixed(Head::Nil),
        0xC1 => None,
        0xC2 | 0xC3 => fixed(Head::Bool(*first == 0xC3)),
        0xC4..=0xC6 => raw(length(rest, first - 0xC4)?),
        0xC7..=0xC9 => extension(length(rest, first - 0xC7)?),
        0xCA => {
            let (four, rest) = rest.split_first_chunk::<4>()?;
            Some((Head::Float(f64::from(f32::from_be_bytes(*four))), rest))
        }
        0xCB => {
            let (eight, rest) = rest.split_first_chunk::<8>()?;
            Some((Head::Float(f64::from_be_bytes(*eight)), rest))
        }
        0xCC..=0xCF => number(rest, first - 0xCC).map(|(own, rest)| (Head::Unsigned(own), rest)),
        0xD0..=0xD3 => {
            let width = 1 << (first - 0xD0);
            let (own, rest) = number(rest, first - 0xD0)?;
            // The sign bit of a shorter number comes to the top, and from there fills it up.
            let shift = 64 - 8 * width;
            Some((Head::Signed((own << shift).cast_signed() >> shift), rest))
        }
        0xD4..=0xD8 => extension((1 << (first - 0xD4), rest)),
        0xD9..=0xDB => text(length(rest, first - 0xD9)?),
        0xDC | 0xDD => length(rest, first - 0xDB).map(|(own, rest)| (Head::List(own), rest)),
        0xDE | 0xDF => length(rest, first - 0xDD).map(|(own, rest)| (Head::Map(own), rest)),
        0xE0..=0xFF => fixed(Head::Signed(i64::from(first.cast_signed()))),
    }
}

fn text((length, rest): (usize, &[u8])) -> Option<(Head<'_>, &[u8])> {
    let (bytes, rest) = take(rest, length)?;
    Some((Head::Text(bytes), rest))
}

fn raw((length, rest): (usize, &[u8])) -> Option<(Head<'_>, &[u8])> {
    let (bytes, rest) = take(rest, length)?;
    Some((Head::Bytes(bytes), rest))
}

fn take(bytes: &[u8], length: usize) -> Option<(&[u8], &[u8])> {
    bytes.split_at_checked(length)
}

/// A big-endian number of `1 << power` bytes.
fn number(bytes: &[u8], power: u8) -> Option<(u64, &[u8])> {
    let (own, rest) = take(bytes, 1 << power)?;
    let number = own.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
    Some((number, rest))
}

fn length(bytes: &[u8], power: u8) -> Option<(usize, &[u8])> {
    let (own, rest) = number(bytes, power)?;
    Some((usize::try_from(own).ok()?, rest))
}

fn extension((length, rest): (usize, &[u8])) -> Option<(Head<'_>, &[u8])> {
    let (code, rest) = rest.split_first()?;
    let (payload, rest) = take(rest, length)?;
    Some((Head::Extension(code.cast_signed(), payload), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(bytes: &[u8]) -> Option<String> {
        let own = to_json(bytes, |code, payload| (code == 7).then_some(payload))?;
        serde_json::from_slice::<serde_json::Value>(&own).unwrap();
        String::from_utf8(own).ok()
    }

    #[test]
    fn each_kind_of_value_is_read() {
        for (bytes, expected) in [
            (&b"\x7f"[..], "127"),
            (b"\xe0", "-32"),
            (b"\xff", "-1"),
            (b"\xc0", "null"),
            (b"\xc3", "true"),
            (b"\xcc\xff", "255"),
            (b"\xcd\x01\x00", "256"),
            (b"\xcf\xff\xff\xff\xff\xff\xff\xff\xff", "18446744073709551615"),
            (b"\xd0\x80", "-128"),
            (b"\xd1\xff\x00", "-256"),
            (b"\xd2\x80\x00\x00\x00", "-2147483648"),
            (b"\xd3\x80\0\0\0\0\0\0\0", "-9223372036854775808"),
            (b"\xca\x3f\x80\0\0", "1.0"),
            (b"\xcb\x7f\xf8\0\0\0\0\0\0", "null"),
            (b"\xa3a\"b", "\"a\\\"b\""),
            (b"\xd9\x01\xff", "\"\u{fffd}\""),
            (b"\xda\x00\x01a", "\"a\""),
            (b"\xdb\0\0\0\x01a", "\"a\""),
            (b"\xc4\x01\0", "\"AA==\""),
            (b"\x92\x01\x90", "[1,[]]"),
            (b"\xdc\x00\x01\x01", "[1]"),
            (b"\xdd\0\0\0\x01\x01", "[1]"),
            (b"\x82\xa1a\x01\x02\x80", "{\"a\":1,\"2\":{}}"),
            (b"\xde\x00\x01\xa1a\xc0", "{\"a\":null}"),
            (b"\xc7\x02\x07\x91\x01", "[1]"),
            (b"\xd4\x07\x05", "5"),
            (b"\xd5\x09\x00\x00", "{\"__unknown_extension__\":9}"),
        ] {
            assert_eq!(json(bytes).as_deref(), Some(expected), "{bytes:x?}");
            for end in 0..bytes.len() {
                assert_eq!(json(&bytes[..end]), None, "{:x?}", &bytes[..end]);
            }
        }
    }

    #[test]
    fn no_length_or_depth_is_trusted() {
        for bytes in [
            &b"\xdd\xff\xff\xff\xff"[..],
            b"\xdf\xff\xff\xff\xff",
            b"\xdb\xff\xff\xff\xff",
            b"\xc9\xff\xff\xff\xff\x07",
            b"\xc1",
            b"\x01\x01",
            b"\xc7\x02\x07\x01\x01",
        ] {
            assert_eq!(json(bytes), None, "{bytes:x?}");
            assert_eq!(items(bytes), None);
        }
        let deep = |levels: usize| [vec![0x91; levels], vec![0x90]].concat();
        assert!(json(&deep(100)).is_some() && json(&deep(100_000)).is_none());
        assert_eq!(items(&deep(100_000)).map(|items| items.len()), Some(1));
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_read_without_a_panic(bytes: Vec<u8>) {
            let _ = (json(&bytes), items(&bytes));
        }
    }
}
