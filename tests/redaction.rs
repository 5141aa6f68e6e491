//! Secrets in every text: copies by `redact` contain none of them and have all findings, and no
//! output shows one to a reader who may not see text.

#![allow(clippy::unwrap_used)] // A test fails where it unwraps.

#[path = "support/program.rs"]
mod program;
#[path = "support/share.rs"]
mod share;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use transcript_doctor::testing::engine::{CheckOptions, judge};
use transcript_doctor::testing::explain::story::{self, ExplainOptions};
use transcript_doctor::testing::explain::{Explained, record};
use transcript_doctor::testing::find::name_of;
use transcript_doctor::testing::find::{self, Found};
use transcript_doctor::testing::outputs::{Detail, OUTPUTS, OutputStyle};
use transcript_doctor::testing::redact::copy;
use transcript_doctor::testing::redact::proof::{Beside, difference, examine};
use transcript_doctor::testing::report::build::conversation;
use transcript_doctor::testing::report::model::Report;
use transcript_doctor::testing::report::redact::{People, RedactMode, Redactor, redact};

/// The secret in every string that is text, and in every key of tool arguments.
const SECRET: &str = "SECRET-9c41";

/// Copies that cannot have the same findings, so that none is written: the findings are about the
/// text itself.
const REFUSED: &[&str] = &[
    // Calls written as plain text.
    "healthy/sharegpt/hermes.json",
    "rows/sharegpt.jsonl",
    "rules/unknown-record/openai-chat-plain-text-lines.jsonl",
    "rules/unknown-record/openai-chat-plain-text.json",
    "healthy/sharegpt/function-call-turns.json",
    // Whether arguments fit a schema is not kept.
    "healthy/openai-chat/declared-tools.json",
    "rows/openai-chat_chat-templates.jsonl",
    "rules/undeclared-call/openai-chat.json",
    // Results written as plain text.
    "healthy/cline-roo/text-dialect.json",
    "healthy/cline-roo/text-dialect.messages.json",
    "healthy/cline-roo/time-stamps.json",
    // Invalid UTF-8 in arguments that are JSON in a string.
    "rules/invalid-utf8/openhands-in-a-result.jsonl",
    // Damaged arguments whose words are also in a second member: whether a part of a text is in another one is not kept.
    "rules/bad-input/openai-chat-copy.json",
    "rules/bad-input/openhands-an-object-itself.jsonl",
    "rules/bad-input/openhands-bad-arguments.jsonl",
    "rules/bad-input/openhands-control-character.jsonl",
    "rules/bad-input/openhands-forgotten.jsonl",
    // A line feed in a key.
    "rules/split-record/openhands-inside-a-key.jsonl",
];

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

/// The transcripts in a folder of fixtures, as they were recorded.
fn recordings(below: &str) -> Vec<PathBuf> {
    let mut todo = vec![fixtures().join(below)];
    let mut out = Vec::new();
    while let Some(path) = todo.pop() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let made = [".repaired", ".unsafe", ".answered", ".report", ".removed"]
            .iter()
            .any(|mark| name.contains(mark));
        if made {
            continue;
        }
        if path.is_dir() && path.join("base_state.json").exists() {
            out.push(path);
        } else if path.is_dir() {
            todo.extend(fs::read_dir(path).unwrap().map(|item| item.unwrap().path()));
        } else if name.ends_with(".jsonl") || name.ends_with(".json") {
            out.push(path);
        }
    }
    out.sort();
    out
}

fn is_text(key: &str) -> bool {
    const TEXTS: &[&str] = &[
        "text",
        "content",
        "thinking",
        "thought",
        "output",
        "result",
        "summary",
        "title",
        "cwd",
        "command",
        "error",
        "message",
        "description",
        "system",
        "system_prompt",
        "gitBranch",
        "lastPrompt",
        "reasoning_content",
        "stdout",
        "stderr",
        "prompt",
        "instructions",
    ];
    TEXTS.contains(&key)
}

