//! What is said about a transcript's format: the best fit, a name, or the candidates.

use std::path::Path;

use crate::bench::{Bench, STUCK, healthy};

/// Copies a transcript out of the fixtures.
fn copied(bench: &Bench, name: &str) {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/unclear").join(name);
    bench.write(name, std::fs::read(from).unwrap());
}

#[test]
fn an_unclear_format_lists_the_candidates() {
    let bench = Bench::new();
    copied(&bench, "claude-code-and-pi.jsonl");
    let name = "claude-code-and-pi.jsonl";
    let before = bench.tree("");
    bench.run(&["check", name]).exits(3).says(
        "unknown format: 6 of 12 records look like pi, 6 like claude-code; choose with --from NAME",
    );
    let report = bench.run(&["check", "-f", "json", name]).exits(3).json();
    assert_eq!(report["not_checked"][0]["candidates"], serde_json::json!(["pi", "claude-code"]));
    bench.run(&["repair", "--yes", name]).exits(3);
    assert_eq!(bench.tree(""), before);
    // The user's choice counts.
    let report = bench.run(&["check", "-f", "json", "--from", "pi", name]).json();
    assert_eq!(report["conversations"][0]["format"], "pi");
    // Without candidates, the report lists none.
    bench.write("notes.jsonl", "{\"level\":\"info\"}\n");
    let report = bench.run(&["check", "-f", "json", "notes.jsonl"]).exits(3).json();
    assert!(report["not_checked"][0].get("candidates").is_none());
}

/// As `>` of Windows PowerShell writes the output of a command.
#[test]
fn a_text_in_utf_16_is_named() {
    let bench = Bench::new();
    let text = healthy().join("\r\n");
    let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    for (name, mark, bytes) in [
        ("marked.jsonl", &b"\xFF\xFE"[..], &little),
        ("big.jsonl", b"\xFE\xFF", &big),
        ("bare.jsonl", b"", &little),
        ("bare-big.jsonl", b"", &big),
    ] {
        bench.write(name, [mark, bytes].concat());
        bench.run(&["check", name]).exits(3).says("text in UTF-16");
        bench.run(&["check", "--from", "openhands", name]).exits(3);
        bench.run(&["repair", "--yes", name]).exits(3);
        assert!(bench.read(name).ends_with(bytes));
    }
    // A NUL byte here and there is another thing.
    bench.write("nul.jsonl", format!("\0\0\0\0\0\0{text}\n"));
    bench.run(&["check", "nul.jsonl"]).exits(1).says("TD005");
}

/// What is damaged before the list of records is of the format that the rest shows, and is not repaired.
#[test]
fn a_document_that_is_damaged_before_its_list_is_recognized() {
    let bench = Bench::new();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/rows/inspect.json");
    let text = std::fs::read_to_string(from).unwrap();
    for (old, new) in [(r#""status": "#, r#""status" "#), (r#""task": "t","#, r#""task": "t"#)] {
        bench.write("log.json", text.replacen(old, new, 1));
        let before = bench.read("log.json");
        bench.run(&["check", "log.json"]).exits(1).says("TD002");
        let args = ["check", "-f", "json", "--from", "inspect", "log.json"];
        let report = bench.run(&args).exits(1).json();
        assert_eq!(report["conversations"][0]["format"], "inspect");
        bench.run(&["repair", "--unsafe", "--force", "-o", "out.json", "log.json"]).exits(1);
        assert!(bench.read("out.json") == before && bench.read("log.json") == before);
    }
}

#[test]
fn files_of_other_programs_are_left_alone() {
    let bench = Bench::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/foreign");
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        bench.write(&name, std::fs::read(&path).unwrap());
    }
    let before = bench.tree("");
    for (name, _) in &before {
        bench.run(&["check", name]).exits(3);
        bench.run(&["repair", "--yes", "--unsafe", name]).exits(3);
    }
    assert_eq!(bench.tree(""), before);
    for (name, why) in [
        (
            "camel-case.json",
            "resembles OpenAI chat messages, but `toolCalls`, `toolCallId` are not theirs; --from openai-chat reads it as such",
        ),
        ("amp.json", "recognized as a thread of Amp"),
        ("agentscope.json", "recognized as messages of AgentScope"),
        (
            "haystack.json",
            "resembles Bedrock Converse messages, but `tool_call`, `tool_call_result` are not theirs",
        ),
        ("iflow.jsonl", "recognized as a session of iFlow CLI"),
        ("codebuddy.jsonl", "recognized as a session of CodeBuddy Code"),
    ] {
        bench.run(&["check", name]).exits(3).says(why);
    }
    bench.run(&["check", "--from", "openai-chat", "camel-case.json"]).exits(1);
}

