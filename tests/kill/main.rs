//! A process that replaces transcripts in a loop is killed again and again. At every moment the old
//! or the new bytes are there, and the next run finishes what was interrupted.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

#[cfg(target_os = "linux")]
mod desk;
#[cfg(target_os = "linux")]
mod faults;
#[path = "../support/program.rs"]
mod program;
#[path = "../support/tools.rs"]
mod tools;

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};
use transcript_doctor::testing::bytes::edit::Edit;
use transcript_doctor::testing::bytes::patch::Patch;
use transcript_doctor::testing::bytes::source::{Entries, Source, Span};
use transcript_doctor::testing::journal::{Journal, RunPosition, WriteOptions};

/// The working folder of the killed process. This test sets it for the copy of itself that it
/// starts.
const PLACE: &str = "KILL_TEST_PLACE";
const ROUNDS: u64 = 48;

const OLD: &[(&str, &str)] = &[
    ("log/base_state.json", "{\"leaf\":\"c\"}"),
    ("log/events/0-a.json", "{a}"),
    ("log/events/1-b.json", "{b}"),
    ("log/events/2-c.json", "{c}"),
    ("log.jsonl", "one\ntwo\nthree\n"),
];
const NEW: &[(&str, &str)] = &[
    ("log/base_state.json", "{\"leaf\":\"d\"}"),
    ("log/events/0-a.json", "{A}"),
    ("log/events/1-c.json", "{c}"),
    ("log/events/2-d.json", "{d}"),
    ("log.jsonl", "one\nTHREE\n"),
];

fn state(files: &[(&str, &str)], prefix: &str) -> BTreeMap<String, String> {
    let inside = files.iter().filter(|(name, _)| name.starts_with(prefix));
    inside.map(|(name, text)| (name.to_string(), text.to_string())).collect()
}

fn found(root: &Path, prefix: &str) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_string();
            if path.is_dir() && name != "state" {
                folders.push(path);
            } else if name.starts_with(prefix) && path.is_file() {
                all.insert(name, fs::read_to_string(&path).unwrap());
            }
        }
    }
    all
}

fn edit(source: &Source, name: &str, start: u64, end: u64, with: &str) -> Edit {
    Edit::Bytes { at: Span { entry: source.find(name).unwrap(), start, end }, with: with.into() }
}

fn file(root: &Path) -> (Source, Patch) {
    let source = Source::file(&root.join("log.jsonl")).unwrap();
    let patch = Patch::new(vec![edit(&source, "log.jsonl", 4, 13, "THREE")]).unwrap();
    (source, patch)
}

fn folder(root: &Path) -> (Source, Patch) {
    let names = ["base_state.json", "events/0-a.json", "events/1-b.json", "events/2-c.json"]
        .map(String::from);
    let source = Source::folder(&root.join("log"), names.to_vec()).unwrap();
    let id = |name: &str| source.find(name).unwrap();
    let edits = vec![
        Edit::Remove(id("events/1-b.json")),
        Edit::Rename(id("events/2-c.json"), "events/1-c.json".into()),
        Edit::Create { name: "events/2-d.json".into(), bytes: b"{d}".to_vec() },
        edit(&source, "events/0-a.json", 1, 2, "A"),
        edit(&source, "base_state.json", 9, 10, "d"),
    ];
    let patch = Patch::new(edits).unwrap();
    (source, patch)
}

fn writing() -> WriteOptions {
    WriteOptions {
        now: SystemTime::UNIX_EPOCH,
        plan: None,
        keep_mtime: false,
        backup: true,
        batch: RunPosition::Alone,
        undisturbed: false,
    }
}

fn finish(journal: &Journal) {
    for operation in journal.unfinished().unwrap() {
        journal.finish(operation.op).unwrap();
    }
}

/// Repairs, or undoes the repair.
fn turn(root: &Path, journal: &Journal) {
    for (path, prepare) in [("log.jsonl", file as fn(&Path) -> (Source, Patch)), ("log", folder)] {
        match journal.latest_undoable(&root.join(path)).unwrap() {
            Some(entry) => {
                journal.undo(entry.head.op).unwrap().run(&writing()).unwrap();
            }
            None => {
                let (source, patch) = prepare(root);
                journal.write(&source, &patch, &writing(), &mut |_: &Source| Ok(())).unwrap();
            }
        }
    }
}

#[test]
#[ignore = "the process that is killed; started by the test below"]
fn repair_and_undo_forever() {
    let Some(root) = env::var_os(PLACE) else {
        return;
    };
    let root = Path::new(&root);
    let journal = Journal::at(root.join("state"));
    finish(&journal);
    // Not through the test's captured output.
    std::io::stderr().write_all(b"ready").unwrap();
    loop {
        turn(root, &journal);
    }
}

#[test]
fn a_killed_process_leaves_old_or_new_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(dir.path()).unwrap();
    fs::create_dir_all(root.join("log/events")).unwrap();
    for (name, text) in OLD {
        fs::write(root.join(name), text).unwrap();
    }
    let journal = Journal::at(root.join("state"));
    let (mut interrupted, mut round) = (0, 0);
    // A kill has to meet an operation at least once.
    while round < ROUNDS || (interrupted == 0 && round < 10 * ROUNDS) {
        round += 1;
        let mut child = Command::new(env::current_exe().unwrap())
            .args([
                "--exact",
                "repair_and_undo_forever",
                "--ignored",
                "--nocapture",
                "--test-threads=1",
            ])
            .env(PLACE, &root)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut ready = [0; 5];
        child.stderr.as_mut().unwrap().read_exact(&mut ready).unwrap();
        std::thread::sleep(Duration::from_micros(round * 7919 % 50_000));
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        child.kill().unwrap();
        child.wait().unwrap();

        // A file is never a mix, nor is a folder where folders can be exchanged.
        let one_of = |prefix: &str| {
            let now = found(&root, prefix);
            assert!(
                now == state(OLD, prefix) || now == state(NEW, prefix),
                "round {round}: {now:?}"
            );
        };
        one_of("log.jsonl");
        if cfg!(target_os = "linux") {
            one_of("log/events/");
        }
        interrupted += journal.unfinished().unwrap().len();
        finish(&journal);
        assert!(journal.unfinished().unwrap().is_empty());
        let mut now = found(&root, "log/");
        // The next replacement removes what was prepared and not announced.
        now.retain(|name, _| !name.contains("transcript-doctor-"));
        assert!(now == state(OLD, "log/") || now == state(NEW, "log/"), "round {round}: {now:?}");
    }
    // One repair and undo without a kill leave nothing behind.
    turn(&root, &journal);
    turn(&root, &journal);
    let all = found(&root, "");
    let names: Vec<&String> = all.keys().filter(|name| !name.starts_with("state")).collect();
    assert_eq!(names.len(), OLD.len(), "{names:?}");
    assert!(interrupted > 0, "no kill met an operation in {round} rounds");
    println!(
        "{interrupted} of {round} kills met an operation between its announcement and its end"
    );
}
