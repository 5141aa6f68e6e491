//! `explain` of recordings and records.

use crate::bench::{Bench, STUCK, healthy};

fn bench() -> Bench {
    let bench = Bench::new();
    bench.lines("run.jsonl", &STUCK);
    bench.folder("81625941432749c6a9a44ba08aafa96f", &STUCK);
    bench
}

#[test]
fn a_file_is_explained_without_quoting_it() {
    let bench = bench();
    let before = bench.tree("");
    let ran = bench
        .run(&["explain", "run.jsonl"])
        .exits(0)
        .says("1. Line 3: the agent started `terminal`.");
    let ran = ran.says("(likely)").says("Next:  transcript-doctor repair run.jsonl");
    assert!(!ran.out.contains("private output") && ran.err.is_empty(), "{}{}", ran.out, ran.err);
    bench
        .run(&["explain", "81625941432749c6a9a44ba08aafa96f"])
        .exits(0)
        .says("1. Event 2: the agent");
    assert_eq!(bench.tree(""), before);
    let json = bench.run(&["explain", "run.jsonl", "-f", "json"]).exits(0).json();
    assert_eq!(
        (&json["stories"][0]["code"], &json["go_on"]["answer"]),
        (&"P1".into(), &"after_repair".into())
    );
}

#[test]
fn a_healthy_file_is_reported_as_healthy() {
    let bench = Bench::new();
    bench.lines("run.jsonl", &healthy());
    let ran =
        bench.run(&["explain", "run.jsonl"]).exits(0).says("No problems").says("continue?  Yes.");
    assert!(!ran.out.contains("Next:"), "{}", ran.out);
}

