//! Every shipped damage, with the expected findings and repaired bytes, and every healthy shape:
//! one test each.
//!
//! `cargo test --test fixtures td104` runs the cases with that in their name. `fixtures/README.md`
//! says where everything is. `UPDATE_FIXTURES=1` rewrites the expected files: read the diff.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod support;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use support::cases::{below, beside, expect, name, origin, origins, report, root, two_below};
use support::{Files, Opened, keeps_its_promises, refuted, shown, tell};
use transcript_doctor::testing::engine::CheckOptions;
use transcript_doctor::testing::find::name_of;
use transcript_doctor::testing::repair::{Policy, Refused};
use transcript_doctor::testing::rules::{self, Rule};
use transcript_doctor::testing::transcript::Severity;

/// Rules that no current format needs; their fixtures show that they find nothing.
const SILENT: &[&str] = &["raw-line-separator/openhands.jsonl"];

/// Rules about a transcript that another process has open; their fixtures are judged as if one had.
const LIVE: &[&str] = &["live-writer", "growing-tail"];

fn main() -> ExitCode {
    let mut trials = vec![
        Trial::test("every rule has a case", every_rule_has_a_case),
        Trial::test("every folder of rules/ names a rule", every_folder_names_a_rule),
        Trial::test("every origin is one of a case", every_origin_matches_a_case),
        Trial::test("no answer refutes a finding", no_answer_refutes_a_finding),
    ];
    for rule in rules::ALL {
        for case in cases_of(rule) {
            let test = format!("{} {}", rule.code.as_str().to_lowercase(), name(&case));
            trials.push(Trial::test(test, move || damaged(&case, rule)));
        }
    }
    for case in below(&root().join("bytes")) {
        trials.push(Trial::test(name(&case), move || check(&case, &asked()).map(drop)));
    }
    for case in two_below("healthy") {
        trials.push(Trial::test(name(&case), move || healthy(&case)));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn cases_of(rule: &Rule) -> Vec<PathBuf> {
    let folder = root().join("rules").join(rule.name);
    if folder.is_dir() { below(&folder) } else { Vec::new() }
}

/// The policies to repair a case with, by the word in the file names.
fn policies() -> [(&'static str, Policy); 3] {
    [
        ("repaired", Policy::default()),
        ("unsafe", Policy { with_unsafe: true, ..Policy::default() }),
        ("answered", Policy { answer_pending: true, ..Policy::default() }),
    ]
}

/// As if it were the year 2090: who wrote a fixture has ended, unless its times are later.
fn asked() -> CheckOptions {
    CheckOptions { ended_before: Some(3_786_912_000_000_000), ..CheckOptions::default() }
}

/// Checks a case of `rules/`: its rule finds something in it.
fn damaged(case: &Path, rule: &Rule) -> Result<(), Failed> {
    let ask = CheckOptions { live: LIVE.contains(&rule.name), ..asked() };
    let text = check(case, &ask)?;
    let is_found = text.lines().any(|line| line.trim_start().starts_with(rule.code.as_str()));
    if is_found == SILENT.iter().any(|silent| case.ends_with(silent)) {
        Err(format!("{} is not in what is found:\n{text}", rule.code).into())
    } else {
        Ok(())
    }
}

/// Judges and repairs a case with every policy, reports what happened, and compares all of it with
/// the expected files.
fn check(case: &Path, ask: &CheckOptions) -> Result<String, Failed> {
    let mut wrong = Vec::new();
    let found = match Opened::at(case) {
        Err(missed) => missed,
        Ok(opened) => repaired(case, &opened, ask, &mut wrong),
    };
    let (report, text) = (report(case), format!("origin: {}\n{found}", origin(case).1));
    wrong.extend(expect(
        &report,
        Some(Files::from([(name_of(&report), text.clone().into_bytes())])),
    ));
    if wrong.is_empty() { Ok(text) } else { Err(wrong.concat().into()) }
}

fn repaired(case: &Path, opened: &Opened, ask: &CheckOptions, wrong: &mut Vec<String>) -> String {
    let judged = match opened.judge(ask) {
        Ok(judged) => judged,
        Err(error) => return format!("not checked: {error}\n"),
    };
    let mut text = format!("found: {}", tell::findings(&judged));
    wrong.extend(shown::against_calls(opened, &judged));
    wrong.extend(shown::in_outputs(opened, &judged));
    let mut safe = None;
    for (word, policy) in policies() {
        let path = beside(case, word);
        let done = match opened.plan(ask, &policy) {
            Err(Refused::Excess(excess)) => {
                let refused = format!("refused: {excess}\n");
                if !text.ends_with(&refused) {
                    text += &refused;
                }
                wrong.extend(expect(&path, None));
                continue;
            }
            done => done.unwrap_or_else(|error| panic!("{error}")),
        };
        let repaired = keeps_its_promises(opened, ask, &policy, &done);
        wrong.extend(shown::against_patch(opened, &done));
        if done.patch.is_empty() || safe.as_ref() == Some(&done.patch) {
            wrong.extend(expect(&path, None));
        } else {
            text +=
                &format!("{word}:\n{}then: {}", tell::taken(&done), tell::findings(done.after()));
            wrong.extend(expect(&path, Some(as_kept(&path, case, opened, repaired))));
        }
        safe.get_or_insert(done.patch);
    }
    text
}

/// The repaired entries, under their names in the folder `path`.
fn as_kept(path: &Path, case: &Path, opened: &Opened, repaired: Files) -> Files {
    if path.extension().is_some() && case.is_file() && repaired.len() == 1 {
        return repaired.into_values().map(|bytes| (name_of(path), bytes)).collect();
    }
    let inner =
        if name_of(case) == opened.name { String::new() } else { format!("{}/", opened.name) };
    repaired.into_iter().map(|(name, bytes)| (format!("{inner}{name}"), bytes)).collect()
}

/// Checks a case of `healthy/`: no finding above a note, and no repair.
fn healthy(case: &Path) -> Result<(), Failed> {
    let opened = Opened::at(case)?;
    let judged = opened.judge(&asked())?;
    if judged.at_least(Severity::Warning).next().is_some() {
        return Err(tell::findings(&judged).into());
    }
    for (word, policy) in &policies()[..2] {
        let done = opened.plan(&asked(), policy).unwrap_or_else(|error| panic!("{error}"));
        if !done.patch.is_empty() {
            return Err(format!("is {word}:\n{}", tell::taken(&done)).into());
        }
    }
    Ok(())
}

fn every_rule_has_a_case() -> Result<(), Failed> {
    none(
        rules::ALL.iter().filter(|rule| cases_of(rule).is_empty()).map(|rule| rule.name.to_owned()),
    )
}

fn every_folder_names_a_rule() -> Result<(), Failed> {
    let folders = below(&root().join("rules")).into_iter().map(|folder| name_of(&folder));
    none(folders.filter(|name| !rules::ALL.iter().any(|rule| rule.name == name)))
}

fn every_origin_matches_a_case() -> Result<(), Failed> {
    let flat = ["bytes", "databases", "foreign", "samples", "stories"]
        .map(|folder| below(&root().join(folder)));
    let cases = flat.into_iter().flatten().chain(two_below("rules")).chain(two_below("healthy"));
    let used: Vec<&str> = cases.map(|case| origin(&case).0).collect();
    none(
        origins()
            .map(|(pattern, _)| pattern.to_owned())
            .filter(|pattern| !used.contains(&pattern.as_str())),
    )
}

/// What a host recorded without damage of ours shows which requests its provider took.
fn no_answer_refutes_a_finding() -> Result<(), Failed> {
    let flat = ["samples", "stories"].map(|folder| below(&root().join(folder)));
    let cases = flat.into_iter().flatten();
    let cases = cases.chain(two_below("rules")).chain(two_below("healthy"));
    let (mut seen, mut wrong) = (0, Vec::new());
    for case in cases {
        let origin = origin(&case).1;
        let is_recorded = origin.contains(" run") || origin.contains("unchanged");
        let is_recorded = is_recorded && !origin.contains("fuzzer");
        if !is_recorded || origin.contains("the damage scripted") && !healthy_case(&case) {
            continue;
        }
        let opened = Opened::at(&case)?;
        let judged = opened.judge(&asked())?;
        seen += 1;
        let own = refuted::by_answers(&opened, &judged).into_iter();
        wrong.extend(own.map(|what| format!("{}: {what}", name(&case))));
    }
    assert!(seen > 20, "{seen}");
    none(wrong.into_iter())
}

fn healthy_case(case: &Path) -> bool {
    case.starts_with(root().join("healthy"))
}

/// Fails with the items that should not exist.
fn none(wrong: impl Iterator<Item = String>) -> Result<(), Failed> {
    let wrong: Vec<String> = wrong.collect();
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join(", ").into()) }
}
