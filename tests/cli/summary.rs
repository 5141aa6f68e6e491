//! What is said of many transcripts: healthy ones quietly, the worst last, each that is left with its reason.

use crate::bench::{Bench, STUCK, healthy};

/// A healthy transcript, one whose last line is cut off, and one that only a guess repairs.
fn bench() -> Bench {
    let bench = Bench::new();
    bench.lines("a.jsonl", &STUCK);
    bench.lines("b.jsonl", &healthy());
    let mut torn = healthy().join("\n");
    torn.truncate(torn.len() - 20);
    bench.write("c.jsonl", torn);
    bench
}

const ALL: [&str; 3] = ["a.jsonl", "b.jsonl", "c.jsonl"];

#[test]
fn check_names_healthy_transcripts_only_where_everything_is_asked_for() {
    let bench = bench();
    let ran = bench.run(&[&["check"], &ALL[..]].concat()).exits(1);
    assert!(!ran.out.contains("HEALTHY  b.jsonl"), "{}", ran.out);
    let ran = ran.says("3 conversations: ").says("1 stuck").says("1 healthy");
    let (stuck, other) = (ran.out.find("STUCK  a.jsonl"), ran.out.find("c.jsonl"));
    let [less, more] =
        if ran.out.contains("UNREADABLE  c.jsonl") { [stuck, other] } else { [other, stuck] };
    assert!(less.is_some() && less < more, "the worst is not last:\n{}", ran.out);
    let ran = bench.run(&[&["check", "-v"], &ALL[..]].concat()).exits(1);
    ran.says("HEALTHY  b.jsonl");
    // Of one alone, it is the answer.
    bench.run(&["check", "b.jsonl"]).exits(0).says("HEALTHY  b.jsonl");
}

#[test]
fn a_repair_of_several_counts_and_says_what_is_left() {
    let bench = bench();
    let output = |text: &str| {
        format!(r#"{{"type":"function_call_output","call_id":"call_1","output":"{text}"}}"#)
    };
    let lines = [
        r#"{"type":"function_call","call_id":"call_1","name":"ls","arguments":"{}"}"#,
        &output("a.txt"),
        &output("b.txt"),
        r#"{"type":"message","role":"user","content":"Go on."}"#,
    ];
    bench.lines("d.jsonl", &lines);
    let ran = bench.run(&["repair", "a.jsonl", "b.jsonl", "d.jsonl"]).exits(1);
    assert!(!ran.out.contains("b.jsonl"), "{}", ran.out);
    let ran = ran.says("Repaired 1 of 2 transcripts; left 1:\nSTUCK       d.jsonl\n");
    let why = "TD105: two different results for one tool call; you decide which result is right";
    // Nobody can be asked here.
    ran.says(why).says("transcript-doctor explain d.jsonl\n");
    let ran = bench.run(&["repair", "a.jsonl", "b.jsonl"]).exits(0);
    assert_eq!(ran.out, "2 conversations: 2 healthy.\n");
}

#[test]
fn a_safe_fix_that_was_not_asked_for_is_called_that() {
    let bench = bench();
    let ran = bench.run(&["repair", "--only", "TD001", "a.jsonl", "b.jsonl"]).exits(1);
    ran.says("two results for one tool call; its fix is safe, but was left out");
}

#[test]
fn a_preview_says_that_only_a_decision_is_needed() {
    let bench = Bench::new();
    let output = |text: &str| {
        format!(r#"{{"type":"function_call_output","call_id":"call_1","output":"{text}"}}"#)
    };
    let lines = [
        r#"{"type":"function_call","call_id":"call_1","name":"ls","arguments":"{}"}"#,
        &output("a.txt"),
        &output("b.txt"),
        r#"{"type":"message","role":"user","content":"Go on."}"#,
    ];
    bench.lines("d.jsonl", &lines);
    let ran = bench.run(&["diff", "d.jsonl"]).exits(0);
    let ran =
        ran.says("No automatic fix. 1 problem needs your decision:").says("1  line 2: \"a.txt\"");
    ran.says("transcript-doctor repair --prefer 2 d.jsonl");
    for command in ["diff", "repair"] {
        let why = "--prefer 3: there are only 2 results to choose from";
        bench.run(&[command, "--prefer", "3", "d.jsonl"]).exits(2).complains(why);
    }
    bench.run(&["repair", "--prefer", "2", "d.jsonl"]).exits(0);
}

/// An editor opens a place by line and column.
#[test]
fn a_place_in_a_document_has_line_and_column() {
    let bench = Bench::new();
    let call = r#"{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"ls","arguments":"{}"}}]}"#;
    let list = format!(
        "[\n  {{\"role\":\"user\",\"content\":\"a\"}},\n  {call},\n  {{\"role\":\"user\",\"content\":\"b\"}}\n]\n"
    );
    bench.write("list.json", list);
    for format in ["human", "concise"] {
        bench.run(&["check", "list.json", "-f", format]).exits(1).says("list.json:3:3");
    }
}

#[test]
fn paths_are_whole_where_nobody_looks_at_a_screen() {
    let bench = Bench::new();
    let name = format!("{}/{}.jsonl", "folder".repeat(9), "name".repeat(20));
    bench.lines(&name, &STUCK);
    bench.run(&["check", &name]).exits(1).says(&format!("STUCK  {name}\n"));
    let ran = bench.run(&["check", &name, "--width", "80"]).exits(1);
    assert!(!ran.out.contains(&format!("STUCK  {name}")), "{}", ran.out);
}

/// The user typed the name of the copy.
#[test]
fn a_strict_copy_is_named_as_it_was_typed() {
    let bench = Bench::new();
    bench.lines("run.jsonl", &STUCK);
    let args = ["redact", "run.jsonl", "--redact", "strict", "-o", "for-support.jsonl"];
    bench.run(&args).exits(0).says("Wrote for-support.jsonl, without any text");
    bench.run(&args).exits(2).complains("for-support.jsonl exists");
}
