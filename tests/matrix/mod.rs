//! One script of damages, written by the writer of every format: what is found, and what a repair makes of it.
//!
//! `docs/matrix.md` shows it. Every cell keeps the promises of all repairs: the result is read again, a second repair does nothing, the
//! inverse gives the original, and each text that was recorded is in the result or has a reason to be gone.

mod writers;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::thread;

use crate::support::{Opened, keeps_its_promises};
use transcript_doctor::testing::engine::{CheckOptions, Judged};
use transcript_doctor::testing::repair::{Policy, Refused};
use transcript_doctor::testing::transcript::Severity;
use writers::Writer;

/// Formats whose records are no messages of their own, so that the script cannot be written record by record.
const NOT_WRITTEN: &[(&str, &str)] = &[
    (
        "a call and its result are one record",
        "ai-sdk-4, ai-sdk-ui, atif, gemini-cli, inspect, mastra, trae-trajectory",
    ),
    (
        "a call is named by the text around it, not by an ID",
        "codex-exec, mini-swe-agent, openhands-v0, sharegpt, swe-agent",
    ),
    ("a folder, or a database", "opencode, openhands folders, fixtures/databases"),
    ("not yet", "google-adk, mini-swe-agent-responses, otel-genai, vscode-chat"),
];

/// A damage: its group, its name, and the script.
struct Damage {
    group: &'static str,
    name: &'static str,
    script: &'static str,
}

fn damages() -> Vec<Damage> {
    let mut group = "No damage";
    let mut all = Vec::new();
    for line in include_str!("damages.txt").lines().skip(1) {
        if let Some(next) = line.strip_prefix("# ") {
            group = next;
        }
        if let Some((name, script)) = line.split_once(": ") {
            all.push(Damage { group, name, script });
        }
    }
    all
}

/// The codes of what is wrong, and the verdict.
fn found(judged: &Judged) -> (String, String) {
    let mut codes: Vec<String> =
        judged.at_least(Severity::Warning).map(|finding| finding.rule.code.to_string()).collect();
    codes.sort();
    codes.dedup();
    (codes.join(" "), format!("{:?}", judged.verdict).to_uppercase())
}

/// What happens to a damage in a format, in words.
fn outcome(writer: &Writer, script: &str) -> String {
    let bytes = match writer.write(script) {
        Ok(bytes) => bytes,
        Err(why) => return format!("(cannot be: {why})"),
    };
    let name = if writer.is_lines { "log.jsonl" } else { "log.json" };
    let Some(opened) = Opened::of_bytes(name, &bytes) else {
        return "UNKNOWN".to_owned();
    };
    let (ask, policy) = (CheckOptions::default(), Policy::default());
    let done = match opened.plan(&ask, &policy) {
        Ok(done) => done,
        Err(Refused::Read(why)) => return format!("not checked: {why}"),
        Err(why) => return format!("refused: {why}"),
    };
    keeps_its_promises(&opened, &ask, &policy, &done);
    let (codes, before) = found(&done.before);
    let what = if codes.is_empty() { before.clone() } else { format!("{codes} {before}") };
    if done.patch.is_empty() {
        return what;
    }
    let (left, after) = found(done.after());
    let left = if left.is_empty() { String::new() } else { format!(", {left} left") };
    format!("{what} → {after}{left}")
}

/// The outcomes of each damage, with their formats.
fn outcomes(damages: &[Damage], writers: &[Writer]) -> Vec<BTreeMap<String, Vec<&'static str>>> {
    let half = damages.len().div_ceil(2);
    let of = |damage: &Damage| {
        let mut all: BTreeMap<String, Vec<&'static str>> = BTreeMap::new();
        for writer in writers {
            all.entry(outcome(writer, damage.script)).or_default().push(writer.name);
        }
        all
    };
    thread::scope(|scope| {
        let parts: Vec<_> = damages
            .chunks(half)
            .map(|part| scope.spawn(move || part.iter().map(of).collect::<Vec<_>>()))
            .collect();
        parts.into_iter().flat_map(|part| part.join().unwrap()).collect()
    })
}

/// Names as they are typed.
fn coded(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

pub(crate) fn page(mark: &str) -> String {
    let (damages, writers) = (damages(), writers::all());
    let names: Vec<&str> = writers.iter().map(|writer| writer.name).collect();
    let mut out = format!(
        "# Damages in every format\n\n{mark}\n\n\
         One script of {} damages (`tests/matrix/damages.txt`) is written as each of {} formats writes it (`tests/matrix/writers.txt`), \
         checked, and repaired with safe fixes. Each line of a cell has what is found and the verdict, the verdict after the repair, \
         and the formats. A cell without an arrow is left alone. For every repair the test also reads the result again, repairs it a second \
         time (nothing may happen), takes it back, and looks for each recorded text: it is in the result, or a reason covers it.\n\n\
         The formats: {}.\n\nNot in the table:\n\n",
        damages.len(),
        writers.len(),
        coded(&names)
    );
    for (why, names) in NOT_WRITTEN {
        let names: Vec<&str> = names.split(", ").collect();
        writeln!(out, "- {why}: {}", coded(&names)).unwrap();
    }
    out.push_str(
        "\nThese are damaged at random instead (`cargo test --test mutants`), and have fixtures for each rule.\n",
    );
    let (lines, documents): (Vec<&Writer>, Vec<&Writer>) =
        writers.iter().partition(|writer| writer.is_lines);
    let [lines, documents] =
        [lines, documents].map(|all| all.iter().map(|writer| writer.name).collect::<Vec<_>>());
    let mut group = "";
    for (damage, outcomes) in damages.iter().zip(outcomes(&damages, &writers)) {
        if damage.group != group {
            group = damage.group;
            write!(out, "\n## {group}\n\n| damage | what is recorded | what is found, and after a repair |\n|---|---|---|\n").unwrap();
        }
        let mut sorted: Vec<(&String, &Vec<&str>)> = outcomes.iter().collect();
        // The most common one first, what cannot be last.
        sorted
            .sort_by_key(|(what, names)| (what.starts_with('('), usize::MAX - names.len(), *what));
        let most = sorted[0].1.len();
        let shown = |names: &Vec<&str>| match &names[..] {
            all if all.len() == writers.len() => "all".to_owned(),
            all if *all == documents[..] => "all documents".to_owned(),
            all if *all == lines[..] => "all line files".to_owned(),
            all if all.len() == most && most * 2 > writers.len() => "the others".to_owned(),
            _ => names.join(", "),
        };
        let cells: Vec<String> =
            sorted.iter().map(|(what, names)| format!("{what}: {}", shown(names))).collect();
        writeln!(out, "| {} | `{}` | {} |", damage.name, damage.script, cells.join("<br>"))
            .unwrap();
    }
    out
}

/// The writers write what the formats take for healthy: otherwise the table would be about the writers.
#[test]
fn what_is_not_damaged_is_healthy() {
    let mut wrong = Vec::new();
    for damage in damages().iter().filter(|damage| damage.group == "No damage") {
        for writer in writers::all() {
            let outcome = outcome(&writer, damage.script);
            if outcome != "HEALTHY" {
                wrong.push(format!("{}: {}: {outcome}", writer.name, damage.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
