//! Every shipped damage, with the findings and the repaired bytes that are wanted, and every healthy shape.
//!
//! `fixtures/rules/<rule>/<format>[-variant].<ext>`, or a folder of that name, and beside it `….report.txt` and, where a
//! safe repair changes something, `….repaired.<ext>` (or `….repaired/`). `….unsafe…` and `….answered…` are what `--unsafe`
//! and `--answer-pending` make of it where that differs. `UPDATE_FIXTURES=1` writes what is wanted anew: read the diff.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use support::{Files, Opened, keeps_its_promises, on_disk, tell};
use transcript_doctor::engine::Ask;
use transcript_doctor::find::find;
use transcript_doctor::repair::{Plan, Policy, Refused, WriteStyle};
use transcript_doctor::report::build::name_of;
use transcript_doctor::rules::{self, Strategy};
use transcript_doctor::transcript::{Severity, Subject};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

fn below(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|item| item.unwrap().path()).collect();
    paths.sort();
    paths
}

/// What is made of a fixture, by policy: the word in the file names.
fn policies() -> [(&'static str, Policy); 3] {
    [
        ("repaired", Policy::default()),
        ("unsafe", Policy { with_unsafe: true, ..Policy::default() }),
        ("answered", Policy { answer_pending: true, ..Policy::default() }),
    ]
}

/// A folder's fixtures without the files that tell what is wanted of them.
fn fixtures_in(folder: &Path) -> Vec<PathBuf> {
    let is_wanted = |path: &PathBuf| {
        let name = name_of(path);
        let mark = name.split('.').nth(1).unwrap_or_default();
        mark == "report" || policies().iter().any(|(word, _)| mark == *word)
    };
    below(folder).into_iter().filter(|path| !is_wanted(path)).collect()
}

/// `dir/openhands.jsonl` and `repaired` give `dir/openhands.repaired.jsonl`; archives are told as folders.
fn beside(fixture: &Path, word: &str) -> PathBuf {
    let name = name_of(fixture);
    let (stem, extension) = name.split_once('.').unwrap_or((&name, ""));
    let dot =
        if extension.is_empty() || extension == "zip" { String::new() } else { format!(".{extension}") };
    fixture.with_file_name(format!("{stem}.{word}{dot}"))
}

fn open(path: &Path) -> Result<Opened, String> {
    let mut finds = find(&[path.to_owned()], None);
    match (finds.found.pop(), finds.missed.first()) {
        (Some(located), None) if finds.found.is_empty() => {
            let found = located.open()?;
            Ok(Opened { name: name_of(&found.path), source: found.source, claim: found.claim })
        }
        (None, Some(missed)) => Err(format!("not examined: {}\n", missed.why)),
        _ => panic!("a fixture is one recording: {}", path.display()),
    }
}

/// Compares, or with `UPDATE_FIXTURES=1` writes. `None`: nothing may stand there.
fn expect(path: &Path, wanted: Option<Files>, wrong: &mut Vec<String>) {
    if on_disk(path).filter(|files| !files.is_empty()) == wanted {
        return;
    }
    if std::env::var_os("UPDATE_FIXTURES").is_none() {
        wrong.push(format!("{} is not what is wanted; UPDATE_FIXTURES=1 writes it anew", path.display()));
        return;
    }
    let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    for (name, bytes) in wanted.unwrap_or_default() {
        let file = if name_of(path) == name { path.to_owned() } else { path.join(name) };
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, bytes).unwrap();
    }
}

/// Judges and repairs a fixture with every policy, tells what happened, and compares all of it with what is wanted.
fn check(fixture: &Path, ask: &Ask, wrong: &mut Vec<String>) -> String {
    let report = beside(&fixture.with_extension(""), "report.txt");
    let text = match open(fixture) {
        Err(missed) => missed,
        Ok(opened) => told(fixture, &opened, ask, wrong),
    };
    expect(&report, Some(Files::from([(name_of(&report), text.clone().into_bytes())])), wrong);
    text
}

