//! `explain --error` and `repair --error`: from a pasted error to the records.

use crate::bench::{Bench, STUCK, healthy};

const TWICE: &str = "messages.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: toolu_01A";

/// A call without a result whose ID starts with that of another call, and the conversation
/// continued.
fn open() -> Vec<String> {
    let call = |n: u32, id: &str| {
        STUCK[2]
            .replace("toolu_01A", id)
            .replace("0000000002\"", &format!("00000001{n:02}\""))
            .replace("\"r1\"", &format!("\"r{n}\""))
    };
    let result = |n: u32, id: &str, of: u32| {
        STUCK[4]
            .replace("toolu_01A", id)
            .replace("0000000004\"", &format!("00000001{n:02}\""))
            .replace("0000000002\"", &format!("00000001{of:02}\""))
    };
    let says = |n: u32| STUCK[1].replace("0000000001\"", &format!("00000001{n:02}\""));
    vec![
        STUCK[0].to_owned(),
        STUCK[1].to_owned(),
        call(10, "toolu_ab"),
        result(11, "toolu_ab", 10),
        call(12, "toolu_ab.c:1-2"),
        says(13),
        call(14, "toolu_zz"),
        says(15),
    ]
}

fn bench() -> Bench {
    let bench = Bench::new();
    bench.lines("run.jsonl", &STUCK);
    bench.lines("healthy.jsonl", &healthy());
    bench.lines("open.jsonl", &open().iter().map(String::as_str).collect::<Vec<_>>());
    bench
}

/// Who pastes an error where a name belongs means the same as with `--find --error`.
#[test]
fn an_error_may_be_typed_in_place_of_a_name() {
    let bench = bench();
    let wanted = bench.run(&["explain", "--find", "--error", TWICE]);
    for line in [&["explain", TWICE][..], &[TWICE]] {
        let ran = bench.run(line);
        assert_eq!(ran.status, wanted.status, "{}", ran.err);
        assert_eq!(ran.out, wanted.out);
        assert!(ran.err.contains("searched"), "{}", ran.err);
    }
    // Without an ID, the text is explained alone.
    let hidden = "API Error: 400 due to tool use concurrency issues. Run /rewind to recover the conversation.";
    let alone = bench.run(&["explain", "--error", hidden]).exits(0);
    assert_eq!(bench.run(&["explain", hidden]).exits(0).out, alone.out);
    // What no provider says is a name.
    bench.run(&["explain", "my last session"]).exits(2);
}

#[test]
fn an_id_leads_to_the_records() {
    let bench = bench();
    let before = bench.tree("");
    let ran = bench.run(&["explain", "run.jsonl", "--error", TWICE]).exits(0);
    let ran = ran.says(
        "Error:  from Anthropic: a tool call has more than one result (message 1, toolu_01A)",
    );
    let ran = ran
        .says("toolu_01A has more than one result: lines 4 and 5 (its call: line 3)")
        .says("fatal[TD104]");
    let ran = ran.says("Next:  transcript-doctor repair run.jsonl");
    // The transcript is introduced, and nothing else of its text is shown.
    let ran = ran.says("        2026-01-21 · \"private words\"\n");
    assert!(
        ran.out.matches("private").count() == 1 && ran.err.is_empty(),
        "{}{}",
        ran.out,
        ran.err
    );
    assert_eq!(bench.tree(""), before);
    let json = bench.run(&["explain", "run.jsonl", "-f", "json", "--error", TWICE]).exits(0).json();
    assert_eq!(
        (&json["evidence"], &json["answers"][0]["status"]),
        (&"ids".into(), &"several".into())
    );
    assert_eq!(json["conversation"]["findings"][0]["code"], "TD104");
}

#[test]
fn an_id_does_not_match_a_longer_one() {
    let bench = bench();
    let text = |id: &str| {
        format!("Expected toolResult blocks at messages.5.content\nfor the following Ids: {id}")
    };
    let ran = bench.run(&["explain", "open.jsonl", "--error", &text("toolu_ab.c:1-2")]).exits(0);
    ran.says("toolu_ab.c:1-2 has no result: line 5")
        .says("message 5 of the error is message 4 here");
    let ran = bench.run(&["explain", "open.jsonl", "--error", &text("toolu_ab")]).exits(5);
    ran.says("toolu_ab is here, and we see nothing wrong with it");
    for other in ["toolu_a", "toolu_ab.c", "toolu_ab.c:1-23"] {
        let ran = bench.run(&["explain", "open.jsonl", "--error", &text(other)]).exits(5);
        ran.says(&format!("{other} is not in this transcript"));
    }
    let broken = "litellm.BadRequestError: BedrockException - {\"message\":\"Expected toolResult blocks at mess\nages.4.content for the following Ids: toolu_ab.\nc:1-2\"}";
    bench
        .run(&["explain", "open.jsonl", "--error", broken])
        .exits(0)
        .says("toolu_ab.c:1-2 has no result");
}

