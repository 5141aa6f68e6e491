//! `diff`.

use std::path::Path;
use std::process::Command;

use crate::bench::{Bench, STUCK, healthy};
use crate::tools;

#[test]
fn the_patch_equals_the_repair() {
    let bench = Bench::new();
    bench.folder("a", &STUCK);
    bench.folder("b", &STUCK);
    let patch = bench.run(&["diff", "--as", "raw", "a"]).exits(0).out;
    bench.write("p.patch", &patch);
    if !tools::has("git", "the_patch_equals_the_repair") {
        return;
    }
    let done = Command::new("git").args(["apply", "p.patch"]).current_dir(bench.path("")).status();
    assert!(done.unwrap().success(), "{patch}");
    bench.run(&["repair", "b"]).exits(0);
    assert_eq!(bench.tree("a"), bench.tree("b"));
}

#[test]
fn diff_has_several_views() {
    let bench = Bench::new();
    bench.lines("run.jsonl", &STUCK);
    bench.run(&["diff", "run.jsonl"]).exits(0).says("- removed      4  AgentErrorEvent");
    bench
        .run(&["diff", "--as", "messages", "run.jsonl"])
        .says("-    2  tool       result, placeholder");
    bench.run(&["diff", "--stat", "run.jsonl"]).says("run.jsonl: 1 removed");
    bench.run(&["diff", "--exit-code", "run.jsonl"]).exits(1);
    let report = bench.run(&["diff", "-f", "json", "run.jsonl"]).exits(0).json();
    assert_eq!(report["conversations"][0]["applied"]["removed"], 1);
}

