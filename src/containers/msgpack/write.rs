//! MessagePack values, made of others.

use super::{Head, head, skip};
use crate::json::node::Node;
use crate::json::tape::Kind;

/// The members of a map whose keys are texts; `None`: it is another value.
pub(crate) fn members(bytes: &[u8]) -> Option<Vec<(String, &[u8])>> {
    let (Head::Map(count), mut rest) = head(bytes)? else {
        return None;
    };
    let mut members = Vec::new();
    for _ in 0..count {
        let (Head::Text(key), value) = head(rest)? else {
            return None;
        };
        rest = skip(value)?;
        let key = std::str::from_utf8(key).ok()?.to_owned();
        members.push((key, value.get(..value.len() - rest.len())?));
    }
    rest.is_empty().then_some(members)
}

/// The code and the content of an extension; `None`: it is another value.
pub(crate) fn extension_of(bytes: &[u8]) -> Option<(i8, &[u8])> {
    match head(bytes)? {
        (Head::Extension(code, payload), []) => Some((code, payload)),
        _ => None,
    }
}

/// A text; `None`: it is another value.
pub(crate) fn text_of(bytes: &[u8]) -> Option<&str> {
    match head(bytes)? {
        (Head::Text(text), []) => std::str::from_utf8(text).ok(),
        _ => None,
    }
}

/// A map of these values.
pub(crate) fn map<'v>(members: impl ExactSizeIterator<Item = (&'v str, &'v [u8])>) -> Vec<u8> {
    let mut out = sized(members.len(), Some((0x80, 16)), [None, Some(0xDE), Some(0xDF)]);
    for (key, value) in members {
        out.extend(text(key));
        out.extend(value);
    }
    out
}

/// A list of these values.
pub(crate) fn list(items: &[Vec<u8>]) -> Vec<u8> {
    let mut out = sized(items.len(), Some((0x90, 16)), [None, Some(0xDC), Some(0xDD)]);
    out.extend(items.iter().flatten());
    out
}

pub(crate) fn text(text: &str) -> Vec<u8> {
    let mut out = sized(text.len(), Some((0xA0, 32)), [Some(0xD9), Some(0xDA), Some(0xDB)]);
    out.extend(text.as_bytes());
    out
}

/// An extension with this content.
pub(crate) fn extension(code: i8, payload: &[u8]) -> Vec<u8> {
    let mut out = match payload.len() {
        1 => vec![0xD4],
        2 => vec![0xD5],
        4 => vec![0xD6],
        8 => vec![0xD7],
        16 => vec![0xD8],
        length => sized(length, None, [Some(0xC7), Some(0xC8), Some(0xC9)]),
    };
    out.push(code.cast_unsigned());
    out.extend(payload);
    out
}

/// A JSON value; `None`: it is cut off, or has a number that MessagePack has not.
pub(crate) fn of_json(value: Node<'_>) -> Option<Vec<u8>> {
    match value.kind() {
        Kind::Null => Some(vec![0xC0]),
        Kind::True => Some(vec![0xC3]),
        Kind::False => Some(vec![0xC2]),
        Kind::String => Some(text(&value.str()?)),
        Kind::Number => match (value.as_u64(), value.as_i64()) {
            (Some(number), _) => Some(unsigned(number)),
            (None, Some(number)) => Some(negative(number)),
            (None, None) => {
                let number: f64 = std::str::from_utf8(&value.raw()).ok()?.parse().ok()?;
                Some([&[0xCB], &number.to_be_bytes()[..]].concat())
            }
        },
        Kind::Array => {
            let items: Option<Vec<Vec<u8>>> = value.items().map(of_json).collect();
            Some(list(&items?))
        }
        Kind::Object => {
            let members = value.members().map(|(key, value)| Some((key.str()?, of_json(value)?)));
            let members: Vec<_> = members.collect::<Option<_>>()?;
            Some(map(members.iter().map(|(key, value)| (&**key, &value[..]))))
        }
    }
}

fn unsigned(number: u64) -> Vec<u8> {
    let bytes = number.to_be_bytes();
    match number {
        0..=0x7F => bytes[7..].to_vec(),
        0x80..=0xFF => [&[0xCC], &bytes[7..]].concat(),
        0x100..=0xFFFF => [&[0xCD], &bytes[6..]].concat(),
        0x1_0000..=0xFFFF_FFFF => [&[0xCE], &bytes[4..]].concat(),
        _ => [&[0xCF], &bytes[..]].concat(),
    }
}

fn negative(number: i64) -> Vec<u8> {
    let bytes = number.to_be_bytes();
    match number {
        -32.. => bytes[7..].to_vec(),
        -0x80.. => [&[0xD0], &bytes[7..]].concat(),
        -0x8000.. => [&[0xD1], &bytes[6..]].concat(),
        -0x8000_0000.. => [&[0xD2], &bytes[4..]].concat(),
        _ => [&[0xD3], &bytes[..]].concat(),
    }
}

/// The head of a value of this length: short, or followed by one, two or four bytes.
fn sized(length: usize, short: Option<(u8, usize)>, long: [Option<u8>; 3]) -> Vec<u8> {
    if let Some((first, most)) = short
        && length < most
    {
        return vec![first | length as u8];
    }
    let bytes = (length as u32).to_be_bytes();
    match long {
        [Some(first), ..] if length < 0x100 => [&[first], &bytes[3..]].concat(),
        [_, Some(first), _] if length < 0x1_0000 => [&[first], &bytes[2..]].concat(),
        [.., last] => [&[last.unwrap_or_default()], &bytes[..]].concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::containers::msgpack::to_json;
    use crate::json::record::Record;

    #[test]
    fn json_comes_back() {
        let long = format!("[\"{}\",{{}},[{}]]", "a".repeat(300), vec!["0"; 20].join(","));
        for json in [
            "null",
            "[true,false]",
            "[0,127,128,255,256,65535,65536,4294967295,4294967296,18446744073709551615]",
            "[-1,-32,-33,-128,-129,-32768,-32769,-2147483648,-2147483649]",
            "[1.5,\"\",\"é\"]",
            "{\"a\":{\"b\":[]}}",
            &long,
        ] {
            let record = Record::parse(json.as_bytes().to_vec()).unwrap();
            let bytes = of_json(record.root()).unwrap();
            let back = to_json(&bytes, |_, _| None).unwrap();
            assert_eq!(String::from_utf8(back).unwrap(), json);
        }
    }

    #[test]
    fn extensions_come_back() {
        for length in [0, 1, 2, 3, 16, 17, 300, 70_000] {
            let payload = vec![0xC0; length];
            assert_eq!(extension_of(&extension(5, &payload)), Some((5, &payload[..])));
        }
        let made = map([("a", &text("b")[..])].into_iter());
        assert_eq!(members(&made), Some(vec![("a".to_owned(), &b"\xa1b"[..])]));
        assert_eq!(text_of(&text("b")), Some("b"));
    }
}