#[test]
fn without_an_id_the_number_or_the_kind_is_used() {
    let bench = bench();
    let text = "messages.4: Did not find 1 `tool_result` block(s) at the beginning of this message";
    let ran = bench.run(&["explain", "open.jsonl", "--error", text]).exits(0);
    let ran = ran.says("by the number of the message").says("message 4 of the error is");
    assert_eq!(ran.out.matches("fatal[TD101]").count(), 2, "{}", ran.out);
    let json = bench.run(&["explain", "open.jsonl", "-f", "json", "--error", text]).json();
    assert_eq!(json["findings"].as_array().unwrap().len(), 1);
    let text = "API Error: 400 due to tool use concurrency issues. Run /rewind";
    let json = bench.run(&["explain", "open.jsonl", "-f", "json", "--error", text]).exits(0).json();
    assert_eq!(
        (&json["evidence"], json["findings"].as_array().unwrap().len()),
        (&"kind".into(), 2)
    );
    bench
        .run(&["explain", "healthy.jsonl", "--error", text])
        .exits(5)
        .says("We see no such damage here");
}

#[test]
fn members_of_an_error_are_not_ids() {
    let bench = bench();
    let text = "No tool output found for function call toolu_zz.";
    let compact = format!(
        r#"{{"error":{{"message":"{text}","type":"invalid_request_error","param":"input"}}}}"#
    );
    let pretty =
        format!("{{\n  \"error\": {{\n    \"message\": \"{text}\",\n    \"type\": \"x\"\n  }}\n}}");
    for body in [compact, pretty] {
        for text in [body.clone(), format!("unexpected status 400 Bad Request: {body}")] {
            let ran = bench.run(&["explain", "open.jsonl", "--error", &text]).exits(0);
            let ran = ran
                .says("tool call without a result (toolu_zz)\n")
                .says("toolu_zz has no result: line 7");
            assert!(!ran.out.contains("not in this recording"), "{}", ran.out);
        }
    }
}

#[test]
fn ids_that_a_proxy_rewrote_are_found() {
    let bench = bench();
    let rows: Vec<String> =
        STUCK.iter().map(|line| line.replace("toolu_01A", "functions.bash:0")).collect();
    bench.lines("kimi.jsonl", &rows.iter().map(String::as_str).collect::<Vec<_>>());
    let text = TWICE.replace("toolu_01A", "functions_bash_0");
    let ran = bench.run(&["explain", "kimi.jsonl", "--error", &text]).exits(0);
    ran.says("functions.bash:0 (as a library or a proxy rewrites it) has more than one\n");
    let ran = bench.run(&["explain", "kimi.jsonl", "--find", "--error", &text]).exits(0);
    ran.says("by the IDs in the text");
    bench.run(&["repair", "kimi.jsonl", "-n", "--error", &text]).exits(1).says("TD104");
}

#[test]
fn errors_without_damage_are_reported_as_such() {
    let bench = bench();
    for text in ["prompt is too long: 2 tokens > 1 maximum", "ThrottlingException: slow down"] {
        bench
            .run(&["explain", "run.jsonl", "--error", text])
            .exits(0)
            .says("not a problem of the transcript");
        bench.run(&["repair", "run.jsonl", "--error", text]).exits(4);
    }
    bench
        .run(&["explain", "run.jsonl", "--error", "good morning"])
        .exits(5)
        .says("not a known error text");
}

