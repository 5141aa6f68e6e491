use super::*;
use crate::outputs::document::{self, TableCell};
use crate::outputs::layout::Medium;

fn written(blocks: &[PageBlock], width: usize) -> String {
    let style = OutputStyle { width, ..OutputStyle::default() };
    let layout = TextLayout::new(&style, Medium::Terminal, std::iter::empty());
    let mut out = Vec::new();
    Terminal::new(&layout, &mut out).blocks(blocks).unwrap();
    anstream::adapter::strip_str(std::str::from_utf8(&out).unwrap()).to_string()
}

#[test]
fn sentences_hang_behind_what_they_belong_to() {
    let text = document::prose("one `two` 日本 four");
    let facts = PageBlock::Facts(vec![("So:", text.clone()), ("Then:", text.clone())]);
    assert_eq!(
        written(&[facts], 14),
        "So:    one\n       `two`\n       日本\n       four\nThen:  one\n       `two`\n       \
             日本\n       four\n"
    );
    let list = PageBlock::List(vec![text]);
    assert_eq!(written(&[list], 14), "  one `two`\n    日本 four\n");
}

#[test]
fn looks_stay_on_their_words() {
    let style = OutputStyle::default();
    let text = [
        StyledSpan::new(Look::Strong, "a b"),
        StyledSpan::new(Look::Plain, " c "),
        StyledSpan::new(Look::Label(Tone::Bad), "d"),
    ];
    crate::outputs::paint::force();
    let strong = |text: &str| paint(Tone::Strong, text).to_string();
    let wanted = [strong("a"), format!("{} c", strong("b")), paint(Tone::Bad, "d").to_string()];
    assert_eq!(lines(&text, 3, 2, &style), wanted);
}

#[test]
fn diffs_are_broken_and_not_cut() {
    assert_eq!(broken("-abcdef", 4), ["-abc", "  de", "  f"]);
    assert_eq!(broken("+日本", 3), ["+日", "  本"]);
}

#[test]
fn a_last_cell_that_has_no_room_is_below_the_others() {
    let row = vec![TableCell::Key("openhands"), TableCell::Word("a long title of it")];
    let table =
        PageBlock::Table(document::CountTable { head: vec!["format", "title"], rows: vec![row] });
    assert_eq!(written(std::slice::from_ref(&table), 20), "openhands  a long title of it\n");
    let section = PageBlock::Part(PagePart {
        kind: PagePartKind::Section,
        name: String::new(),
        heading: document::prose("Formats"),
        blocks: vec![table],
    });
    assert_eq!(written(&[section], 22), "Formats\n  openhands\n      a long title of\n      it\n");
}