#[test]
fn a_request_shows_its_texts() {
    let bench = Bench::new();
    let list = |system: &str, call: &str, text: &str| {
        format!(
            r#"{{"model":"claude-x","max_tokens":9,"system":"{system}","messages":[{{"role":"user","content":"{text}"}},{{"role":"assistant","content":[{{"type":"text","text":"I look."}},{{"type":"tool_use","id":"toolu_01A","name":"ls","input":{{"path":"{call}"}}}}]}},{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"toolu_01A","content":"a.rs"}}]}}]}}"#
        )
    };
    let diff = |a: String, b: String| {
        bench.write("a.json", a);
        bench.write("b.json", b);
        bench.run(&["diff", "--as", "messages", "a.json", "b.json", "--exit-code"])
    };
    let old = || list("Be brief.", "src", "what is there?");
    diff(old(), old()).exits(0);
    // The same text in another spelling.
    diff(old(), old().replace("what", "\\u0077hat").replace("\",\"", "\", \"")).exits(0);
    let ran = diff(old(), list("Be brief.", "src", "what was there?")).exits(1);
    ran.says("~    0  user       text\n")
        .says("/content: ")
        .says("\"what is there?\"")
        .says("\"what was there?\"");
    let ran = diff(old(), list("Be brief.", "tests", "what is there?")).exits(1);
    ran.says("~    1  assistant  text\n").says("    /content/1/input/path: \"src\" → \"tests\"\n");
    let ran = diff(old(), list("Be long.", "src", "what is there?")).exits(1);
    ran.says("~       system     prompt\n    /system: ").says("\"Be long.\"");
    let ran = bench.run(&["diff", "--as", "messages", "a.json", "b.json", "--redact", "content"]);
    assert!(ran.out.contains("[text") && !ran.out.contains("Be"), "{}", ran.out);
    // Added and removed messages show their first words.
    let less = old().replace(r#"{"role":"user","content":"what is there?"},"#, "");
    diff(old(), less).exits(1).says("-    0  user       text    \"what is there?\"\n");
}

#[test]
fn two_transcripts_are_compared() {
    let bench = Bench::new();
    bench.lines("a.jsonl", &STUCK);
    bench.lines("b.jsonl", &healthy());
    bench
        .run(&["diff", "a.jsonl", "b.jsonl"])
        .exits(0)
        .says("- removed      4")
        .says("1 removed; 4 unchanged");
    bench.run(&["diff", "--exit-code", "a.jsonl", "b.jsonl"]).exits(1);
    bench.run(&["diff", "--exit-code", "a.jsonl", "a.jsonl"]).exits(0);
    let raw = bench.run(&["diff", "--as", "raw", "a.jsonl", "b.jsonl"]).exits(0).out;
    assert_eq!(
        raw.lines().filter(|line| line.starts_with('-') && !line.starts_with("---")).count(),
        1,
        "{raw}"
    );
    bench.run(&["diff", "--as", "messages", "a.jsonl", "b.jsonl"]).says("placeholder");
    bench.run(&["diff", "a.jsonl", "gone.jsonl"]).exits(3);
    bench.run(&["diff", "a.jsonl", "empty-folder"]).exits(3);
}

#[test]
fn a_difference_shows_its_texts() {
    let bench = Bench::new();
    let pi = |lines: &[&str]| {
        let header = r#"{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00Z","cwd":"/x"}"#;
        let mut all = vec![header];
        all.extend(lines);
        bench.lines("run.jsonl", &all);
        bench.run(&["diff", "run.jsonl"]).exits(0)
    };
    let first = r#"{"type":"message","id":"a1","parentId":null,"timestamp":"2026-01-01T00:00:00Z","message":{"role":"user","content":"list all files"}}"#;
    let second = r#"{"type":"message","id":"a2","parentId":"a1","timestamp":"2026-01-01T00:00:01Z","message":{"role":"user","content":"go on"}}"#;
    let call = r#"{"type":"message","id":"a2","parentId":"a1","timestamp":"2026-01-01T00:00:01Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"toolu_1","name":"ls","arguments":{}}],"api":"anthropic-messages","stopReason":"toolUse"}}"#;
    let after = r#"{"type":"message","id":"a3","parentId":"a2","timestamp":"2026-01-01T00:00:02Z","message":{"role":"user","content":"go on"}}"#;
    // Several records on a line.
    pi(&[&format!("{first}{second}")]).says("~ split        2 → lines 2, 3; bytes unchanged\n");
    // A copy, whose text is quoted, and a fragment, which has none.
    pi(&[first, first, &second[..60]])
        .says("- removed      3  message  a1")
        .says("    \"list all files\"\n")
        .says("- removed      4  fragment    61 bytes\n");
    // What we insert is shown as a whole.
    let ran = pi(&[first, call, after]);
    let text: String = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let ours = "\"Interrupted: no result was recorded; the tool may or may not have run. (inserted by transcript-doctor, TD101)\"";
    assert!(text.contains(ours), "{}", ran.out);
    // What nobody could see is shown as it is written.
    let half = call.replace("{}", r#"{"text":"go \ud83d on"}"#);
    pi(&[first, &half, after]).says(r#""go \ud83d on" → "go \ufffd on""#);
}

#[test]
fn a_torn_row_and_a_fragment_are_shown() {
    let bench = Bench::new();
    let row = r#"{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}"#;
    bench.write("rows.jsonl", format!("{row}\n{row}\n{}", &row[..40]));
    bench
        .run(&["diff", "rows.jsonl"])
        .says("rows.jsonl:3  what repair would change\n- removed      3  row    40 bytes\n    \"{");
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures/rules/glued-records/claude-code-torn-progress.jsonl");
    bench.write("run.jsonl", std::fs::read(fixture).unwrap());
    bench
        .run(&["diff", "run.jsonl"])
        .says("~ cut          5  user  ")
        .says(" bytes before it\n    \"{");
}

#[test]
fn a_copy_is_proposed_where_nothing_can_be_replaced() {
    let bench = Bench::new();
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/rows/inspect.json");
    bench.write("log.json", std::fs::read(fixture).unwrap());
    bench
        .run(&["check", "log.json"])
        .exits(1)
        .says("Fix it:  transcript-doctor repair -o repaired-log.json log.json\n");
    bench.run(&["repair", "-o", "repaired-log.json", "log.json"]).exits(0);
    bench.run(&["check", "repaired-log.json"]).exits(0);
}

#[test]
fn a_copy_is_proposed_where_no_row_can_be_replaced() {
    let bench = Bench::new();
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/rows/openhands.jsonl");
    bench.write("log.jsonl", std::fs::read(fixture).unwrap());
    bench
        .run(&["check", "log.jsonl"])
        .exits(1)
        .says("Fix it:  transcript-doctor repair -o repaired-log.jsonl log.jsonl\n");
    bench.run(&["repair", "log.jsonl"]).exits(4);
}

#[test]
fn the_fix_quotes_what_it_removes() {
    let bench = Bench::new();
    bench.lines("run.jsonl", &STUCK);
    let ran = bench.run(&["check", "run.jsonl"]).exits(1);
    let ran = ran.says("  fix: remove line 4 \"");
    ran.says("\" (kept in the journal)\n");
    let shared = bench.run(&["check", "--redact", "content", "run.jsonl"]).exits(1);
    shared.says("  fix: remove line 4 (kept in the journal)\n");
    let json = bench.run(&["check", "-f", "json", "run.jsonl"]).exits(1);
    let action = &json.json()["conversations"][0]["findings"][0]["fix"]["actions"][0];
    assert_eq!(action["op"], "remove");
    assert_eq!(action["text"], serde_json::Value::Null);
}

#[test]
fn two_transcripts_are_named() {
    let bench = Bench::new();
    bench.lines("a.jsonl", &STUCK);
    bench.lines("b.jsonl", &healthy());
    let ran = bench.run(&["diff", "b.jsonl", "a.jsonl"]).exits(0);
    let ran = ran.says("--- b.jsonl  (OpenHands SDK event log)\n+++ a.jsonl  (");
    let ran = ran.says("+ added      new");
    ran.says("1 added");
    let other = r#"[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"ls","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"x"}]}]"#;
    bench.write("c.json", other);
    bench
        .run(&["diff", "a.jsonl", "c.json"])
        .exits(0)
        .says("different formats: few records can be compared");
}

#[test]
fn quiet_output_has_verdicts_only() {
    let bench = Bench::new();
    bench.lines("a.jsonl", &STUCK);
    bench.lines("b.jsonl", &healthy());
    for more in [&[][..], &["--as", "messages"], &["--as", "raw"], &["--stat"]] {
        let ran = |args: &[&str]| bench.run(&[args, more].concat());
        assert_eq!(
            ran(&["diff", "-q", "a.jsonl", "--exit-code"]).exits(1).out,
            "STUCK       a.jsonl\n"
        );
        assert_eq!(
            ran(&["diff", "-q", "a.jsonl", "b.jsonl"]).exits(0).out,
            "STUCK       a.jsonl\nHEALTHY     b.jsonl\n"
        );
        ran(&["diff", "-q", "a.jsonl", "b.jsonl", "--exit-code"]).exits(1);
        for args in [&["diff", "-qq", "a.jsonl"][..], &["diff", "-qq", "a.jsonl", "b.jsonl"]] {
            assert_eq!(ran(args).exits(0).out, "", "{args:?}");
        }
    }
    assert_eq!(
        bench.run(&["diff", "-f", "concise", "a.jsonl"]).out,
        "a.jsonl: 1 removed; 4 unchanged\n"
    );
}

/// What a preview shows, without its title.
fn body(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.contains("what ")).collect()
}

#[test]
fn a_past_repair_is_shown() {
    let bench = Bench::new();
    bench.lines("run.jsonl", &STUCK);
    bench.folder("c", &STUCK);
    for (op, name) in [("1", "run.jsonl"), ("2", "c")] {
        let planned = bench.run(&["diff", name]).exits(0).out;
        let messages = bench.run(&["diff", name, "--as", "messages"]).exits(0).out;
        let raw = bench.run(&["diff", name, "--as", "raw"]).exits(0).out;
        bench.run(&["repair", name]).exits(0);
        let done = bench.run(&["diff", "--op", op]).exits(0);
        let done = done.says(&format!("{name}  what operation {op} changed ("));
        assert_eq!(body(&done.out), body(&planned));
        let done = bench.run(&["diff", "--op", op, "--as", "messages"]).out;
        assert_eq!(body(&done), body(&messages));
        let done = bench.run(&["diff", "--op", op, "--as", "raw"]).out;
        assert_eq!(done, raw);
        bench
            .run(&["diff", "--op", "last", "--stat", "--exit-code"])
            .exits(1)
            .says("1 removed; 4 unchanged");
    }
    // By what it repaired.
    bench.run(&["diff", "run.jsonl", "--op", "last"]).exits(0).says("what operation 1 changed");
    bench.run(&["diff", "run.jsonl", "--op", "2"]).exits(5).complains("no such repair");
}

#[test]
fn a_past_repair_is_shown_whatever_came_later() {
    let bench = Bench::new();
    bench.lines("run.jsonl", &STUCK);
    bench.folder("c", &STUCK);
    bench.run(&["repair", "run.jsonl"]).exits(0);
    bench.run(&["repair", "c"]).exits(0);
    let ops = ["1", "2"];
    let shown = ops.map(|op| bench.run(&["diff", "--op", op]).exits(0).out);
    // The session goes on.
    let mut longer = bench.read("run.jsonl");
    longer.extend_from_slice(b"{\"new\":1}\n");
    bench.write("run.jsonl", &longer);
    let event = STUCK[1].replace("000000000001", "000000000009");
    let name = "c/events/event-00004-00000000-0000-4000-8000-000000000009.json";
    bench.write(name, event);
    let now = bench.run(&["diff", "--op", "1"]).exits(0).out;
    assert_eq!(now, shown[0]);
    bench.run(&["diff", "--op", "2"]).exits(0).says("- removed      3");
    // Another program rewrote it.
    bench.write("run.jsonl", "gone\n");
    let now = bench.run(&["diff", "--op", "1"]).exits(0).out;
    assert_eq!(now, shown[0]);
}

#[test]
fn an_undone_repair_is_shown() {
    for extra in [&[][..], &["--no-backup"]] {
        let bench = Bench::new();
        bench.lines("run.jsonl", &STUCK);
        bench.folder("c", &STUCK);
        for (op, name) in [("1", "run.jsonl"), ("3", "c")] {
            let mut args = vec!["repair", name];
            args.extend(extra);
            bench.run(&args).exits(0);
            let before = bench.run(&["diff", "--op", op]).exits(0).out;
            bench.run(&["undo", name]).exits(0);
            let after = bench.run(&["diff", "--op", op]).exits(0);
            let after = after.says(", undone by operation ");
            assert_eq!(body(&after.out), body(&before));
        }
        bench.run(&["diff", "--op", "2"]).exits(5).complains("undid operation 1");
    }
}

#[test]
fn texts_are_shown_side_by_side() {
    let bench = Bench::new();
    bench.lines("a.jsonl", &STUCK);
    let other: Vec<String> =
        STUCK.iter().map(|record| record.replace("private words", "other words")).collect();
    let other: Vec<&str> = other.iter().map(String::as_str).collect();
    bench.lines("b.jsonl", &other[..4]);
    let wide = ["--side-by-side", "--width", "100", "a.jsonl", "b.jsonl"];
    let ran = bench.run(&[&["diff"][..], &wide].concat()).exits(0);
    let ran = ran.says("    /llm_message/content/0/text\n");
    let ran = ran.says(&format!("    {:<46} │ \"other words\"\n", "\"private words\""));
    let ran = ran.says(&format!("    {:<46} │\n", "\"private output\""));
    assert!(ran.out.lines().all(|line| line.chars().count() <= 100));
    let ran = bench.run(&[&["diff", "--as", "messages"][..], &wide].concat());
    ran.says("\n-    2  tool       result, recorded  toolu_01A … │\n");
    bench
        .run(&["diff", "--side-by-side", "a.jsonl", "b.jsonl"])
        .exits(0)
        .complains("needs 100 columns, not 80")
        .says("\"private words\" → \"other words\"");
    bench.run(&["diff", "--side-by-side", "--as", "raw", "a.jsonl"]).exits(2);
}