#[test]
fn an_error_text_comes_from_an_argument_a_file_or_stdin() {
    let bench = bench();
    bench
        .run_with(&["explain", "run.jsonl", "--error", "-"], TWICE.as_bytes())
        .exits(0)
        .says("TD104");
    let input = bench.read("run.jsonl");
    bench.run_with(&["explain", "-", "--error", TWICE], &input).exits(0).says("TD104");
    bench
        .run_with(&["explain", "-", "--error", "-"], &input)
        .exits(2)
        .complains("standard input cannot be both");
    bench
        .run(&["explain", "run.jsonl", "--error", " "])
        .exits(2)
        .complains("the error text is empty");
    bench.run(&["explain", "TD104", "--error", TWICE]).exits(2).complains("not in a rule");
    bench.run(&["explain", "gone.jsonl", "--error", TWICE]).exits(3);
}

#[test]
fn only_matching_transcripts_are_reported() {
    let bench = Bench::new();
    bench.lines("logs/run.jsonl", &STUCK);
    bench.lines("logs/healthy.jsonl", &healthy());
    let ran = bench.run(&["explain", "logs", "--error", TWICE]).exits(0).says("logs/run.jsonl");
    assert!(!ran.out.contains("healthy.jsonl"), "{}", ran.out);
    let other = TWICE.replace("toolu_01A", "toolu_other");
    bench
        .run(&["explain", "logs", "--error", &other])
        .exits(5)
        .complains("none of these 2 transcripts has such a problem");
}

#[test]
fn a_hostile_text_cannot_control_the_terminal() {
    let bench = bench();
    let text = "Expected toolResult blocks at messages.5.content for the following Ids: a\u{1b}[2Jb\u{202e}c, \u{9b}d";
    let ran = bench.run(&["explain", "run.jsonl", "--error", text]).exits(5);
    assert!(!ran.out.contains(['\u{1b}', '\u{202e}', '\u{9b}']), "{:?}", ran.out);
}

#[test]
fn a_repair_is_restricted_to_what_the_text_names() {
    let bench = bench();
    let text = "Expected toolResult blocks at messages.2.content for the following Ids: toolu_zz";
    let planned = bench.run(&["repair", "-n", "open.jsonl", "--error", text]).exits(1);
    let planned = planned.says("Would insert 1").says("--error");
    assert!(!planned.out.contains("toolu_ab.c"), "{}", planned.out);
    let ran = bench.run(&["repair", "open.jsonl", "--error", text]).exits(1).says("inserted 1.");
    assert_eq!(ran.out.matches("\n  fix: insert").count(), 1, "{}", ran.out);
    let left = bench.run(&["check", "open.jsonl", "-f", "json"]).exits(1).json();
    let findings = left["conversations"][0]["findings"].as_array().unwrap();
    let fatal: Vec<_> = findings.iter().filter(|finding| finding["severity"] == "fatal").collect();
    assert_eq!((fatal.len(), &fatal[0]["call_ids"][0]), (1, &"toolu_ab.c:1-2".into()));
    let again = bench.run(&["repair", "open.jsonl", "--error", text]).exits(4);
    again
        .says("toolu_zz is here, and we see nothing wrong with it")
        .complains("names nothing in it that can be repaired");
    bench
        .run(&["repair", "open.jsonl", "run.jsonl", "--error", text])
        .exits(2)
        .complains("one transcript");
}

/// A thinking block whose change only the provider can detect.
const ALTERED: &str = "messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.";

fn thought(rest: &str) -> String {
    format!(
        r#"[{{"role":"user","content":"a"}},{{"role":"assistant","content":[{{"type":"thinking","thinking":"t","signature":"c2ln"}}{rest}]}},{{"role":"user","content":"b"}}]"#
    )
}

