//! Other processes write while a transcript is repaired or a repair undone: nothing may be lost.
//!
//! A round repairs a fresh transcript while a thread writes to it, at times that differ from round
//! to round. In the end each line and each file is in the transcript, or it is kept and reported.
//! `WRITER_ROUNDS` sets the number of rounds of each kind.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use rustix::fs::{Mode, OFlags, openat};
use std::env;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant, SystemTime};
use transcript_doctor::testing::bytes::edit::Edit;
use transcript_doctor::testing::bytes::patch::Patch;
use transcript_doctor::testing::bytes::replace::LateWrites;
use transcript_doctor::testing::bytes::source::{Entries, Source, Span};
use transcript_doctor::testing::journal::{
    Journal, LateContent, Objection, RunPosition, WriteCheck, WriteOptions,
};

const ROUNDS: u64 = 100;
/// Of so many rounds, the writer waits in one until the repair is over.
const QUIET: u64 = 10;
const LINES: &str = "one\ntwo\nthree\n";
/// Lines or files that are written per round.
const WRITES: u64 = 4;

/// How the thread writes.
#[derive(Copy, Clone, Debug, PartialEq)]
#[cfg_attr(
    not(target_os = "linux"),
    expect(dead_code, reason = "folders are only exchanged on Linux")
)]
enum Writer {
    /// Opens the file, appends a line and closes it, each time.
    EachLine,
    /// Opens the file at some time and keeps it open.
    OpenedLate,
    /// Writes the whole file again, with a line more, into the same file.
    Truncating,
    /// Writes the whole file again, with a line more, and renames it into place.
    Renaming,
    /// Creates files by the path of the folder.
    FolderByPath,
    /// Creates files in a folder that it opened at some time.
    FolderByHandle,
}

impl Writer {
    fn is_folder(self) -> bool {
        matches!(self, Self::FolderByPath | Self::FolderByHandle)
    }
}

/// The answers to the journal, which depend on the round.
struct Told {
    fits: bool,
    open: bool,
}

impl WriteCheck for Told {
    fn verify(&mut self, _: &Source) -> Result<(), Objection> {
        Ok(())
    }

    fn accept_late_writes(&mut self, _: &LateWrites) -> Result<(), Objection> {
        if self.fits { Ok(()) } else { Err("it does not fit".into()) }
    }

    fn find_writer(&mut self, old: &[PathBuf]) -> Option<String> {
        (self.open && !old.is_empty()).then(|| "it is open".into())
    }
}

/// Pseudo-random numbers, the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    /// Waits up to `most` microseconds.
    fn wait(&mut self, most: u64) {
        let end = Instant::now() + Duration::from_micros(self.below(most));
        while Instant::now() < end {
            thread::yield_now();
        }
    }
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

/// In memory if possible: on a busy disk a repair takes so long that the writer comes in between each time.
fn place() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

fn recording(root: &Path, writer: Writer) -> PathBuf {
    if writer.is_folder() {
        fs::create_dir_all(root.join("log/events")).unwrap();
        for (name, text) in [("0-a", "{a}"), ("1-b", "{b}"), ("2-c", "{c}")] {
            fs::write(root.join(format!("log/events/{name}.json")), text).unwrap();
        }
        return root.join("log");
    }
    fs::write(root.join("log.jsonl"), LINES).unwrap();
    root.join("log.jsonl")
}

fn opened(path: &Path) -> std::io::Result<Source> {
    if !path.is_dir() {
        return Source::file(path);
    }
    let names = ["events/0-a.json", "events/1-b.json", "events/2-c.json"].map(String::from);
    Source::folder(path, names.to_vec())
}

fn patch_of(source: &Source) -> Patch {
    if let Some(entry) = source.find("log.jsonl") {
        let at = Span { entry, start: 4, end: 8 };
        return Patch::new(vec![Edit::Bytes { at, with: Vec::new() }]).unwrap();
    }
    let id = |name: &str| source.find(name).unwrap();
    let edits = vec![
        Edit::Remove(id("events/1-b.json")),
        Edit::Rename(id("events/2-c.json"), "events/1-c.json".into()),
    ];
    Patch::new(edits).unwrap()
}

fn planned(path: &Path) -> (Source, Patch) {
    let source = opened(path).unwrap();
    let patch = patch_of(&source);
    (source, patch)
}

