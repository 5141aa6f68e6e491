//! Other processes write while a transcript is repaired.
#![cfg(target_os = "linux")]

use crate::bench::{Bench, STUCK};
use std::fs::{self, OpenOptions};
use std::os::unix::fs::{FileExt, MetadataExt};

/// Repairs a file, and writes to the new one as soon as it can be seen. `None`: the repair had read it again by then.
fn write_after_the_rename(bench: &Bench) -> Option<String> {
    bench.lines("run.jsonl", &STUCK);
    let path = bench.path("run.jsonl");
    let old = fs::metadata(&path).unwrap().ino();
    let child = bench
        .command(&["repair", "run.jsonl", "--keep-mtime"])
        .stderr(std::process::Stdio::piped())
        .spawn();
    while fs::metadata(&path).unwrap().ino() == old {
        std::hint::spin_loop();
    }
    let file = OpenOptions::new().write(true).open(&path).unwrap();
    file.write_at(b"?", 0).unwrap();
    let done = child.unwrap().wait_with_output().unwrap();
    let err = String::from_utf8(done.stderr).unwrap();
    match done.status.code() {
        Some(6) => Some(err),
        code => {
            assert_eq!(code, Some(0), "{err}");
            None
        }
    }
}

#[test]
fn a_failure_after_the_rename_is_not_confirmed() {
    // On a busy machine the repair may be faster than the process that disturbs it.
    let tries = std::iter::repeat_with(|| {
        let bench = Bench::new();
        write_after_the_rename(&bench).map(|err| (bench, err))
    });
    let (bench, err) = tries.take(100).flatten().next().unwrap();
    assert!(err.starts_with("written, but not confirmed: run.jsonl: "), "{err}");
    assert!(err.contains("transcript-doctor undo 1"), "{err}");
    bench.run(&["undo", "1"]).exits(4).complains("does not have the bytes that operation 1 wrote");
}

#[test]
fn a_late_line_is_reported_and_added_by_the_next_repair() {
    use std::io::Write;
    let bench = Bench::new();
    bench.lines("run.jsonl", &STUCK);
    let mut handle = OpenOptions::new().append(true).open(bench.path("run.jsonl")).unwrap();
    bench
        .run(&["repair", "run.jsonl"])
        .exits(4)
        .complains("is open for writing in another process");
    bench.run(&["repair", "run.jsonl", "--force-live"]).exits(0);
    bench.run(&["undo", "--list"]).exits(0);
    let repaired = bench.read("run.jsonl");
    let late = STUCK[1].replace("000000000001", "000000000009").replace("09:48:01", "09:49:01");
    writeln!(handle, "{late}").unwrap();
    drop(handle);
    for args in [&["check", "run.jsonl"][..], &["undo", "--list"], &["repair", "-n", "run.jsonl"]] {
        let ran = bench
            .run(args)
            .exits(0)
            .complains("another process wrote 1 line to the old file after operation 1");
        ran.complains("add it:  transcript-doctor repair ~/run.jsonl");
    }
    assert_eq!(bench.read("run.jsonl"), repaired);
    bench.run(&["repair", "run.jsonl"]).exits(0).complains("added (operation 2)");
    assert_eq!(bench.read("run.jsonl"), [&repaired[..], late.as_bytes(), b"\n"].concat());
    assert!(bench.run(&["check", "run.jsonl"]).exits(0).err.is_empty());
    bench.run(&["undo"]).exits(0);
    assert_eq!(bench.read("run.jsonl"), repaired);
}

#[test]
fn a_late_line_that_does_not_fit_is_kept_and_reported() {
    use std::io::Write;
    let bench = Bench::new();
    bench.lines("run.jsonl", &STUCK);
    let mut handle = OpenOptions::new().append(true).open(bench.path("run.jsonl")).unwrap();
    bench.run(&["repair", "run.jsonl", "--force-live"]).exits(0);
    let repaired = bench.read("run.jsonl");
    // A second result for a call that has one.
    writeln!(handle, "{}", STUCK[3]).unwrap();
    bench
        .run(&["repair", "run.jsonl"])
        .exits(0)
        .complains("not added: it does not fit after the repaired records");
    assert_eq!(bench.read("run.jsonl"), repaired);
    bench.run(&["check", "run.jsonl"]).exits(0).complains("kept in");
}

#[test]
fn a_late_file_in_a_folder_is_reported_and_added() {
    let bench = Bench::new();
    bench.folder("c", &STUCK);
    // A process that had the folder open, but ended before the repair, would do the same.
    bench.run(&["repair", "c"]).exits(0);
    let kept = bench.path("state/transcript-doctor/kept/1-0");
    let late = STUCK[1].replace("000000000001", "000000000009").replace("09:48:01", "09:49:01");
    let name = "event-00004-00000000-0000-4000-8000-000000000009.json";
    fs::write(kept.join(name), &late).unwrap();
    bench
        .run(&["check", "c"])
        .exits(0)
        .complains("another process wrote 1 file into the old folder after operation 1");
    bench.run(&["repair", "c"]).exits(0).complains("added (operation 2)");
    assert_eq!(bench.read(&format!("c/events/{name}")), late.as_bytes());
    assert!(bench.run(&["check", "c"]).exits(0).err.is_empty());
}