fn told(fixture: &Path, opened: &Opened, ask: &Ask, wrong: &mut Vec<String>) -> String {
    let judged = match opened.judge(ask) {
        Ok(judged) => judged,
        Err(error) => return format!("not examined: {error}\n"),
    };
    let mut text = format!("found: {}", tell::findings(&judged));
    let mut safe = None;
    for (word, policy) in policies() {
        let done = match opened.plan(ask, &policy) {
            Err(Refused::Excess(excess)) => {
                let refused = format!("refused: {excess}\n");
                if !text.ends_with(&refused) {
                    text += &refused;
                }
                expect(&beside(fixture, word), None, wrong);
                continue;
            }
            done => done.unwrap_or_else(|e| panic!("{}: {e}", fixture.display())),
        };
        let repaired = keeps_its_promises(opened, ask, &policy, &done);
        let path = beside(fixture, word);
        if done.patch.is_empty() || safe.as_ref() == Some(&done.patch) {
            expect(&path, None, wrong);
            safe.get_or_insert(done.patch);
            continue;
        }
        text += &format!("{word}:\n{}then: {}", tell::taken(&done), tell::findings(done.after()));
        expect(&path, Some(wanted(&path, fixture, opened, repaired)), wrong);
        safe.get_or_insert(done.patch);
    }
    text
}

/// The repaired entries under the names that they have below `path`.
fn wanted(path: &Path, fixture: &Path, opened: &Opened, repaired: Files) -> Files {
    if path.extension().is_some() && fixture.is_file() && repaired.len() == 1 {
        return repaired.into_values().map(|bytes| (name_of(path), bytes)).collect();
    }
    let inner = if name_of(fixture) == opened.name { String::new() } else { format!("{}/", opened.name) };
    repaired.into_iter().map(|(name, bytes)| (format!("{inner}{name}"), bytes)).collect()
}

/// Rules that no format of today needs; their fixture shows that they keep silent.
const SILENT: &[&str] = &["raw-line-separator"];

/// Rules about a recording that another process has open; their fixtures are judged as if one had.
const LIVE: &[&str] = &["live-writer", "growing-tail"];

