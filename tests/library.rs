//! What hosts written in Rust use: bytes in, a report and bytes out.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "support/program.rs"]
mod program;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::Value;
use transcript_doctor::{BytesError, BytesOptions, Severity, Verdict, check_bytes, repair_bytes};

const STUCK: &str = r#"[{"role":"user","content":"List"},{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"ls","arguments":"{}"}}]},{"role":"user","content":"Go on"}]"#;

/// The fixtures of rules that are a file without a meaning in its name, with what a repair makes of them.
fn fixtures() -> Vec<(PathBuf, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/rules");
    let mut found = Vec::new();
    for folder in fs::read_dir(root).unwrap().map(|item| item.unwrap().path()) {
        for path in fs::read_dir(folder).unwrap().map(|item| item.unwrap().path()) {
            let name = path.file_name().unwrap().to_str().unwrap();
            let Some((stem, ending @ ("json" | "jsonl"))) = name.split_once(".repaired.") else {
                continue;
            };
            let input = path.with_file_name(format!("{stem}.{ending}"));
            found.push((input, fs::read(&path).unwrap()));
        }
    }
    found.sort();
    found
}

#[test]
fn messages_are_checked_and_repaired() {
    let options = BytesOptions::default();
    let checked = check_bytes(STUCK.as_bytes(), &options).unwrap();
    assert_eq!(checked.verdict(), Verdict::Stuck);
    let conversations = checked.conversations();
    let [conversation] = &conversations[..] else { panic!("{conversations:?}") };
    assert_eq!((conversation.format, conversation.target), ("openai-chat", "openai-chat"));
    assert!(!conversation.target_is_certain);
    let [finding] = &conversation.findings[..] else { panic!("{conversation:?}") };
    assert_eq!((finding.code, finding.fix, finding.severity), ("TD101", "safe", Severity::Fatal));
    assert_eq!(finding.calls, ["call_1"]);
    let repaired = repair_bytes(STUCK.as_bytes(), &options).unwrap();
    assert_eq!((repaired.changed, repaired.after.verdict()), (true, Verdict::Healthy));
    assert_eq!(repaired.before.to_json(), checked.to_json());
    let again = repair_bytes(&repaired.bytes, &options).unwrap();
    assert_eq!((again.changed, again.bytes), (false, repaired.bytes));
}

#[test]
fn options_choose_the_target_the_format_and_the_fixes() {
    let bedrock = BytesOptions::default().with_target("bedrock").unwrap();
    let checked = check_bytes(STUCK.as_bytes(), &bedrock).unwrap();
    assert_eq!(checked.conversations()[0].target, "bedrock");
    let other = BytesOptions::default().with_format("codex").unwrap();
    assert!(check_bytes(STUCK.as_bytes(), &other).is_err());
    let unsafe_fixes = BytesOptions::default().with_unsafe_fixes();
    assert!(repair_bytes(STUCK.as_bytes(), &unsafe_fixes).unwrap().changed);
    let wrong = BytesOptions::default().with_target("nobody").unwrap_err();
    assert_eq!(wrong, BytesError::UnknownName("nobody".to_owned()));
    assert!(BytesOptions::default().with_format("nothing").is_err());
}

#[test]
fn what_is_no_transcript_is_an_error() {
    for bytes in [&b""[..], b"no JSON", b"[]", b"{\"no\":\"message\"}", b"\xff\x00"] {
        let options = BytesOptions::default();
        let error = check_bytes(bytes, &options).unwrap_err();
        assert!(matches!(error, BytesError::UnknownFormat(_)), "{error:?}");
        assert_eq!(repair_bytes(bytes, &options).unwrap_err(), error);
    }
}

#[test]
fn rows_have_conversations_of_their_own() {
    let healthy = r#"[{"role":"user","content":"Hello"},{"role":"assistant","content":"Hi"}]"#;
    let rows = format!("{{\"messages\":{healthy}}}\n{{\"messages\":{STUCK}}}\n");
    let checked = check_bytes(rows.as_bytes(), &BytesOptions::default()).unwrap();
    let rows: Vec<_> = checked.conversations().iter().map(|own| (own.row, own.verdict)).collect();
    assert_eq!(rows, [(None, Verdict::Stuck), (Some(2), Verdict::Stuck)]);
}