/// Plants the secret; in `free` data also in keys and all strings.
fn planted(value: Value, key: &str, free: bool) -> Value {
    match value {
        Value::String(text) if free || (is_text(key) && !text.trim().is_empty()) => {
            if matches!(key, "arguments") && text.starts_with('{') {
                return match serde_json::from_str(&text) {
                    Ok(inner) => Value::String(planted(inner, "", true).to_string()),
                    Err(_) => Value::String(text),
                };
            }
            let known = text.starts_with(['[', '<', '(', '{'])
                || text.contains("interrupted")
                || text.contains("The ");
            if known && !free {
                Value::String(text)
            } else {
                Value::String(format!("{text} {SECRET} words"))
            }
        }
        Value::String(text) if key == "arguments" && text.starts_with('{') => {
            match serde_json::from_str(&text) {
                Ok(inner) => Value::String(planted(inner, "", true).to_string()),
                Err(_) => Value::String(text),
            }
        }
        Value::Array(items) => {
            Value::Array(items.into_iter().map(|item| planted(item, key, free)).collect())
        }
        Value::Object(members) => {
            let free = free
                || matches!(key, "input" | "args" | "arguments")
                    && !members.contains_key("content");
            let member = |(key, value): (String, Value)| {
                let name = if free { format!("{key} {SECRET}") } else { key.clone() };
                (name, planted(value, &key, free))
            };
            Value::Object(members.into_iter().map(member).collect::<Map<_, _>>())
        }
        other => other,
    }
}

/// Plants secrets in a line or document, if it is JSON.
fn plant(text: &str) -> String {
    serde_json::from_str::<Value>(text)
        .map_or_else(|_| text.to_owned(), |value| planted(value, "", false).to_string())
}

fn plant_file(from: &Path, to: &Path) {
    let Ok(text) = String::from_utf8(fs::read(from).unwrap()) else {
        fs::copy(from, to).unwrap();
        return;
    };
    let whole = plant(&text);
    let planted = if whole == text {
        text.split_inclusive('\n')
            .map(|line| {
                let content = line.trim_end_matches(['\n', '\r']);
                format!("{}{}", plant(content), &line[content.len()..])
            })
            .collect()
    } else {
        whole
    };
    fs::write(to, planted).unwrap();
}

/// A copy of a fixture with secrets in it.
fn with_secrets(from: &Path, root: &Path) -> PathBuf {
    let to = root.join(from.file_name().unwrap());
    if !from.is_dir() {
        plant_file(from, &to);
        return to;
    }
    for item in walk(from) {
        let target = to.join(item.strip_prefix(from).unwrap());
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        plant_file(&item, &target);
    }
    to
}

fn walk(root: &Path) -> Vec<PathBuf> {
    let mut todo = vec![root.to_owned()];
    let mut out = Vec::new();
    while let Some(path) = todo.pop() {
        if path.is_dir() {
            todo.extend(fs::read_dir(path).unwrap().map(|item| item.unwrap().path()))
        } else {
            out.push(path)
        }
    }
    out
}

fn has_secret(bytes: &[u8]) -> bool {
    memchr::memmem::find(bytes, SECRET.as_bytes()).is_some()
}

/// Four outputs of a transcript, for a reader who may not see text: others for each transcript, so that all of them show hundreds.
fn printed(found: &Found, mode: RedactMode) -> Vec<u8> {
    let mut out = Vec::new();
    if found.detection.conversations.are_rows() {
        return out;
    }
    let name = name_of(&found.path);
    let Ok(judged) = judge(&found.source, &name, &found.detection, &CheckOptions::default()) else {
        return out;
    };
    let style = OutputStyle { detail: Detail::All, ..OutputStyle::default() };
    let reader = Redactor::for_file(mode, People::default());
    let told = conversation(&found.path, &found.source, &judged, false);
    let report = redact(Report::new(vec![told], Vec::new(), Vec::new()), &reader);
    let options = ExplainOptions { whole_ids: true, ..ExplainOptions::default() };
    let account = story::account(&found.path, &found.source, &judged, false, &options);
    let events: Vec<_> = judged.transcript.records().take(40).collect();
    let known = record::known(&found.path, &found.source, &judged, false, &events);
    let explained =
        redact(vec![Explained::Story(Box::new(account)), Explained::Records(known)], &reader);
    let turn = name.bytes().map(usize::from).sum();
    for output in OUTPUTS.iter().cycle().skip(turn).take(4) {
        (output.report)(&report, &mut out, &style).unwrap();
        (output.explained)(&explained, &mut out, &style).unwrap();
    }
    out
}

