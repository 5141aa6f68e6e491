//! The scanner compared with serde_json and with itself in pieces, and on input that no writer
//! should produce.

use proptest::prelude::*;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::skip::tests::levels;
use super::*;
use crate::json::node::Node;
use crate::json::samples::{document, near_json};
use crate::json::tape::{Flaw, FlawKind, Kind, MAX_DEPTH, MAX_TOKENS, Token};

/// Feeds pieces of the given sizes, repeated, up to the end of the record. Also returns how much
/// was consumed.
fn in_pieces(bytes: &[u8], mode: ScanMode, sizes: &[usize]) -> (Tape, Option<usize>) {
    in_pieces_by(Scanner::new(mode), bytes, sizes)
}

fn in_pieces_by(mut scanner: Scanner, bytes: &[u8], sizes: &[usize]) -> (Tape, Option<usize>) {
    let (mut tape, mut done) = (Tape::default(), 0);
    scanner.start(&mut tape);
    for &size in sizes.iter().cycle() {
        let piece = &bytes[done..bytes.len().min(done + size.max(1))];
        if let Some(used) = scanner.feed(piece, &mut tape) {
            return (tape, Some(done + used));
        }
        done += piece.len();
        if done == bytes.len() {
            break;
        }
    }
    scanner.finish(&mut tape);
    (tape, None)
}

fn check_pieces(bytes: &[u8], sizes: &[usize]) {
    for mode in [ScanMode::Line, ScanMode::Document] {
        let whole = in_pieces(bytes, mode, &[usize::MAX / 2]);
        assert_eq!(
            in_pieces(bytes, mode, &[1]),
            whole,
            "{mode:?} bytewise: {}",
            bytes.escape_ascii()
        );
        assert_eq!(
            in_pieces(bytes, mode, sizes),
            whole,
            "{mode:?} {sizes:?}: {}",
            bytes.escape_ascii()
        );
        assert_eq!(scan(bytes, mode), whole.0);
        for level in levels() {
            let scanner = Scanner { level, ..Scanner::new(mode) };
            let by_level = in_pieces_by(scanner, bytes, &[usize::MAX / 2]);
            assert_eq!(by_level, whole, "{mode:?} {level:?}: {}", bytes.escape_ascii());
        }
        if mode == ScanMode::Line {
            assert_eq!(whole.1, bytes.iter().position(|&byte| byte == b'\n'));
        }
        let line = whole.1.filter(|_| mode == ScanMode::Line);
        check_tape(&whole.0, line.unwrap_or(bytes.len()));
    }
}

/// Invariants of every tape.
fn check_tape(tape: &Tape, length: usize) {
    let mut ends: Vec<&Token> = Vec::new();
    for (at, token) in tape.tokens.iter().enumerate() {
        while ends.last().is_some_and(|parent| parent.next as usize <= at) {
            ends.pop();
        }
        assert!(token.start < token.end && token.end as usize <= length, "{token:?} {tape:?}");
        assert!(token.next as usize > at && token.next as usize <= tape.tokens.len());
        if let Some(parent) = ends.last() {
            assert!(
                parent.start < token.start && token.end <= parent.end && token.next <= parent.next,
                "{tape:?}"
            );
            assert!(parent.flags.has(Flags::OPEN) || !token.flags.has(Flags::OPEN));
        }
        let flawed =
            tape.flaws.iter().any(|flaw| token.start <= flaw.start && flaw.end <= token.end);
        assert_eq!(token.flags.has(Flags::FLAWED), flawed, "{token:?} {tape:?}");
        if matches!(token.kind, Kind::Object | Kind::Array) {
            ends.push(token);
        } else {
            assert_eq!(token.next as usize, at + 1);
        }
    }
    assert!(tape.flaws.is_sorted_by_key(|flaw| flaw.start));
    let open = tape.tokens.iter().any(|token| token.flags.has(Flags::OPEN));
    match tape.end {
        RecordEnd::Whole | RecordEnd::Trailing { .. } => assert!(!open && !tape.tokens.is_empty()),
        RecordEnd::Empty => assert!(tape.tokens.is_empty()),
        RecordEnd::Torn => assert!(open),
        RecordEnd::Bad { at } | RecordEnd::TooDeep { at } => assert!((at as usize) < length.max(1)),
        RecordEnd::TooLong => {}
    }
}

