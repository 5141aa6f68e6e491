//! `check`.

use std::path::Path;

use crate::bench::{Bench, Ran, STUCK, healthy};
#[cfg(unix)]
use crate::tools;

#[test]
fn verdict_evidence_and_the_next_command() {
    let bench = Bench::new();
    bench.lines("run.jsonl", &STUCK);
    let ran = bench.run(&["check", "run.jsonl"]).exits(1);
    assert!(ran.out.starts_with("STUCK  run.jsonl"), "{}", ran.out);
    let ran =
        ran.says("fatal[TD104] two results for one tool call").says("─┤").says("  at run.jsonl:4");
    let ran = ran.says("Fix it:  transcript-doctor repair run.jsonl");
    let ran = ran.says("\n       2026-01-21 · \"private words\"\n");
    assert!(!ran.out.contains("private output") && ran.err.is_empty(), "{}", ran.err);
}

#[test]
fn nothing_is_written() {
    let bench = Bench::new();
    bench.folder("conversation", &STUCK);
    let before = bench.tree("");
    let time =
        std::fs::metadata(bench.path("conversation/base_state.json")).unwrap().modified().unwrap();
    bench.run(&["check", "conversation"]).exits(1);
    bench.run(&["diff", "conversation"]).exits(0);
    bench.run(&["repair", "-n", "conversation"]).exits(1);
    assert_eq!(bench.tree(""), before);
    let now =
        std::fs::metadata(bench.path("conversation/base_state.json")).unwrap().modified().unwrap();
    assert_eq!(now, time);
}

