//! `docs/recipes.md`: its commands run, its snippets are valid, and its problem matcher reads what `--format concise` prints.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "support/program.rs"]
mod program;
#[path = "support/tools.rs"]
mod tools;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use regex::Regex;
use serde_json::Value;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The code blocks of the page in this language.
fn blocks(language: &str) -> Vec<String> {
    let page = fs::read_to_string(root().join("docs/recipes.md")).unwrap();
    let fence = format!("```{language}\n");
    let blocks = page.split(&fence).skip(1);
    blocks.map(|block| block.split("```").next().unwrap().to_owned()).collect()
}

/// The files that the commands of the page name.
fn examples(folder: &Path) {
    let damaged = root().join("fixtures/rules/unanswered-call/langchain-dump.json");
    fs::copy(damaged, folder.join("state.json")).unwrap();
    let database = root().join("fixtures/databases/goose.db");
    fs::copy(database, folder.join("goose.db")).unwrap();
    let call = r#"{"role":"assistant","content":null,"tool_calls":[{"id":"toolu_01A","type":"function","function":{"name":"ls","arguments":"{}"}}]}"#;
    let row = |id: u8, result: &str| {
        format!(
            r#"{{"id":"{id}","messages":[{{"role":"user","content":"hi"}},{call},{result}{{"role":"user","content":"go on"}}]}}"#
        )
    };
    let result = r#"{"role":"tool","tool_call_id":"toolu_01A","content":"a.rs"},"#;
    let rows = [row(1, result), row(2, ""), row(3, result)].join("\n");
    fs::write(folder.join("requests.jsonl"), rows + "\n").unwrap();
    exports(folder);
}

/// What the Python of the page makes of an export. Not every machine has Python.
fn exports(folder: &Path) {
    if !tools::has("python3", "the exports of the page") {
        return;
    }
    let fixtures = root().join("fixtures/exports");
    fs::copy(fixtures.join("langfuse-trace.json"), folder.join("trace.json")).unwrap();
    let scripts = blocks("python");
    let scripts =
        scripts.iter().filter(|code| code.contains("langfuse") || code.contains("phoenix"));
    for code in scripts {
        // `phoenix.client` of the fixtures gives the spans of an export.
        let ran = Command::new("python3")
            .args(["-c", code])
            .current_dir(folder)
            .env("PYTHONPATH", &fixtures)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .status();
        assert!(ran.unwrap().success(), "{code}");
    }
}

#[test]
fn the_commands_run() {
    let home = tempfile::tempdir().unwrap();
    examples(home.path());
    let mut ran = 0;
    for line in blocks("sh").iter().flat_map(|block| block.lines()) {
        let words = shlex::split(line).unwrap();
        let (program, arguments) = words.split_first().unwrap();
        assert_eq!(program, "transcript-doctor");
        let is_export = ["langfuse.jsonl", "phoenix.jsonl"].iter().any(|name| line.contains(name));
        if is_export && !home.path().join(&arguments[1]).exists() {
            continue;
        }
        let output = program::command(home.path())
            .args(arguments)
            .current_dir(home.path())
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        // Problems are found, because the files are damaged.
        assert!(matches!(output.status.code(), Some(0 | 1)), "{line}\n{text}");
        assert!(
            text.contains("tool call without a result") || line.contains(" -o "),
            "{line}\n{text}"
        );
        ran += 1;
    }
    assert!(ran >= 4, "{ran}");
    assert!(home.path().join("repaired.json").exists());
}

#[test]
fn the_python_is_valid() {
    let python = blocks("python");
    assert_eq!(python.len(), 4);
    if !tools::has("python3", "the_python_is_valid") {
        return;
    }
    for code in python {
        let check = "import ast, sys; ast.parse(sys.argv[1])";
        let checked = Command::new("python3").args(["-c", check, &code]).status();
        assert!(checked.unwrap().success(), "{code}");
    }
}

