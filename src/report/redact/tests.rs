use super::*;
use crate::report::text::Shown;

fn reader(mode: Mode) -> Redactor {
    Redactor::new(mode, People::new(Some("/home/ana".into()), Vec::new()))
}

fn redacted(mode: Mode, is: Is, text: &str) -> String {
    redact(Shown::of(is, text), &reader(mode)).to_string()
}

#[test]
fn who_runs_it_sees_ids_and_the_beginning_of_texts() {
    let text = "the key is sk-ant-api03-abcdefgh";
    assert_eq!(redacted(Mode::Auto, Is::Text, text), "the key is [secret]");
    assert_eq!(redacted(Mode::Off, Is::Text, text), text);
    let quote = "messages.4.content.0.tool_result: content cannot be empty if `is_error` is true";
    assert_eq!(redacted(Mode::Auto, Is::Quote, quote), quote);
    assert_eq!(redacted(Mode::Auto, Is::Quote, text), "the key is [secret]");
    for mode in [Mode::Off, Mode::Auto] {
        assert_eq!(redacted(mode, Is::Path, "/home/ana/my x"), "/home/ana/my x");
        assert_eq!(
            redacted(mode, Is::Name, "any thing\u{7}"),
            "any thing\\u{7}"
        );
    }
}

#[test]
fn others_see_no_text_and_no_name() {
    let content = |is, text| redacted(Mode::Content, is, text);
    assert_eq!(content(Is::Text, "hello"), "[text 5 B #0001]");
    assert_eq!(content(Is::Quote, "hello"), "[text 5 B #0001]");
    assert_eq!(
        content(Is::Call, "toolu_01EvREYhc5WD2xswPAvEc8ir"),
        "toolu_01EvREYhc5WD2xswPAvEc8ir"
    );
    assert_eq!(content(Is::Call, "tell nobody"), "[id 11 B #0001]");
    assert_eq!(content(Is::Name, "terminal"), "terminal");
    assert_eq!(content(Is::Key, "what ana said"), "[key 13 B #0001]");
    assert_eq!(
        content(Is::Pointer, "/messages/3/what ana said"),
        "/messages/3/[key 13 B #0001]"
    );
    assert_eq!(
        content(Is::Path, "/home/ana/shop/run-1.jsonl"),
        "~/shop/run-1.jsonl"
    );
    assert_eq!(
        content(Is::Path, "/srv/ana/to merge/x"),
        "/srv/user/[name 8 B #0001]/x"
    );
    assert_eq!(
        content(Is::Path, "~/.claude/projects/-home-ana-shop/1.jsonl"),
        "~/.claude/projects/-home-user-shop/1.jsonl"
    );
    assert_eq!(content(Is::Word, "--only"), "--only");
    assert_eq!(content(Is::Word, "TD101,TD104"), "TD101,TD104");
    assert_eq!(content(Is::Word, "a pasted error"), "[word 14 B #0001]");
    assert_eq!(content(Is::Session, ""), "");
}

#[test]
fn strict_gives_other_names_one_for_each() {
    let reader = reader(Mode::Strict);
    let redacted = |is, text: &str| redact(Shown::of(is, text), &reader).to_string();
    assert_eq!(redacted(Is::Call, "toolu_1"), "call-1");
    assert_eq!(redacted(Is::Call, "toolu_2"), "call-2");
    assert_eq!(redacted(Is::Record, "toolu_1"), "call-1");
    assert_eq!(redacted(Is::Session, "5f1c"), "session-1");
    assert_eq!(redacted(Is::Path, "/srv/x/run.jsonl"), "~/path-1.jsonl");
    assert_eq!(redacted(Is::Path, "other"), "~/path-2");
    assert_eq!(redacted(Is::Name, "terminal"), "terminal");
    assert_eq!(redacted(Is::Text, "one"), "[text 3 B #0001]");
    assert_eq!(redacted(Is::Text, "two"), "[text 3 B #0002]");
    assert_eq!(redacted(Is::Text, "one"), "[text 3 B #0001]");
}

#[test]
#[cfg_attr(debug_assertions, should_panic(expected = "no redactor"))]
fn what_no_redactor_has_seen_is_redacted() {
    assert_eq!(Shown::of(Is::Text, "hello").to_string(), "[text 5 B #0001]");
}

#[test]
fn who_reads_a_file_or_a_log_sees_less() {
    let hello = || Shown::of(Is::Text, "hello");
    let outer = reader(Mode::Off);
    let file = outer.file(Mode::Auto);
    assert_eq!(file.mode(), Mode::Content);
    assert_eq!(redact(hello(), &outer).to_string(), "hello");
    // A report for the terminal becomes one for a file.
    let again = redact(redact(hello(), &outer), &file);
    assert_eq!(again.to_string(), "[text 5 B #0001]");
    assert!(file.hides_text() && !outer.hides_text());
    assert_eq!(
        Redactor::for_stream(Mode::Auto, true, People::default()).mode(),
        Mode::Content
    );
    assert_eq!(
        Redactor::for_stream(Mode::Off, true, People::default()).mode(),
        Mode::Off
    );
    assert_eq!(outer.file(Mode::Strict).mode(), Mode::Strict);
}

#[test]
fn what_is_typed_is_what_is_meant() {
    let typed = |mode: Mode, is, text: &str| {
        redact(Shown::of(is, text), &reader(mode))
            .typed()
            .map(str::to_owned)
    };
    assert_eq!(
        typed(Mode::Content, Is::Path, "/home/ana/x").as_deref(),
        Some("~/x")
    );
    assert_eq!(typed(Mode::Content, Is::Path, "/home/bob/x"), None);
    assert_eq!(typed(Mode::Content, Is::Path, "a b"), None);
    assert_eq!(
        typed(Mode::Content, Is::Session, "5f1c").as_deref(),
        Some("5f1c")
    );
    assert_eq!(typed(Mode::Strict, Is::Path, "x"), None);
    assert_eq!(
        typed(Mode::Auto, Is::Path, "/home/ana/x y").as_deref(),
        Some("/home/ana/x y")
    );
}
