//! The container makes no difference to a repair: every line fixture is converted to each other
//! container of its format, must have the same findings, and must be repaired to the same records.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use support::{Files, Opened, keeps_its_promises};
use transcript_doctor::testing::engine::{CheckOptions, Judged};
use transcript_doctor::testing::repair::Policy;

/// Line fixtures of OpenHands with complete records only, with the result of a safe repair.
fn fixtures() -> Vec<(PathBuf, Vec<String>, Vec<String>)> {
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/rules");
    let mut found = Vec::new();
    for folder in fs::read_dir(rules).unwrap() {
        for path in fs::read_dir(folder.unwrap().path()).unwrap().map(|item| item.unwrap().path()) {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            let Some(stem) = name.strip_suffix(".jsonl").filter(|stem| is_here(stem)) else {
                continue;
            };
            let repaired = path.with_file_name(format!("{stem}.repaired.jsonl"));
            let repaired = if repaired.is_file() { repaired } else { path.clone() };
            if let (Some(before), Some(after)) = (records(&path), records(&repaired)) {
                found.push((path, before, after));
            }
        }
    }
    found.sort();
    found
}

/// Whether a fixture is one of OpenHands, which has all these containers.
fn is_here(stem: &str) -> bool {
    stem.starts_with("openhands") && !stem.contains('.')
}

/// The lines, if each of them is an event with an ID.
fn records(path: &Path) -> Option<Vec<String>> {
    let text = String::from_utf8(fs::read(path).ok()?).ok()?;
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.iter().all(|line| id(line).is_some()).then_some(lines)
}

fn id(line: &str) -> Option<String> {
    let value: serde_json::Value = serde_json::from_str(line).ok()?;
    Some(value.get("id")?.as_str()?.to_owned())
}

/// A record indented by two spaces per level, as Python's `json.dumps(indent=2)` writes it.
fn pretty(line: &str, depth: usize) -> String {
    let (mut out, mut depth, mut string, mut escaped) = (String::new(), depth, false, false);
    let bytes: Vec<char> = line.chars().collect();
    let newline = |out: &mut String, depth: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n(' ', 2 * depth));
    };
    for (at, byte) in bytes.iter().copied().enumerate() {
        if string {
            out.push(byte);
            string = escaped || byte != '"';
            escaped = !escaped && byte == '\\';
            continue;
        }
        match byte {
            '{' | '[' if matches!(bytes.get(at + 1), Some('}' | ']')) => out.push(byte),
            '}' | ']' if matches!(bytes[at - 1], '{' | '[') => out.push(byte),
            '{' | '[' => {
                depth += 1;
                out.push(byte);
                newline(&mut out, depth);
            }
            '}' | ']' => {
                depth -= 1;
                newline(&mut out, depth);
                out.push(byte);
            }
            ',' => {
                out.push(byte);
                newline(&mut out, depth);
            }
            ':' => out.push_str(": "),
            _ => {
                string = byte == '"';
                out.push(byte);
            }
        }
    }
    out
}

fn one(name: &str, bytes: String) -> (String, Files) {
    (name.to_owned(), Files::from([(name.to_owned(), bytes.into_bytes())]))
}

fn page(lines: &[String]) -> (String, Files) {
    one("page.json", format!("{{\"items\":[{}],\"next_page_id\":null}}", lines.join(",")))
}

fn indented_page(lines: &[String]) -> (String, Files) {
    let (name, files) = page(lines);
    let text = String::from_utf8(files.into_values().next().unwrap()).unwrap();
    one(&name, pretty(&text, 0))
}

fn list(lines: &[String]) -> (String, Files) {
    one("list.json", format!("[\n{}\n]\n", lines.join(",\n")))
}

fn crlf(lines: &[String]) -> (String, Files) {
    one("log.jsonl", lines.iter().map(|line| format!("{line}\r\n")).collect())
}

fn folder(lines: &[String]) -> (String, Files) {
    let head = lines.iter().rev().find(|line| {
        !line.contains("\"kind\":\"ConversationStateUpdateEvent\"")
            && !line.contains("\"kind\":\"ConversationErrorEvent\"")
    });
    let state = format!(
        "{{\"execution_status\":\"idle\",\"leaf_event_id\":\"{}\"}}",
        id(head.unwrap()).unwrap()
    );
    let files = lines.iter().enumerate().map(|(at, line)| {
        (format!("events/event-{at:05}-{}.json", id(line).unwrap()), line.clone().into_bytes())
    });
    (
        "folder".to_owned(),
        files.chain([("base_state.json".to_owned(), state.into_bytes())]).collect(),
    )
}