/// Writes some lines or files, some of them after everything is over.
fn write(path: &Path, writer: Writer, random: &mut Random) {
    random.wait(8000);
    let append = || OpenOptions::new().append(true).open(path).unwrap();
    let handle = match writer {
        Writer::OpenedLate => Some(append()),
        Writer::FolderByHandle => Some(File::open(path.join("events")).unwrap()),
        _ => None,
    };
    // What such a process has in memory.
    let mut text = String::from(LINES);
    for n in 0..WRITES {
        let line = format!("{{\"line\":{n}}}\n");
        match (&handle, writer) {
            (Some(handle), Writer::FolderByHandle) => {
                let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY;
                let file = openat(handle, name(n), flags, Mode::RUSR | Mode::WUSR).unwrap();
                File::from(file).write_all(line.as_bytes()).unwrap();
            }
            (_, Writer::Truncating) => {
                text.push_str(&line);
                fs::write(path, &text).unwrap();
            }
            (_, Writer::Renaming) => {
                text.push_str(&line);
                let fresh = path.with_extension("fresh");
                fs::write(&fresh, &text).unwrap();
                fs::rename(fresh, path).unwrap();
            }
            (_, Writer::FolderByPath) => {
                fs::write(path.join("events").join(name(n)), line).unwrap()
            }
            (Some(handle), _) => (&*handle).write_all(line.as_bytes()).unwrap(),
            (None, _) => append().write_all(line.as_bytes()).unwrap(),
        }
        random.wait(4000);
    }
}

fn name(n: u64) -> String {
    format!("{}-new.json", n + 10)
}

/// What became of the writes.
#[derive(Debug, Default)]
struct Count {
    repaired: u64,
    in_recording: u64,
    told: u64,
    lost: u64,
}

fn round(writer: Writer, undo: bool, seed: u64, count: &mut Count) {
    let dir = place();
    let root = fs::canonicalize(dir.path()).unwrap();
    let journal = Journal::at(root.join("state"));
    let path = recording(&root, writer);
    if undo {
        let (source, patch) = planned(&path);
        journal.write(&source, &patch, &writing(), &mut |_: &Source| Ok(())).unwrap();
    }
    let mut told = Told { fits: seed % 4 != 1, open: seed % 8 == 3 };
    let (start, end) = (Barrier::new(2), Barrier::new(2));
    let is_quiet = seed.is_multiple_of(QUIET);
    let done = thread::scope(|scope| {
        scope.spawn(|| {
            start.wait();
            if is_quiet {
                end.wait();
            }
            write(&path, writer, &mut Random(seed));
        });
        start.wait();
        let done = if undo {
            let plan = journal.undo(1).unwrap();
            plan.run_with_check(&writing(), &mut told).is_ok()
        } else {
            // A file that is replaced while it is opened is refused before anything is planned.
            let plan = opened(&path).map(|source| (patch_of(&source), source));
            plan.is_ok_and(|(patch, source)| {
                journal.write(&source, &patch, &writing(), &mut told).is_ok()
            })
        };
        if is_quiet {
            end.wait();
        }
        done
    });
    assert!(done || !is_quiet, "round {seed}: refused, although nobody wrote");
    assert!(journal.unfinished().unwrap().is_empty(), "round {seed} is not finished");
    count.repaired += u64::from(done);
    let kept = journal.kept(&|_| true).unwrap();
    for n in 0..WRITES {
        let line = format!("{{\"line\":{n}}}\n");
        let here = if writer.is_folder() {
            fs::read_to_string(path.join("events").join(name(n))).is_ok_and(|text| text == line)
        } else {
            fs::read_to_string(&path).unwrap().lines().any(|own| own == line.trim_end())
        };
        let late = kept.iter().any(|kept| match &kept.late {
            LateContent::Lines { .. } => fs::read_to_string(&kept.path).unwrap().contains(&line),
            LateContent::Files(files) => files.contains(&PathBuf::from(name(n))),
            // Who writes a file again changes the old bytes.
            LateContent::Other => {
                fs::read_to_string(&kept.path).is_ok_and(|text| text.contains(&line))
            }
            _ => false,
        });
        match (here, late) {
            (true, _) => count.in_recording += 1,
            (false, true) => count.told += 1,
            (false, false) => count.lost += 1,
        }
    }
}

