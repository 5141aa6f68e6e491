//! Records that are cut, damaged or glued together, at many offsets and in every line format: a
//! safe repair adds no line that was not a record of the file, and removes none that may be
//! complete.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

#[path = "support/share.rs"]
mod share;
mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use support::Opened;
use transcript_doctor::testing::engine::CheckOptions;
use transcript_doctor::testing::repair::Policy;

/// Text that marks records of our own.
const OURS: &str = "inserted by transcript-doctor";

/// Offsets to try per line.
fn most_places() -> usize {
    16 / share::one_of(4)
}

/// Healthy line files of all formats, short ones first: the formats matter, not the sizes.
fn line_files() -> Vec<(PathBuf, Vec<String>)> {
    let healthy = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/healthy");
    let mut files = Vec::new();
    for folder in fs::read_dir(healthy).unwrap().map(|item| item.unwrap().path()) {
        let mut of_format: Vec<(PathBuf, Vec<String>)> = fs::read_dir(&folder)
            .unwrap()
            .map(|item| item.unwrap().path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
            .filter_map(|path| Some((path.clone(), lines(&fs::read_to_string(path).ok()?))))
            .filter(|(_, lines)| lines.len() > 2 && lines.iter().all(|line| parses(line)))
            .collect();
        of_format.sort_by_key(|(path, lines)| (lines.concat().len(), path.clone()));
        let (nested, others): (Vec<_>, Vec<_>) = of_format.into_iter().partition(|(path, _)| {
            path.to_str().is_some_and(|path| path.contains("nested") || path.contains("by-set"))
        });
        files.extend(nested.into_iter().chain(others.into_iter().take(4)));
    }
    files.sort();
    assert!(files.len() > 20, "the fixtures are gone");
    files
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

fn parses(line: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(line).is_ok()
}

/// Offsets in a line that differ in what surrounds them.
fn places(line: &str) -> Vec<usize> {
    let is_mark = |at: &usize| {
        matches!(line.as_bytes()[at - 1], b'{' | b'}' | b'[' | b']' | b':' | b',' | b'"')
    };
    let marks: Vec<usize> =
        (1..line.len()).filter(|at| line.is_char_boundary(*at)).filter(is_mark).collect();
    // Where an object ends, a cut record looks most like a complete one.
    let (ends, others): (Vec<usize>, Vec<usize>) =
        marks.into_iter().partition(|at| line.as_bytes()[at - 1] == b'}');
    let most = most_places();
    let step = others.len().div_ceil(most).max(1);
    ends.into_iter().take(most).chain(others.into_iter().step_by(step)).collect()
}

/// The lines after a safe repair; unchanged if the file is not recognized or the repair is refused.
fn repaired(path: &Path, text: &str) -> Vec<String> {
    let name = path.file_name().unwrap().to_str().unwrap();
    let Some(opened) = Opened::of_bytes(name, text.as_bytes()) else {
        return lines(text);
    };
    let Ok(plan) = opened.plan(&CheckOptions::default(), &Policy::default()) else {
        return lines(text);
    };
    let bytes = opened.patched(&plan.patch).remove(name).unwrap();
    lines(&String::from_utf8(bytes).unwrap())
}

/// Identifies a record: its own ID, or else its content. Repairs change links and contents.
fn identity(line: &str) -> Option<String> {
    let value: serde_json::Value = serde_json::from_str(line).ok()?;
    let id = ["uuid", "id"].iter().find_map(|key| value.get(key));
    Some(id.unwrap_or(&value).to_string())
}

fn identities(lines: &[String]) -> BTreeSet<String> {
    lines.iter().filter_map(|line| identity(line)).collect()
}

/// Checks that every readable line was a record before, or is ours.
fn adds_nothing(path: &Path, broken: &str, original: &BTreeSet<String>, after: &[String]) {
    let given: BTreeSet<&str> = broken.lines().collect();
    for line in after.iter().filter(|line| !given.contains(line.as_str()) && !line.contains(OURS)) {
        let Some(identity) = identity(line) else {
            continue;
        };
        assert!(
            original.contains(&identity),
            "{}: no record:\n{line}\nin\n{broken}",
            path.display()
        );
    }
}

/// Whether a line is a result, or the start of a call, which is removed if the call is lost.
fn is_result(line: &str) -> bool {
    let signs = [
        "tool_result",
        "tool-result",
        "toolResult",
        "tool.execution_",
        "tool_call_id",
        "toolCallId",
        "function_result",
        "function_response",
        "tool-return",
        "tool.result",
        "FunctionExecutionResult",
        "_output\"",
        "functionResponse",
        "bservation",
    ];
    signs.iter().any(|sign| line.contains(sign))
}

fn joined(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn a_cut_leaves_no_new_record() {
    for (path, lines) in line_files() {
        let original = identities(&lines);
        for (at, line) in lines.iter().enumerate().skip(1) {
            let before = joined(&lines[..at]);
            for cut in places(line) {
                let tail = format!("{before}{}", &line[..cut]);
                adds_nothing(&path, &tail, &original, &repaired(&path, &tail));
            }
        }
    }
}

#[test]
fn glued_lines_are_separated_at_records_only() {
    for (path, lines) in line_files() {
        let original = identities(&lines);
        for at in 1..lines.len() - 1 {
            let (before, behind) = (joined(&lines[..at]), joined(&lines[at + 1..]));
            for cut in places(&lines[at]).into_iter().step_by(3) {
                let broken = format!("{before}{}{behind}", &lines[at][..cut]);
                let after = repaired(&path, &broken);
                adds_nothing(&path, &broken, &original, &after);
                let next = &lines[at + 1];
                let is_there = after
                    .iter()
                    .any(|line| line.ends_with(next) || identity(line) == identity(next));
                assert!(
                    is_there || is_result(next),
                    "{}: a whole record is gone:\n{next}\nof\n{broken}",
                    path.display()
                );
            }
            let broken = format!("{before}{}{behind}", lines[at]);
            let after = repaired(&path, &broken);
            for whole in &lines[at..at + 2] {
                let is_there = after.iter().any(|line| identity(line) == identity(whole));
                assert!(is_there, "{}: not split:\n{whole}\nof\n{broken}", path.display());
            }
        }
    }
}

#[test]
fn a_damaged_record_is_not_removed() {
    for (path, lines) in line_files() {
        let original = identities(&lines);
        for (at, line) in lines.iter().enumerate().skip(1) {
            let (before, behind) = (joined(&lines[..at]), joined(&lines[at + 1..]));
            let wrong = places(line)
                .into_iter()
                .step_by(2)
                .zip(["#", "\"", "}", "1e", "{", "\\"].into_iter().cycle());
            for (place, wrong) in wrong {
                let damaged = format!("{}{wrong}{}", &line[..place], &line[place..]);
                let lost = format!("{}{}", &line[..place - 1], &line[place..]);
                // A record without one of its closing brackets looks like one that stops a byte too
                // early.
                let closes = matches!(line.as_bytes()[place - 1], b'}' | b']');
                let is_damage =
                    |broken: &String| !parses(broken) && (*broken == damaged || !closes);
                for damaged in [damaged.clone(), lost].into_iter().filter(is_damage) {
                    let broken = format!("{before}{damaged}\n{behind}");
                    let after = repaired(&path, &broken);
                    adds_nothing(&path, &broken, &original, &after);
                    let is_there = after
                        .iter()
                        .any(|after| *after == damaged || identity(after) == identity(line));
                    assert!(is_there, "{}: gone:\n{damaged}\nof\n{broken}", path.display());
                }
            }
        }
    }
}
