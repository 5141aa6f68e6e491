//! A repair that would change much of a transcript is refused, and every command agrees.

use crate::bench::Bench;

const SENTENCE: &str = "this does not look like Anthropic messages, or another program rewrote it: \
                        7 of 7 tool calls have no result";

/// Seven calls, answered by plain texts.
fn rewritten() -> String {
    let mut messages = vec![r#"{"role":"user","content":"look"}"#.to_owned()];
    for bed in 0..7 {
        messages.push(format!(
            r#"{{"role":"assistant","content":[{{"type":"tool_use","id":"toolu_{bed}","name":"look","input":{{}}}}]}}"#
        ));
        messages.push(format!(r#"{{"role":"user","content":"bed {bed} is dry"}}"#));
    }
    format!("[{}]", messages.join(","))
}

#[test]
fn repair_refuses_every_way_to_write() {
    let bench = Bench::new();
    bench.write("run.json", rewritten());
    let before = bench.tree("");
    let all: [&[&str]; 5] = [
        &["repair", "run.json"],
        &["repair", "-n", "run.json"],
        &["repair", "-o", "copy.json", "run.json"],
        &["repair", "--unsafe", "run.json"],
        &["repair", "--from", "anthropic-messages", "run.json"],
    ];
    for args in all {
        bench
            .run(args)
            .exits(4)
            .complains(SENTENCE)
            .complains("--unsafe --from anthropic-messages");
        assert_eq!(bench.tree(""), before);
    }
    bench.run(&["diff", "run.json"]).exits(4).complains(SENTENCE);
}

#[test]
fn from_and_unsafe_override_the_bounds() {
    let bench = Bench::new();
    bench.write("run.json", rewritten());
    bench.run(&["repair", "--unsafe", "--from", "anthropic-messages", "run.json"]).exits(0);
    bench.run(&["check", "run.json"]).exits(0).says("HEALTHY");
    bench.run(&["undo", "1"]).exits(0);
    assert_eq!(bench.read("run.json"), rewritten().as_bytes());
}

#[test]
fn no_command_calls_it_safe() {
    let bench = Bench::new();
    bench.write("run.json", rewritten());
    for command in ["check", "explain"] {
        let ran = bench.run(&[command, "run.json"]);
        assert!(
            !ran.out.contains("fix: safe") && !ran.out.contains("repair run.json"),
            "{}",
            ran.out
        );
    }
    let look = "diff --unsafe --from anthropic-messages run.json";
    bench.run(&["check", "run.json"]).exits(1).says(SENTENCE).says(look);
    bench.run(&["explain", "run.json"]).says("there is no safe repair: this does not look like");
    let report = bench.run(&["check", "--format", "json", "run.json"]).exits(1).json();
    assert_eq!(report["conversations"][0]["no_safe_fix"], SENTENCE);
    let findings = report["conversations"][0]["findings"].as_array().unwrap();
    assert!(findings.iter().all(|finding| finding["fix"]["applicability"] == "unsafe"));
}

/// A single fix that was requested is small.
#[test]
fn a_repair_of_one_error_is_small() {
    let bench = Bench::new();
    bench.write("run.json", rewritten());
    let error = "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_0";
    bench.run(&["repair", "--error", error, "run.json"]).exits(1).says("6 unsafe fixes");
    let after = String::from_utf8(bench.read("run.json")).unwrap();
    assert_eq!(after.matches("tool_result").count(), 1);
}

fn row(id: usize, is_answered: bool) -> String {
    let result = if is_answered {
        format!(
            r#"{{"role":"user","content":[{{"toolResult":{{"toolUseId":"t{id}","content":[{{"text":"ok"}}]}}}}]}},"#
        )
    } else {
        String::new()
    };
    format!(
        r#"{{"messages":[{{"role":"user","content":[{{"text":"hi"}}]}},{{"role":"assistant","content":[{{"toolUse":{{"toolUseId":"t{id}","name":"ls","input":{{}}}}}}]}},{result}{{"role":"assistant","content":[{{"text":"done"}}]}}]}}"#
    )
}

/// A file of conversations in which most rows would change.
#[test]
fn changing_most_rows_is_not_safe() {
    let bench = Bench::new();
    let rows = |damaged: usize, all: usize| -> String {
        (0..all).map(|id| row(id, id >= damaged) + "\n").collect()
    };
    bench.write("many.jsonl", rows(7, 12));
    let sentence = "or another program rewrote it: 7 of 12 rows would change";
    bench.run(&["repair", "many.jsonl"]).exits(4).complains(sentence);
    assert_eq!(bench.read("many.jsonl"), rows(7, 12).as_bytes());
    bench.run(&["check", "many.jsonl"]).exits(1).says(sentence);
    bench.run(&["repair", "--unsafe", "--from", "bedrock-converse", "many.jsonl"]).exits(0);
    bench.write("half.jsonl", rows(6, 12));
    bench.run(&["repair", "half.jsonl"]).exits(0);
}

/// Either of two equal fixes may be applied. With both, nothing would show the provider of these
/// messages.
#[test]
fn only_the_fix_that_the_gate_rejects_is_left_out() {
    let bench = Bench::new();
    let result = |id: &str| {
        format!(
            r#"{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"toolu_{id}","content":"ok"}},{{"type":"text","text":"and"}}]}}"#
        )
    };
    bench.write(
        "run.json",
        format!(r#"[{{}},{},{},{{"role":"assistant","content":"x"}}]"#, result("1"), result("2")),
    );
    let why = "A fix was left out: it removes the only sign of the format";
    bench.run(&["repair", "-n", "run.json"]).exits(1).says(why);
    bench.run(&["repair", "run.json"]).exits(1).says(why);
    let after = String::from_utf8(bench.read("run.json")).unwrap();
    assert_eq!(after.matches("tool_result").count(), 1);
    bench.run(&["repair", "run.json"]).exits(1).says("No automatic fix").says(why);
    // Nobody is told to edit what was refused.
    let report = bench.run(&["check", "-f", "json", "run.json"]).json();
    let findings = report["conversations"][0]["findings"].as_array().unwrap();
    let finding = findings.iter().find(|own| own["code"] == "TD103").unwrap();
    assert_eq!(finding["fix"]["applicability"], "manual");
    assert_eq!(
        finding["advice"],
        "its fix was refused, because it removes the only sign of the format or provider, so the result would be checked \
         differently"
    );
}

/// A repair does not touch notes unless it is told to, so their fixes are not called safe.
#[test]
fn the_fix_of_a_note_is_done_on_request() {
    let bench = Bench::new();
    let whole = include_bytes!("../../fixtures/rules/missing-final-newline/pi.jsonl");
    bench.write("run.jsonl", whole);
    let report = bench.run(&["check", "-f", "json", "run.jsonl"]).json();
    let finding = &report["conversations"][0]["findings"][0];
    assert_eq!(
        (&finding["severity"], &finding["fix"]["applicability"]),
        (&"note".into(), &"on-request".into())
    );
    bench.run(&["check", "-v", "run.jsonl"]).says("fix: on request");
    bench.run(&["repair", "run.jsonl"]).exits(0);
    assert_eq!(bench.read("run.jsonl"), whole);
    bench.run(&["repair", "--only", "TD014", "run.jsonl"]).exits(0);
    assert_eq!(bench.read("run.jsonl"), [&whole[..], b"\n"].concat());
}