/// The same bytes as from the command line, with the same report.
#[test]
fn fixtures_are_repaired_as_by_the_command() {
    let options = BytesOptions::default();
    let (mut same, mut other) = (0, Vec::new());
    for (path, wanted) in fixtures() {
        let bytes = fs::read(&path).unwrap();
        match repair_bytes(&bytes, &options) {
            Ok(repaired) if repaired.bytes == wanted => {
                assert!(repaired.changed, "{}", path.display());
                same += 1;
            }
            got => other.push((path, got.map(|repaired| repaired.changed))),
        }
    }
    assert!(same > 200, "{same} of {}: {other:#?}", same + other.len());
    assert!(other.is_empty(), "{other:#?}");
}

#[test]
fn the_json_is_that_of_the_command() {
    let home = tempfile::tempdir().unwrap();
    for (path, _) in fixtures().into_iter().step_by(20) {
        let bytes = fs::read(&path).unwrap();
        let Ok(checked) = check_bytes(&bytes, &BytesOptions::default()) else { continue };
        let mut command = program::command(home.path());
        command.args(["check", "--isolated", "--format", "json", "-"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(&bytes).unwrap();
        let output = child.wait_with_output().unwrap();
        let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
        let ours: Value = serde_json::from_str(&checked.to_json()).unwrap();
        assert_eq!(ours, printed, "{}", path.display());
    }
}

/// The public items of a source, a line each: what hosts can write against.
fn public_items(text: &str) -> Vec<String> {
    let text = text.split("#[cfg(test)]").next().unwrap();
    let mut items = Vec::new();
    let mut of = String::new();
    let mut is_enum = false;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let words = line.trim();
        if line == "}" {
            (of, is_enum) = (String::new(), false);
        } else if let Some(name) = line.strip_prefix("impl ").filter(|name| !name.contains(" for "))
        {
            of = name.trim_end_matches(" {").to_owned();
        } else if is_enum && words.starts_with(|c: char| c.is_ascii_uppercase()) {
            items.push(format!("{of}: {}", words.trim_end_matches(',')));
        } else if words.starts_with("pub ") {
            let mut item = words.to_owned();
            while item.starts_with("pub fn") && !item.contains('{') {
                item.push_str(lines.next().unwrap().trim());
            }
            let item = item.split('{').next().unwrap().trim_end_matches([',', ' ']).to_owned();
            items.push(if of.is_empty() { item.clone() } else { format!("{of}: {item}") });
            if let Some((_, name)) =
                ["pub struct ", "pub enum "].iter().find_map(|kind| item.split_once(kind))
            {
                (of, is_enum) = (name.to_owned(), item.contains("enum"));
            }
        }
    }
    items
}

/// What hosts use of the library does not go away: a cheap stand-in for a comparison with the last release.
#[test]
fn the_public_names_stay() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = root.join("tests/library-v0.1.txt");
    let read = |name: &str| fs::read_to_string(root.join(name)).unwrap();
    let of_lists = |text: String, name: &str| {
        let start = text.split(&format!("pub enum {name} {{")).nth(1).unwrap().to_owned();
        format!("pub enum {name} {{{}", start.split_once("\n}").unwrap().0)
    };
    let mut real = public_items(&read("src/app/library.rs"));
    real.extend(public_items(&of_lists(read("src/engine/verdict.rs"), "Verdict")));
    let severities = fs::read_dir(root.join("src/transcript")).unwrap();
    let texts = severities.filter_map(|entry| fs::read_to_string(entry.unwrap().path()).ok());
    let severities = texts.into_iter().find(|text| text.contains("pub enum Severity {")).unwrap();
    real.extend(public_items(&of_lists(severities, "Severity")));
    let exported = read("src/lib.rs");
    for name in ["check_bytes", "repair_bytes", "BytesOptions", "Verdict", "Severity"] {
        assert!(exported.contains(name), "{name}");
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    let gone: Vec<&str> =
        kept.lines().filter(|line| !real.iter().any(|item| item == line)).collect();
    assert_eq!(gone, Vec::<&str>::new(), "a new version of the library: docs/versioning.md");
    let text = real.iter().map(|item| format!("{item}\n")).collect::<String>();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &text).unwrap();
    }
    assert!(
        kept == text,
        "tests/library-v0.1.txt lacks new names: UPDATE_DOCS=1 cargo test --test library"
    );
    assert!(real.len() > 40, "{real:?}");
}
