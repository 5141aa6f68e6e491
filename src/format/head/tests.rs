use super::*;
use crate::bytes::source::Source;

#[test]
fn a_beginning_is_completed_to_the_whole_sample() {
    for lines in [0, 3, 4, 5, 10, 20, 25] {
        let text: String =
            (0..lines).map(|at| format!("{{\"type\":\"t{at}\",\"key{at}\":[]}}\n\n")).collect();
        let source = Source::memory("a.jsonl", vec![("a.jsonl".to_owned(), text.into_bytes())]);
        let whole = Sample::of_file(&source, EntryId(0), "a.jsonl").unwrap();
        let first = Sample::beginning(&source, EntryId(0), "a.jsonl").unwrap();
        assert_eq!(first.nodes().count(), lines.min(BEGINNING));
        assert_eq!(first.has_rest(), lines >= BEGINNING);
        let all = first.complete();
        assert!(!all.has_rest() && all.words == whole.words);
        let raw = |sample: &Sample<'_>| -> Vec<Vec<u8>> {
            let nodes = sample.nodes().map(|node| node.raw().into_owned());
            nodes.collect()
        };
        assert_eq!(raw(&all), raw(&whole));
    }
}

#[test]
fn elements_of_a_list_are_no_lines() {
    let start = format!(r#"{{"id":"{}","messages":[{{"role":"user"}},"#, "a".repeat(300));
    for (text, is_document) in [
        (format!("{start}\n\n{{\"role\":\"tool\"}},\n{{}}]}}\n"), true),
        // The first line is damaged, too.
        (format!("{{\"a\":nul l,{start}\n{{\"role\":\"tool\"}},\n{{}}]}}\n"), true),
        (format!("{start}\n{{\"role\":\"tool\"}}\n{{}}\n"), false),
        (format!("{start}\n{{\"role\":\"tool\"}} x,\n{{}}\n"), false),
        ("{\"role\":\"user\"}\n{\"role\":\"tool\"},\n".to_owned(), false),
    ] {
        let source =
            Source::memory("a.json", vec![("a.json".to_owned(), text.clone().into_bytes())]);
        let head = Sample::of_file(&source, EntryId(0), "a.json").unwrap();
        assert_eq!(head.document.is_some(), is_document, "{text}");
    }
}

#[test]
fn keys_are_found_behind_values_of_all_kinds() {
    let keys = |line: &'static str| {
        let keys = first_keys(line.as_bytes());
        keys.map(|key| key.and_then(|key| std::str::from_utf8(key).ok()))
    };
    let three = [Some("a"), Some("b"), Some("c")];
    assert_eq!(keys(r#"{"a":"x","b":"","c":"y"}"#), three);
    assert_eq!(keys(r#"{"a": 1, "b": null, "c": [1]}"#), three);
    assert_eq!(keys(r#"{"a":{"b":["c","d"]}}"#), three);
    assert_eq!(keys(r#"{"a":{},"b" : "x"}"#), [Some("a"), Some("b"), None]);
    assert_eq!(keys(r#"{"a":"b"#), [Some("a"), None, None]);
    assert_eq!(keys("{}"), [None; 3]);
}

#[test]
fn a_first_line_of_any_length_is_looked_at() {
    let text = "y".repeat(LONGEST as usize);
    let line = format!(r#"{{"id":"a","text":"{text}","kind":"PauseEvent"}}"#);
    let source = Source::memory("long.jsonl", vec![("long.jsonl".to_owned(), line.into_bytes())]);
    let head = Sample::of_file(&source, EntryId(0), "long.jsonl").unwrap();
    let kind = head.nodes().next().and_then(|root| root.get("kind"));
    assert_eq!(kind.and_then(|kind| kind.str()).as_deref(), Some("PauseEvent"));
}
