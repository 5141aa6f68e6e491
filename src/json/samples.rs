//! Random JSON texts for tests, in every spelling and layout of the grammar.

use proptest::prelude::*;

use super::quote::{quote, quote_ascii};

fn blank() -> impl Strategy<Value = String> {
    prop_oneof![4 => Just(String::new()), 3 => Just(" ".into()), 1 => "[ \t\r\n]{1,6}"]
}

/// A quoted string, possibly with needless escapes.
fn string() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-z ]{0,12}",
        any::<String>().prop_map(|text| quote(&text)[1..].strip_suffix('"').unwrap().to_string()),
        any::<String>()
            .prop_map(|text| quote_ascii(&text)[1..].strip_suffix('"').unwrap().to_string()),
        proptest::sample::select(vec![
            "\\/",
            "\\u0041",
            "\\uD83D\\udE00",
            "\\u0000",
            "é",
            "\\\\",
            "\\\"",
            "\u{7f}",
            "\u{10FFFF}"
        ])
        .prop_map(String::from),
    ]
    // Separators are flaws, and this text must have none.
    .prop_map(|text| text.replace(['\u{2028}', '\u{2029}', '\u{85}'], "_"));
    proptest::collection::vec(piece, 0..5).prop_map(|pieces| format!("\"{}\"", pieces.concat()))
}

fn leaf() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => string(),
        1 => proptest::sample::select(vec!["true", "false", "null"]).prop_map(String::from),
        2 => "-?(0|[1-9][0-9]{0,6})(\\.[0-9]{1,4})?([eE][+-]?[0-9]{1,2})?",
    ]
}

/// A valid JSON document without flaws.
pub(super) fn document() -> impl Strategy<Value = String> {
    let value = leaf().prop_recursive(5, 60, 8, |inner| {
        let item = (blank(), inner.clone(), blank()).prop_map(|(a, b, c)| a + &b + &c);
        let key = prop_oneof![3 => "[a-c]{1,2}".prop_map(|key| quote(&key)), 1 => string()];
        let member = (blank(), key, blank(), blank(), inner, blank())
            .prop_map(|(a, key, b, c, value, d)| format!("{a}{key}{b}:{c}{value}{d}"));
        let list = |part: BoxedStrategy<String>| {
            prop_oneof![
                1 => blank().boxed(),
                6 => proptest::collection::vec(part, 1..8).prop_map(|parts| parts.join(",")).boxed(),
            ]
        };
        prop_oneof![
            list(item.boxed()).prop_map(|inside| format!("[{inside}]")),
            list(member.boxed()).prop_map(|inside| format!("{{{inside}}}")),
        ]
    });
    (blank(), value, blank()).prop_map(|(a, value, b)| a + &value + &b)
}

/// Bytes that resemble JSON: pieces of its grammar, cut and joined, with hostile bytes between
/// them.
pub(super) fn near_json() -> impl Strategy<Value = Vec<u8>> {
    const PIECES: &[&[u8]] = &[
        b"{",
        b"}",
        b"[",
        b"]",
        b":",
        b",",
        b"\"",
        b"\"a\"",
        b"\"a\":",
        b"1",
        b"0",
        b"01",
        b"-",
        b".",
        b"e",
        b"+",
        b"1.5e-3",
        b"1e999",
        b"true",
        b"false",
        b"null",
        b"tru",
        b"NaN",
        b"Infinity",
        b"-Infinity",
        b" ",
        b"\n",
        b"\r",
        b"\r\n",
        b"\t",
        b"\0",
        b"\x0b",
        b"\xef\xbb\xbf",
        b"\xff",
        b"\x80",
        b"\xe2\x80",
        b"\xe2\x80\xa8",
        b"\xc2\x85",
        b"\xf0\x9f\x98\x80",
        b"\xed\xa0\x80",
        b"\\",
        b"\\\"",
        b"\\n",
        b"\\u",
        b"\\u00",
        b"\\u0041",
        b"\\ud83d",
        b"\\ude00",
        b"\\ud83d\\ude00",
        b"\\x",
        b"u",
        b"DE00",
        b"text of some length, more than a block of it in any case, with nothing at all in it",
    ];
    // Pieces of grammar come up far more often than any byte: most random bytes fail at once.
    let piece = prop_oneof![
        12 => proptest::sample::select(PIECES).prop_map(<[u8]>::to_vec),
        1 => any::<u8>().prop_map(|byte| vec![byte]),
    ];
    let soup = proptest::collection::vec(piece.clone(), 0..24).prop_map(|pieces| pieces.concat());
    let damaged = (
        document(),
        proptest::collection::vec((any::<prop::sample::Index>(), piece), 0..4),
        any::<prop::sample::Index>(),
        any::<bool>(),
    )
        .prop_map(|(text, hits, end, torn)| {
            let mut bytes = text.into_bytes();
            for (at, piece) in hits {
                let at = at.index(bytes.len() + 1);
                bytes.splice(at..at, piece);
            }
            if torn {
                bytes.truncate(end.index(bytes.len() + 1));
            }
            bytes
        });
    let string = proptest::collection::vec(any::<prop::sample::Index>(), 0..12).prop_map(|picks| {
        let inside: Vec<u8> =
            picks.iter().flat_map(|pick| PIECES[pick.index(PIECES.len())]).copied().collect();
        [b"[\"", inside.as_slice(), b"\"]"].concat()
    });
    prop_oneof![soup, damaged, string]
}
