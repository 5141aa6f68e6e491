use super::*;
use crate::bytes::source::{EntryId, Source, Span};

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
fn what_is_cut_off_a_record_is_told_as_that() {
    let record = r#"{"id":"a"}"#;
    let old = LastRead { bytes: format!("{{\"torn {record}").into_bytes(), ..LastRead::default() };
    let (side, rest) = old.rest_of(record.as_bytes()).unwrap();
    assert_eq!((side, fragment(&rest).as_deref()), ("before it", Some("{\"torn")));
    let tail = RecordFate::Cut(rest.len() as u64, side).tail();
    assert_eq!(tail, "  without the 7 bytes before it");
    let old = LastRead { bytes: format!("{record}\0\0").into_bytes(), ..LastRead::default() };
    let (side, rest) = old.rest_of(record.as_bytes()).unwrap();
    assert_eq!((side, fragment(&rest)), ("after it", None));
    let other = old.rest_of(b"{}");
    assert!(other.is_none() && old.rest_of(b"").is_none(), "{other:?}");
}

#[test]
fn equal_recordings_have_nothing_to_tell() {
    let lines = [r#"{"id":"a"}"#, r#"{"id":"b"}"#];
    assert_eq!(diff(&lines, &lines), (String::new(), "no record differs; 2 unchanged".into()));
}

#[test]
fn the_end_of_a_torn_document_is_cut_off() {
    let cut_end = |old: &str, new: &str| {
        let mut old = LastRead { bytes: old.as_bytes().to_vec(), ..LastRead::default() };
        let (_, rest) = old.cut_end(new.as_bytes())?;
        fragment(&rest)
    };
    let torn = r#"{"id":1,"messages":[,,{"role":"us"#;
    let closed = r#"{"id":1,"messages":[,]}"#;
    assert_eq!(cut_end(torn, closed).as_deref(), Some(r#"{"role":"us"#));
    // Only brackets were missing.
    assert_eq!(cut_end(r#"{"messages":[,"#, r#"{"messages":[,]}"#), None);
    // What changes in a whole document is a member, even if it is the last one.
    assert_eq!(cut_end(r#"{"id":1,"n":2}"#, r#"{"id":1}"#), None);
}