fn export(lines: &[String]) -> (String, Files) {
    let files = lines.iter().enumerate().map(|(at, line)| {
        (format!("event_{at:06}_{}.json", id(line).unwrap()), pretty(line, 0).into_bytes())
    });
    ("export".to_owned(), files.collect())
}

/// Whether each line is later than the one before and has its own ID. Only such logs can be stored
/// in files named by ID and read by time.
fn is_by_time(lines: &[String]) -> bool {
    let times: Vec<&str> =
        lines.iter().filter_map(|line| line.split("\"timestamp\":").nth(1)?.get(..28)).collect();
    let mut ids: Vec<_> = lines.iter().map(|line| id(line)).collect();
    ids.sort();
    ids.dedup();
    times.windows(2).all(|pair| pair[0] < pair[1]) && ids.len() == lines.len()
}

fn store(lines: &[String]) -> (String, Files) {
    let files = lines.iter().map(|line| {
        (format!("{}.json", id(line).unwrap().replace('-', "")), pretty(line, 0).into_bytes())
    });
    ("store".to_owned(), files.collect())
}

/// The findings without locations, except those that only line files have.
fn found(judged: &Judged) -> Vec<String> {
    let ids = |calls: &[transcript_doctor::testing::transcript::Id]| {
        calls.iter().map(|id| judged.transcript.ids.get(*id)).collect::<Vec<_>>().join(" ")
    };
    let findings = judged
        .findings
        .iter()
        .filter(|finding| !matches!(finding.rule.code.as_str(), "TD014" | "TD504"));
    let mut told: Vec<String> = findings
        .map(|finding| {
            format!("{} {:?} {}", finding.rule.code, finding.severity, ids(&finding.calls))
        })
        .collect();
    told.sort();
    told
}

/// The first line that differs.
fn difference(bytes: &[u8], wanted: &[u8]) -> Option<String> {
    let (text, wanted) = (String::from_utf8_lossy(bytes), String::from_utf8_lossy(wanted));
    let (mut lines, mut others) = (text.split('\n'), wanted.split('\n'));
    loop {
        match (lines.next(), others.next()) {
            (None, None) => return None,
            (line, other) if line == other => {}
            (line, other) => return Some(format!("{:.300?} is not {:.300?}", line, other)),
        }
    }
}

fn same_in(container: fn(&[String]) -> (String, Files), skip: &[&str]) {
    let (mut wrong, mut compared) = (Vec::new(), 0);
    for (path, before, after) in fixtures() {
        let short = path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap().display().to_string();
        let (name, files) = container(&before);
        if skip.iter().any(|skipped| short.contains(skipped))
            || name == "store" && !is_by_time(&before)
        {
            continue;
        }
        compared += 1;
        let ask = CheckOptions::default();
        let lines = Opened::of_bytes("log.jsonl", &fs::read(&path).unwrap()).unwrap();
        let wanted = found(&lines.judge(&ask).unwrap());
        let opened = Opened::of(&name, files).unwrap();
        let done = opened
            .plan(&ask, &Policy::default())
            .unwrap_or_else(|error| panic!("{short}: {error}"));
        if found(&done.before) != wanted {
            wrong.push(format!("{short}: {:#?} is not {wanted:#?}", found(&done.before)));
            continue;
        }
        let repaired = keeps_its_promises(&opened, &ask, &Policy::default(), &done);
        let wanted = container(&after).1;
        for (name, bytes) in &repaired {
            match wanted.get(name) {
                Some(other) => {
                    wrong.extend(difference(bytes, other).map(|at| format!("{short} {name}: {at}")))
                }
                None => wrong.push(format!("{short}: {name} is not wanted")),
            }
        }
        wrong.extend(
            wanted
                .keys()
                .filter(|name| !repaired.contains_key(*name))
                .map(|name| format!("{short}: no {name}")),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared > 40, "only {compared} fixtures were compared");
}

/// A text that is moved into an empty list of an indented record keeps its indentation.
const THOUGHT: &[&str] = &["openhands-thought-only-on-the-second"];

#[test]
fn pages() {
    same_in(page, &[]);
}

#[test]
fn indented_pages() {
    same_in(indented_page, THOUGHT);
}

#[test]
fn lists() {
    same_in(list, &[]);
}

#[test]
fn lines_that_end_in_two_bytes() {
    same_in(crlf, &[]);
}

#[test]
fn folders() {
    same_in(folder, &[]);
}

#[test]
fn exports() {
    same_in(export, THOUGHT);
}

#[test]
fn stores() {
    same_in(store, THOUGHT);
}
