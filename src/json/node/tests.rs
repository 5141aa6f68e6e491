use super::*;
use crate::json::scan::{ScanMode, scan};

/// Calls `check` with the root of a record.
fn with_root(text: impl AsRef<[u8]>, check: impl Fn(Node<'_>)) {
    let bytes = text.as_ref();
    check(Node::root(&scan(bytes, ScanMode::Line), &bytes).unwrap());
}

#[test]
fn members_are_found_by_their_unescaped_keys() {
    with_root(
        r#"{"kind":1,"k\u0069nd":2,"kin":3,"a":{"b":{"c":[true]}},"é":4,"\u00e9":5,"":6}"#,
        |root| {
            assert_eq!(root.get("kind").unwrap().as_u64(), Some(2));
            assert_eq!(root.entry("kind").unwrap().0.raw(), br#""k\u0069nd""#.as_slice());
            assert_eq!(root.get("kin").unwrap().as_u64(), Some(3));
            assert_eq!(root.get("é").unwrap().as_u64(), Some(5));
            assert_eq!(root.get("").unwrap().as_u64(), Some(6));
            assert!(root.get("k").is_none() && root.get("a").unwrap().get("kind").is_none());
            let list = root.at(&["a", "b", "c"]).unwrap();
            assert_eq!(list.items().next().unwrap().as_bool(), Some(true));
            assert_eq!(list.raw(), b"[true]".as_slice());
            assert_eq!(list.span(), 46..52);
            assert!(root.at(&["a", "x", "c"]).is_none() && root.items().next().is_none());
            assert!(list.members().next().is_none() && list.get("c").is_none());
            assert_eq!(root.members().count(), 7);
        },
    );
}

#[test]
fn an_index_of_keys_hides_no_member() {
    for text in [
        r#"{"kind":1,"":2,"\u006bin":3,"a":{"x":4}}"#,
        r#"{"a":1,"bc":2,"a":3}"#,
        r#"{"a":1,"bc""#,
        "{}",
        r#"["a"]"#,
    ] {
        let bytes = text.as_bytes();
        let tape = scan(bytes, ScanMode::Document);
        let mut indexed = tape.clone();
        indexed.index_keys(&bytes);
        let [plain, quick] = [&tape, &indexed].map(|tape| Node::root(tape, &bytes).unwrap());
        for key in ["kind", "kin", "", "a", "bc", "x", "cb"] {
            let span = |root: Node<'_>| root.get(key).map(|value| value.span());
            assert_eq!(span(plain), span(quick), "{key} of {text}");
        }
    }
}

#[test]
fn a_truncated_record_yields_its_complete_values() {
    with_root(r#"{"a":"x","b":[1,{"c":"to"#, |root| {
        assert!(root.is_open() && !root.get("a").unwrap().is_open());
        let items: Vec<_> = root.get("b").unwrap().items().collect();
        assert_eq!(items.len(), 2);
        assert!(items[1].is_open() && items[1].get("c").unwrap().str().is_none());
    });
    for torn in [r#"{"a":1,"b"#, r#"{"a":1,"b""#, r#"{"a":1,"b":"#, r#"{"a":1,"#, r#"{"a":1, x"#] {
        with_root(torn, |root| assert_eq!(root.members().count(), 1));
    }
    with_root(r#"[{"a"},{"b":1}]"#, |root| {
        assert_eq!(root.items().next().unwrap().members().count(), 0)
    });
    with_root("[12", |root| assert_eq!(root.items().next().unwrap().as_u64(), None));
    with_root("[true,tru", |root| {
        assert_eq!(root.items().map(|item| item.as_bool()).collect::<Vec<_>>(), [Some(true), None]);
    });
}

#[test]
fn values_are_read() {
    with_root(
        r#"[null,false,18446744073709551615,-9,1.0,1e3,"a\n","é",18446744073709551616]"#,
        |root| {
            let items: Vec<_> = root.items().collect();
            assert!(items[0].is_null() && !items[1].is_null());
            assert_eq!(items[1].as_bool(), Some(false));
            let whole: Vec<_> = items.iter().map(|item| (item.as_u64(), item.as_i64())).collect();
            assert_eq!(
                whole[2..6],
                [(Some(u64::MAX), None), (None, Some(-9)), (None, None), (None, None)]
            );
            assert_eq!(whole[8], (None, None));
            assert_eq!(items[6].str().unwrap(), "a\n");
            assert!(matches!(items[7].str(), Some(Cow::Borrowed("é"))));
            assert!(items[0].str().is_none() && items[7].is_str("é") && !items[7].is_str("e"));
        },
    );
    with_root(b"[\"a\xFF\",\"\\ud800\",\"a\xFF\"]", |root| {
        let items: Vec<_> = root.items().collect();
        assert_eq!(items[0].str().unwrap(), "a\u{FFFD}");
        assert_eq!(items[1].str().unwrap(), "\u{FFFD}");
        assert!(items[0].same_as(&items[2]) && !items[0].same_as(&items[1]));
    });
}