fn check_value(node: Node<'_>, value: &Value) {
    match value {
        Value::Object(map) => {
            assert_eq!(node.kind(), Kind::Object);
            for (key, value) in map {
                check_value(node.get(key).unwrap(), value);
            }
            for (key, _) in node.members() {
                assert!(map.contains_key(&*key.str().unwrap()));
            }
        }
        Value::Array(list) => {
            assert_eq!(node.kind(), Kind::Array);
            assert_eq!(node.items().count(), list.len());
            node.items().zip(list).for_each(|(item, value)| check_value(item, value));
        }
        Value::String(text) => assert_eq!(node.str().unwrap(), text.as_str()),
        Value::Number(_) => {
            assert_eq!(node.kind(), Kind::Number);
            assert_eq!(&serde_json::from_slice::<Value>(&node.raw()).unwrap(), value);
            assert_eq!(node.as_u64(), value.as_u64().filter(|_| node.as_u64().is_some()));
        }
        Value::Bool(bool) => assert_eq!(node.as_bool(), Some(*bool)),
        Value::Null => assert!(node.is_null()),
    }
}

proptest! {
    #[test]
    fn valid_json_has_the_structure_that_serde_json_reads(text in document()) {
        let tape = scan(text.as_bytes(), ScanMode::Document);
        prop_assert_eq!(tape.end, RecordEnd::Whole);
        prop_assert_eq!(&tape.flaws, &[]);
        let bytes = text.as_bytes();
        check_value(Node::root(&tape, &bytes).unwrap(), &serde_json::from_str(&text).unwrap());
    }

    #[test]
    fn any_pieces_give_the_same_tape(bytes in near_json(), sizes in proptest::collection::vec(1usize..20, 1..6)) {
        check_pieces(&bytes, &sizes);
    }

    #[test]
    fn whole_is_what_serde_json_accepts(bytes in near_json()) {
        let tape = scan(&bytes, ScanMode::Document);
        let stricter = |flaw: &Flaw| matches!(flaw.kind, FlawKind::RawControl | FlawKind::NonFinite);
        let ours = tape.end == RecordEnd::Whole && !tape.flaws.iter().any(stricter);
        // serde_json skips strings that are not UTF-8, and lone surrogates, as we do.
        let theirs = serde_json::from_slice::<IgnoredAny>(&bytes).is_ok();
        prop_assert_eq!(ours, theirs, "{:?} {}", tape, bytes.escape_ascii());
        if !ours {
            return Ok(());
        }
        for token in tape.tokens.iter().filter(|token| token.kind == Kind::String) {
            let raw = &bytes[token.start as usize..token.end as usize];
            let decodes = serde_json::from_slice::<String>(raw).is_ok();
            let broken = tape.flaws.iter().any(|flaw| {
                flaw.kind != FlawKind::RawSeparator && token.start < flaw.start && flaw.end < token.end
            });
            prop_assert_eq!(decodes, !broken, "{}", raw.escape_ascii());
        }
    }
}

/// Kinds and ranges in readable form: `{0..7 "1..4 15..6`.
fn sketch(bytes: &[u8], mode: ScanMode) -> (String, RecordEnd) {
    let tape = scan(bytes, mode);
    let words = tape.tokens.iter().map(|token| {
        let kind = match token.kind {
            Kind::Object => "{",
            Kind::Array => "[",
            Kind::String if token.flags.has(Flags::KEY) => "k",
            Kind::String => "s",
            Kind::Number => "n",
            Kind::True | Kind::False | Kind::Null => "w",
        };
        let open = if token.flags.has(Flags::OPEN) { "?" } else { "" };
        format!("{kind}{}..{}{open}", token.start, token.end)
    });
    (words.collect::<Vec<_>>().join(" "), tape.end)
}

#[test]
fn tokens_have_the_ranges_of_their_bytes() {
    let line = br#" {"a":[1, -2.5e3],"b\n":{},"c":"x"} "#;
    assert_eq!(
        sketch(line, ScanMode::Line),
        (
            "{1..36 k2..5 [6..17 n7..8 n10..16 k18..23 {24..26 k27..30 s31..34"
                .replace("1..36", "1..35"),
            RecordEnd::Whole
        )
    );
    let tape = scan(line, ScanMode::Line);
    assert_eq!(
        tape.tokens.iter().map(|token| token.next).collect::<Vec<_>>(),
        [9, 2, 5, 4, 5, 6, 7, 8, 9]
    );
    assert!(tape.tokens[5].flags.has(Flags::KEY.with(Flags::ESCAPED)));
}