#[test]
fn the_problem_matcher_reads_findings() {
    let json: Vec<Value> =
        blocks("json").iter().map(|block| serde_json::from_str(block).unwrap()).collect();
    let matcher = &json[1]["tasks"][0]["problemMatcher"]["pattern"];
    let pattern = Regex::new(matcher["regexp"].as_str().unwrap()).unwrap();
    let group = |name: &str| usize::try_from(matcher[name].as_u64().unwrap()).unwrap();
    let home = tempfile::tempdir().unwrap();
    let arguments = json[1]["tasks"][0]["args"].as_array().unwrap();
    let arguments: Vec<&str> = arguments.iter().map(|own| own.as_str().unwrap()).collect();
    let output = program::command(home.path())
        .args(arguments)
        .current_dir(root().join("fixtures/rules"))
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let (mut findings, mut lines) = (0, 0);
    for line in text.lines() {
        let Some(found) = pattern.captures(line) else {
            let severities = ["fatal", "error", "warning", "note"];
            let is_finding = severities.iter().any(|own| line.contains(&format!(": {own} TD")));
            assert!(!is_finding, "{line}");
            continue;
        };
        let file = found.get(group("file")).unwrap().as_str();
        let (file, _) = file.split_once(".zip/").unwrap_or((file, ""));
        let path = root().join("fixtures/rules").join(file);
        assert!(path.exists() || path.with_extension("zip").exists(), "{line}");
        assert!(found[group("code")].starts_with("TD"), "{line}");
        assert!(found[group("message")].len() > 10, "{line}");
        findings += 1;
        lines += u32::from(found.get(group("line")).is_some());
    }
    assert!(findings > 200 && lines > 100, "{findings} {lines}\n{text}");
}

#[test]
fn the_hook_is_what_claude_code_runs() {
    let json: Value = serde_json::from_str(&blocks("json")[0]).unwrap();
    let hook = &json["hooks"]["SessionStart"][0]["hooks"][0];
    let command = shlex::split(hook["command"].as_str().unwrap()).unwrap();
    let home = tempfile::tempdir().unwrap();
    let shown = |input: &str| {
        let mut command = {
            let mut own = program::command(home.path());
            own.args(&command[1..]);
            own
        };
        command.current_dir(home.path());
        let file = home.path().join("input");
        fs::write(&file, input).unwrap();
        let output = command.stdin(Stdio::from(fs::File::open(file).unwrap())).output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(text.lines().count(), 1, "{text}");
        let shown: Value = serde_json::from_str(&text).unwrap();
        shown["systemMessage"].as_str().map(str::to_owned)
    };
    let input = |file: &str| {
        let path = root().join(file);
        let path = serde_json::to_string(path.to_str().unwrap()).unwrap();
        format!(
            r#"{{"session_id":"s","transcript_path":{path},"cwd":"/x","hook_event_name":"SessionStart","source":"resume"}}"#
        )
    };
    let damaged = "fixtures/samples/claude-code.jsonl";
    let before = fs::read(root().join(damaged)).unwrap();
    let message = shown(&input(damaged)).unwrap();
    let begin = "transcript-doctor: STUCK. Anthropic will reject the next request: ";
    assert!(message.starts_with(begin), "{message}");
    assert!(message.contains("transcript-doctor repair "), "{message}");
    assert_eq!(fs::read(root().join(damaged)).unwrap(), before);
    // A new session has no file before its first prompt.
    assert_eq!(shown(&input("no-such-file.jsonl")), None);
    let healthy = fs::read_dir(root().join("fixtures/healthy/claude-code")).unwrap();
    let healthy = healthy.map(|own| own.unwrap().path());
    let healthy = healthy.filter(|path| path.extension().is_some_and(|own| own == "jsonl"));
    for path in healthy.take(3) {
        let path = path.strip_prefix(root()).unwrap().to_owned();
        assert_eq!(shown(&input(path.to_str().unwrap())), None, "{path:?}");
    }
    for odd in ["", "{", "[]", r#"{"transcript_path":7}"#] {
        assert_eq!(shown(odd), None, "{odd}");
    }
}