#[test]
fn blank_strings_are_recognized() {
    let long = format!("\"{}\"", r" \n\u00a0\u2003".repeat(1000));
    for blank in [r#""""#, r#"" ""#, r#""\n\t\r \u0020""#, "\"\u{3000}\"", &long] {
        with_root(blank, |root| assert!(root.is_blank_str(), "{blank}"));
    }
    let tail = format!("\"{}x\"", r" \n\u2003".repeat(1000));
    for other in
        [r#""a""#, r#"" \\""#, r#""\ud83d\ude00""#, "0", "[]", "\" ", &tail, "\"\u{200b}\""]
    {
        with_root(other, |root| assert!(!root.is_blank_str(), "{other}"));
    }
    with_root(b"\" \xFF\"", |root| assert!(!root.is_blank_str()));
}

#[test]
fn the_first_character_is_behind_white_space() {
    for (text, first) in [
        (r#""a""#, Some('a')),
        (r#"" \n\t\u00a0<x""#, Some('<')),
        (r#""\u003cx""#, Some('<')),
        ("\"\u{3000}\u{e9}\"", Some('\u{e9}')),
        (r#""""#, None),
        (r#""  ""#, None),
        ("7", None),
    ] {
        with_root(text, |root| assert_eq!(root.first_char(), first, "{text}"));
    }
    let far = format!("\"{}x\"", r" \n\u2003".repeat(100));
    with_root(far, |root| assert_eq!(root.first_char(), None));
}

#[test]
fn missing_bytes_are_left_out() {
    let text = &br#"{"a":"bcd","e":12}"#[..];
    let tape = scan(text, ScanMode::Line);
    for length in 0..text.len() {
        let short = &text[..length];
        let root = Node::root(&tape, &short).unwrap();
        for (key, value) in root.members() {
            assert!(key.raw().len() <= 3 && value.raw().len() <= 5);
            assert!(key.str().is_some());
            let _ = (value.str(), value.as_u64(), value.is_blank_str(), root.get("a"));
        }
    }
    assert!(Node::of(&tape, &text, 99).is_none());
}

#[test]
fn the_spelling_of_a_value_does_not_change_its_meaning() {
    let meaning = |text: &str| {
        let bytes = text.as_bytes();
        Node::root(&scan(bytes, ScanMode::Document), &bytes).unwrap().meaning()
    };
    let long = "x\\n".repeat(600);
    let [one, other] = ["\\u00e9\\\\", "é\\u005c"].map(|end| format!("\"{long}{end}{long}\""));
    for (one, other) in [
        (one.as_str(), other.as_str()),
        (r#""\u00e9/""#, r#""é\/""#),
        (r#""\u0022\u005c\u005C\u000a\u001B""#, r#""\"\\\\\n\u001b""#),
        (r#""a\\u0041""#, r#""\u0061\\u0041""#),
        ("\"a\tb\"", r#""a\tb""#),
        (
            r#"[{"type":"text","text":"a\nb"}]"#,
            "[ {\"type\" : \"text\",\n \"text\": \"a\\u000ab\"} ]",
        ),
        ("{}", " { } "),
    ] {
        assert_eq!(meaning(one), meaning(other), "{one}");
    }
    // A lone surrogate differs from the character that replaces it in text.
    let unlike = [
        r#""a""#,
        r#""\ud83d""#,
        r#""\ud83e""#,
        r#""\ufffd""#,
        r#"["a"]"#,
        r#"[["a"]]"#,
        r#"["a",""]"#,
        r#"{"a":""}"#,
        "1",
        r#""1""#,
        "1.0",
        "null",
        "[]",
        "{}",
        "[[],1]",
        "[[1]]",
    ];
    for (at, one) in unlike.iter().enumerate() {
        assert!(unlike[at + 1..].iter().all(|other| meaning(one) != meaning(other)), "{one}");
    }
}