/// Of these fixes, the one that removes the result removes the last sign of the format.
#[test]
fn what_would_not_be_recognized_is_not_written() {
    let bench = Bench::new();
    let call =
        r#"{"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "ls"}}"#;
    let result = r#"{"type": "tool_result", "tool_use_id": "toolu_1", "content": [{"type": "text", "text": ""}, {"type": "text", "text": "b"}]}"#;
    let text = format!(
        r#"[{{"role": "user", "content": "a"}}, {{"role": "assistant", "result": [{call}]}}, {{"role": "user", "content": [{result}]}}, {{"role": "assistant", "content": "c"}}]"#
    );
    bench.write("log.json", &text);
    bench.run(&["repair", "--yes", "-o", "copy.json", "log.json"]).exits(1);
    bench.run(&["repair", "--yes", "log.json"]).exits(1);
    for name in ["copy.json", "log.json"] {
        let report = bench.run(&["check", "-f", "json", name]).exits(1).json();
        assert_eq!(report["conversations"][0]["format"], "anthropic-messages");
    }
}

/// `check -v` says why a file was taken for a format, and what else explains its records.
#[test]
fn the_reason_for_a_format_is_shown() {
    let bench = Bench::new();
    let healthy = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/healthy");
    let read = |name: &str| std::fs::read_to_string(healthy.join(name)).unwrap();
    let own = read("claude-code/compacted.jsonl");
    let codex = read("codex/compacted.jsonl");
    let of = own.lines().count();
    let shown = |name: &str, more: &[&str]| {
        let ran = bench.run(&[&["check", "-v", "--width", "200", name], more].concat());
        let line =
            ran.out.lines().find(|line| line.starts_with("Taken") || line.starts_with("Read as"));
        line.unwrap_or_else(|| panic!("{}{}", ran.out, ran.err)).to_owned()
    };
    bench.write("own.jsonl", &own);
    assert_eq!(
        shown("own.jsonl", &[]),
        format!(
            "Taken for claude-code: it explains the first {of} records, and no other format explains any."
        )
    );
    let first = codex.lines().next().unwrap();
    bench.write("mixed.jsonl", format!("{own}{first}\n"));
    assert_eq!(
        shown("mixed.jsonl", &[]),
        format!(
            "Taken for claude-code: it explains {of} of the first {} records, codex 1.",
            of + 1
        )
    );
    assert_eq!(
        shown("own.jsonl", &["--from", "claude-code"]),
        "Read as claude-code, as asked for."
    );
}

#[test]
fn the_configuration_says_what_files_are() {
    let bench = Bench::new();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/foreign/camel-case.json");
    bench.write("exports/a.json", std::fs::read(&from).unwrap());
    bench.run(&["check", "exports/a.json"]).exits(3);
    bench.write(
        "transcript-doctor.toml",
        "[per-file-formats]\n\"exports/**\" = { from = \"openai-chat\", target = \"mistral\" }\n",
    );
    let report = bench.run(&["check", "-f", "json", "exports/a.json"]).exits(1).json();
    assert_eq!(report["conversations"][0]["format"], "openai-chat");
    assert_eq!(report["conversations"][0]["target"], "mistral");
    // What is typed wins.
    let report =
        bench.run(&["check", "-f", "json", "--target", "openai-chat", "exports/a.json"]).json();
    assert_eq!(report["conversations"][0]["target"], "openai-chat");
}

#[test]
fn a_text_that_quotes_records_is_left_alone() {
    let bench = Bench::new();
    for (name, found) in [
        (
            "source-with-openai-chat.py",
            "2 of 2 records look like openai-chat, 8 lines are other text; choose with --from NAME",
        ),
        (
            "manual-with-openai-chat.md",
            "2 of 2 records look like openai-chat, 5 lines are other text; choose with --from NAME",
        ),
        (
            "manual-with-claude-code.md",
            "3 of 3 records look like claude-code, 9 lines are other text; choose with --from NAME",
        ),
    ] {
        copied(&bench, name);
        let before = bench.tree("");
        bench.run(&["check", name]).exits(3).says(found);
        bench.run(&["repair", "--yes", "--unsafe", name]).exits(3);
        bench.run(&["redact", "-o", "copy", name]).exits(3);
        assert_eq!(bench.tree(""), before);
    }
    // In a folder they are skipped, so that the sessions beside them decide.
    bench.run(&["check", "."]).exits(5);
}

/// A damaged session has lines of other text, too: the rest of a text with raw line feeds, warnings that went into the same
/// file, and the markers of a conflict.
#[test]
fn a_session_with_lines_of_text_is_still_one() {
    let bench = Bench::new();
    let (first, rest) = STUCK.split_at(1);
    let raw_feeds = format!(
        "{{\"kind\":\"MessageEvent\",\"source\":\"user\",\"llm_message\":{{\"content\":\"{}",
        "one more line\n".repeat(99)
    );
    let around = |text| [first, &[text], rest].concat();
    for (name, lines) in [
        ("feeds.jsonl", around(raw_feeds.as_str())),
        ("warned.jsonl", around("[warn] the disk is full")),
        ("conflict.jsonl", around("<<<<<<< ours\n=======\n>>>>>>> theirs")),
    ] {
        bench.lines(name, &lines);
        let report = bench.run(&["check", "-f", "json", name]).exits(1).json();
        assert_eq!(report["conversations"][0]["format"], "openhands", "{name}");
    }
}

