use super::*;
use crate::bytes::source::{EntryId, Source, Span};
use crate::diff::pairing::{PairingItem, Side};
use crate::outputs::OutputStyle;

fn items(lines: &[&str]) -> (Source, Vec<PairingItem>) {
    let mut at = 0;
    let items = lines
        .iter()
        .enumerate()
        .map(|(n, line)| {
            let value: serde_json::Value = serde_json::from_str(line).unwrap_or_default();
            let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
            let start = at;
            at += line.len() as u64 + 1;
            PairingItem {
                id: text("id"),
                kind: text("kind"),
                place: Some(n as u64 + 1),
                at: Span { entry: EntryId(0), start, end: at },
                calls: Vec::new(),
            }
        })
        .collect();
    (Source::memory("f", vec![("f".into(), format!("{}\n", lines.join("\n")).into_bytes())]), items)
}

fn diff(old: &[&str], new: &[&str]) -> (String, String) {
    let (a, b) = (items(old), items(new));
    let (a, b) = (Side { entries: &a.0, items: &a.1 }, Side { entries: &b.0, items: &b.1 });
    let mut out = Vec::new();
    let records = compare(a, b, None, RecordTexts::NONE, &Redactor::at_hand()).unwrap();
    records.write(RecordComparison::Repair, &mut out, &OutputStyle::default()).unwrap();
    let text = anstream::adapter::strip_str(std::str::from_utf8(&out).unwrap()).to_string();
    (text, records.stat(RecordComparison::Repair))
}

#[test]
fn every_kind_of_difference_is_told_in_place() {
    let old = [
        r#"{"id":"a","kind":"Call","n":1}"#,
        r#"{"id":"b","kind":"Stub"}"#,
        r#"{"id":"c","kind":"Message"}"#,
        r#"{"id":"d","kind":"Result","parent_id":"b"}"#,
        "torn {",
    ];
    let new = [
        r#"{"id":"a","kind":"Call","n":1}"#,
        r#"{"id":"d","kind":"Result","parent_id":"a"}"#,
        r#"{"id":"c","kind":"Message"}"#,
        r#"{"id":"e","kind":"Answer"}"#,
    ];
    let (text, stat) = diff(&old, &new);
    let wanted = "\
- removed      2  Stub  b  25 bytes
+ inserted   new  Answer  e  27 bytes
> moved        4  Result  d  to after 1
    /parent_id: \"b\" → \"a\"
- removed      5      7 bytes
";
    assert_eq!(text, wanted);
    assert_eq!(stat, "2 removed, 1 inserted, 1 moved; 2 unchanged");
}

#[test]
fn equal_recordings_have_nothing_to_tell() {
    let lines = [r#"{"id":"a"}"#, r#"{"id":"b"}"#];
    assert_eq!(diff(&lines, &lines), (String::new(), "no record differs; 2 unchanged".into()));
}