#[test]
fn damages_are_found_and_repaired_as_wanted() {
    let mut wrong = Vec::new();
    for folder in below(&root().join("rules")) {
        let name = name_of(&folder);
        let Some(rule) = rules::by_name(&name).filter(|rule| rule.name == name) else {
            wrong.push(format!("{name} is no rule"));
            continue;
        };
        let ask = Ask { live: LIVE.contains(&rule.name), ..Ask::default() };
        for fixture in fixtures_in(&folder) {
            let text = check(&fixture, &ask, &mut wrong);
            let named = text.lines().any(|line| line.trim_start().starts_with(rule.code));
            if named == SILENT.contains(&rule.name) {
                wrong.push(format!("{} has no {}", fixture.display(), rule.code));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn broken_bytes_are_found_and_repaired_as_wanted() {
    let mut wrong = Vec::new();
    for fixture in fixtures_in(&root().join("bytes")) {
        check(&fixture, &Ask::default(), &mut wrong);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn healthy_recordings_are_left_alone() {
    let mut wrong = Vec::new();
    for fixture in below(&root().join("healthy")).iter().flat_map(|format| below(format)) {
        let opened = open(&fixture).unwrap();
        let judged = opened.judge(&Ask::default()).unwrap();
        if judged.at_least(Severity::Warning).next().is_some() {
            wrong.push(format!("{}: {}", fixture.display(), tell::findings(&judged)));
        }
        for (word, policy) in &policies()[..2] {
            let done = opened.plan(&Ask::default(), policy).unwrap();
            if !done.patch.is_empty() {
                wrong.push(format!("{} is {word}: {}", fixture.display(), tell::taken(&done)));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_rule_has_its_fixture() {
    let has_fixture = |rule: &&&rules::Rule| {
        let folder = root().join("rules").join(rule.name);
        folder.is_dir() && !fixtures_in(&folder).is_empty()
    };
    let without: Vec<_> = rules::ALL.iter().filter(|rule| !has_fixture(rule)).map(|rule| rule.name).collect();
    assert!(without.is_empty(), "rules without a fixture: {}", without.join(", "));
}

/// Under `remove-turn` a response goes with all of its calls and their results; nothing of them is left, nor an orphan made.
#[test]
fn a_turn_goes_with_everything_that_was_answered_in_it() {
    let ask = Ask { strategy: Strategy::RemoveTurn, ..Ask::default() };
    let policy = Policy { with_unsafe: true, ..Policy::default() };
    let folder = root().join("rules/unanswered-call");
    let mut removed = 0;
    for fixture in fixtures_in(&folder) {
        let opened = open(&fixture).unwrap();
        // A response is half of an interaction there: it cannot go without the messages that were new in it.
        if opened.claim.format.name == "trae-trajectory" {
            continue;
        }
        let judged = opened.judge(&ask).unwrap();
        let (t, pairs) = (&judged.transcript, &judged.view().pairs);
        let about = judged.at_least(Severity::Warning).flat_map(|finding| &finding.about);
        let open = about.filter_map(|s| if let Subject::Open(call) = s { Some(*call) } else { None });
        let calls = open.flat_map(|call| pairs.batch_of(call).unwrap().calls.clone());
        let ids: Vec<String> = calls.map(|call| t.text(t.a_part(call).id).to_owned()).collect();
        let safe = opened.plan(&ask, &Policy::default()).unwrap();
        assert!(safe.taken.iter().all(|taken| taken.rule.code != "TD101"), "{}", fixture.display());
        let done = opened.plan(&ask, &policy).unwrap();
        let files = keeps_its_promises(&opened, &ask, &policy, &done);
        let worse: Vec<_> = done.after().at_least(Severity::Warning).map(|f| f.rule.code).collect();
        assert!(worse.is_empty() || ids.is_empty(), "{}: {}", fixture.display(), worse.join(", "));
        for id in &ids {
            let quoted = format!("\"{id}\"");
            let left = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).contains(&quoted);
            assert!(!files.values().any(left), "{}: {id} is left", fixture.display());
        }
        removed += ids.len();
    }
    assert!(removed > 40, "{removed} calls");
}

/// Written as a branch, a repair keeps the whole file, and what the host would send is what a repair in place would send.
#[test]
fn a_branch_leaves_the_file_as_it_was() {
    let all = Policy { with_unsafe: true, format_named: true, answer_pending: true, ..Policy::default() };
    let policy = |style| Policy { style, ..all.clone() };
    let (ask, branch) = (Ask::default(), policy(WriteStyle::Branch));
    let (mut written, mut refused) = (0, 0);
    for fixture in below(&root().join("rules")).iter().flat_map(|rule| fixtures_in(rule)) {
        let Ok(opened) = open(&fixture) else { continue };
        let in_place = opened.plan(&ask, &policy(WriteStyle::InPlace)).unwrap();
        let told = fixture.display();
        match opened.plan(&ask, &branch) {
            Ok(done) if done.patch.is_empty() => assert!(in_place.patch.is_empty(), "{told}"),
            Ok(done) => {
                let files = keeps_its_promises(&opened, &ask, &branch, &done);
                let (name, after) = files.iter().next().unwrap();
                let before = &support::files(&opened.source)[name];
                assert!(after.starts_with(before), "{told}");
                let open = |plan: &Plan| plan.after().at_least(Severity::Warning).count();
                assert!(open(&done) <= open(&in_place), "{told}");
                written += 1;
            }
            Err(Refused::Style(_)) => refused += 1,
            Err(error) => panic!("{told}: {error}"),
        }
    }
    assert!(written > 30 && refused > 10, "{written} written, {refused} refused");
}