#[test]
fn rows_that_name_a_model_are_not_requests() {
    let bench = Bench::new();
    let row = |n| {
        format!(
            r#"{{"messages":[{{"role":"system","content":"fix"}},{{"role":"user","content":"bed {n}"}},{{"role":"assistant","content":"<function=ls></function>"}}],"instance_id":"bed-{n}","model":"claude-3-7-sonnet-20250219"}}"#
        )
    };
    let rows: Vec<String> = (0..3).map(row).collect();
    bench.lines("rows.jsonl", &rows.iter().map(String::as_str).collect::<Vec<_>>());
    let report = bench.run(&["check", "-f", "json", "rows.jsonl"]).exits(0).json();
    assert_eq!(report["conversations"][0]["format"], "openai-chat");
    assert_eq!(report["conversations"][0]["rows"]["healthy"], 3);
}

#[test]
fn an_event_refers_to_its_conversation() {
    let bench = Bench::new();
    bench.folder("run", &healthy());
    let events = bench.tree("run/events");
    let names: Vec<String> = events.iter().map(|(name, _)| format!("run/events/{name}")).collect();
    let mut args = vec!["check", "-f", "json"];
    args.extend(names.iter().map(String::as_str));
    let report = bench.run(&args).exits(0).json();
    let conversations = report["conversations"].as_array().unwrap();
    assert_eq!(conversations.len(), 1, "{report}");
    assert_eq!(conversations[0]["path"], "run");
    // Also from inside the folder.
    let mut inside = bench.command(&["check", &events[1].0]);
    let ran = inside.current_dir(bench.path("run/events")).output().unwrap();
    assert_eq!(ran.status.code(), Some(0), "{}", String::from_utf8_lossy(&ran.stdout));
}

#[test]
fn an_event_alone_is_not_a_conversation() {
    let bench = Bench::new();
    bench.write("result.json", STUCK[4]);
    let says = "one event is not a conversation";
    bench.run(&["check", "result.json"]).exits(3).says(says);
    bench.run(&["repair", "--yes", "result.json"]).exits(3);
    assert_eq!(bench.read("result.json"), STUCK[4].as_bytes());
    let report = bench.run(&["check", "-f", "json", "--from", "openhands", "result.json"]).json();
    assert_eq!(report["conversations"][0]["format"], "openhands");
}

#[test]
fn texts_alone_are_checked_against_an_assumed_api() {
    let bench = Bench::new();
    let hint = "The messages do not show which API they are for; --target anthropic reads them as Anthropic messages.";
    let texts = |first: &str| {
        format!(
            r#"[{{"role":"system","content":"s"}},{{"role":"{first}","content":"a"}},{{"role":"user","content":"b"}},{{"role":"assistant","content":"c"}}]"#
        )
    };
    bench.write("texts.json", texts("user"));
    bench.write("greeting.json", texts("assistant"));
    // The call is after the records that detection examines.
    let many = r#"{"role":"user","content":"x"},"#.repeat(30);
    let call = r#"{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"f","arguments":"{}"}}]}"#;
    bench.write("late-call.json", format!("[{many}{call}]"));
    let one = |args: &[&str]| {
        bench.run(&[&["check", "-f", "json"], args].concat()).json()["conversations"][0].clone()
    };

    let texts = one(&["texts.json"]);
    assert_eq!((&texts["target_from"], &texts["hint"]), (&"assumed".into(), &hint.into()));
    assert!(texts["findings"].as_array().unwrap().is_empty(), "{texts}");
    bench.run(&["check", "texts.json"]).exits(0).says("(assumed)").says(hint);

    let greeting = one(&["greeting.json"]);
    assert_eq!(greeting["verdict"], "healthy");
    let finding = &greeting["findings"][0];
    assert_eq!((&finding["code"], &finding["severity"]), (&"TD206".into(), &"warning".into()));
    assert_eq!(
        finding["message"],
        "the conversation starts with the assistant, which Anthropic would reject"
    );

    // No message for a user who names a format or a target, or if there is a call.
    for args in [["--from", "openai-chat"], ["--target", "openai-chat"]] {
        let named = one(&[&args[..], &["greeting.json"]].concat());
        assert!(named["target_from"] != "assumed" && named.get("hint").is_none(), "{named}");
        assert!(named["findings"].as_array().unwrap().is_empty(), "{named}");
    }
    let late = one(&["late-call.json"]);
    assert_eq!(late["target_from"], "shape of the messages");
    assert_eq!(late["target_certain"], false);
    assert_eq!(one(&["--target", "anthropic", "greeting.json"])["verdict"], "stuck");

    // Each row of texts has the message.
    bench.write(
        "rows.jsonl",
        format!(
            "{0}\n{0}\n",
            r#"{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}"#
        ),
    );
    let rows = one(&["rows.jsonl"]);
    assert_eq!((&rows["target_from"], &rows["hint"]), (&"assumed".into(), &hint.into()));
}
