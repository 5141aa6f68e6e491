use super::*;
use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// What a reader of Markdown makes of it: plain words and code, in the order of the text; `Err`: anything else.
fn read(written: &str) -> Result<(String, Vec<String>), String> {
    let (mut plain, mut codes) = (String::new(), Vec::new());
    for event in Parser::new_ext(written, Options::all()) {
        match event {
            Event::Start(Tag::Paragraph) | Event::End(TagEnd::Paragraph) => {}
            Event::Text(text) => plain.push_str(&text),
            Event::Code(text) => codes.push(text.into_string()),
            other => return Err(format!("{other:?}")),
        }
    }
    Ok((plain, codes))
}

/// Text that is likely to mean something.
fn tricky() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("`"),
        Just("``"),
        Just("|"),
        Just("\\"),
        Just("*"),
        Just("**"),
        Just("_"),
        Just("~~"),
        Just("<"),
        Just("<b>"),
        Just("</details>"),
        Just("<!--"),
        Just("&amp;"),
        Just("&#64;"),
        Just("["),
        Just("](x)"),
        Just("!["),
        Just("@ana"),
        Just("a@b.com"),
        Just("#12"),
        Just("GH-12"),
        Just("https://x.y"),
        Just("www.x.y"),
        Just("mailto:a"),
        Just(":smile:"),
        Just("/close"),
        Just("$x$"),
        Just("%1"),
        Just("~bug"),
        Just("- "),
        Just("+ "),
        Just("1. "),
        Just("1) "),
        Just("# "),
        Just("> "),
        Just("---"),
        Just("==="),
        Just("[^1]"),
        Just("[x] "),
        Just("    "),
        Just("\t"),
        Just("\n"),
        Just("\u{202e}"),
        Just("\u{a0}"),
        Just("word"),
        Just("deadbeef1"),
        Just(" "),
        Just("日本"),
        Just("."),
        Just("("),
        Just("'"),
        Just("\""),
        Just("{#id}"),
        Just("+++"),
        Just("..."),
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

fn means_nothing(plain: &str) -> bool {
    let loud = plain
        .contains(['@', '#', '<', '>', '&', '`', '|', '*', '_', '~', '[', '$', '\\', '/', '!']);
    let issue = plain.as_bytes().windows(2).any(|two| two[0] == b'-' && two[1].is_ascii_digit());
    !loud && !issue && !plain.to_ascii_lowercase().contains("www.") && !plain.contains("://")
}

#[test]
fn sentences_stay_readable() {
    assert_eq!(
        prose("2 results answer one call, 3.7 s later."),
        "2 results answer one call, 3.7 s later."
    );
    assert_eq!(prose("see (OpenHands/sdk#2114, #12)."), "see (`OpenHands/sdk#2114`, `#12`).");
    assert_eq!(prose("1. of <b>x</b> @ana"), "`1.` of `<b>x</b>` `@ana`");
    assert_eq!(code("a`b"), "``a`b``");
    assert_eq!(code("`"), "`` ` ``");
    assert_eq!(code("\u{1b}"), "`\\u{1b}`");
}

#[test]
fn a_fence_is_longer_than_what_is_in_it() {
    let mut out = Markdown::default();
    out.fenced(&["````".to_owned(), "# x\n```".to_owned()]);
    assert_eq!(out.finish(), "`````text\n````\n# x\\u{a}```\n`````\n");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn prose_means_nothing(text in prop_oneof![tricky(), any::<String>()]) {
        let written = prose(&text);
        prop_assert!(!written.contains(crate::report::text::is_dangerous), "{written:?}");
        for around in [format!("{written}\n"), format!("- {written}\n"), format!("x: {written}\n")] {
            let read = read(around.trim_start_matches("- "));
            prop_assert!(read.is_ok(), "{text:?} is written as {around:?} and read as {read:?}");
            let (plain, _) = read.unwrap_or_default();
            prop_assert!(means_nothing(&plain), "{text:?} is written as {around:?} and says {plain:?}");
        }
    }

    #[test]
    fn code_is_read_as_it_was(text in prop_oneof![tricky(), any::<String>()]) {
        let written = code(&text);
        let read = read(&format!("at {written} x"));
        let (plain, codes) = read.map_err(TestCaseError::fail)?;
        prop_assert_eq!(plain, "at  x");
        let (got, wanted) = (codes.concat(), escape(&text));
        prop_assert_eq!(got.trim_matches(' '), wanted.trim_matches(' '));
    }
}
