//! Files of many conversations, one per row.

use std::fs;
use std::path::Path;

use crate::bench::{Bench, Ran};

/// A healthy conversation with its ID.
fn well(id: &str) -> String {
    format!(
        r#"{{"custom_id": "{id}", "messages": [{{"role":"user","content":[{{"text":"hi {id}"}}]}}, {{"role":"assistant","content":[{{"text":"ho"}}]}}]}}"#
    )
}

/// A conversation with an unanswered call.
fn sick(id: &str) -> String {
    format!(
        r#"{{"custom_id": "{id}", "messages": [{{"role":"user","content":[{{"text":"hi"}}]}}, {{"role":"assistant","content":[{{"toolUse":{{"toolUseId":"tooluse_{id}","name":"ls","input":{{}}}}}}]}}, {{"role":"user","content":[{{"text":"and?"}}]}}]}}"#
    )
}

fn file(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Rows with a finding: line and codes.
fn found(ran: &Ran) -> Vec<(u64, Vec<String>)> {
    let report = ran.json();
    let rows =
        report["conversations"].as_array().unwrap().iter().filter(|c| c.get("row").is_some());
    let codes = |c: &serde_json::Value| {
        c["findings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|f| f["code"].as_str().unwrap().to_owned())
            .collect()
    };
    rows.map(|c| (c["row"]["line"].as_u64().unwrap(), codes(c))).collect()
}

fn codes(all: &[&str]) -> Vec<String> {
    all.iter().map(|code| (*code).to_owned()).collect()
}

#[test]
fn a_damaged_row_is_reported_and_affects_no_other() {
    let bench = Bench::new();
    let rows = [well("a"), sick("b"), r#"{"usage":1}"#.to_owned(), well("c")];
    bench.write("rows.jsonl", file(&rows));
    let ran = bench.run(&["check", "--format", "json", "rows.jsonl"]).exits(1);
    assert_eq!(found(&ran), [(2, codes(&["TD101"]))]);
    let report = ran.json();
    let (own, row) = (&report["conversations"][0], &report["conversations"][1]);
    assert_eq!(
        own["rows"],
        serde_json::json!({"total": 4, "healthy": 2, "skipped": 1, "unlisted": 2})
    );
    assert_eq!((&own["verdict"], &own["calls"]), (&"stuck".into(), &1.into()));
    assert_eq!(row["row"], serde_json::json!({"line": 2, "key": "b"}));
    assert_eq!(report["summary"]["conversations"], 3);
    assert_eq!(report["summary"]["healthy"], 2);
    let call = &row["findings"][0]["records"][0];
    let at = |n: usize| call["byte"][n].as_u64().unwrap() as usize;
    assert!(file(&rows)[at(0)..at(1)].starts_with(r#"{"role":"assistant","content":[{"toolUse""#));
    assert_eq!((&call["line"], &call["pointer"]), (&2.into(), &"/messages/1".into()));
    bench
        .run(&["check", "rows.jsonl"])
        .exits(1)
        .says("rows.jsonl:2")
        .says("2 of 3 conversations are healthy");

    bench
        .run(&["repair", "-n", "rows.jsonl"])
        .exits(1)
        .says("change 1; 6 of 7 records")
        .says("rows.jsonl:2");
    assert_eq!(bench.read("rows.jsonl"), file(&rows).as_bytes());
    bench
        .run(&["repair", "rows.jsonl"])
        .exits(0)
        .says("6 of 7 records unchanged; changed 1.")
        .says("HEALTHY");
    let after = String::from_utf8(bench.read("rows.jsonl")).unwrap();
    let lines: Vec<&str> = after.lines().collect();
    assert_eq!((lines[0], lines[2], lines[3]), (&rows[0][..], &rows[2][..], &rows[3][..]));
    assert!(
        lines[1].contains("no result was recorded")
            && lines[1].starts_with(r#"{"custom_id": "b", "#)
    );
    assert_eq!(lines.len(), 4);
    bench.run(&["repair", "rows.jsonl"]).exits(0).says("Nothing to repair");
    assert_eq!(bench.operations(), 1);
    bench.run(&["undo"]).exits(0);
    assert_eq!(bench.read("rows.jsonl"), file(&rows).as_bytes());
}

#[test]
fn broken_lines_are_repaired_and_recovered_rows_judged() {
    let bench = Bench::new();
    let torn = &sick("z")[..60];
    let split = well("d").replace("hi d", "hi\nd");
    let nul = format!("\0\0{}", well("e"));
    let glued = format!("{}{}", well("b"), sick("c"));
    bench.write("rows.jsonl", format!("{}\n{glued}\n{split}\n{nul}\n{torn}", well("a")));
    let ran = bench.run(&["check", "--format", "json", "rows.jsonl"]).exits(1);
    let told = found(&ran);
    let wanted = [
        (2, codes(&["TD003"])),
        (2, codes(&["TD101"])),
        (3, codes(&["TD004"])),
        (5, codes(&["TD005"])),
        (6, codes(&["TD001"])),
    ];
    assert_eq!(told, wanted, "{}", ran.out);
    bench.run(&["repair", "rows.jsonl"]).exits(0).says("HEALTHY");
    let after = String::from_utf8(bench.read("rows.jsonl")).unwrap();
    let lines: Vec<&str> = after.lines().collect();
    assert_eq!(lines.len(), 5, "{after}");
    assert_eq!((lines[0], lines[1], lines[4]), (&well("a")[..], &well("b")[..], &well("e")[..]));
    assert!(lines[2].contains("no result was recorded") && lines[3].contains("hi\\nd"));
    bench.run(&["check", "rows.jsonl"]).exits(0).says("5 healthy");
}

#[test]
fn an_unreadable_row_stays_and_the_others_are_repaired() {
    let bench = Bench::new();
    bench.write("rows.jsonl", file(&[sick("a"), well("b")[..50].to_owned(), sick("c"), well("d")]));
    let ran = bench.run(&["check", "--format", "json", "rows.jsonl"]).exits(1);
    assert_eq!(
        found(&ran),
        [(1, codes(&["TD101"])), (2, codes(&["TD002"])), (3, codes(&["TD101"]))]
    );
    bench
        .run(&["repair", "rows.jsonl"])
        .exits(1)
        .says("changed 2")
        .says("a damaged row cannot be read");
    let ran = bench.run(&["check", "--format", "json", "rows.jsonl"]).exits(1);
    assert_eq!(found(&ran), [(2, codes(&["TD002"]))]);
    bench.run(&["repair", "--unsafe", "rows.jsonl"]).exits(0);
    bench.run(&["check", "rows.jsonl"]).exits(0).says("3 healthy");
}

#[test]
fn rows_are_repaired_in_copies_streams_and_compressed_files() {
    let bench = Bench::new();
    let rows = file(&[well("a"), sick("b")]);
    bench.write("rows.jsonl", &rows);
    bench.run(&["repair", "rows.jsonl", "-o", "copy.jsonl"]).exits(0);
    assert_eq!(bench.read("rows.jsonl"), rows.as_bytes());
    let copy = String::from_utf8(bench.read("copy.jsonl")).unwrap();
    assert!(copy.starts_with(&well("a")) && copy.contains("no result was recorded"));
    let ran = bench.run_with(&["repair", "-"], rows.as_bytes()).exits(0);
    assert_eq!(ran.out, copy);
    let mut packed = Vec::new();
    transcript_doctor::testing::bytes::packed::Codec::Zstd
        .pack(&mut rows.as_bytes(), &mut packed)
        .unwrap();
    bench.write("rows.jsonl.zst", &packed);
    bench.run(&["repair", "rows.jsonl.zst"]).exits(0);
    bench.run(&["check", "rows.jsonl.zst"]).exits(0).says("2 healthy");
    bench.run(&["undo"]).exits(0);
    assert_eq!(bench.read("rows.jsonl.zst"), packed);
}

#[test]
fn one_document_is_not_a_row_and_messages_are_rows_on_request() {
    let bench = Bench::new();
    bench.write("one.jsonl", file(&[sick("a")]));
    let report = bench.run(&["check", "--format", "json", "one.jsonl"]).exits(1).json();
    assert!(report["conversations"][0].get("rows").is_none());
    let report = bench.run(&["check", "--rows", "--format", "json", "one.jsonl"]).exits(1).json();
    assert_eq!(report["conversations"][0]["rows"]["total"], 1);
    let messages = [
        r#"{"role":"user","content":[{"text":"hi"}]}"#.to_owned(),
        r#"{"role":"assistant","content":[{"text":"ho"}]}"#.to_owned(),
    ];
    bench.write("log.jsonl", file(&messages));
    let report = bench.run(&["check", "--format", "json", "log.jsonl"]).exits(0).json();
    assert_eq!(report["conversations"][0]["records"], 2);
    let report = bench.run(&["check", "--rows", "--format", "json", "log.jsonl"]).json();
    assert_eq!(report["conversations"][0]["rows"]["total"], 2);
}

#[test]
fn a_missing_newline_and_a_byte_order_mark_are_notes() {
    let bench = Bench::new();
    bench.write("rows.jsonl", format!("\u{feff}{}\n{}", well("a"), well("b")));
    let ran = bench.run(&["check", "--format", "json", "rows.jsonl"]).exits(0);
    assert_eq!(found(&ran), [(1, codes(&["TD006"])), (2, codes(&["TD014"]))]);
    assert_eq!(
        ran.json()["conversations"][0]["rows"],
        serde_json::json!({"total": 2, "healthy": 2, "skipped": 0, "unlisted": 0})
    );
    bench.run(&["repair", "rows.jsonl"]).exits(0).says("Nothing to repair");
    bench.run(&["repair", "--only", "TD014", "rows.jsonl"]).exits(0);
    assert!(bench.read("rows.jsonl").ends_with(b"}\n"));
}

#[test]
fn a_row_inside_a_truncated_one_is_not_a_row() {
    let bench = Bench::new();
    let nested = format!(r#"{{"custom_id":"x","input":{},"tail":"to"#, well("in"));
    bench.write("rows.jsonl", format!("{}\n{nested}", well("a")));
    let ran = bench.run(&["check", "--format", "json", "rows.jsonl"]).exits(1);
    assert_eq!(found(&ran), [(2, codes(&["TD001"]))]);
}

#[test]
fn rows_of_an_array() {
    let bench = Bench::new();
    let array = format!("[\n  {},\n  {}\n]\n", well("a"), sick("b"));
    bench.write("rows.json", &array);
    let report = bench.run(&["check", "--format", "json", "rows.json"]).exits(1).json();
    let row = &report["conversations"][1];
    assert_eq!(row["row"], serde_json::json!({"index": 1, "key": "b"}));
    assert_eq!(row["findings"][0]["records"][0]["pointer"], "/1/messages/1");
    bench.run(&["repair", "rows.json"]).exits(0);
    let after = String::from_utf8(bench.read("rows.json")).unwrap();
    assert!(after.starts_with(&format!("[\n  {},\n  ", well("a"))) && after.ends_with("\n]\n"));
    bench.run(&["check", "rows.json"]).exits(0).says("2 healthy");
}

#[test]
fn one_row_is_explained_and_compared() {
    let bench = Bench::new();
    bench.write("rows.jsonl", file(&[well("a"), sick("b"), sick("c")]));
    bench.run(&["explain", "rows.jsonl:3"]).exits(0).says("tooluse_c");
    let ran = bench.run(&["explain", "rows.jsonl"]).exits(0).says("tooluse_b").says("rows.jsonl:3");
    assert!(!ran.out.contains("rows.jsonl:1"), "{}", ran.out);
    bench.run(&["explain", "rows.jsonl:9"]).exits(2);
    bench.run(&["explain", "rows.jsonl", "--call", "tooluse_c"]).exits(0).says("tooluse_c");
    bench
        .run(&["diff", "rows.jsonl"])
        .exits(0)
        .says("rows.jsonl:2")
        .says("rows.jsonl:3")
        .says("2 changed");
    bench.run(&["diff", "rows.jsonl", "--as", "messages"]).exits(0).says("placeholder");
    bench
        .run(&["diff", "rows.jsonl", "--as", "raw"])
        .exits(0)
        .says("@@")
        .says("+{\"custom_id\": \"b\"");
    let text = "Expected toolResult blocks at messages.2.content for the following Ids: tooluse_c";
    bench.run(&["explain", "rows.jsonl", "--error", text]).exits(0).says("tooluse_c");
    bench.run(&["repair", "rows.jsonl", "--error", text]).says("changed 1");
    let report = bench.run(&["check", "--format", "json", "rows.jsonl"]).exits(1);
    assert_eq!(found(&report), [(2, codes(&["TD101"]))]);
}

/// The same conversation with other words, and without an ID.
fn other(row: &str, from: &str, to: &str) -> String {
    row.replace(from, to).replace(r#""custom_id": "-", "#, "")
}

#[test]
fn two_threads_report_what_one_does() {
    let bench = Bench::new();
    let text = "long words ".repeat(300);
    let row = |n: usize| match n % 13 {
        3 => sick(&n.to_string()).replace("and?", &text),
        5 => sick(&n.to_string())[..60].to_owned(),
        7 => well("-").replace("hi -", &text) + &well("glued"),
        11 => format!("\0{}", well(&n.to_string())),
        _ => well(&n.to_string()).replace("ho", &text),
    };
    let rows: Vec<String> = (0..400).map(row).collect();
    bench.write("rows.jsonl", file(&rows));
    let whole = rows.iter().filter(|row| row.ends_with("]}") && !row.contains("]}{"));
    let whole: Vec<&str> = whole.map(|row| row.trim_start_matches('\0')).collect();
    bench.write("rows.json", format!("[{}]", whole.join(",\n")));
    for name in ["rows.jsonl", "rows.json"] {
        for format in ["human", "json", "jsonl", "markdown", "html"] {
            let run = |jobs| {
                let args = ["check", "-v", "--format", format, "--jobs", jobs, name];
                let ran = bench.run(&args).exits(1);
                (ran.out, ran.err)
            };
            let (one, two) = (run("1"), run("2"));
            assert!(one == two, "{format} {name}");
        }
    }
}

#[test]
fn two_files_of_rows_are_compared_row_by_row() {
    let bench = Bench::new();
    let unnamed = |text| other(&well("-"), "hi -", text);
    let old = [
        well("a"),
        sick("b"),
        well("gone"),
        unnamed("one"),
        well("c"),
        r#"{"id":"u","usage":1}"#.to_owned(),
        well("late"),
        well("d"),
    ];
    let new = [
        well("a"),
        other(&sick("b"), "and?", "well?"),
        other(&well("c"), r#""messages""#, r#""model": "m", "messages""#),
        unnamed("ONE"),
        r#"{"id":"u","usage":2}"#.to_owned(),
        well("new"),
        well("d"),
        well("late"),
    ];
    bench.write("a.jsonl", file(&old));
    bench.write("b.jsonl", file(&new));
    let ran = bench.run(&["diff", "a.jsonl", "b.jsonl"]).exits(0);
    let heads: Vec<&str> = ran.out.lines().filter(|line| line.contains(".jsonl:")).collect();
    assert_eq!(
        heads,
        [
            "~ changed  a.jsonl:2..b.jsonl:2  b",
            "- removed  a.jsonl:3  gone  131 bytes",
            "~ changed  a.jsonl:4..b.jsonl:4",
            "~ changed  a.jsonl:5..b.jsonl:3  c",
            "~ changed  a.jsonl:6..b.jsonl:5  u",
            "+ added    b.jsonl:6  new  129 bytes",
            "> moved    a.jsonl:8..b.jsonl:7  d",
        ],
        "{}",
        ran.out
    );
    ran.says(r#"    /content/0/text: "and?" → "well?""#)
        .says(r#"    + /model: "m""#)
        .says("    /usage: 1 → 2")
        .says("rows: 1 removed, 1 added, 1 moved, 4 changed; 2 unchanged");
    bench
        .run(&["diff", "--stat", "--exit-code", "a.jsonl", "b.jsonl"])
        .exits(1)
        .says("a.jsonl..b.jsonl: rows: 1 removed, 1 added, 1 moved, 4 changed; 2 unchanged");
    let ran = bench
        .run(&["diff", "--as", "messages", "a.jsonl", "b.jsonl"])
        .exits(0)
        .says(r#"    /content/0/text: "and?" → "well?""#)
        .says("rows: 1 removed, 1 added, 2 changed; 5 with the same request");
    assert!(!ran.out.contains("/model"), "{}", ran.out);
    bench.run(&["diff", "-q", "a.jsonl", "b.jsonl"]).exits(0).says("STUCK       b.jsonl:2");
    bench
        .run(&["diff", "--exit-code", "a.jsonl", "a.jsonl"])
        .exits(0)
        .says("rows: none differs; 8 unchanged");
    bench.write("one.json", well("a"));
    bench
        .run(&["diff", "a.jsonl", "one.json"])
        .exits(2)
        .complains("another such file, or with --as raw");
}

#[test]
fn rows_that_are_broken_or_in_an_array_are_compared() {
    let bench = Bench::new();
    let torn = &sick("z")[..60];
    bench.write("a.jsonl", format!("{}\n{torn}\n{}\n", well("a"), well("b")));
    bench.write("b.jsonl", file(&[well("a"), sick("z"), well("b")]));
    bench
        .run(&["diff", "a.jsonl", "b.jsonl"])
        .exits(0)
        .says("- removed  a.jsonl:2")
        .says("+ added    b.jsonl:2  z")
        .says("rows: 1 removed, 1 added; 2 unchanged");
    let array = |rows: &[String]| format!("[{}]", rows.join(",\n"));
    bench.write("a.json", array(&[well("a"), sick("b"), well("c")]));
    bench.write("b.json", array(&[well("c"), other(&sick("b"), "hi", "ho"), well("a")]));
    bench
        .run(&["diff", "a.json", "b.json"])
        .exits(0)
        .says("~ changed  a.json#/1..b.json#/1  b")
        .says("rows: 1 moved, 1 changed; 1 unchanged");
}

#[test]
fn common_findings_of_rows_are_reported_once() {
    let bench = Bench::new();
    let text = r#"{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"<tool_call>\n{}\n</tool_call>"}]}"#;
    bench.write("rows.jsonl", file(&vec![text.to_owned(); 150]));
    let ran = bench.run(&["check", "--format", "json", "rows.jsonl"]).exits(0).json();
    let whole = &ran["conversations"][0];
    assert_eq!(
        (&whole["findings"][0]["code"], &whole["findings"][0]["count"]),
        (&"TD010".into(), &150.into())
    );
    assert_eq!(
        (ran["conversations"].as_array().unwrap().len(), &ran["summary"]["healthy"]),
        (1, &150.into())
    );

    let empty = r#"{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[]},{"role":"user","content":"?"}]}"#;
    let open = r#"{"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"user","content":"?"}]}"#;
    let rows =
        [vec![empty.to_owned(); 7], vec![open.to_owned()], vec![empty.to_owned(); 5]].concat();
    bench.write("rows.jsonl", file(&rows));
    let report = bench.run(&["check", "--format", "json", "rows.jsonl"]).exits(1);
    assert_eq!(found(&report), [(8, codes(&["TD101"]))]);
    let ran = report.json();
    let whole = &ran["conversations"][0];
    let lines: Vec<u64> = whole["findings"][0]["records"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| r["line"].as_u64().unwrap())
        .collect();
    assert_eq!(lines, [1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13]);
    assert_eq!(
        (&whole["rows"]["shared"]["stuck"], &ran["summary"]["stuck"]),
        (&12.into(), &13.into())
    );
    let told = bench.run(&["check", "rows.jsonl"]).exits(1);
    told.says("assistant message without text or tool calls (12 times)")
        .says("13 stuck.  13 fatal")
        .says("13 of 13 rows would change");
    // That output has one line per row.
    assert_eq!(bench.run(&["check", "-f", "jsonl", "rows.jsonl"]).exits(1).out.lines().count(), 15);
    bench.run(&["repair", "--yes", "--unsafe", "--from", "openai-chat", "rows.jsonl"]).exits(0);
    bench.run(&["check", "rows.jsonl"]).exits(0).says("13 of 13 conversations are healthy");
}

#[test]
fn common_findings_of_messages_are_reported_once() {
    let bench = Bench::new();
    let turn = r#"{"role":"user","content":"hi"},{"role":"assistant","content":[]}"#;
    let all = format!("[{}]", [turn; 20].join(","));
    bench.write("run.json", &all);
    let ran =
        bench.run(&["check", "-f", "json", "--target", "anthropic", "run.json"]).exits(1).json();
    let findings = ran["conversations"][0]["findings"].as_array().unwrap();
    assert_eq!(findings.iter().filter(|finding| finding["code"] == "TD401").count(), 1, "{ran}");
    bench.run(&["explain", "--target", "anthropic", "run.json"]).exits(0).says(" times)");
}

#[test]
fn rows_of_every_provider_format_are_read() {
    let call = r#"{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]}"#;
    let (asks, goes_on) =
        (r#"{"role":"user","content":"hi"}"#, r#"{"role":"user","content":"and?"}"#);
    let item = r#"{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"}"#;
    let turn = |text: &str| format!(r#"{{"role":"user","parts":[{{"text":"{text}"}}]}}"#);
    let model = r#"{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]}"#;
    for (name, format, well, sick, place) in [
        (
            "prompt.jsonl",
            "openai-chat",
            format!(
                r#"{{"prompt":[{asks}],"completion":[{{"role":"assistant","content":"ho"}}]}}"#
            ),
            format!(r#"{{"prompt":[{asks}],"completion":[{call},{goes_on}]}}"#),
            "/completion/0",
        ),
        (
            "chat.jsonl",
            "openai-chat",
            format!(r#"{{"custom_id":"a","body":{{"model":"m","messages":[{asks}]}}}}"#),
            format!(
                r#"{{"custom_id":"b","body":{{"model":"m","messages":[{asks},{call},{goes_on}]}}}}"#
            ),
            "/body/messages/1",
        ),
        (
            "responses.jsonl",
            "openai-responses",
            format!(r#"{{"custom_id":"a","body":{{"model":"m","input":[{asks}]}}}}"#),
            format!(
                r#"{{"custom_id":"b","body":{{"model":"m","input":[{asks},{item},{goes_on}]}}}}"#
            ),
            "/body/input/1",
        ),
        (
            "gemini.jsonl",
            "gemini-contents",
            format!(r#"{{"systemInstruction":{{"parts":[]}},"contents":[{}]}}"#, turn("hi")),
            format!(
                r#"{{"systemInstruction":{{"parts":[]}},"contents":[{},{model},{}]}}"#,
                turn("hi"),
                turn("and?")
            ),
            "/contents/1",
        ),
    ] {
        let bench = Bench::new();
        let third = well.replacen(r#""custom_id":"a""#, r#""custom_id":"c""#, 1);
        bench.write(name, file(&[well.clone(), sick, third.clone()]));
        let ran = bench.run(&["check", "--format", "json", name]).exits(1);
        assert_eq!(found(&ran), [(2, codes(&["TD101"]))], "{name}");
        let report = ran.json();
        assert_eq!(report["conversations"][0]["format"], format);
        assert_eq!(report["conversations"][0]["rows"]["healthy"], 2, "{name}");
        let findings = &report["conversations"][1]["findings"];
        assert_eq!(findings[0]["records"][0]["pointer"], place, "{name}");
        bench.run(&["repair", "--yes", name]).exits(0);
        let lines = String::from_utf8(bench.read(name)).unwrap();
        let lines: Vec<&str> = lines.lines().collect();
        assert_eq!((lines[0], lines[2]), (well.as_str(), third.as_str()), "{name}");
        bench.run(&["check", name]).exits(0).says("3 of 3 conversations are healthy");
    }
}

#[test]
fn every_row_has_a_line_on_request() {
    let bench = Bench::new();
    bench
        .write("rows.jsonl", file(&[well("a"), sick("b"), r#"{"usage":1}"#.to_owned(), well("c")]));
    let ran = bench.run(&["check", "--format", "jsonl", "rows.jsonl"]).exits(1);
    let lines: Vec<serde_json::Value> =
        ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let verdicts: Vec<_> = lines
        .iter()
        .filter_map(|line| Some((line.get("row")?["line"].as_u64()?, line["verdict"].as_str()?)))
        .collect();
    assert_eq!(verdicts, [(1, "healthy"), (2, "stuck"), (4, "healthy")]);
    let (own, end) = (&lines[0], lines.last().unwrap());
    assert_eq!(
        own["rows"],
        serde_json::json!({"total": 4, "healthy": 2, "skipped": 1, "unlisted": 0})
    );
    assert_eq!((&end["summary"]["conversations"], &end["exit_code"]), (&3.into(), &1.into()));
    assert_eq!(end["summary"], bench.run(&["check", "-f", "json", "rows.jsonl"]).json()["summary"]);
}

/// The lines of all findings, whether they belong to a row or to the file.
fn lines_of_findings(report: &serde_json::Value) -> Vec<u64> {
    let items =
        |value: &serde_json::Value, key: &str| value[key].as_array().cloned().unwrap_or_default();
    let findings =
        items(report, "conversations").into_iter().flat_map(|told| items(&told, "findings"));
    let records = findings.flat_map(|finding| items(&finding, "records"));
    records.filter_map(|record| record["line"].as_u64()).collect()
}

/// A host that was killed repeatedly leaves several fragments at the end. A record that is damaged
/// but complete is not a fragment.
#[test]
fn a_tail_of_fragments_is_repaired_in_one_run() {
    let bench = Bench::new();
    let fragment = |id: &str| well(id)[..60].to_owned();
    let damaged = well("x").replacen("hi", "hi\",\u{7f}", 1);
    let tails: [(&str, Vec<String>, &[u64]); 3] = [
        ("two", vec![well("a"), fragment("b"), fragment("c")], &[]),
        ("damaged-first", vec![well("a"), damaged.clone(), fragment("c")], &[2]),
        ("damaged-last", vec![well("a"), fragment("b"), damaged], &[2, 3]),
    ];
    for (name, rows, left) in tails {
        let path = format!("{name}.jsonl");
        bench.write(&path, file(&rows).trim_end());
        let planned = bench.run(&["repair", "-n", "--format", "json", &path]);
        bench.run(&["repair", "--format", "json", &path]).exits(i32::from(!left.is_empty()));
        let repaired = bench.read(&path);
        assert_eq!(
            planned.json()["conversations"][0]["applied"]["removed"],
            (rows.len() - 1 - left.len()) as u64
        );
        let after = bench.run(&["check", "--format", "json", &path]);
        assert_eq!(lines_of_findings(&after.json()), left, "{name}");
        bench.run(&["repair", &path]);
        assert_eq!(bench.read(&path), repaired, "{name}: a second repair does nothing");
    }
}

#[test]
fn each_conversation_is_listed_and_counted_once() {
    let bench = Bench::new();
    let good = r#"{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}"#;
    let stuck = r#"{"messages":[{"role":"user","content":"a"},{"role":"tool","tool_call_id":"x","content":"b"}]}"#;
    bench.lines("rows.jsonl", &[good, stuck, good, stuck]);
    bench.lines("stuck.jsonl", &[stuck, stuck]);
    bench.lines("good.jsonl", &[good, good, good]);
    let ran = bench.run(&["check", "-q", "rows.jsonl"]).exits(1);
    assert_eq!(
        ran.out,
        "HEALTHY     rows.jsonl  (2 rows)\nSTUCK       rows.jsonl:2\nSTUCK       rows.jsonl:4\n"
    );
    let ran = bench.run(&["check", "-q", "-f", "concise", "rows.jsonl"]).exits(1);
    assert_eq!(ran.out, "rows.jsonl: healthy (2 rows)\nrows.jsonl:2: stuck\nrows.jsonl:4: stuck\n");
    let ran = bench
        .run(&["check", "rows.jsonl"])
        .exits(1)
        .says("rows.jsonl\n    OpenAI chat messages, 4 rows");
    assert_eq!(ran.out.lines().filter(|line| line.starts_with("STUCK")).count(), 2, "{}", ran.out);
    bench
        .run(&["check", "-q", "stuck.jsonl", "good.jsonl"])
        .says("HEALTHY     good.jsonl  (3 rows)\nSTUCK       stuck.jsonl:1\n");
    bench.run(&["check", "good.jsonl"]).exits(0).says("HEALTHY  good.jsonl");
    // The numbers in every output add up to the summary.
    for name in ["rows.jsonl", "stuck.jsonl", "good.jsonl"] {
        let report = bench.run(&["check", "-f", "json", name]).json();
        let list = report["conversations"].as_array().unwrap();
        let rows: u64 = list.iter().filter_map(|entry| entry["rows"]["unlisted"].as_u64()).sum();
        let listed = list.iter().filter(|entry| entry.get("rows").is_none()).count() as u64;
        assert_eq!(report["summary"]["conversations"], rows + listed, "{name}");
    }
    let page = bench.run(&["check", "-f", "markdown", "rows.jsonl"]).out;
    assert!(page.contains("2 without problems"), "{page}");
}

/// What is in an archive, as text: the compressed bytes depend on the version of the library that writes them.
fn unzipped(bytes: Vec<u8>) -> Vec<u8> {
    let Ok(mut zip) = zip::ZipArchive::new(std::io::Cursor::new(&bytes)) else {
        return bytes;
    };
    let mut text = Vec::new();
    for index in 0..zip.len() {
        let mut entry = zip.by_index(index).unwrap();
        text.extend(format!("{}\n", entry.name().unwrap()).into_bytes());
        std::io::copy(&mut entry, &mut text).unwrap();
        text.push(b'\n');
    }
    text
}

/// The rows in `fixtures/rows`, each in a file that is named like its format (what follows `_` says what is special), with what `check` says of them and the repaired
/// file beside it, or of an archive what is in that. `UPDATE_FIXTURES=1` rewrites both.
#[test]
fn rows_of_every_format_are_repaired() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/rows");
    let update = std::env::var_os("UPDATE_FIXTURES").is_some();
    let mut seen = 0;
    for path in fs::read_dir(&folder).unwrap().map(|item| item.unwrap().path()) {
        let name = path.file_name().unwrap().to_str().unwrap();
        let [stem, extension] = name.splitn(2, '.').collect::<Vec<_>>()[..] else {
            panic!("{name} has no extension");
        };
        if extension.contains('.') {
            continue;
        }
        seen += 1;
        let wanted = |kind: &str, bytes: &[u8]| {
            let expected = folder.join(format!("{stem}.{kind}"));
            if update {
                fs::write(&expected, bytes).unwrap();
            }
            let expected = String::from_utf8(fs::read(expected).unwrap()).unwrap();
            assert_eq!(String::from_utf8_lossy(bytes), expected, "{name}");
        };
        let bench = Bench::new();
        bench.write(name, fs::read(&path).unwrap());
        let checked = bench.run(&["check", "--format", "concise", name]).exits(1);
        wanted("report.txt", checked.out.as_bytes());
        let report = bench.run(&["check", "--format", "json", name]).json();
        let format = stem.split('_').next().unwrap();
        assert_eq!(report["conversations"][0]["format"], format, "{name}");
        // Some are no sessions that go on, and are only written as copies. Spans stay as they are, and so do rows for training, and
        // what the conversations of a row have in common.
        let is_left = ["chat-templates", "shared-damage"].iter().any(|end| stem.ends_with(end));
        let left = i32::from(format == "otel-genai" || is_left);
        bench.run(&["repair", "-o", "first", name]).exits(left);
        let repaired = bench.read("first");
        let kind = match extension {
            "eval" => "txt",
            other => other,
        };
        wanted(&format!("repaired.{kind}"), &unzipped(repaired.clone()));
        bench.run(&["repair", "-o", "second", "first"]).exits(left);
        assert_eq!(bench.read("second"), repaired, "{name}: a second repair changes something");
    }
    assert!(seen > 0);
}

#[test]
fn an_archive_with_a_member_that_cannot_be_read_is_not_written() {
    let bench = Bench::new();
    let mut bytes = include_bytes!("../../fixtures/rows/inspect_archive.eval").to_vec();
    let name = bytes.windows(11).position(|name| name == b"header.json").unwrap();
    // In what is compressed, behind the name.
    bytes[name + 60] ^= 1;
    bench.write("log.eval", bytes);
    let checked = bench
        .run(&["check", "log.eval"])
        .exits(3)
        .says("not checked  log.eval  header.json: ")
        .says("get a whole archive");
    assert!(
        !checked.out.contains("fix: safe") && !checked.out.contains("transcript-doctor repair")
    );
    for command in [&["repair", "-n", "log.eval"][..], &["repair", "-o", "copy.eval", "log.eval"]] {
        bench.run(command).exits(4).complains("header.json: ");
    }
    assert!(!bench.path("copy.eval").exists());
}

/// What lies outside of the rows is not changed either, because nobody knows where the document breaks.
#[test]
fn nothing_is_changed_in_a_document_that_stays_broken() {
    let bench = Bench::new();
    let whole = include_str!("../../fixtures/rows/tau-bench_bytes-around.json");
    let (before, after) = whole.rsplit_once("\"requestor\": \"assistant\"").unwrap();
    let broken = [before, after].concat();
    bench.write("run.json", &broken);
    let report = bench.run(&["check", "--format", "json", "run.json"]).exits(1).json();
    let findings = report["conversations"].as_array().unwrap().iter();
    let fixes = findings.flat_map(|own| own["findings"].as_array().unwrap()).map(|own| &own["fix"]);
    assert!(fixes.into_iter().all(|fix| fix["applicability"] != "safe"), "{report}");
    bench.run(&["repair", "-o", "copy.json", "run.json"]).exits(1);
    assert!(!bench.path("copy.json").exists() || bench.read("copy.json") == broken.as_bytes());
}

/// A row with a call whose arguments are an object. `id`: as the API wants it, or as chat templates do.
fn with_object(id: Option<&str>) -> String {
    let (own, result) = match id {
        Some(id) => (format!(r#""id":"{id}","#), format!(r#""tool_call_id":"{id}""#)),
        None => (String::new(), r#""name":"ls""#.to_owned()),
    };
    format!(
        r#"{{"messages":[{{"role":"user","content":"go"}},{{"role":"assistant","content":"","tool_calls":[{{{own}"type":"function","function":{{"name":"ls","arguments":{{"dir":"."}}}}}}]}},{{"role":"tool",{result},"content":"x"}},{{"role":"assistant","content":"x"}}]}}"#
    )
}

#[test]
fn rows_of_chat_templates_are_left_alone_unless_the_api_is_named() {
    let bench = Bench::new();
    let rows = file(&[with_object(None)]);
    bench.write("rows.jsonl", &rows);
    let check = ["check", "--format", "json", "--rows", "rows.jsonl"];
    let ran = bench.run(&check).exits(0);
    assert_eq!(found(&ran), []);
    bench.run(&["repair", "--rows", "rows.jsonl", "--unsafe"]);
    assert_eq!(bench.read("rows.jsonl"), rows.as_bytes());
    let typed = [&check[..], &["--target", "openai-chat"]].concat();
    let ran = bench.run(&typed).exits(1);
    assert_eq!(found(&ran), [(1, codes(&["TD013", "TD107"]))]);
}

#[test]
fn what_a_program_writes_in_all_rows_is_one_note() {
    let bench = Bench::new();
    let ids: Vec<String> = (0..40).map(|at| format!("call_{at}")).collect();
    let rows: Vec<String> = ids.iter().map(|id| with_object(Some(id))).collect();
    let rows = file(&rows);
    bench.write("rows.jsonl", &rows);
    for jobs in ["1", "3"] {
        let args = ["check", "--format", "json", "--jobs", jobs, "rows.jsonl"];
        let ran = bench.run(&args).exits(0);
        assert_eq!(found(&ran), [(1, codes(&["TD013"]))]);
        let finding = &ran.json()["conversations"][1]["findings"][0];
        assert_eq!(finding["severity"], "note");
        let message = finding["message"].as_str().unwrap();
        assert!(message.contains("in 40 of 40 messages"), "{message}");
    }
    bench.run(&["repair", "rows.jsonl"]).exits(0);
    assert_eq!(bench.read("rows.jsonl"), rows.as_bytes());
    // Two places are too few, and who types the format or the target wants to know.
    bench.write("two.jsonl", rows.lines().take(2).collect::<Vec<_>>().join("\n") + "\n");
    bench.run(&["check", "two.jsonl"]).exits(1);
    for typed in [["--target", "openai-chat"], ["--from", "openai-chat"]] {
        let args = [&["check", "rows.jsonl"][..], &typed].concat();
        bench.run(&args).exits(1);
    }
    // A row of standard input is alone. That is said once.
    let ran =
        bench.run_with(&["check", "--rows", "--format", "jsonl", "-"], rows.as_bytes()).exits(0);
    assert_eq!(ran.err.matches("checked alone").count(), 1, "{}", ran.err);
    assert_eq!(ran.out.matches("\"stuck\"").count(), 40);
}

/// Lines of such a session are records: repaired one by one, each would be a conversation that lacks everything.
#[test]
fn a_session_of_a_host_without_rows_stays_one() {
    let bench = Bench::new();
    let name = "fixtures/rules/glued-records/pi-fragment-in-front.jsonl";
    let from = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    bench.write("pi.jsonl", std::fs::read(from).unwrap());
    bench.write("rows.jsonl", bench.read("pi.jsonl"));
    bench.run(&["repair", "--yes", "--unsafe", "pi.jsonl"]);
    for options in [&[][..], &["--from", "pi"]] {
        let args = [
            &["repair", "--rows", "--unsafe", "rows.jsonl", "-o", "out.jsonl", "--force"],
            options,
        ]
        .concat();
        bench.run(&args);
        assert_eq!(bench.read("out.jsonl"), bench.read("pi.jsonl"));
    }
}

/// No host reads these rows back, so each command writes a copy.
#[test]
fn a_command_for_rows_that_are_not_replaced_names_a_copy() {
    let bench = Bench::new();
    bench.write("rows.jsonl", include_str!("../../fixtures/rows/openhands.jsonl"));
    let ran = bench.run(&["repair", "--answer-pending", "rows.jsonl", "-o", "copy.jsonl"]);
    let mut commands =
        ran.out.lines().filter(|line| line.contains("transcript-doctor repair")).peekable();
    assert!(commands.peek().is_some(), "{}", ran.out);
    for command in commands {
        assert!(command.contains(" -o repaired-rows.jsonl "), "{command}");
    }
}