#[test]
fn ends_are_recognized() {
    use RecordEnd::*;
    let cases: &[(&[u8], RecordEnd)] = &[
        (b"", Empty),
        (b" \t\r", Empty),
        (b"\r\n{}", Empty),
        (b"1", Whole),
        (b"{}\r\n", Whole),
        (b"{}\n{}", Whole),
        (b"1e999", Whole),
        (br#"{"a":1,"a":2}"#, Whole),
        (b"{}{}\n", Trailing { at: 2 }),
        (b"12{}", Trailing { at: 2 }),
        (b"{} x", Trailing { at: 3 }),
        (b"{}\0\0", Trailing { at: 2 }),
        (b"[1,\n2]", Torn),
        (b"[\"a\nb\"]", Torn),
        (b"-\r\n", Torn),
        (b"1.", Torn),
        (b"1e+", Torn),
        (b"tru\n", Torn),
        (b"\"\\", Torn),
        (b"\"\\u12\r\n", Torn),
        (b"[12\n", Torn),
        (b"[12\r,3]", Whole),
        (b"01", Bad { at: 1 }),
        (b"-01", Bad { at: 2 }),
        (b"1.x", Bad { at: 2 }),
        (b"1.2.3", Bad { at: 3 }),
        (b"+1", Bad { at: 0 }),
        (b".5", Bad { at: 0 }),
        (b"1.\rx", Bad { at: 2 }),
        (b"[1,]", Bad { at: 3 }),
        (b"{\"a\":1,}", Bad { at: 7 }),
        (b"{\"a\" 1}", Bad { at: 5 }),
        (b"{1:2}", Bad { at: 1 }),
        (b"[1}", Bad { at: 2 }),
        (b"{]", Bad { at: 1 }),
        (b"]", Bad { at: 0 }),
        (b"trux", Bad { at: 3 }),
        (b"nul l", Bad { at: 3 }),
        (b"True", Bad { at: 0 }),
        (b"'a'", Bad { at: 0 }),
        (b"\"\\x\"", Bad { at: 2 }),
        (b"\"\\u12G4\"", Bad { at: 5 }),
        (b"\"\\\t\"", Bad { at: 2 }),
        (b"\0", Bad { at: 0 }),
        (b"{\0}", Bad { at: 1 }),
        (b"\xEF\xBB\xBF{}", Bad { at: 0 }),
        (b"[\xFF]", Bad { at: 1 }),
        (b"[1,\x0b2]", Bad { at: 3 }),
        (b"-Infinite", Bad { at: 8 }),
    ];
    for (bytes, end) in cases {
        assert_eq!(scan(bytes, ScanMode::Line).end, *end, "{}", bytes.escape_ascii());
        check_pieces(bytes, &[2, 1, 3]);
    }
    assert_eq!(scan(b"[1,\n2]\n \r\n", ScanMode::Document).end, Whole);
    assert_eq!(scan(b"{}\n{}", ScanMode::Document).end, Trailing { at: 3 });
}

#[test]
fn flaws_are_listed_and_do_not_stop_the_reading() {
    use FlawKind::*;
    type Place = (FlawKind, u32, u32);
    let cases: &[(&[u8], &[Place])] = &[
        (br#""\ud83d""#, &[(LoneSurrogate, 1, 7)]),
        (br#""\ude00\ud83d\ude00""#, &[(LoneSurrogate, 1, 7)]),
        (br#""\ud83d\ud83d\ude00\n\ud83dx""#, &[(LoneSurrogate, 1, 7), (LoneSurrogate, 21, 27)]),
        (br#""\ud83d\n\uD83D\u0041""#, &[(LoneSurrogate, 1, 7), (LoneSurrogate, 9, 15)]),
        (b"\"a\xFF\xFE\x80b\xE2\x80\"", &[(InvalidUtf8, 2, 5), (InvalidUtf8, 6, 8)]),
        (b"\"\xED\xA0\x80\xC3\xA9\xF5\"", &[(InvalidUtf8, 1, 4), (InvalidUtf8, 6, 7)]),
        (b"\"\t\x00\rx\"", &[(RawControl, 1, 2), (RawControl, 2, 3), (RawControl, 3, 4)]),
        (
            "\"\u{2028}a\u{2029}\u{85}\u{202a}\"".as_bytes(),
            &[(RawSeparator, 1, 4), (RawSeparator, 5, 8), (RawSeparator, 8, 10)],
        ),
        (
            b"[NaN,-Infinity,Infinity]",
            &[(NonFinite, 1, 4), (NonFinite, 5, 14), (NonFinite, 15, 23)],
        ),
        (b"{\"\xFF\":1}", &[(InvalidUtf8, 2, 3)]),
    ];
    for (bytes, flaws) in cases {
        let tape = scan(bytes, ScanMode::Line);
        let found: Vec<_> =
            tape.flaws.iter().map(|flaw| (flaw.kind, flaw.start, flaw.end)).collect();
        assert_eq!(found, *flaws, "{}", bytes.escape_ascii());
        assert_eq!(tape.end, RecordEnd::Whole);
        assert!(tape.tokens[0].flags.has(Flags::FLAWED));
        check_pieces(bytes, &[3, 2]);
    }
    assert_eq!(
        scan(b"\"a\nb\"", ScanMode::Document).flaws,
        [Flaw { kind: RawControl, start: 2, end: 3 }]
    );
    let tape = scan(b"[\"\xFF\",1,{}]", ScanMode::Line);
    assert_eq!(
        tape.tokens.iter().map(|token| token.flags.has(Flags::FLAWED)).collect::<Vec<_>>(),
        [true, true, false, false]
    );
}

#[test]
fn a_truncated_record_keeps_its_complete_members_and_the_open_path() {
    let torn = |text: &str| sketch(text.as_bytes(), ScanMode::Line);
    assert_eq!(
        torn(r#"{"a":1,"b":["x", "#),
        ("{0..16? k1..4 n5..6 k7..10 [11..16? s12..15".into(), RecordEnd::Torn)
    );
    assert_eq!(torn("{\"a\":\"x \r\n"), ("{0..8? k1..4 s5..8?".into(), RecordEnd::Torn));
    assert_eq!(torn(r#"{"a":1"#), ("{0..6? k1..4 n5..6?".into(), RecordEnd::Torn));
    assert_eq!(torn("[1,2 \r\n"), ("[0..4? n1..2 n3..4".into(), RecordEnd::Torn));
    assert_eq!(torn("[1,2\r\n"), ("[0..4? n1..2 n3..4?".into(), RecordEnd::Torn));
    assert_eq!(torn("[tr"), ("[0..3? w1..3?".into(), RecordEnd::Torn));
    assert_eq!(torn(r#"{"a"#), ("{0..3? k1..3?".into(), RecordEnd::Torn));
    assert_eq!(
        torn(r#"["a",{"b":"\q"}]"#),
        ("[0..12? s1..4 {5..12? k6..9 s10..12?".into(), RecordEnd::Bad { at: 12 })
    );
    let sample = br#" {"a":[1,-2.5e3,true,null,"x\u0041\ud83d\ude00\n",{"k":{}}],"b":"\xe9", "c":[[],"z"]} "#;
    for end in 0..sample.len() {
        check_pieces(&sample[..end], &[5]);
        check_pieces(&[&sample[..end], b"\r\nnext"].concat(), &[7]);
    }
}

#[test]
fn tokens_below_the_recorded_depth_are_checked() {
    let text = br#"{"a":[1,{"b":"\ud800"}],"c":"d"}"#;
    let skim = |depth: usize, bytes: &[u8]| {
        let (mut tape, mut scanner) =
            (Tape::default(), Scanner::new(ScanMode::Document).keep_depth(depth));
        if scanner.feed(bytes, &mut tape).is_none() {
            scanner.finish(&mut tape);
        }
        tape
    };
    assert_eq!(skim(9, text), scan(text, ScanMode::Document));
    let tape = skim(1, text);
    assert_eq!(
        tape.tokens.iter().map(|token| (token.start, token.end, token.next)).collect::<Vec<_>>(),
        [(0, 32, 5), (1, 4, 2), (5, 23, 3), (24, 27, 4), (28, 31, 5)]
    );
    assert!(tape.tokens[2].flags.has(Flags::FLAWED) && !tape.tokens[4].flags.has(Flags::FLAWED));
    assert_eq!(skim(0, text).tokens.len(), 1);
    assert_eq!(skim(0, b"[[1,]]").end, RecordEnd::Bad { at: 4 });
    let torn = skim(0, b"[[tru");
    assert_eq!((torn.tokens.len(), torn.end), (1, RecordEnd::Torn));
}

#[test]
fn depth_and_number_of_tokens_are_bounded() {
    let most = [vec![b'['; MAX_DEPTH], vec![b']'; MAX_DEPTH]].concat();
    assert_eq!(scan(&most, ScanMode::Line).end, RecordEnd::Whole);
    let depth = u32::try_from(MAX_DEPTH).unwrap();
    for bracket in [&b"["[..], b"{\"\":", b"[[{\"a\":["] {
        let deep = bracket.repeat(1_000_000 / bracket.len());
        let tape = scan(&deep, ScanMode::Document);
        assert!(matches!(tape.end, RecordEnd::TooDeep { at } if at >= depth));
        assert!(
            tape.tokens
                .iter()
                .filter(|token| token.kind != Kind::String)
                .all(|token| token.flags.has(Flags::OPEN))
        );
    }
    let (mut tape, mut scanner) = (Tape::default(), Scanner::new(ScanMode::Line));
    let wide = [b"[".to_vec(), b"1,".repeat(MAX_TOKENS), b"\nx".to_vec()].concat();
    assert_eq!(scanner.feed(&wide, &mut tape), Some(wide.len() - 2));
    assert_eq!((tape.end, tape.tokens.len()), (RecordEnd::TooLong, MAX_TOKENS));
}

#[test]
fn a_long_string_is_one_token() {
    let long = [b"\"".to_vec(), b"0123456789abcde\\n".repeat(600_000), b"\"".to_vec()].concat();
    let tape = scan(&long, ScanMode::Line);
    assert_eq!(
        (tape.end, tape.tokens.len(), tape.tokens[0].end as usize),
        (RecordEnd::Whole, 1, long.len())
    );
}

#[test]
fn offsets_fit_into_32_bits() {
    for (mode, bytes) in
        [(ScanMode::Line, &b"abcdefgh\nx"[..]), (ScanMode::Document, b"abcdefgh\nx")]
    {
        let (mut tape, mut scanner) = (Tape::default(), Scanner::new(mode));
        assert_eq!(scanner.feed(b"[\"", &mut tape), None);
        scanner.base = u32::MAX - 6;
        // Six more bytes fit. Then a line is skipped up to its end, and a document is abandoned.
        assert_eq!(
            scanner.feed(bytes, &mut tape),
            Some(if mode == ScanMode::Line { 8 } else { 6 })
        );
        assert_eq!(tape.end, RecordEnd::TooLong);
        assert!(tape.tokens[0].flags.has(Flags::OPEN));
    }
    let (mut tape, mut scanner) = (Tape::default(), Scanner::new(ScanMode::Line));
    assert_eq!(scanner.feed(b"[", &mut tape), None);
    scanner.base = u32::MAX - 6;
    assert_eq!(scanner.feed(b"12345]\n", &mut tape), Some(6));
    assert_eq!((tape.end, tape.tokens[0].end), (RecordEnd::Whole, u32::MAX));
}

#[test]
fn a_scanner_reads_line_after_line() {
    let text = b"{\"a\":\"\xFF\"}\n\n[1\n{}{}\r\ntrue";
    let (mut tape, mut scanner, mut rest, mut ends) =
        (Tape::default(), Scanner::new(ScanMode::Line), &text[..], Vec::new());
    loop {
        scanner.start(&mut tape);
        let used = scanner.feed(rest, &mut tape);
        if used.is_none() {
            scanner.finish(&mut tape);
        }
        ends.push((tape.end, tape.tokens.len(), tape.flaws.len()));
        let Some(used) = used else { break };
        rest = &rest[used + 1..];
    }
    let expected = [
        (RecordEnd::Whole, 3, 1),
        (RecordEnd::Empty, 0, 0),
        (RecordEnd::Torn, 2, 0),
        (RecordEnd::Trailing { at: 2 }, 1, 0),
        (RecordEnd::Whole, 1, 0),
    ];
    assert_eq!(ends, expected);
}

/// Scans both lines with one scanner, and the second one, which may begin like the first, also alone.
fn check_after(first: &[u8], second: &[u8]) {
    let rest = b"\n{\"type\":\"the next line, which is long enough to be compared with the one before\",\"a\":1}\n";
    let [first, second] = [first, second].map(|line| [line, &rest.repeat(2)].concat());
    for level in levels() {
        let new = || Scanner { level, ..Scanner::new(ScanMode::Line) };
        let (mut tape, mut alone) = (Tape::default(), Tape::default());
        let mut scanner = Scanner { beginnings: Beginnings::new(), ..new() };
        scanner.start(&mut tape);
        scanner.feed(&first, &mut tape);
        scanner.start(&mut tape);
        let ended = scanner.feed(&second, &mut tape);
        let mut fresh = new();
        fresh.start(&mut alone);
        assert_eq!(ended, fresh.feed(&second, &mut alone));
        assert_eq!(tape, alone, "{level:?}: {}", second.escape_ascii());
    }
}

#[test]
fn a_record_that_begins_almost_like_another_has_its_own_tokens() {
    let records: [&[u8]; 4] = [
        br#"{"time":"2026-02-02T02:41:07.824Z","type":"item","flag":true,"payload":{"type":"call","list":[{"name":"shell","n":null,"arguments":"{}"}]}}"#,
        br#" {"a": "b", "list": [[], {"c": {}, "d": [true, {"e": "f"}], "g": ""}], "id": "01234567-89ab-cdef", "more": {"text": "of any length", "kind": 1}}"#,
        br#"{"id":"01234567-89ab-cdef-0123-456789abcdef0123456789abcdef","a":{"b":"c"},"kind":"a long word","next":"a\nb","last":"and more after it"}"#,
        b"{\"type\":\"a\",\"n\":1}",
    ];
    for record in records {
        check_after(record, record);
        for at in 0..record.len() {
            for byte in b"\"\\{}[],: an0\n\r\x01\x7F\x80" {
                let mut other = record.to_vec();
                other[at] = *byte;
                check_after(record, &other);
                check_after(&other, record);
            }
            check_after(record, &record[..at]);
            check_after(record, &[&record[..at], b"a", &record[at..]].concat());
            check_after(record, &[&record[..at], &record[at + 1..]].concat());
        }
    }
}

#[test]
fn the_longest_beginning_that_fits_is_taken() {
    let known_after = |lines: &[&str]| {
        let mut scanner = Scanner { beginnings: Beginnings::new(), ..Scanner::new(ScanMode::Line) };
        let mut tape = Tape::default();
        let after = "{}".repeat(200);
        let known = lines.iter().map(|line| {
            scanner.start(&mut tape);
            scanner.feed(format!("{line}\n{after}").as_bytes(), &mut tape);
            scanner.beginnings.used()
        });
        known.collect::<Vec<_>>()
    };
    let header = r#"{"type":"session","version":3,"id":"0123"}"#;
    let message = r#"{"type":"message","time":"02:41","content":[{"type":"text","text":"a\nb"}]}"#;
    let (short, long) = (r#"{"type":"session","#.len(), message.find(r#""text":"#));
    assert_eq!(
        known_after(&[header, message, message, header]),
        [None, Some(short), long, Some(short)]
    );
}

#[test]
fn what_one_file_taught_is_known_in_the_next() {
    let line = br#"{"type":"session","version":3,"id":"0123"}"#;
    let text = [&line[..], b"\n", &b"{}".repeat(200)].concat();
    let used = [(); 3].map(|()| {
        let (mut tape, mut scanner) = (Tape::default(), Scanner::of_lines());
        scanner.start(&mut tape);
        scanner.feed(&text, &mut tape);
        scanner.beginnings.used()
    });
    let known = Some(r#"{"type":"session","#.len());
    assert_eq!(used, [None, known, known]);
    let (mut tape, mut scanner) = (Tape::default(), Scanner::new(ScanMode::Line));
    scanner.start(&mut tape);
    scanner.feed(&text, &mut tape);
    assert_eq!(scanner.beginnings.used(), None);
}
