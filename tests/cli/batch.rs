//! Batches: lists of paths, and rows in with a record for each out.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use serde_json::Value;

use crate::bench::{Bench, STUCK, healthy};

/// A row with a tool call that has no result.
const OPEN: &str = r#"{"custom_id":"open","messages":[{"role":"user","content":"List"},{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"ls","arguments":"{}"}}]},{"role":"user","content":"Go on"}]}"#;
const WELL: &str = r#"{"custom_id":"well","messages":[{"role":"user","content":"Hello"},{"role":"assistant","content":"Hi"}]}"#;

fn records(out: &str) -> Vec<Value> {
    out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

const ROWS: [&str; 6] = ["check", "--rows", "--format", "jsonl", "-", "--rows-errors"];

#[test]
fn each_row_has_one_record_in_its_order() {
    let bench = Bench::new();
    let torn = OPEN.get(..100).unwrap();
    let glued = format!("{WELL}{OPEN}");
    let all = [OPEN, WELL, "", "not json", torn, &glued, "[]", "{}", WELL];
    let input = all.join("\n");
    for jobs in ["1", "3"] {
        let args = [&ROWS[..], &["--jobs", jobs]].concat();
        let ran = bench.run_with(&args, input.as_bytes()).exits(0);
        let records = records(&ran.out);
        let lines: Vec<u64> =
            records.iter().map(|record| record["row"]["line"].as_u64().unwrap()).collect();
        assert_eq!(lines, (1..=9).collect::<Vec<u64>>(), "{}", ran.out);
        let open = &records[0];
        assert_eq!((&open["row"]["key"], &open["verdict"]), (&"open".into(), &"stuck".into()));
        assert_eq!(open["findings"][0]["records"][0]["line"], 1);
        assert_eq!(records[1]["verdict"], "healthy");
        for at in [2, 3, 6, 7] {
            assert!(records[at]["error"].is_string(), "{}", records[at]);
        }
        assert_eq!(records[8]["row"]["key"], "well");
    }
    // Without the option, such rows fail the run, and have their records nevertheless.
    let ran = bench.run_with(&ROWS[..5], input.as_bytes()).exits(3);
    assert_eq!(ran.out.lines().count(), all.len());
    let ran = bench.run_with(&ROWS[..5], OPEN.as_bytes()).exits(0);
    assert_eq!(ran.out.lines().count(), 1);
    bench.run_with(&ROWS[..5], b"").exits(0);
}

/// Rows of several formats, recognized in several ways: objects, lists, records on their own, logs, broken lines.
const KINDS: [&str; 12] = [
    OPEN,
    WELL,
    r#"{"id":7,"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]},{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"ls","input":{}}]},{"role":"user","content":[{"type":"text","text":"?"}]}]}"#,
    r#"{"request_id":"c","messages":[{"role":"user","content":[{"text":"Hi"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"tooluse_1","name":"ls","input":{}}}]}]}"#,
    r#"{"contents":[{"role":"user","parts":[{"text":"Hi"}]},{"role":"model","parts":[{"functionCall":{"name":"ls","args":{}}}]},{"role":"user","parts":[{"text":"?"}]}]}"#,
    r#"{"input":[{"type":"message","role":"user","content":"Hi"},{"type":"function_call","call_id":"call_9","name":"ls","arguments":"{}"},{"type":"message","role":"user","content":"?"}]}"#,
    r#"[{"role":"user","content":"x"},{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"ls","arguments":"{}"}}]},{"role":"user","content":"hi"}]"#,
    r#"{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"ls","arguments":"{}"}}]}"#,
    r#"  {"messages":[{"role":"user","content":"Hello"}]} "#,
    r#"{"level":"info","message":"started"}"#,
    r#"{"usage":1}"#,
    r#"{"messages":[{"role":"user","content":"cut o"#,
];

#[test]
fn the_record_of_a_row_depends_on_nothing_but_the_row() {
    let bench = Bench::new();
    let repair = ["repair", "--rows", "--format", "jsonl", "-", "--rows-errors"];
    // The number of a row is the only thing that it does not know itself.
    fn unnumbered(record: &Value) -> Value {
        match record {
            Value::Object(members) => members
                .iter()
                .filter(|(name, _)| *name != "line")
                .map(|(name, own)| (name.clone(), unnumbered(own)))
                .collect(),
            Value::Array(items) => items.iter().map(unnumbered).collect(),
            other => other.clone(),
        }
    }
    let out = |command: &[&str], rows: &[&str]| -> Vec<Value> {
        let input = rows.join("\n");
        let ran = bench.run_with(command, input.as_bytes()).exits(0);
        records(&ran.out).iter().map(unnumbered).collect()
    };
    for command in [ROWS, repair] {
        let alone: Vec<Value> = KINDS.iter().flat_map(|row| out(&command, &[*row])).collect();
        assert_eq!(alone.len(), KINDS.len());
        // Each row after each other one, on one thread and on several.
        for (shift, jobs) in (0..KINDS.len()).zip(["1", "3"].into_iter().cycle()) {
            let order = (0..KINDS.len()).map(|at| at * 7 + at / 3 * shift + shift);
            let order: Vec<usize> = order.map(|at| at % KINDS.len()).collect();
            let rows: Vec<&str> = order.iter().map(|at| KINDS[*at]).collect();
            let wanted: Vec<&Value> = order.iter().map(|at| &alone[*at]).collect();
            let command = [&command[..], &["--jobs", jobs]].concat();
            let all = out(&command, &rows);
            assert_eq!(all.iter().collect::<Vec<_>>(), wanted);
        }
    }
    // What a file of these rows has, too, unless its other rows decide.
    let bare = &KINDS[7];
    let record = out(&ROWS, &[bare, bare]).remove(0);
    let codes: Vec<&Value> =
        record["findings"].as_array().unwrap().iter().map(|finding| &finding["code"]).collect();
    assert_eq!(codes, ["TD102"], "no line ending is missing");
    let says = &record["findings"][0]["fix"]["actions"][0]["says"];
    assert_eq!(says, "insert an \"interrupted\" result for this row");
}

#[test]
fn each_row_is_repaired_and_none_is_lost() {
    let bench = Bench::new();
    let glued = format!("{WELL}{OPEN}");
    let padded = format!("\u{0}\u{0}{WELL}");
    let again = OPEN.replace("\"open\"", "\"again\"");
    let all = [OPEN, WELL, "", "not json", &glued, "[]", &padded, &again];
    let input = all.join("\n");
    let command = ["repair", "--rows", "--format", "jsonl", "-"];
    for jobs in ["1", "3"] {
        let args = [&command[..], &["--rows-errors", "--jobs", jobs]].concat();
        let ran = bench.run_with(&args, input.as_bytes()).exits(0);
        let records = records(&ran.out);
        assert_eq!(records.len(), all.len());
        let open = &records[0];
        assert_eq!(open["row"]["key"], "open");
        assert_eq!(
            (&open["before"]["verdict"], &open["verdict"]),
            (&"stuck".into(), &"healthy".into())
        );
        assert_eq!(open["changes"][0]["code"], "TD101");
        assert_eq!(open["changes"][0]["ids"][0], "call_1");
        assert_eq!(open["applied"]["inserted"], 1);
        assert_eq!(open["findings"], Value::Array(Vec::new()));
        assert_eq!((&records[1]["changed"], &records[1]["text"]), (&false.into(), &WELL.into()));
        for at in [2, 3, 5] {
            assert!(records[at]["error"].is_string(), "{}", records[at]);
            assert_eq!(records[at]["text"], all[at]);
        }
        // Glued rows become lines, and NUL bytes are gone.
        assert_eq!(records[4]["text"].as_str().unwrap().lines().count(), 2);
        assert_eq!(records[6]["text"], WELL);
        // The same bytes as a repair of a file of the rows that are whole.
        bench.lines("rows.jsonl", &[OPEN, WELL, &again]);
        bench.run(&["repair", "rows.jsonl", "--rows", "-o", "fixed.jsonl", "--force"]).exits(0);
        let lines: Vec<&str> =
            [0, 1, 7].iter().map(|at: &usize| records[*at]["text"].as_str().unwrap()).collect();
        assert_eq!(bench.read("fixed.jsonl"), (lines.join("\n") + "\n").as_bytes());
    }
    assert_eq!(bench.operations(), 0);
    let ran = bench.run_with(&command, input.as_bytes()).exits(3);
    assert_eq!(ran.out.lines().count(), all.len());
}

#[test]
fn an_id_that_two_requests_have_stays_after_a_repair() {
    let bench = Bench::new();
    bench.lines("rows.jsonl", &[OPEN, OPEN]);
    let ran = bench.run(&["repair", "rows.jsonl", "--rows", "-o", "fixed.jsonl"]).exits(1);
    ran.says("TD306");
}

#[test]
fn the_text_of_a_row_is_data() {
    let bench = Bench::new();
    let command = ["repair", "--rows", "--format", "jsonl", "-"];
    let row = b"{\"messages\":[{\"role\":\"user\",\"content\":\"\xff\"}]}";
    let ran = bench.run_with(&command, row).exits(0);
    let record = records(&ran.out).pop().unwrap();
    let hex: String = row.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(record["text"]["hex"].as_str(), Some(hex.as_str()));
    for option in ["--redact=content", "--pick", "--error=x", "--error-on-change"] {
        let args = [&command[..], &[option]].concat();
        bench.run_with(&args, row).exits(2);
    }
}

#[test]
fn rows_have_the_findings_of_the_whole_file() {
    let bench = Bench::new();
    // An ID that two requests have is only seen in a file.
    let named =
        |row: &str, id: &str| row.replace("\"custom_id\":\"", &format!("\"custom_id\":\"{id}"));
    let rows = [named(OPEN, "1"), named(WELL, "2"), named(OPEN, "3"), named(WELL, "4")];
    let rows = rows.each_ref().map(String::as_str);
    bench.lines("rows.jsonl", &rows);
    let whole = bench.run(&["check", "rows.jsonl", "--rows", "-f", "json"]).json();
    let alone = bench.run_with(&ROWS, &bench.read("rows.jsonl")).exits(0);
    for record in records(&alone.out) {
        let all = whole["conversations"].as_array().unwrap();
        let same = all.iter().find(|own| own["row"]["line"] == record["row"]["line"]);
        let Some(same) = same else {
            assert_eq!(record["findings"], Value::Array(Vec::new()));
            continue;
        };
        for member in ["verdict", "format", "target", "calls"] {
            assert_eq!(same[member], record[member], "{member}");
        }
        let facts = |finding: &Value| [finding["code"].clone(), finding["fingerprint"].clone()];
        let list = |own: &Value| -> Vec<_> {
            own["findings"].as_array().unwrap().iter().map(facts).collect()
        };
        assert_eq!(list(same), list(&record));
    }
}

#[test]
fn a_record_comes_before_the_next_row_is_sent() {
    let bench = Bench::new();
    for command in ["check", "repair"] {
        let mut command = bench.command(&[&[command], &ROWS[1..]].concat());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        for row in [OPEN, WELL, OPEN] {
            writeln!(input, "{row}").unwrap();
            let mut record = String::new();
            output.read_line(&mut record).unwrap();
            assert!(record.contains("\"verdict\""), "{record}");
        }
        drop(input);
        assert!(child.wait().unwrap().success());
    }
}

#[test]
fn paths_come_from_a_list() {
    let bench = Bench::new();
    bench.lines("logs/b run.jsonl", &STUCK);
    bench.lines("logs/a.jsonl", &healthy());
    bench.write("list", "logs/b run.jsonl\nlogs/a.jsonl\n");
    let jsonl = ["check", "--files-from", "list", "-f", "jsonl"];
    let ran = bench.run(&jsonl).exits(1);
    let records_of_list = records(&ran.out);
    let paths: Vec<&str> =
        records_of_list.iter().filter_map(|record| record["path"].as_str()).collect();
    assert_eq!(paths, ["logs/b run.jsonl", "logs/a.jsonl"]);
    let end = records_of_list.last().unwrap();
    assert_eq!(
        (&end["summary"]["stuck"], &end["summary"]["healthy"], &end["exit_code"]),
        (&1.into(), &1.into(), &1.into())
    );
    let same = bench.run(&["check", "logs", "-f", "jsonl"]).exits(1);
    assert_eq!(same.out.lines().last(), ran.out.lines().last());
    // In one report, in the order of paths, and together with others.
    let ran = bench.run(&["check", "--files-from", "list", "-q"]).exits(1);
    assert!(ran.out.starts_with("HEALTHY"), "{}", ran.out);
    let nul = b"logs/b run.jsonl\0logs/gone.jsonl\0";
    let ran = bench.run_with(&["check", "--files-from", "-", "-f", "jsonl"], nul);
    let end = records(&ran.exits(3).out).pop().unwrap();
    assert_eq!(end["not_checked"][0]["path"], "logs/gone.jsonl");
    bench.run(&["check", "--files-from", "gone"]).exits(3).complains("the list gone");
    // Patterns and names of hosts are understood in every format, and what they name is in the order of the list.
    bench.write("list", "logs/*.jsonl\n@claude-code\n");
    let ran = bench.run(&jsonl).exits(3);
    let all = records(&ran.out);
    let paths: Vec<&str> = all.iter().filter_map(|own| own["path"].as_str()).collect();
    assert_eq!(paths, ["logs/a.jsonl", "logs/b run.jsonl"]);
    let end = all.last().unwrap();
    assert_eq!(end["not_checked"][0]["path"], "@claude-code");
    for nothing in ["logs/*.json", "@claude-code"] {
        bench.write("list", nothing);
        let list = ["check", "--files-from", "list"];
        for words in [&["check", nothing][..], &list, &jsonl] {
            bench.run(words).exits(5).complains(nothing);
        }
    }
    bench.write("list", "");
    bench.run(&jsonl).exits(5);
    bench.run(&["check", "--files-from", "list"]).exits(5);
    bench.run(&[&jsonl[..], &["--allow-empty"]].concat()).exits(0);
}

#[test]
fn a_long_list_is_checked_in_parts() {
    let bench = Bench::new();
    let mut list = String::new();
    for n in 0..1100 {
        let name = format!("{:04}.jsonl", 1100 - n);
        bench.write(&name, WELL);
        list.push_str(&format!("{name}\n"));
    }
    let args = ["check", "--files-from", "-", "-f", "jsonl"];
    let ran = bench.run_with(&args, list.as_bytes()).exits(0);
    let mut records = records(&ran.out);
    let end = records.pop().unwrap();
    assert_eq!(end["summary"]["healthy"], 1100);
    let paths: String =
        records.iter().map(|record| format!("{}\n", record["path"].as_str().unwrap())).collect();
    assert_eq!(paths, list);
}

#[test]
fn options_that_do_nothing_are_refused() {
    let bench = Bench::new();
    bench.run(&["check", "x", "--rows-errors"]).exits(2);
    bench.run(&["repair", "x", "--rows-errors"]).exits(2);
    bench.run(&["check", "x", "--rows", "--rows-errors"]).exits(2).complains("--rows-errors needs");
}
