use super::*;
use crate::explain::sample;
use pulldown_cmark::{Event, Options, Parser, Tag};

fn printed(explanations: &[Explained], style: &OutputStyle) -> String {
    let mut out = Vec::new();
    explained(explanations, &mut out, style).unwrap();
    String::from_utf8(out).unwrap()
}

/// What a page consists of, without its words.
fn shape(page: &str) -> Vec<String> {
    let events = Parser::new_ext(page, Options::all()).filter_map(|event| match event {
        Event::Start(Tag::Link { .. } | Tag::Image { .. }) => Some("link".to_owned()),
        Event::Start(tag) => Some(format!("{tag:?}")),
        Event::Html(html) | Event::InlineHtml(html) => Some(html.into_string()),
        _ => None,
    });
    events.collect()
}

#[test]
fn what_a_recording_holds_changes_no_shape() {
    for (n, plain) in sample::all("a_b").into_iter().enumerate() {
        let wanted = shape(&printed(&[plain], &OutputStyle::default()));
        assert!(!wanted.contains(&"link".to_owned()), "{wanted:?}");
        for bad in [
            "<script>x</script>",
            "```\n# x",
            "| a | b |",
            "](http://x) @ana",
            "</details>",
            "- x\n- y",
            "\u{1b}[2J",
            "~~~",
            "a\n\nb",
            "    x",
            "***",
            "&lt;b&gt;",
            "<!-- ",
        ] {
            let page = printed(&sample::all(bad)[n..=n], &OutputStyle::default());
            let got = shape(&page);
            // A fence may be longer; its language stays.
            assert_eq!(got, wanted, "{bad:?}:\n{page}");
        }
    }
}

#[test]
fn a_page_in_ascii() {
    let style = OutputStyle { ascii: true, ..OutputStyle::default() };
    let page = printed(&sample::all("x"), &style);
    let other: Vec<char> = page.chars().filter(|c| !c.is_ascii()).collect();
    assert_eq!(other, [], "{page}");
}