#[test]
fn thinking_is_removed_only_where_the_provider_rejected_it() {
    let bench = Bench::new();
    let before = thought(r#",{"type":"text","text":"c"}"#);
    bench.write("run.json", &before);
    let anthropic = ["--from", "anthropic-messages"];
    let run = |args: &[&str]| bench.run(&[args, &anthropic[..]].concat());
    run(&["check", "run.json"]).exits(0);
    run(&["repair", "--unsafe", "run.json"]).exits(0);
    assert_eq!(bench.read("run.json"), before.as_bytes());
    run(&["explain", "run.json", "--error", ALTERED])
        .exits(0)
        .says("TD407")
        .says("repair --from anthropic-messages --error");
    run(&["repair", "run.json", "--error", ALTERED]).exits(1).says("-n --unsafe run.json");
    assert_eq!(bench.read("run.json"), before.as_bytes(), "that needs a guess");
    // The message is not an assistant message, or does not exist.
    for other in ["messages.2.", "messages.9."] {
        let text = ALTERED.replace("messages.1.", other);
        run(&["repair", "--unsafe", "run.json", "--error", &text]).exits(4);
        assert_eq!(bench.read("run.json"), before.as_bytes());
    }
    run(&["repair", "--unsafe", "run.json", "--error", ALTERED]).exits(0);
    let after = bench.read("run.json");
    let after = String::from_utf8_lossy(&after);
    assert!(
        !after.contains("thinking") && after.contains(r#"{"type":"text","text":"c"}"#),
        "{after}"
    );
    // This message has no other content: removing it would break the order of roles.
    bench.write("bare.json", thought(""));
    run(&["repair", "--unsafe", "bare.json", "--error", ALTERED]).exits(0);
    let wanted = thought("").replace(
        r#"{"type":"thinking","thinking":"t","signature":"c2ln"}"#,
        r#"{"type":"text","text":"(no content; inserted by transcript-doctor, TD401)"}"#,
    );
    assert_eq!(bench.read("bare.json"), wanted.as_bytes());
}

/// A row: a request body with these messages.
fn body(messages: &[&str]) -> String {
    format!(r#"{{"model":"claude-x","max_tokens":9,"messages":[{}]}}"#, messages.join(","))
}

#[test]
fn an_error_may_refer_to_later_thinking_in_a_row() {
    let thinks = r#"{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"c2ln"},{"type":"text","text":"c"}]}"#;
    let says = r#"{"role":"assistant","content":[{"type":"text","text":"c"}]}"#;
    let user = r#"{"role":"user","content":"a"}"#;
    let rows = [
        body(&[user, thinks, user]),
        body(&[user, thinks, user, thinks, user]),
        body(&[user, user, thinks]),
    ];
    let bench = Bench::new();
    bench.write("rows.jsonl", rows.join("\n"));
    let text = "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding`";
    let ran = bench
        .run(&["explain", "rows.jsonl", "--error", text])
        .exits(0)
        .says("-n --unsafe rows.jsonl");
    assert_eq!(ran.out.matches("fatal[TD407]").count(), 2, "{}", ran.out);
    bench.run(&["repair", "rows.jsonl", "--error", text]).exits(1);
    assert_eq!(bench.read("rows.jsonl"), rows.join("\n").as_bytes(), "that needs a guess");
    bench.run(&["repair", "--unsafe", "rows.jsonl", "--error", text]).exits(0);
    let wanted =
        [body(&[user, says, user]), body(&[user, says, user, says, user]), rows[2].clone()];
    assert_eq!(String::from_utf8(bench.read("rows.jsonl")).unwrap(), wanted.join("\n"));
    bench.run(&["repair", "--unsafe", "rows.jsonl", "--error", text]).exits(4);
}

/// A Claude Code session with an image from the user and another one from a tool.
fn session(version: &str) -> String {
    let image = r#"{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="}}"#;
    let line = |n: u32, role: &str, message: &str| {
        let parent = if n == 1 { "null".to_owned() } else { format!("\"u{}\"", n - 1) };
        format!(
            r#"{{"parentUuid":{parent},"isSidechain":false,"sessionId":"s","version":"{version}","type":"{role}","message":{{"role":"{role}",{message}}},"uuid":"u{n}","timestamp":"2026-03-01T10:00:0{n}.000Z"}}"#
        )
    };
    let answer = |block: &str| format!(r#""id":"m1","model":"claude-x","content":[{block}]"#);
    let lines = [
        line(1, "user", &format!(r#""content":[{{"type":"text","text":"look"}},{image}]"#)),
        line(2, "assistant", &answer(r#"{"type":"thinking","thinking":"t","signature":"c2ln"}"#)),
        line(
            3,
            "assistant",
            &answer(r#"{"type":"tool_use","id":"toolu_1","name":"Read","input":{}}"#),
        ),
        line(
            4,
            "user",
            &format!(
                r#""content":[{{"type":"tool_result","tool_use_id":"toolu_1","content":[{image}]}}]"#
            ),
        ),
    ];
    format!("{}\n", lines.join("\n"))
}

#[test]
fn rejected_media_are_removed_one_by_one() {
    let bench = Bench::new();
    bench.write("s.jsonl", session("2.1.150"));
    let text = "API Error: 400 Could not process image";
    let json = bench.run(&["explain", "s.jsonl", "-f", "json", "--error", text]).exits(0).json();
    let finding = &json["conversation"]["findings"][0];
    assert_eq!((&finding["code"], &finding["confidence"]), (&"TD408".into(), &"guess".into()));
    assert_eq!(
        (&json["certainty"], finding["records"][0]["line"].as_u64()),
        (&"guess".into(), Some(4))
    );
    let repair = |text: &str| bench.run(&["repair", "--unsafe", "s.jsonl", "--error", text]);
    let removed =
        || String::from_utf8_lossy(&bench.read("s.jsonl")).matches("[image removed by").count();
    repair(text).exits(0);
    assert_eq!(removed(), 1);
    repair("messages.0.content.1.image.source.base64.data: Could not process image").exits(0);
    assert_eq!(removed(), 2);
    repair(text).exits(4);
    bench.run(&["check", "s.jsonl"]).exits(0);
}

#[test]
fn some_clients_leave_thinking_out_by_themselves() {
    let bench = Bench::new();
    for (version, plan) in [("2.1.150", "remove line 2"), ("2.1.329", "append a line after line 4")]
    {
        let before = session(version);
        bench.write("s.jsonl", &before);
        bench.run(&["repair", "--unsafe", "s.jsonl", "--error", ALTERED]).exits(0).says(plan);
        let after = String::from_utf8(bench.read("s.jsonl")).unwrap();
        match after.strip_prefix(&before) {
            None => assert!(version == "2.1.150" && !after.contains("thinking"), "{after}"),
            Some(line) => {
                assert!(
                    version == "2.1.329"
                        && line.ends_with("\"timestamp\":\"2026-03-01T10:00:04.001Z\"}\n")
                );
                assert!(line.starts_with(r#"{"parentUuid":"u4","isSidechain":false,"sessionId":"s","version":"2.1.329","type":"attachment","attachment":{"type":"thinking_stripped","scope":"all"},"uuid":""#), "{line}");
            }
        }
        bench.run(&["repair", "--unsafe", "s.jsonl", "--error", ALTERED]).exits(4);
    }
}

#[test]
fn an_error_text_is_explained_without_a_transcript() {
    let bench = bench();
    let told = bench.run(&["explain", "--error", TWICE]).exits(0);
    told.says("from Anthropic: a tool call has more than one result (message 1")
        .says("TD104  two-results")
        .says("`--find`");
    let json = bench.run(&["explain", "--error", TWICE, "-f", "json"]).exits(0).json();
    assert_eq!((&json["rules"][0]["code"], &json["searchable"]), (&"TD104".into(), &true.into()));
    let shorn: String = TWICE.split_whitespace().collect();
    bench.run(&["explain", "--error", &shorn]).exits(0).says("TD104  two-results");
    let unknown = bench.run(&["explain", "--error", "it does not work"]).exits(5);
    let unknown = unknown.says("not a known error text");
    assert!(!unknown.out.contains("--find"), "{}", unknown.out);
    let full = "prompt is too long: 210000 tokens > 200000 maximum";
    bench.run(&["explain", "--error", full]).exits(0).says("The transcript is not damaged");
}

/// The provider names the call of a server tool, which no client answers.
#[test]
fn the_id_of_a_server_call_finds_its_message() {
    let bench = Bench::new();
    let list = r#"[{"role":"user","content":"a"},
{"role":"assistant","content":[{"type":"server_tool_use","id":"srvtoolu_01B","name":"web_search","input":{}}]},
{"role":"user","content":"b"}]"#;
    bench.write("list.json", list.as_bytes());
    let text = "messages.1.content.0: `web_search` tool use with id `srvtoolu_01B` was found without a corresponding `web_search_tool_result` block";
    let ran = bench.run(&["explain", "list.json", "--error", text, "-f", "json"]).exits(0).json();
    let answer = &ran["answers"][0];
    assert_eq!(
        (&answer["status"], &answer["numbers"]),
        (&"damaged".into(), &serde_json::json!([1]))
    );
}

/// What the text names is shown, whatever member holds it, and is not denied.
#[test]
fn what_a_text_names_is_shown_although_no_rule_knows_it() {
    let bench = Bench::new();
    let items = r#"[{"role":"user","content":"a"},{"id":"rs_3c4c","summary":[],"type":"reasoning"},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"b"}],"id":"msg_1","trace":"tr_77"},{"role":"user","content":"c"}]"#;
    bench.write("run.json", items);
    let unseen = "We see no such damage here";
    let placed = "message 2 of the error is item 2 of this file";
    for (text, exit, says) in [
        (
            "Item with id 'rs_3c4c' not found. Items are not persisted when `store` is set to false.",
            0,
            "rs_3c4c is damaged: item 1",
        ),
        (
            "the trace tr_77 has no such span",
            0,
            "tr_77 is here, and we see nothing wrong with it: item 2",
        ),
        // A known text that names a place, at which nothing is wrong: the place is shown.
        ("Unknown parameter: 'input[2].trace'.", 5, unseen),
        ("Unknown parameter: 'input[2].trace'.", 5, placed),
    ] {
        let ran = bench.run(&["explain", "run.json", "--error", text]).exits(exit);
        let ran = ran.says(says);
        for denial in ["wrong session", "is not in this transcript", "none of the IDs"] {
            assert!(!ran.out.contains(denial), "{denial:?} in\n{}", ran.out);
        }
    }
    let absent = "Item with id 'rs_zz9' not found.";
    let ran = bench.run(&["explain", "run.json", "--error", absent]).exits(5);
    ran.says("rs_zz9 is not in this transcript");
}

/// Who still sees the error of what was repaired is told so, because the journal has what was there before.
#[test]
fn a_text_about_what_was_repaired_names_the_repair() {
    let bench = bench();
    bench.run(&["repair", "run.jsonl"]).exits(0);
    let ran = bench.run(&["explain", "run.jsonl", "--error", TWICE]);
    let ran = ran.exits(0).says("Repaired by operation 1 on 20");
    assert!(!ran.out.contains("We see no such damage"), "{}", ran.out);
    // The repair did not mend that.
    let other = TWICE.replace("toolu_01A", "toolu_zz");
    let ran = bench.run(&["explain", "run.jsonl", "--error", &other]);
    assert!(!ran.out.contains("Repaired by"), "{}", ran.out);
    bench.run(&["undo", "run.jsonl"]).exits(0);
    let ran = bench.run(&["explain", "run.jsonl", "--error", TWICE]);
    assert!(!ran.out.contains("Repaired by"), "{}", ran.out);
}

/// A request in the form of the Responses API with these items between two messages of the user.
fn items(items: &[&str]) -> String {
    let user = r#"{"role":"user","content":"a"}"#;
    format!(r#"[{user},{},{user}]"#, items.join(","))
}

const ANSWER: &str =
    r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"b"}]}"#;

#[test]
fn an_item_is_removed_only_where_the_server_rejected_it() {
    let bench = Bench::new();
    let thought = |rest: &str| format!(r#"{{"type":"reasoning","id":"rs_1a","summary":[]{rest}}}"#);
    let encrypted = r#","encrypted_content":"gAAAAABaAbBcCdDwXBV""#;
    let is_gone =
        "Item with id 'rs_1a' not found. Items are not persisted when `store` is set to false.";
    let unreadable = "The encrypted content gAAA...wXBV could not be verified.";
    for (text, rest, wanted) in [
        (is_gone, "", items(&[ANSWER])),
        // It has all that the server needs.
        (is_gone, encrypted, items(&[&thought(encrypted).replace(r#""id":"rs_1a","#, ""), ANSWER])),
        (unreadable, encrypted, items(&[ANSWER])),
        (
            "The encrypted content for item rs_1a could not be verified.",
            encrypted,
            items(&[ANSWER]),
        ),
    ] {
        let before = items(&[&thought(rest), ANSWER]);
        bench.write("run.json", &before);
        bench.run(&["check", "run.json"]).exits(0);
        bench.run(&["explain", "run.json", "--error", text]).exits(0).says("TD412").says("item 1");
        bench.run(&["repair", "run.json", "--error", text]).exits(1);
        assert_eq!(bench.read("run.json"), before.as_bytes(), "that needs a guess");
        bench.run(&["repair", "--unsafe", "run.json", "--error", text]).exits(0);
        assert_eq!(String::from_utf8(bench.read("run.json")).unwrap(), wanted, "{text}");
    }
    // Another ID, and content with another end.
    for other in [is_gone.replace("1a", "1b"), unreadable.replace("wXBV", "wXBW")] {
        bench.write("run.json", items(&[&thought(encrypted), ANSWER]));
        let told = bench.run(&["explain", "run.json", "--error", &other]);
        assert!(!told.out.contains("TD412"), "{}", told.out);
        bench.run(&["repair", "--unsafe", "run.json", "--error", &other]).exits(4);
    }
}

#[test]
fn what_a_rejected_compaction_stood_for_is_said() {
    let bench = Bench::new();
    let compaction = |text: &str| {
        format!(r#"{{"type":"compaction","id":"cmp_1a","encrypted_content":"{text}"}}"#)
    };
    let text = "The encrypted content for item cmp_1a could not be verified.";
    bench.write("run.json", items(&[&compaction("gAAAAABaAbB"), ANSWER]));
    let told = bench.run(&["explain", "run.json", "--error", text]).exits(0);
    let told = told.says("a compaction that the server cannot decrypt").says("item 1");
    assert!(!told.out.contains("reasoning"), "{}", told.out);
    bench.run(&["repair", "--unsafe", "run.json", "--error", text]).exits(0);
    assert_eq!(String::from_utf8(bench.read("run.json")).unwrap(), items(&[ANSWER]));
    // The text of it is only encoded.
    bench.write("run.json", items(&[&compaction("ocx1:V2UgY291bnQu"), ANSWER]));
    bench.run(&["repair", "--unsafe", "run.json", "--error", text]).exits(0);
    let message =
        r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"We count."}]}"#;
    assert_eq!(String::from_utf8(bench.read("run.json")).unwrap(), items(&[message, ANSWER]));
}

#[test]
fn the_id_of_an_item_is_found_in_any_member() {
    let bench = Bench::new();
    let part = |notes: &str| {
        format!(
            r#"[{{"id":"1","role":"user","parts":[{{"type":"text","text":"a"}}]}},{{"id":"2","role":"assistant","parts":[{{"type":"reasoning","text":"t","providerMetadata":{{"openai":{{{notes}}}}}}},{{"type":"text","text":"b"}}]}},{{"id":"3","role":"user","parts":[{{"type":"text","text":"c"}}]}}]"#
        )
    };
    let block = |block: &str| {
        format!(
            r#"[{{"type":"human","data":{{"content":"a"}}}},{{"type":"ai","data":{{"content":[{block}{{"type":"text","text":"b"}}],"tool_calls":[]}}}}]"#
        )
    };
    let signed = |rest: &str| {
        format!(
            r#"{{"type":"session","version":3,"id":"s1","timestamp":"2026-01-05T09:00:00Z","cwd":"/w"}}
{{"type":"message","id":"m1","parentId":null,"timestamp":"2026-01-05T09:00:01Z","message":{{"role":"user","content":"a"}}}}
{{"type":"message","id":"m2","parentId":"m1","timestamp":"2026-01-05T09:00:02Z","message":{{"role":"assistant","content":[{{"type":"thinking","thinking":"t"{rest}}},{{"type":"text","text":"b"}}],"stopReason":"stop"}}}}
"#
        )
    };
    let signature =
        r#","thinkingSignature":"{\"type\":\"reasoning\",\"id\":\"rs_1a\",\"summary\":[]}""#;
    let is_gone = "Item with id 'rs_1a' not found.";
    let is_alone =
        "Item 'rs_1a' of type 'reasoning' was provided without its required following item.";
    for (name, before, after) in [
        (
            "chat.json",
            part(r#""itemId":"rs_1a","reasoningEncryptedContent":null"#),
            part(r#""reasoningEncryptedContent":null"#),
        ),
        ("messages.json", block(r#"{"type":"reasoning","id":"rs_1a","summary":[]},"#), block("")),
        ("session.jsonl", signed(signature), signed("")),
    ] {
        for text in [is_gone, is_alone] {
            bench.write(name, &before);
            let told = bench.run(&["explain", name, "--error", text]).exits(0);
            told.says(if text == is_gone { "TD412" } else { "TD409" }).says("rs_1a is damaged");
            bench.run(&["repair", "--unsafe", name, "--error", text]).exits(0);
            assert_eq!(String::from_utf8(bench.read(name)).unwrap(), after, "{name}: {text}");
        }
    }
    // The server remembers the pair; without its ID, the item is a new one.
    let call = |id: &str| {
        format!(
            r#"{{"type":"function_call",{id}"call_id":"call_1","name":"f","arguments":"{{}}"}},{{"type":"function_call_output","call_id":"call_1","output":"c"}}"#
        )
    };
    bench.write("run.json", items(&[&call(r#""id":"fc_1","#)]));
    let text = "Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_9'.";
    bench.run(&["repair", "--unsafe", "run.json", "--error", text]).exits(0);
    assert_eq!(String::from_utf8(bench.read("run.json")).unwrap(), items(&[&call("")]));
}

#[test]
fn answers_get_the_thinking_back_that_the_server_wants() {
    let bench = Bench::new();
    let call = |thinking: &str| {
        format!(
            r#"{{"role":"user","content":"a"}},{{"role":"assistant","content":"b"{thinking},"tool_calls":[{{"id":"call_1","type":"function","function":{{"name":"f","arguments":"{{}}"}}}}]}},{{"role":"tool","tool_call_id":"call_1","content":"c"}}"#
        )
    };
    let before = format!(r#"[{}]"#, call(""));
    let text = "The `reasoning_content` in the thinking mode must be passed back to the API.";
    bench.write("run.json", &before);
    bench.run(&["check", "run.json"]).exits(0);
    bench.run(&["explain", "run.json", "--error", text]).exits(0).says("TD407").says("message 1");
    bench.run(&["repair", "run.json", "--error", text]).exits(1);
    assert_eq!(bench.read("run.json"), before.as_bytes(), "that needs a guess");
    bench.run(&["repair", "--unsafe", "run.json", "--error", text]).exits(0);
    let after = String::from_utf8(bench.read("run.json")).unwrap();
    assert_eq!(after, format!(r#"[{}]"#, call(r#","reasoning_content":" ""#)));
    // The request had a system message that is not recorded.
    let text = "thinking is enabled but reasoning_content is missing in assistant tool call message at index 2";
    bench.write("run.json", format!(r#"[{}]"#, call(r#","reasoning":"t""#)));
    bench.run(&["repair", "--unsafe", "run.json", "--error", text]).exits(0);
    let after = String::from_utf8(bench.read("run.json")).unwrap();
    assert!(after.contains(r#""reasoning_content":"t""#), "{after}");
    // Hermes puts a prompt before the messages that it records.
    let said = |thinking: &str| {
        format!(
            r#"{{"session_id":"s","session_start":"2026-01-05T09:00:00","messages":[{{"role":"user","content":"a"}},{{"role":"assistant","content":"b"{thinking}}},{}]}}"#,
            call("").trim_start_matches(r#"{"role":"user","content":"a"},"#)
        )
    };
    let text = "Missing `reasoning_content` field in the assistant message at message index 2.";
    bench.write("hermes.json", said(""));
    bench.run(&["repair", "--unsafe", "hermes.json", "--error", text]).exits(0);
    let after = String::from_utf8(bench.read("hermes.json")).unwrap();
    assert_eq!(after, said(r#","reasoning_content":" ""#));
}

/// The service of Amazon Q says one text of everything that it refuses.
#[test]
fn a_text_without_a_reason_leads_to_damage_or_says_what_else_it_may_be() {
    const REFUSED: &str =
        "Error { code: \"ValidationException\", message: \"Improperly formed request.\" }";
    let fixtures = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let bench = Bench::new();
    let copy = |from: &str, to: &str| {
        bench.write(to, std::fs::read(fixtures.join(from)).unwrap());
    };
    copy("healthy/amazon-q/saved.json", "saved.json");
    copy("databases/amazon-q.sqlite3", "data.sqlite3");
    bench
        .run(&["explain", "saved.json", "--error", REFUSED])
        .exits(0)
        .says("nothing matches this text")
        .says("If a new conversation gets the same answer");
    // A database is not replaced, so the command writes a script.
    bench
        .run(&["explain", "data.sqlite3#/home/ana/shop", "--error", REFUSED])
        .exits(0)
        .says("tool call without a result")
        .says("repair -o fix-_home_ana_shop.sql 'data.sqlite3#/home/ana/shop'");
    bench.run(&["repair", "-o", "fix-_home_ana_shop.sql", "data.sqlite3#/home/ana/shop"]).exits(0);
}