/// How many rounds are asked for.
fn wanted(usual: u64) -> u64 {
    env::var("WRITER_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(usual)
}

fn rounds(writer: Writer, undo: bool) {
    let rounds = wanted(ROUNDS);
    let mut count = Count::default();
    for seed in 0..rounds {
        round(writer, undo, seed, &mut count);
    }
    let what = if undo { "undo" } else { "repair" };
    println!("{writer:?}, {what}: {rounds} rounds: {count:?}");
    assert_eq!(count.lost, 0, "{writer:?}, {what}: {count:?}");
    assert_eq!(count.in_recording + count.told, rounds * WRITES);
}

#[test]
fn repair_while_each_line_is_appended_by_name() {
    rounds(Writer::EachLine, false);
}

#[test]
fn undo_while_each_line_is_appended_by_name() {
    rounds(Writer::EachLine, true);
}

#[test]
fn repair_while_the_file_is_opened_late() {
    rounds(Writer::OpenedLate, false);
}

#[test]
fn undo_while_the_file_is_opened_late() {
    rounds(Writer::OpenedLate, true);
}

// Without an exchange of folders, there is a moment without one.
#[cfg(target_os = "linux")]
#[test]
fn repair_while_files_are_created_by_path() {
    rounds(Writer::FolderByPath, false);
}

#[cfg(target_os = "linux")]
#[test]
fn undo_while_files_are_created_by_path() {
    rounds(Writer::FolderByPath, true);
}

#[cfg(target_os = "linux")]
#[test]
fn repair_while_files_are_created_in_an_open_folder() {
    rounds(Writer::FolderByHandle, false);
}

#[cfg(target_os = "linux")]
#[test]
fn undo_while_files_are_created_in_an_open_folder() {
    rounds(Writer::FolderByHandle, true);
}

#[test]
fn repair_while_the_file_is_written_again() {
    rounds(Writer::Truncating, false);
}

#[test]
fn undo_while_the_file_is_written_again() {
    rounds(Writer::Truncating, true);
}

#[test]
fn repair_while_the_file_is_replaced() {
    rounds(Writer::Renaming, false);
}

#[test]
fn undo_while_the_file_is_replaced() {
    rounds(Writer::Renaming, true);
}

/// Two processes of ours at once: one of them wins, the other one is refused, or both do their work one after the other. Whatever was
/// done can be undone.
fn two_at_once(undo: bool) {
    let mut both = 0;
    let rounds = wanted(ROUNDS);
    for seed in 0..rounds {
        let dir = place();
        let root = fs::canonicalize(dir.path()).unwrap();
        let path = recording(&root, Writer::EachLine);
        let journal = || Journal::at(root.join("state"));
        let repair = || {
            let (source, patch) = planned(&path);
            journal().write(&source, &patch, &writing(), &mut |_: &Source| Ok(())).is_ok()
        };
        if undo {
            assert!(repair());
        }
        let start = Barrier::new(2);
        let (first, second) = thread::scope(|scope| {
            let other = scope.spawn(|| {
                start.wait();
                Random(seed).wait(3000);
                repair()
            });
            start.wait();
            let own = if undo {
                journal().undo(1).is_ok_and(|plan| plan.run(&writing()).is_ok())
            } else {
                repair()
            };
            (own, other.join().unwrap())
        });
        assert!(first || second, "round {seed}: neither did its work");
        both += u64::from(first && second);
        assert!(journal().unfinished().unwrap().is_empty(), "round {seed} is not finished");
        let now = fs::read_to_string(&path).unwrap();
        let mut done = 0;
        while let Some(entry) = journal().latest_undoable(&path).unwrap() {
            journal().undo(entry.head.op).unwrap().run(&writing()).unwrap();
            done += 1;
        }
        assert_eq!(
            now,
            [LINES, "one\nthree\n", "one\ne\n"][done],
            "round {seed}: {first} {second}"
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), LINES, "round {seed}");
        let names = fs::read_dir(&root).unwrap().count();
        assert_eq!(names, 2, "round {seed}: something is left");
    }
    println!("two at once, undo {undo}: {rounds} rounds, in {both} both did their work");
}

#[test]
fn two_repairs_at_once() {
    two_at_once(false);
}

#[test]
fn a_repair_and_an_undo_at_once() {
    two_at_once(true);
}