fn check(from: &Path) -> Result<bool, String> {
    let room = tempfile::tempdir().unwrap();
    let path = with_secrets(from, room.path());
    let is_planted = walk(room.path()).into_iter().any(|file| has_secret(&fs::read(file).unwrap()));
    let finds = find::find(std::slice::from_ref(&path), None);
    let [located] = &finds.found[..] else {
        return Ok(false);
    };
    let found = &located.open().map_err(|error| error.to_string())?;
    for mode in [RedactMode::Content, RedactMode::Strict] {
        let printed = printed(found, mode);
        if has_secret(&printed) {
            return Err(format!("{mode:?} tells a secret:\n{}", String::from_utf8_lossy(&printed)));
        }
    }
    let inside = room.path().join("copy");
    fs::create_dir(&inside).unwrap();
    let name = name_of(&found.path);
    let copied = copy(&found.source, &found.detection, &name, &People::default(), false, &inside)
        .map_err(|e| e.to_string())?;
    if let Some(told) = walk(&inside).into_iter().find(|file| has_secret(&fs::read(file).unwrap()))
    {
        let bytes = fs::read(&told).unwrap();
        let at = memchr::memmem::find(&bytes, SECRET.as_bytes()).unwrap();
        let around = &bytes[at.saturating_sub(200)..bytes.len().min(at + 40)];
        return Err(format!("the copy tells a secret: …{}…", String::from_utf8_lossy(around)));
    }
    let detection = find::recognize_again(&copied.source, &copied.name, &found.detection)
        .map_err(|e| e.to_string())?;
    let was = examine(&found.source, &name, &found.detection, &CheckOptions::default())
        .map_err(|error| error.to_string())?;
    let beside = Beside { copy: &copied.source, was: &found.source };
    let is = examine(&beside, &copied.name, &detection, &CheckOptions::default())
        .map_err(|error| error.to_string())?;
    difference(&was, &is).map_or(Ok(is_planted), |what| Err(format!("another finding: {what}")))
}

fn all(below: &str, least: usize) {
    let mut proved = 0;
    let mut failed = Vec::new();
    // Each takes several runs. The damaged ones of a rule are alike.
    let step = if below == "rules" { share::one_of(3) } else { 1 };
    for path in recordings(below).iter().step_by(step) {
        let name = path.strip_prefix(fixtures()).unwrap().to_string_lossy().into_owned();
        match check(path) {
            Ok(known) => proved += usize::from(known),
            Err(why) if why.starts_with("another finding") && REFUSED.contains(&name.as_str()) => {}
            Err(why) => failed.push(format!("{name}: {why}")),
        }
    }
    assert!(failed.is_empty(), "{} fail:\n{}", failed.len(), failed.join("\n"));
    assert!(proved >= least, "only {proved} were looked at");
}

#[test]
fn no_secret_of_a_healthy_transcript_is_shown() {
    all("healthy", 100);
}

#[test]
fn no_secret_of_a_damaged_transcript_is_shown() {
    all("rules", 300 / share::one_of(3));
}

#[test]
fn no_secret_of_rows_is_shown() {
    all("rows", 4);
}

/// What a repair inserts is shown, but not the recorded text that it puts beside it.
#[test]
fn no_secret_is_shown_by_a_difference() {
    let mut seen = 0;
    let rules = ["unanswered-call", "empty-error-result", "role-order"];
    for from in rules.iter().flat_map(|rule| recordings(&format!("rules/{rule}"))) {
        let room = tempfile::tempdir().unwrap();
        let path = with_secrets(&from, room.path());
        for view in ["records", "messages"] {
            let mut command = program::command(room.path());
            command.args(["diff", "--unsafe", "--redact", "content", "--as", view]);
            let run = command.arg(&path).output().unwrap();
            let is_hidden = !has_secret(&run.stdout) && !has_secret(&run.stderr);
            let shown = String::from_utf8_lossy(&run.stdout);
            assert!(is_hidden, "{}: {shown}", from.display());
            seen += usize::from(shown.contains("transcript-doctor, TD"));
        }
    }
    assert!(seen >= 40, "only {seen} with a text of ours");
}
