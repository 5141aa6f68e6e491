use super::*;
use crate::explain::sample;
use crate::report::redact::at_hand;
use crate::report::{sample as reports, text};

fn printed(explanations: &[Explained]) -> String {
    let mut out = Vec::new();
    explained(explanations, &mut out, &OutputStyle::default()).unwrap();
    String::from_utf8(out).unwrap()
}

fn report(report: &Report) -> String {
    let mut out = Vec::new();
    write(&at_hand(report.clone()), &mut out, &OutputStyle::default()).unwrap();
    String::from_utf8(out).unwrap()
}

/// The names of its elements in order, each end with a `/`; attributes as `element.name`.
fn elements(html: &str) -> Vec<String> {
    let mut out = Vec::new();
    for piece in html.split('<').skip(1) {
        let tag = piece.split('>').next().unwrap();
        let name = tag.split(' ').next().unwrap().to_owned();
        let keys = tag.split('"').step_by(2).filter_map(|piece| piece.trim().strip_suffix('='));
        let keys: Vec<String> =
            keys.map(|key| format!("{name}.{}", key.rsplit(' ').next().unwrap())).collect();
        out.push(name);
        out.extend(keys);
    }
    out
}

/// Every element is known, harmless and ended where it should be; no level of headings is left out.
fn is_sound(html: &str) {
    const KNOWN: &[&str] = &[
        "html", "head", "title", "style", "body", "main", "article", "section", "h1", "h2", "h3",
        "h4", "p", "ul", "ol", "li", "dl", "dt", "dd", "div", "span", "code", "pre", "strong", "a",
        "table", "thead", "tbody", "tr", "th", "td", "details", "summary", "svg", "path",
    ];
    const ATTRIBUTES: &[&str] = &[
        "lang",
        "charset",
        "http-equiv",
        "content",
        "name",
        "class",
        "id",
        "href",
        "role",
        "aria-label",
        "aria-hidden",
        "tabindex",
        "scope",
        "viewBox",
        "width",
        "height",
        "d",
    ];
    let (mut open, mut level, mut firsts) = (Vec::new(), 0, 0);
    for element in elements(html) {
        if let Some((_, key)) = element.split_once('.') {
            assert!(ATTRIBUTES.contains(&key), "{element}");
        } else if let Some(name) = element.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name), "{html}");
        } else if element != "!doctype" && element != "meta" {
            assert!(KNOWN.contains(&element.as_str()), "{element}");
            if let Some(next) =
                element.strip_prefix('h').and_then(|level| level.parse::<usize>().ok())
            {
                assert!(next <= level + 1, "{element} behind h{level}");
                level = next;
                firsts += usize::from(next == 1);
            }
            open.push(element);
        }
    }
    assert!(open.is_empty(), "{open:?}");
    assert_eq!(firsts, 1, "a page has one main heading");
    for link in html.split(" href=\"#").skip(1) {
        let name = link.split('"').next().unwrap();
        assert!(html.contains(&format!(" id=\"{name}\"")), "a link leads nowhere: {name}");
    }
    assert_eq!(
        html.matches(" href=\"").count(),
        html.matches(" href=\"#").count(),
        "a link leads away"
    );
}

#[test]
fn pages_are_sound_and_nothing_gets_out() {
    for foreign in [
        "a",
        "<script>alert(1)</script>",
        "\"><img src=x onerror=x>",
        "'&#x3c;\u{1b}\u{202e}\u{0}\n",
        "`<b>`",
        "",
    ] {
        let explanations = sample::all(foreign);
        is_sound(&printed(&explanations));
        for one in explanations {
            let page = printed(&[one]);
            is_sound(&page);
            assert!(!page.contains("<img") && !page.contains("<b>"), "{page}");
            assert_eq!(page.chars().find(|c| *c != '\n' && text::is_dangerous(*c)), None);
        }
    }
    for explanations in [reports::stuck(), reports::many(), notes()] {
        is_sound(&report(&explanations));
    }
    is_sound(&printed(&[]));
}

/// Many whose only finding is a note, so that no page of a rule is next to a finding.
fn notes() -> Report {
    let mut finding = reports::two_results();
    finding.severity = crate::transcript::Severity::Note;
    let healthy = crate::report::model::Verdict::Healthy;
    let one = |path: &str| reports::conversation(path, healthy, vec![finding.clone()]);
    Report::new(vec![one("a"), one("b")], Vec::new(), Vec::new())
}

#[test]
fn the_policy_allows_exactly_the_style_sheet() {
    use sha2::{Digest, Sha256};
    let page = report(&reports::stuck());
    let layout = page.split("<style>").nth(1).unwrap().split("</style>").next().unwrap();
    let hash = page.split("&#39;sha256-").nth(1).unwrap().split("&#39;").next().unwrap();
    let wanted = Sha256::digest(layout.as_bytes());
    assert_eq!(crate::dialects::picture::from_base64(hash).as_deref(), Some(wanted.as_slice()));
    assert_eq!(page.matches("<style>").count(), 1);
}

#[test]
fn a_page_in_ascii() {
    let mut out = Vec::new();
    let style = OutputStyle { ascii: true, ..OutputStyle::default() };
    explained(&sample::all("日本 🦀"), &mut out, &style).unwrap();
    let page = String::from_utf8(out).unwrap();
    assert!(page.is_ascii() && page.contains("&#26085;&#26412; &#129408;"), "{page}");
}

#[test]
fn a_rule_is_told_once_and_then_linked() {
    let page = report(&reports::many());
    assert_eq!(page.matches("<summary>About TD104 two-results</summary>").count(), 1);
    assert_eq!(page.matches("<a href=\"#TD104\">About TD104 two-results</a>").count(), 2);
}