#[test]
fn the_exit_status_reports_findings() {
    let bench = Bench::new();
    bench.lines("stuck.jsonl", &STUCK);
    bench.lines("healthy.jsonl", &healthy());
    bench.write("notes.txt", "nothing of ours\n");
    bench.write("empty.jsonl", "");
    bench.write("folder/readme.md", "words\n");
    for (line, status) in [
        ("check healthy.jsonl", 0),
        ("check stuck.jsonl", 1),
        ("check stuck.jsonl --exit-zero", 0),
        ("check stuck.jsonl --ignore TD104", 0),
        ("check stuck.jsonl --select TD3", 0),
        ("check stuck.jsonl --select two-results", 1),
        ("check stuck.jsonl gone.jsonl", 3),
        ("check notes.txt", 3),
        ("check empty.jsonl", 3),
        ("check folder", 5),
        ("check folder --allow-empty", 0),
        ("check", 2),
        ("check --select TD9999 stuck.jsonl", 2),
        ("nonsense", 2),
        ("--help", 0),
        ("--version", 0),
    ] {
        let ran = bench.run(&line.split(' ').collect::<Vec<_>>());
        assert_eq!(ran.status, status, "{line}\n{}{}", ran.out, ran.err);
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_is_never_opened() {
    let bench = Bench::new();
    if tools::has("mkfifo", "a_pipe_is_never_opened") {
        let made = std::process::Command::new("mkfifo").arg(bench.path("pipe.jsonl")).status();
        assert!(made.unwrap().success());
        bench.run(&["check", "pipe.jsonl"]).exits(3).says("neither a file nor a folder");
    }
    // Standard input is a pipe here, as `<(COMMAND)` is.
    let ran = bench.run_with(&["check", "/dev/stdin"], b"{}").exits(3);
    ran.says("COMMAND | transcript-doctor check -");
}

#[test]
fn json_output_is_only_the_report() {
    let bench = Bench::new();
    bench.lines("run.jsonl", &STUCK);
    bench.lines("ok.jsonl", &healthy());
    let ran = bench.run(&["check", "-f", "json", "run.jsonl", "ok.jsonl", "gone"]).exits(3);
    let report = ran.json();
    assert_eq!(report["schema"], "transcript-doctor/report/v1");
    assert_eq!((&report["exit_code"], &report["summary"]["stuck"]), (&3.into(), &1.into()));
    assert_eq!(report["conversations"][0]["path"], "ok.jsonl");
    let finding = &report["conversations"][1]["findings"][0];
    assert_eq!(
        (&finding["code"], &finding["fix"]["applicability"]),
        (&"TD104".into(), &"safe".into())
    );
    assert_eq!(finding["records"][1]["line"], 4);
    assert_eq!(report["not_checked"][0]["path"], "gone");
    assert!(!ran.out.contains("private"), "{}", ran.out);
}

#[test]
fn concise_is_a_line_per_finding() {
    let bench = Bench::new();
    bench.lines("run.jsonl", &STUCK);
    let ran = bench.run(&["check", "-f", "concise", "run.jsonl"]).exits(1);
    let first = ran.out.lines().next().unwrap();
    assert!(first.starts_with("run.jsonl:4: fatal TD104 two results for one tool call"), "{first}");
}

#[test]
fn colors_are_decided_per_stream() {
    let bench = Bench::new();
    bench.lines("run.jsonl", &STUCK);
    let esc = |args: &[&str], env: &[(&str, &str)]| {
        let ran = bench.command(args).envs(env.iter().copied()).output().unwrap();
        ran.stdout.contains(&0x1b)
    };
    let plain = &["check", "run.jsonl"][..];
    assert!(!esc(plain, &[]));
    assert!(esc(plain, &[("CLICOLOR_FORCE", "1")]));
    assert!(esc(plain, &[("FORCE_COLOR", "1")]));
    assert!(!esc(plain, &[("FORCE_COLOR", "0")]));
    assert!(!esc(plain, &[("NO_COLOR", "1"), ("FORCE_COLOR", "1")]));
    assert!(!esc(plain, &[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")]));
    assert!(esc(&["check", "--color", "always", "run.jsonl"], &[("NO_COLOR", "1")]));
    assert!(!esc(&["check", "--color", "never", "run.jsonl"], &[("CLICOLOR_FORCE", "1")]));
    assert!(!esc(&["check", "-f", "json", "--color", "always", "run.jsonl"], &[]));
}

#[test]
fn many_files_are_a_table_with_any_number_of_threads() {
    let bench = Bench::new();
    for n in 0..30 {
        bench.lines(
            &format!("logs/{n:02}.jsonl"),
            if n % 3 == 0 { &STUCK[..] } else { &STUCK[..3] },
        );
    }
    let one =
        bench.run(&["check", "--jobs", "1", "logs"]).exits(1).says("STUCK 10").says("PENDING 20");
    let four = bench.run(&["check", "--jobs", "4", "logs"]);
    assert_eq!(one.out, four.out);
    one.says("transcript-doctor repair --only TD104 --yes --keep-mtime logs");
}

#[test]
fn hostile_names_do_not_reach_the_terminal() {
    let bench = Bench::new();
    let name = "x\u{1b}[2J\u{202e}.jsonl";
    let record =
        STUCK[2].replace("toolu_01A", "toolu_\\u001b]0;\\u0007").replace("terminal", "\\u202eterm");
    bench.lines(name, &[STUCK[1], &record, STUCK[1]]);
    for format in ["human", "concise", "json"] {
        let ran = bench.run(&["check", "-v", "-f", format, name]);
        let bad = |text: &str| text.contains(['\u{1b}', '\u{7}', '\u{202e}']);
        assert!(!bad(&ran.out) && !bad(&ran.err), "{format}: {:?}", ran.out);
        assert!(ran.out.contains("x"), "{format}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_path_of_any_bytes_is_read_and_reported() {
    use std::os::unix::ffi::OsStrExt;
    let bench = Bench::new();
    let name = std::ffi::OsStr::from_bytes(b"x\xff.jsonl");
    std::fs::write(bench.path("").join(name), STUCK.join("\n")).unwrap();
    let run = |format: &str| bench.command(&["check", "-f", format]).arg(name).output().unwrap();
    let report: serde_json::Value = serde_json::from_slice(&run("json").stdout).unwrap();
    assert_eq!(report["conversations"][0]["path"], "x\\xff.jsonl");
    assert_eq!(report["conversations"][0]["path_hex"], "78ff2e6a736f6e6c");
    let human = String::from_utf8(run("human").stdout).unwrap();
    assert!(human.contains("STUCK  x\\xff.jsonl") && !human.contains("Fix it"), "{human}");
}

#[test]
fn the_strictest_target_names_the_provider_that_rejects() {
    let bench = Bench::new();
    bench.write(
        "run.json",
        r#"[{"role":"user","content":[{"text":"x"}]},
            {"role":"assistant","content":[{"toolUse":{"toolUseId":"a.b:1","name":"f","input":{}}}]},
            {"role":"user","content":[{"toolResult":{"toolUseId":"a.b:1","content":[{"text":"y"}]}}]}]"#,
    );
    bench.run(&["check", "run.json"]).exits(0);
    let ran = bench.run(&["check", "run.json", "--target", "strictest"]).exits(1);
    let ran = ran
        .says("Anthropic will reject the next request")
        .says("fatal[TD405]")
        .says("\n  rejected by Anthropic\n");
    assert!(ran.out.contains("--target strictest"), "the next command repeats it: {}", ran.out);
    let json = bench.run(&["check", "run.json", "--target", "strictest", "-f", "json"]).exits(1);
    let report: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    let finding = &report["conversations"][0]["findings"][0];
    assert_eq!(finding["seen_by"], serde_json::json!(["anthropic"]));
    assert_eq!(finding["api_index"]["bedrock"], 1);
    bench.run(&["repair", "run.json", "--target", "strictest"]).exits(0);
    for target in ["anthropic", "bedrock", "openai-chat", "strictest"] {
        bench.run(&["check", "run.json", "--target", target]).exits(0).says("HEALTHY");
    }
}

#[test]
fn an_assumed_format_is_reported() {
    let bench = Bench::new();
    bench.write(
        "bare.json",
        r#"[{"role":"user","content":"x"},{"role":"assistant","content":"y"}]"#,
    );
    bench.write(
        "sure.json",
        r#"[{"role":"user","content":"x"},{"role":"assistant","content":"y","tool_calls":[]}]"#,
    );
    let said = "--target anthropic reads them as";
    bench.run(&["check", "bare.json"]).exits(0).says("OpenAI chat").says(said);
    for line in [
        &["check", "bare.json", "--target", "anthropic"],
        &["check", "bare.json", "--from", "openai-chat"],
    ] {
        let ran = bench.run(line);
        assert!(!ran.out.contains(said), "{}", ran.out);
    }
    assert!(!bench.run(&["check", "sure.json"]).out.contains(said));
}

#[test]
fn a_stream_is_named_with_what_to_check_instead() {
    let bench = Bench::new();
    bench.write("answer.txt", "event: message_start\ndata: {\"type\":\"message_start\"}\n\n");
    bench.write(
        "run.jsonl",
        "{\"type\":\"init\",\"timestamp\":\"t\",\"session_id\":\"s\",\"model\":\"m\"}\n",
    );
    bench
        .run(&["check", "answer.txt"])
        .exits(3)
        .says("recognized as the raw event stream of a server: one response is not a conversation");
    bench
        .run(&["check", "run.jsonl"])
        .exits(3)
        .says("the chat that Gemini CLI kept of it (@gemini-cli)");
}

#[test]
fn a_file_without_messages_is_empty_and_not_a_failure() {
    let bench = Bench::new();
    bench.lines("run.jsonl", &healthy());
    for fixture in ["claude-code/snapshots-only.jsonl", "pi/header-only.jsonl"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/healthy").join(fixture);
        let bytes = std::fs::read(path).unwrap();
        bench.write("silent.jsonl", &bytes);
        bench
            .run(&["check", "silent.jsonl"])
            .exits(0)
            .says("EMPTY  silent.jsonl")
            .says("It has no messages");
        bench.run(&["check", "."]).exits(0).says("2 conversations: 1 healthy, 1 empty.");
        bench.run(&["check", "-f", "concise", "."]).exits(0).says("1 healthy, 1 empty");
        bench.run(&["check", "-f", "html", "."]).exits(0).says("EMPTY").says("1 healthy, 1 empty.");
        let report = bench.run(&["check", "-f", "json", "."]).exits(0).json();
        assert_eq!(
            (&report["summary"]["empty"], &report["summary"]["healthy"]),
            (&1.into(), &1.into())
        );
        assert_eq!(report["conversations"][1]["verdict"], "empty");
        bench.run(&["repair", "silent.jsonl"]).exits(0);
        assert_eq!((bench.read("silent.jsonl"), bench.operations()), (bytes, 0));
    }
}

#[test]
fn a_verdict_mentions_findings_hidden_by_the_selection() {
    let bench = Bench::new();
    bench.lines("run.jsonl", &STUCK);
    bench.lines("good.jsonl", &healthy());
    let hidden = "1 finding of unselected rules: TD104";
    for more in [&["--select", "TD3"][..], &["--ignore", "TD1"]] {
        let ran = |args: &[&str]| bench.run(&[args, more].concat());
        let told = ran(&["check", "run.jsonl"])
            .exits(0)
            .says("HEALTHY among the selected rules  run.jsonl");
        told.says(&format!("Not shown: {hidden}."));
        ran(&["check", "-q", "run.jsonl"])
            .says("HEALTHY     run.jsonl  (among the selected rules)\n");
        ran(&["check", "-q", "-f", "concise", "run.jsonl"])
            .says("run.jsonl: healthy (among the selected rules)\n");
        ran(&["check", "-f", "concise", "run.jsonl"])
            .says(&format!("1 healthy; not shown: {hidden}\n"));
        ran(&["check", "run.jsonl", "good.jsonl"])
            .says(&format!("2 healthy.\nNot shown: {hidden}.\n"));
        ran(&["check", "-f", "markdown", "run.jsonl"]).says("among the selected rules");
        ran(&["repair", "run.jsonl"]).exits(0).says("HEALTHY among the selected rules");
        ran(&["explain", "run.jsonl"]).says("HEALTHY among the selected rules");
        let report = ran(&["check", "-f", "json", "run.jsonl"]).json();
        assert_eq!(report["conversations"][0]["not_selected"], serde_json::json!({"TD104": 1}));
        assert!(report["selection"]["select"].is_array());
        // No message if the selection hides nothing.
        let ran = ran(&["check", "good.jsonl"]).exits(0).says("HEALTHY  good.jsonl");
        assert!(!ran.out.contains("selected"), "{}", ran.out);
    }
    let report = bench.run(&["check", "-f", "json", "run.jsonl"]).json();
    assert!(
        report.get("selection").is_none()
            && report["conversations"][0].get("not_selected").is_none()
    );
    // Once for a file of rows.
    let row = r#"{"messages":[{"role":"user","content":"a"},{"role":"tool","tool_call_id":"x","content":"b"}]}"#;
    bench.lines("rows.jsonl", &[row, row]);
    let ran = bench.run(&["check", "--ignore", "TD1", "rows.jsonl"]).exits(0);
    ran.says("HEALTHY among the selected rules  rows.jsonl")
        .says("Not shown: 2 findings of unselected rules: TD103.");
}

#[test]
fn a_verdict_mentions_what_the_host_cannot_load() {
    let bench = Bench::new();
    let unknown =
        include_str!("../../fixtures/rules/unknown-record/openhands-unknown-event-kind.jsonl");
    let other = |line: &str| line.replace("48814f99-6a1d", "48814f9a-6a1d");
    let mut lines: Vec<String> = Vec::new();
    for line in unknown.lines() {
        // The second one has the parent and the children of the first.
        let is_unknown = line.contains("FutureEvent");
        lines.extend(is_unknown.then(|| line.to_owned()));
        lines.push(other(line));
    }
    bench.lines("run.jsonl", &lines.iter().map(String::as_str).collect::<Vec<_>>());
    let says = "2 records are of kinds that OpenHands SDK 1.58 does not know";
    let caveat = |ran: &Ran| ran.json()["conversations"][0]["caveats"][0].clone();
    bench.run(&["check", "run.jsonl"]).exits(0).says(&format!("HEALTHY, but {says}  run.jsonl"));
    bench.run(&["check", "-q", "run.jsonl"]).exits(0).says(&format!("run.jsonl  (but {says})"));
    let told = caveat(&bench.run(&["check", "-f", "json", "run.jsonl"]).exits(0));
    assert_eq!(told, serde_json::json!({"records": 2, "says": says}));
    bench.lines("well.jsonl", &healthy());
    assert!(caveat(&bench.run(&["check", "-f", "json", "well.jsonl"]).exits(0)).is_null());
    let well = bench.run(&["check", "well.jsonl"]).exits(0);
    assert!(!well.out.contains("but"), "{}", well.out);
}

/// Records of Claude Code as a version of it writes them: a result comes twice.
fn recorded_by(version: &str) -> String {
    let line = |uuid: &str, parent: &str, kind: &str, message: &str| {
        format!(
            r#"{{"parentUuid":{parent},"isSidechain":false,"userType":"external","cwd":"/x","sessionId":"5f1c7e1a-0000-4000-8000-000000000000"{version},"type":"{kind}","message":{message},"uuid":"{uuid}","timestamp":"2026-03-04T09:00:0{}.000Z"}}"#,
            &uuid[35..]
        )
    };
    let id = |n: u8| format!("00000000-0000-4000-8000-00000000000{n}");
    let parent = |n: u8| format!("\"{}\"", id(n));
    let call = r#"{"id":"msg_1","role":"assistant","model":"claude-x","content":[{"type":"tool_use","id":"toolu_01A","name":"Bash","input":{"command":"ls"}}]}"#;
    let result = r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_01A","content":"a.rs"}]}"#;
    [
        line(&id(1), "null", "user", r#"{"role":"user","content":"hi"}"#),
        line(&id(2), &parent(1), "assistant", call),
        line(&id(3), &parent(2), "user", result),
        line(&id(4), &parent(3), "user", &result.replace("a.rs", "b.rs")),
        line(&id(5), &parent(4), "user", r#"{"role":"user","content":"go on"}"#),
    ]
    .join("\n")
        + "\n"
}

#[test]
fn the_client_that_recorded_counts() {
    let bench = Bench::new();
    for (version, verdict, note) in [
        // Clients are only updated, so what older ones would do does not matter anymore.
        (
            Some("2.1.329"),
            "LOSSY",
            "Claude Code 2.1.329 and later continue without this part (LOSSY); 2.1.20 and older cannot continue (STUCK). This session was recorded with 2.1.329.",
        ),
        (
            Some("2.1.20"),
            "STUCK",
            "Claude Code 2.1.329 and later continue without this part (LOSSY); 2.1.20 and older cannot continue (STUCK). This session was recorded with 2.1.20.",
        ),
        (
            Some("2.1.150"),
            "STUCK",
            "Claude Code 2.1.329 and later continue without this part (LOSSY); 2.1.20 and older cannot continue (STUCK). This session was recorded with 2.1.150.",
        ),
        (
            None,
            "STUCK",
            "Claude Code 2.1.329 and later continue without this part (LOSSY); 2.1.20 and older cannot continue (STUCK).",
        ),
    ] {
        let member = version.map_or_else(String::new, |own| format!(r#","version":"{own}""#));
        bench.write("run.jsonl", recorded_by(&member));
        let ran = bench.run(&["check", "run.jsonl"]).exits(1);
        let words: Vec<&str> = ran.out.split_whitespace().collect();
        let text = words.join(" ");
        assert!(text.starts_with(verdict) && text.contains(note), "{note}\n{}", ran.out);
        let report = bench.run(&["check", "run.jsonl", "-f", "json"]).json();
        let clients = &report["conversations"][0]["clients"];
        assert_eq!(clients["current"], "lossy");
        assert_eq!(clients["strict"], "stuck");
        // Asked for one, nothing is said of the others.
        let ran = bench.run(&["check", "run.jsonl", "--client", "strict"]).exits(1);
        assert!(!ran.out.contains("2.1.329 and later"), "{}", ran.out);
    }
}

/// What current clients did with these fixtures. Claude Code 2.1.332 leaves loops at the right place, but bridges no missing parent,
/// and leaves out a second call with the same ID. OpenHands SDK 1.58.2 sends a result where it is until the next answer.
#[test]
fn the_current_client_is_judged_by_what_it_sends() {
    for (fixture, current) in [
        ("parent-cycle/claude-code-cycle.jsonl", "healthy"),
        ("parent-cycle/claude-code-two-node-cycle.jsonl", "healthy"),
        ("parent-cycle/claude-code-backwards.jsonl", "lossy"),
        ("broken-parent/claude-code-phantom-parent.jsonl", "healthy"),
        ("broken-parent/claude-code-result-without-parent.jsonl", "stuck"),
        ("duplicate-record-id/claude-code-duplicate-uuid.jsonl", "healthy"),
        ("glued-records/claude-code-attachment-behind-late.jsonl", "stuck"),
        ("reused-call-id/claude-code-reused-id.jsonl", "lossy"),
        ("result-not-next/openhands-interleaved-user-folder", "stuck"),
        ("result-not-next/openhands-late-observation-folder", "lossy"),
    ] {
        let path = format!("{}/fixtures/rules/{fixture}", env!("CARGO_MANIFEST_DIR"));
        let report = Bench::new().run(&["check", &path, "-f", "json"]).json();
        assert_eq!(report["conversations"][0]["clients"]["current"], current, "{fixture}");
    }
}

/// A note is told without `-v` if another version stops at what it says.
#[test]
fn a_note_about_another_version_is_told() {
    let bench = Bench::new();
    let system = r#"{"id":"s","role":"system","parts":[{"type":"text","text":"be brief"}]}"#;
    let user = r#"{"id":"u","role":"user","parts":[{"type":"text","text":"count"}]}"#;
    bench.write("chat.json", format!("[{system},{user}]"));
    let ran = bench.run(&["check", "chat.json"]).exits(0);
    assert!(ran.out.contains("note[TD010]") && ran.out.contains("AI SDK 7"), "{}", ran.out);
}

#[test]
fn every_record_of_a_long_loop_is_named() {
    const RECORDS: usize = 100;
    let id = |n: usize| format!("00000000-0000-4000-8000-{n:012}");
    let line = |n: usize| {
        let parent = match n {
            0 => "null".to_owned(),
            1 => format!("\"{}\"", id(RECORDS - 1)),
            n => format!("\"{}\"", id(n - 1)),
        };
        let uuid = id(n);
        format!(
            r#"{{"parentUuid":{parent},"isSidechain":false,"userType":"external","cwd":"/x","sessionId":"s","version":"2.1.329","type":"user","message":{{"role":"user","content":"{n}"}},"uuid":"{uuid}","timestamp":"2026-03-04T09:00:00.{n:03}Z"}}"#
        )
    };
    let bench = Bench::new();
    let lines: Vec<String> = (0..RECORDS).map(line).collect();
    bench.write("loop.jsonl", lines.join("\n") + "\n");
    let report = bench.run(&["check", "-f", "json", "loop.jsonl"]).json();
    let findings = report["conversations"][0]["findings"].as_array().unwrap();
    let found = findings.iter().find(|finding| finding["code"] == "TD302");
    let records = found.and_then(|finding| finding["records"].as_array());
    assert_eq!(records.map(Vec::len), Some(RECORDS - 1), "{report}");
    bench.run(&["check", "loop.jsonl"]).says(&format!("and {} more", RECORDS - 1 - 16));
}

/// Between a call and its result there may be thousands of messages. Who reads the first of them learns that.
#[test]
fn a_list_that_is_cut_says_so() {
    let bench = Bench::new();
    let call = r#"{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"ls","arguments":"{}"}}]}"#;
    let result = r#"{"role":"tool","tool_call_id":"call_1","content":"a"}"#;
    let other = r#"{"role":"user","content":"more"}"#;
    for (count, is_cut) in [(8, false), (9, true)] {
        let mut messages = vec![other, call];
        messages.extend(std::iter::repeat_n(other, count));
        messages.push(result);
        bench.write("a.json", format!("[{}]", messages.join(",")));
        let ran = bench.run(&["check", "a.json", "--format", "concise"]).exits(1);
        assert!(ran.out.contains("between a tool call and its result"), "{}", ran.out);
        let said = ran.out.contains("(the first 8 in between are listed)");
        assert_eq!(said, is_cut, "{}", ran.out);
    }
}

#[test]
fn reasoning_in_a_message_needs_what_followed_it() {
    let bench = Bench::new();
    let run = |blocks: &str| {
        let ai = format!(
            r#"{{"type":"ai","data":{{"content":[{blocks}],"tool_calls":[],"response_metadata":{{"model_provider":"openai"}}}}}}"#
        );
        let human = r#"{"type":"human","data":{"content":"a"}}"#;
        format!("[{human},{ai},{human}]")
    };
    let (thought, text) =
        (r#"{"type":"reasoning","id":"rs_1","summary":[]}"#, r#"{"type":"text","text":"b"}"#);
    bench.write("alone.json", run(thought));
    bench.write("followed.json", run(&format!("{thought},{text}")));
    bench.write("last.json", run(&format!("{text},{thought}")));
    let target = ["--target", "openai-responses"];
    bench.run(&["check", "followed.json", target[0], target[1]]).exits(0);
    // Chat Completions has no such items.
    bench.run(&["check", "alone.json"]).exits(0);
    for (name, wanted) in [("alone.json", None), ("last.json", Some(run(text)))] {
        bench.run(&["check", name, target[0], target[1]]).exits(1).says("TD409");
        bench.run(&["repair", "--unsafe", name, target[0], target[1]]).exits(0);
        let after = String::from_utf8(bench.read(name)).unwrap();
        assert!(!after.contains("rs_1"), "{after}");
        assert!(wanted.is_none_or(|wanted| wanted == after), "{name}");
    }
}

#[test]
fn the_ids_of_items_show_the_api_of_ai_sdk_messages() {
    let bench = Bench::new();
    let chat = |parts: &str| {
        format!(
            r#"[{{"id":"1","role":"user","parts":[{{"type":"text","text":"a"}}]}},{{"id":"2","role":"assistant","parts":[{parts}]}},{{"id":"3","role":"user","parts":[{{"type":"text","text":"c"}}]}}]"#
        )
    };
    let thought =
        r#"{"type":"reasoning","text":"","providerMetadata":{"openai":{"itemId":"rs_1"}}}"#;
    let text = r#"{"type":"text","text":"b"}"#;
    bench.write("texts.json", chat(text));
    bench.run(&["check", "texts.json"]).exits(0).says("checked against no provider");
    bench.write("followed.json", chat(&format!("{thought},{text}")));
    bench.run(&["check", "followed.json"]).exits(0).says("OpenAI Responses");
    bench.write("alone.json", chat(thought));
    bench.run(&["check", "alone.json"]).exits(1).says("TD409");
    bench.run(&["repair", "--unsafe", "alone.json"]).exits(0);
    assert!(!String::from_utf8(bench.read("alone.json")).unwrap().contains("rs_1"));
}
