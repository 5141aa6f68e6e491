use super::*;
use crate::hosts::by_name;
use crate::report::redact::People;

fn redaction(strict: bool) -> Redaction {
    let members = FormatMembers::of(by_name("anthropic-messages").unwrap());
    Redaction { members, mask: Mask::new([7; 32], People::default(), strict) }
}

fn redacted(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let mut out = Vec::new();
    redaction(false).write(bytes.as_ref(), ScanMode::Line, &mut out).unwrap();
    out
}

fn text(bytes: &str) -> String {
    String::from_utf8(redacted(bytes)).unwrap()
}

fn tag(text: &str) -> String {
    redaction(false).mask.text(text)
}

#[test]
fn structure_stays_and_texts_go() {
    assert_eq!(
        text(r#"{"role" : "user", "content":[{"type":"text","text":"hello"}],"id":"msg_1"}"#),
        format!(
            r#"{{"role" : "user", "content":[{{"type":"text","text":"{}"}}],"id":"msg_1"}}"#,
            tag("hello")
        )
    );
    for blank in [
        r#"{"text":""}"#,
        r#"{"text":" \n\u0020"}"#,
        r#"{"index":12,"content":null,"is_error":true}"#,
    ] {
        assert_eq!(text(blank), blank);
    }
    let call = text(
        r#"{"type":"tool_use","name":"read","input":{"my path":"x","n":42,"id":"it-is","deep":[{"y":"z"}]}}"#,
    );
    assert!(call.starts_with(r#"{"type":"tool_use","name":"read","input":{"key-"#), "{call}");
    for gone in ["my path", "42", "it-is", "deep", "\"x\"", "\"y\"", "\"z\""] {
        assert!(!call.contains(gone), "{gone}: {call}");
    }
    assert!(!text(r#"{"role":"user","name":"ana"}"#).contains("ana"));
}

#[test]
fn json_in_a_string_stays_json() {
    let call = text(r#"{"name":"read","arguments":"{\"path\":\"x y\",\"n\":1.5}"}"#);
    let value: serde_json::Value = serde_json::from_str(&call).unwrap();
    let inner: serde_json::Value =
        serde_json::from_str(value["arguments"].as_str().unwrap()).unwrap();
    assert_eq!(inner.as_object().unwrap().len(), 2);
    assert!(!call.contains("path") && !call.contains("x y"));
    let torn = text(r#"{"name":"read","arguments":"{\"path\":\"x y"}"#);
    let value: serde_json::Value = serde_json::from_str(&torn).unwrap();
    assert!(
        serde_json::from_str::<serde_json::Value>(value["arguments"].as_str().unwrap()).is_err()
    );
    assert!(!torn.contains("x y"), "{torn}");
}

#[test]
fn damage_stays_without_its_text() {
    let end = |text: &[u8]| std::mem::discriminant(&scan(text, ScanMode::Line).end);
    for broken in [
        r#"{"text":"my wo"#,
        r#"{"text":"my words","id":"a"#,
        r#"{"text":"my words"}{"text":"my words"}"#,
        r#"{"text":"my words"} my words {"text":"my words"}"#,
        r#"my words"#,
        r#"{"my words" "text"}"#,
        r#"{"text":"my \q words"}"#,
        r#"{"text":"my words",}"#,
        "\0\0{\"text\":\"my words\"}\0",
        "\u{feff}{\"text\":\"my words\"}",
    ] {
        let other = redacted(broken);
        assert_eq!(
            end(&other),
            end(broken.as_bytes()),
            "{broken}: {}",
            String::from_utf8_lossy(&other)
        );
        for gone in [&b"my"[..], b"wo", b"words"] {
            assert!(
                memchr::memmem::find(&other, gone).is_none(),
                "{}",
                String::from_utf8_lossy(&other)
            );
        }
    }
}

#[test]
fn flaws_of_a_string_stay_in_it() {
    let bytes = b"{\"text\":\"my \\ud83d words \xff and \xe2\x80\xa8 \x01\"}";
    let kinds = |bytes: &[u8]| {
        scan(bytes, ScanMode::Line).flaws.iter().map(|flaw| flaw.kind).collect::<Vec<_>>()
    };
    let other = redacted(bytes);
    assert_eq!(kinds(&other), kinds(bytes));
    assert!(memchr::memmem::find(&other, b"words").is_none());
}

#[test]
fn ids_of_any_shape_still_pair() {
    let mut out = Vec::new();
    let record = br#"{"tool_use_id":"ask ana"} {"id":"ask ana"}"#;
    redaction(true).write(record, ScanMode::Line, &mut out).unwrap();
    let out = String::from_utf8(out).unwrap();
    let ids: Vec<&str> =
        out.split('"').filter(|part| part.len() == 7 && part.contains(' ')).collect();
    assert!(ids.len() == 2 && ids[0] == ids[1] && ids[0] != "ask ana", "{out}");
}
