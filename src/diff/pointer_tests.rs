use super::*;
use crate::json::scan::{ScanMode, scan};
use crate::report::redact::Redactor;

fn diff(old: &str, new: &str) -> Vec<String> {
    let (old, new) = (old.as_bytes(), new.as_bytes());
    let (a, b) = (scan(old, ScanMode::Document), scan(new, ScanMode::Document));
    let (a, b) = (Node::root(&a, &old).unwrap(), Node::root(&b, &new).unwrap());
    let (changes, more) = changes(a, b, &Redactor::at_hand());
    let mut out: Vec<String> = changes
        .into_iter()
        .map(|change| match change {
            ChangedPlace::Added(at, value) => format!("+ {at}: {value}"),
            ChangedPlace::Removed(at, value) => format!("- {at}: {value}"),
            ChangedPlace::Changed(at, old, new) => format!("{at}: {old} → {new}"),
        })
        .collect();
    if more > 0 {
        out.push(format!("{more} more"));
    }
    out
}

#[test]
fn a_link_that_changes_is_one_line() {
    assert_eq!(
        diff(r#"{"id":"x","parent_id":"a","k":[1,2]}"#, r#"{"id":"x", "parent_id":"b","k":[1,2]}"#),
        [r#"/parent_id: "a" → "b""#]
    );
    assert!(diff(r#"{"a":1,"b":2}"#, r#"{ "b":2,"a":1 }"#).is_empty());
}

#[test]
fn members_come_and_go() {
    assert_eq!(
        diff(r#"{"a":{"b":1,"c/d~":null},"x":[]}"#, r#"{"a":{"b":{"n":1},"e":true},"y":1.5}"#),
        ["- /x: []", "+ /y: 1.5", "- /a/c~1d~0: null", "+ /a/e: true", "/a/b: 1 → {\"n\": 1}"]
    );
}

#[test]
fn items_are_aligned() {
    assert_eq!(diff(r#"["a","b","c"]"#, r#"["a","x","b","c"]"#), [r#"+ /1: "x""#]);
    assert_eq!(diff(r#"["a","b","c"]"#, r#"["a","c"]"#), [r#"- /1: "b""#]);
    assert_eq!(diff(r#"[{"a":1},2]"#, r#"[{"a":3},2]"#), ["/0/a: 1 → 3"]);
    assert_eq!(diff("1", "[]"), ["/: 1 → []"]);
}

#[test]
fn the_last_of_equal_keys_counts() {
    assert_eq!(diff(r#"{"a":1,"a":2}"#, r#"{"a":1,"a":3}"#), ["/a: 2 → 3"]);
    assert!(diff(r#"{"a":1,"a":2}"#, r#"{"a":2}"#).is_empty());
}

#[test]
fn long_texts_are_cut_around_the_change() {
    let text = "some words ".repeat(500);
    let shown =
        diff(&format!(r#"["{text}bad\ud83d end"]"#), &format!(r#"["{text}good end"]"#)).join("\n");
    assert!(shown.starts_with("/0: \"…some words bad") || shown.contains("words bad"), "{shown}");
    assert!(shown.contains("good end") && shown.len() < 200, "{shown}");
    let secret =
        diff(r#"["x"]"#, r#"["sk-ant-api03-0123456789abcdef0123456789abcdef0123456789abcdef"]"#)
            .join("\n");
    assert!(secret.contains("[secret]"), "{secret}");
}

#[test]
fn hostile_keys_and_values_are_harmless() {
    let shown = diff(r#"{"\u001b[2J":1}"#, r#"{"\u001b[2J":"\u202e\u0007"}"#).join("\n");
    assert!(!shown.contains(crate::report::text::is_dangerous), "{shown:?}");
    let deep = |last: &str| format!("{}{last}{}", "[".repeat(900), "]".repeat(900));
    assert_eq!(diff(&deep("1"), &deep("2")).len(), 1);
    let wide =
        |first: usize| (first..first + 10_000).map(|n| n.to_string()).collect::<Vec<_>>().join(",");
    let shown = diff(&format!("[{}]", wide(0)), &format!("[{},1]", wide(20_000)));
    assert_eq!(shown.len(), LISTED + 1);
}