#[test]
fn options_choose_the_sections() {
    let bench = bench();
    let ran = bench.run(&["explain", "run.jsonl", "--no-story"]).exits(0).says("cause unknown");
    assert!(!ran.out.contains("What happened"));
    let rows = |args: &[&str]| {
        let json =
            bench.run(&[&["explain", "run.jsonl", "-f", "json"], args].concat()).exits(0).json();
        json["timeline"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["line"].as_u64().unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(rows(&[]), [2, 3, 4, 5]);
    assert_eq!(rows(&["--context", "0"]), [3, 4, 5]);
    assert_eq!(rows(&["--timeline", "all"]), [1, 2, 3, 4, 5]);
    assert_eq!(rows(&["--timeline", "calls"]), [3, 4, 5]);
    assert_eq!(rows(&["--around", "1"]), [1, 2]);
}

#[test]
fn a_record_by_line_by_event_and_by_call() {
    let bench = bench();
    bench
        .run(&["explain", "run.jsonl:4"])
        .exits(0)
        .says("line 4\n")
        .says("extra result for line 3");
    bench
        .run(&["explain", "81625941432749c6a9a44ba08aafa96f:4"])
        .exits(0)
        .says("event 4\n")
        .says("answers event 2");
    let ran = bench.run(&["explain", "run.jsonl", "--call", "toolu_01A"]).exits(0);
    let headings = ran.out.lines().filter(|line| line.starts_with("line "));
    assert_eq!(headings.count(), 3, "{}", ran.out);
    ran.says("has more than one result by lines 4 and 5\n").says("extra result for line 3\n");
    bench.run(&["explain", "run.jsonl:9"]).exits(2).complains("run.jsonl: there is no record 9");
    bench
        .run(&["explain", "run.jsonl", "--call", "x\u{1b}[2J"])
        .exits(2)
        .complains("no record has the tool call x\\u{1b}[2J");
}

#[test]
fn standard_input_is_explained_and_missing_records_are_errors() {
    let bench = bench();
    let input = bench.read("run.jsonl");
    let ran = bench.run_with(&["explain", "-"], &input).exits(0).says("What happened");
    assert!(!ran.out.contains("Next:"), "{}", ran.out);
    bench.run_with(&["explain", "--", "-:4"], &input).exits(0).says("line 4\n");
    bench.run(&["explain", "gone.jsonl"]).exits(3).complains("gone.jsonl: no such file");
    bench.run(&["explain", "gone.jsonl:3"]).exits(3);
    bench.run(&["explain", "state"]).exits(2).complains("no rule has this code or name");
    std::fs::create_dir(bench.path("empty")).unwrap();
    bench.run(&["explain", "empty"]).exits(5);
    // A rule code means the rule, unless there is a file of that name.
    bench.run(&["explain", "TD104"]).exits(0).says("TD104 two-results");
    bench.lines("TD104", &STUCK);
    bench.run(&["explain", "TD104"]).exits(0).says("What happened");
}

#[test]
fn the_safe_cuts_for_a_compaction_are_named() {
    let bench = Bench::new();
    bench.lines("run.jsonl", &STUCK);
    let told = bench.run(&["explain", "run.jsonl", "-v"]).exits(0);
    told.says("Safe cut points:  Before line 3 (keeps 3) of 4 messages");
    let inside = bench.run(&["explain", "run.jsonl:5"]).exits(0);
    inside
        .says("compacting here: not safe, a tool call and its result would be separated")
        .says("line 3 (3 stay)");
    bench.run(&["explain", "run.jsonl:3"]).exits(0).says("compacting here: safe, 3 messages stay");
    let json = bench.run(&["explain", "--format", "json", "run.jsonl"]).exits(0);
    let value: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(value["cuts"]["safe"][0]["number"], 3);
}

/// The provider's error, as the SDK records it.
const REFUSED: &str = r#"{"id":"00000000-0000-4000-8000-000000000005","timestamp":"2026-01-21T09:48:20.000000","source":"environment","code":"LLMBadRequestError","detail":"litellm.BadRequestError: AnthropicException - {\"error\":{\"message\":\"messages.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: toolu_01A\"}}","kind":"ConversationErrorEvent"}"#;

#[test]
fn an_error_in_the_recording_is_read_like_a_pasted_one() {
    let bench = Bench::new();
    let with = |records: &[&'static str]| [records, &[REFUSED]].concat();
    bench.lines("run.jsonl", &with(&STUCK));
    let ran = bench.run(&["explain", "run.jsonl"]).exits(0);
    let ran =
        ran.says("Recorded error, line 6:  From Anthropic: a tool call has more than one result (");
    let told = ran.out.replace('\n', " ");
    assert!(
        told.contains("\"messages.1: each tool_use must have a single result. Found"),
        "{told}"
    );
    assert!(told.contains("id: toolu_01A\". It means line 4, TD104 two-results."), "{told}");
    bench.lines("mended.jsonl", &with(&healthy()));
    let ran = bench.run(&["explain", "mended.jsonl"]).exits(0);
    assert!(ran.out.replace('\n', " ").contains("We see no such damage here"));
    let json = bench.run(&["explain", "run.jsonl", "-f", "json"]).exits(0).json();
    assert_eq!(
        (&json["recorded"]["number"], &json["recorded"]["findings"][0]),
        (&6.into(), &0.into())
    );
}

#[test]
fn every_call_of_a_failed_response_has_its_effect() {
    let bench = Bench::new();
    let calls = include_str!("../../fixtures/rules/failed-turn-with-calls/pi-four-calls.jsonl");
    bench.lines("run.jsonl", &calls.lines().collect::<Vec<_>>());
    let ids = ["toolu_01Pump", "toolu_01Net", "toolu_01Mail", "toolu_01Read"];
    let json = bench.run(&["explain", "run.jsonl", "-f", "json"]).exits(0).json();
    let of = |list: &serde_json::Value, key: &str| -> Vec<String> {
        let word =
            |item: &serde_json::Value| item.get(key).unwrap_or(item).as_str().unwrap().to_owned();
        list.as_array().unwrap().iter().map(word).collect()
    };
    let effects = &json["go_on"]["effects"];
    assert_eq!(of(effects, "call_id"), ids);
    let unseen = "ran once, and the model does not see it";
    assert_eq!(
        of(effects, "ran"),
        [unseen, unseen, "may or may not have run", "may or may not have run"]
    );
    assert_eq!(of(&json["conversation"]["unknown_side_effects"], ""), ids);
    let told: Vec<&str> = json["stories"]
        .as_array()
        .unwrap()
        .iter()
        .map(|story| story["call_id"].as_str().unwrap())
        .collect();
    assert_eq!(told, [ids[0], ids[2], ids[3]]);
    assert_eq!(json["stories"][0]["also"][0]["call_id"], ids[1]);
    // The effects do not depend on stories.
    let json = bench.run(&["explain", "run.jsonl", "-f", "json", "--no-story"]).exits(0).json();
    assert_eq!(of(&json["go_on"]["effects"], "call_id"), ids);
    assert_eq!(of(&json["go_on"]["effects"], "ran")[..2], [unseen, unseen]);
}

#[test]
fn the_error_that_ended_a_run_is_quoted() {
    let bench = Bench::new();
    let run = include_str!("../../fixtures/rules/empty-error-result/trae-trajectory-refused.json");
    bench.write("run.json", run);
    let told = bench.run(&["explain", "run.json"]).exits(0).out.replace('\n', " ");
    assert!(
        told.contains(
            "content cannot be empty if `is_error` is true\". It means interaction 2, TD406"
        ),
        "{told}"
    );
    assert!(told.contains("The recorded error") && !told.contains("not known"), "{told}");
    let json =
        bench.run(&["explain", "run.json", "-f", "json", "--redact", "content"]).exits(0).json();
    assert!(json["recorded"]["quote"].as_str().unwrap().starts_with("[text "), "{json}");
}

/// A session of Codex whose last request failed with this text, and perhaps an answer after that.
fn failed(text: &str, answer: bool) -> String {
    let line = |second: u32, kind: &str, payload: String| {
        format!(
            r#"{{"timestamp":"2026-03-01T10:00:{second:02}.000Z","type":"{kind}","payload":{payload}}}"#
        )
    };
    let message = |role: &str, kind: &str| {
        format!(
            r#"{{"type":"message","role":"{role}","content":[{{"type":"{kind}","text":"hello"}}]}}"#
        )
    };
    let id = "019b0000-0000-7000-8000-000000000001";
    let header = format!(
        r#"{{"id":"{id}","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/home/dev","originator":"codex_cli_rs","cli_version":"0.118.0"}}"#
    );
    let mut lines = vec![
        line(0, "session_meta", header),
        line(1, "response_item", message("user", "input_text")),
        line(2, "response_item", message("assistant", "output_text")),
        line(3, "response_item", message("user", "input_text")),
        line(4, "event_msg", serde_json::json!({"type": "error", "message": text}).to_string()),
    ];
    if answer {
        lines.push(line(5, "response_item", message("assistant", "output_text")));
    }
    lines.join("\n") + "\n"
}

#[test]
fn after_a_refusal_that_nobody_knows_it_is_not_safe_to_continue() {
    let bench = Bench::new();
    let refused = "unexpected status 400 Bad Request: input[2].phase is not allowed";
    for (text, answer, says) in [
        (refused, false, "Not yet: the last request was refused"),
        (refused, false, "input[2].phase is not allowed"),
        (refused, true, "Safe to continue? Yes"),
        ("429 Too Many Requests: usage limit", false, "Yes: wait and try again"),
    ] {
        bench.write("run.jsonl", failed(text, answer));
        bench.run(&["explain", "run.jsonl"]).exits(0).says(says);
    }
    bench.write("run.jsonl", failed(refused, false));
    let ran = bench.run(&["explain", "run.jsonl", "--redact", "content"]).exits(0);
    assert!(!ran.out.contains("phase"), "{}", ran.out);
}

/// What the provider refused last is quoted, in whatever words a host records it, and nobody is told to go on.
#[test]
fn a_recorded_refusal_that_no_answer_follows_is_told() {
    let fixture = |name: &str| {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(path.join("fixtures/healthy").join(name)).unwrap()
    };
    let openhands = format!("{}\n", crate::bench::healthy().join("\n"));
    for (text, error) in [
        (
            fixture("copilot-cli/recorded.jsonl"),
            r#"{"type":"session.error","data":{"errorType":"query","message":"odd field","statusCode":400},"id":"97443d84-51b3-4f4f-bd1c-41d4236619f0","timestamp":"2090-03-04T05:06:07.000Z","parentId":null}"#,
        ),
        (
            fixture("pi/aborted-text.jsonl"),
            r#"{"type":"message","id":"0f0f0f0f","parentId":"01100513","timestamp":"2026-02-25T06:14:25.000Z","message":{"role":"assistant","content":[],"stopReason":"error","errorMessage":"400 odd field","timestamp":1772000065000}}"#,
        ),
        (
            openhands,
            r#"{"id":"00000000-0000-4000-8000-000000000009","timestamp":"2026-01-21T09:49:00.000000","source":"environment","code":"LLMBadRequestError","detail":"odd field","kind":"ConversationErrorEvent"}"#,
        ),
    ] {
        let bench = Bench::new();
        bench.write("run.jsonl", format!("{text}{error}\n"));
        bench
            .run(&["explain", "run.jsonl"])
            .says("the last request was refused, no answer follows")
            .says("odd field");
    }
}
