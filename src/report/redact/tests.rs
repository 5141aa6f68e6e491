use super::*;
use crate::report::text::Shown;

fn reader(mode: RedactMode) -> Redactor {
    Redactor::new(mode, People::new(Some("/home/ana".into()), Vec::new()))
}

fn redacted(mode: RedactMode, is: StringKind, text: &str) -> String {
    redact(Shown::of(is, text), &reader(mode)).to_string()
}

#[test]
fn who_runs_it_sees_ids_and_the_beginning_of_texts() {
    let text = "the key is sk-ant-api03-abcdefgh";
    assert_eq!(redacted(RedactMode::Auto, StringKind::Text, text), "the key is [secret]");
    assert_eq!(redacted(RedactMode::Off, StringKind::Text, text), text);
    let quote = "messages.4.content.0.tool_result: content cannot be empty if `is_error` is true";
    assert_eq!(redacted(RedactMode::Auto, StringKind::Quote, quote), quote);
    assert_eq!(redacted(RedactMode::Auto, StringKind::Quote, text), "the key is [secret]");
    for mode in [RedactMode::Off, RedactMode::Auto] {
        assert_eq!(redacted(mode, StringKind::Path, "/home/ana/my x"), "/home/ana/my x");
        assert_eq!(redacted(mode, StringKind::Name, "any thing\u{7}"), "any thing\\u{7}");
    }
}

#[test]
fn others_see_no_text_and_no_name() {
    let content = |is, text| redacted(RedactMode::Content, is, text);
    assert_eq!(content(StringKind::Text, "hello"), "[text 5 B #0001]");
    assert_eq!(content(StringKind::Quote, "hello"), "[text 5 B #0001]");
    assert_eq!(
        content(StringKind::Call, "toolu_01EvREYhc5WD2xswPAvEc8ir"),
        "toolu_01EvREYhc5WD2xswPAvEc8ir"
    );
    assert_eq!(content(StringKind::Call, "tell nobody"), "[id 11 B #0001]");
    assert_eq!(content(StringKind::Name, "terminal"), "terminal");
    assert_eq!(content(StringKind::Key, "what ana said"), "[key 13 B #0001]");
    assert_eq!(
        content(StringKind::Pointer, "/messages/3/what ana said"),
        "/messages/3/[key 13 B #0001]"
    );
    assert_eq!(content(StringKind::Path, "/home/ana/shop/run-1.jsonl"), "~/shop/run-1.jsonl");
    assert_eq!(content(StringKind::Path, "/srv/ana/to merge/x"), "/srv/user/[name 8 B #0001]/x");
    assert_eq!(
        content(StringKind::Path, "~/.claude/projects/-home-ana-shop/1.jsonl"),
        "~/.claude/projects/-home-user-shop/1.jsonl"
    );
    assert_eq!(content(StringKind::Word, "--only"), "--only");
    assert_eq!(content(StringKind::Word, "TD101,TD104"), "TD101,TD104");
    assert_eq!(content(StringKind::Word, "a pasted error"), "[word 14 B #0001]");
    assert_eq!(content(StringKind::Session, ""), "");
}

#[test]
fn strict_gives_other_names_one_for_each() {
    let reader = reader(RedactMode::Strict);
    let redacted = |is, text: &str| redact(Shown::of(is, text), &reader).to_string();
    assert_eq!(redacted(StringKind::Call, "toolu_1"), "call-1");
    assert_eq!(redacted(StringKind::Call, "toolu_2"), "call-2");
    assert_eq!(redacted(StringKind::Record, "toolu_1"), "call-1");
    assert_eq!(redacted(StringKind::Session, "5f1c"), "session-1");
    assert_eq!(redacted(StringKind::Path, "/srv/x/run.jsonl"), "~/path-1.jsonl");
    assert_eq!(redacted(StringKind::Path, "other"), "~/path-2");
    assert_eq!(redacted(StringKind::Name, "terminal"), "terminal");
    assert_eq!(redacted(StringKind::Text, "one"), "[text 3 B #0001]");
    assert_eq!(redacted(StringKind::Text, "two"), "[text 3 B #0002]");
    assert_eq!(redacted(StringKind::Text, "one"), "[text 3 B #0001]");
}

#[test]
#[cfg_attr(debug_assertions, should_panic(expected = "no redactor"))]
fn what_no_redactor_has_seen_is_redacted() {
    assert_eq!(Shown::of(StringKind::Text, "hello").to_string(), "[text 5 B #0001]");
}

#[test]
fn who_reads_a_file_or_a_log_sees_less() {
    let hello = || Shown::of(StringKind::Text, "hello");
    let outer = reader(RedactMode::Off);
    let file = outer.file(RedactMode::Auto);
    assert_eq!(file.mode(), RedactMode::Content);
    assert_eq!(redact(hello(), &outer).to_string(), "hello");
    // A report for the terminal becomes one for a file.
    let again = redact(redact(hello(), &outer), &file);
    assert_eq!(again.to_string(), "[text 5 B #0001]");
    assert!(file.hides_text() && !outer.hides_text());
    assert_eq!(
        Redactor::for_stream(RedactMode::Auto, true, People::default()).mode(),
        RedactMode::Content
    );
    assert_eq!(
        Redactor::for_stream(RedactMode::Off, true, People::default()).mode(),
        RedactMode::Off
    );
    assert_eq!(outer.file(RedactMode::Strict).mode(), RedactMode::Strict);
}

#[test]
fn what_is_typed_is_what_is_meant() {
    let typed = |mode: RedactMode, is, text: &str| {
        redact(Shown::of(is, text), &reader(mode)).typed().map(str::to_owned)
    };
    assert_eq!(typed(RedactMode::Content, StringKind::Path, "/home/ana/x").as_deref(), Some("~/x"));
    assert_eq!(typed(RedactMode::Content, StringKind::Path, "/home/bob/x"), None);
    assert_eq!(typed(RedactMode::Content, StringKind::Path, "a b"), None);
    assert_eq!(typed(RedactMode::Content, StringKind::Session, "5f1c").as_deref(), Some("5f1c"));
    assert_eq!(typed(RedactMode::Strict, StringKind::Path, "x"), None);
    assert_eq!(
        typed(RedactMode::Auto, StringKind::Path, "/home/ana/x y").as_deref(),
        Some("/home/ana/x y")
    );
}
