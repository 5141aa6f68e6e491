//! Signals and closed pipes.
#![cfg(unix)]

use crate::bench::{Bench, STUCK};
use std::process::{Command, Stdio};
use std::time::Duration;

#[cfg(target_os = "linux")]
#[test]
fn a_signal_ends_the_run_with_its_own_status() {
    for (signal, status) in [("-INT", 130), ("-TERM", 143)] {
        let bench = Bench::new();
        // Standard input stays open, so the program waits for more.
        let mut child = bench
            .command(&["check", "-"])
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // The thread starts after its signal mask is set; before that, a signal could get lost.
        let is_watched = || {
            let threads =
                std::fs::read_dir(format!("/proc/{}/task", child.id())).into_iter().flatten();
            let mut names =
                threads.flatten().map(|thread| std::fs::read_to_string(thread.path().join("comm")));
            names.any(|name| name.is_ok_and(|name| name.trim() == "signals"))
        };
        while !is_watched() {
            std::thread::yield_now();
        }
        let sent = std::process::Command::new("kill")
            .args([signal, &child.id().to_string()])
            .status()
            .unwrap();
        assert!(sent.success());
        // `wait` would close standard input first, and its end could be seen before the signal.
        let _open = child.stdin.take();
        assert_eq!(child.wait().unwrap().code(), Some(status));
    }
}

#[test]
fn a_closed_pipe_is_not_a_failure() {
    let bench = Bench::new();
    for n in 0..200 {
        bench.lines(&format!("logs/{n}.jsonl"), &STUCK);
    }
    for format in ["human", "concise", "json"] {
        let mut command = bench.command(&["check", "-v", "-f", format, "logs"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let done = child.wait_with_output().unwrap();
        assert_eq!(
            (done.status.code(), String::from_utf8(done.stderr).unwrap()),
            (Some(1), String::new())
        );
    }
}

/// A signal during a repair of many files: each is as it was or repaired, and the next run does the rest. On a busy machine a run
/// may be over before the signal arrives, and a longer one is interrupted.
#[test]
fn a_signal_leaves_no_file_half_written() {
    for (signal, status) in [("-INT", 130), ("-TERM", 143)] {
        let is_met = [300, 900, 2700].iter().any(|files| is_interrupted(*files, signal, status));
        assert!(is_met, "each run was over before the signal");
    }
}

/// Whether a repair of so many files is interrupted by a signal. If so, no file is half written.
fn is_interrupted(files: usize, signal: &str, status: i32) -> bool {
    let bench = Bench::new();
    for n in 0..files {
        bench.lines(&format!("logs/{n}.jsonl"), &STUCK);
    }
    let before = bench.read("logs/0.jsonl");
    let mut child = bench
        .command(&["repair", "logs", "--yes", "--force-live", "-qq"])
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    while bench.operations() < 5 {
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(sent.unwrap().success());
    let ended = child.wait().unwrap().code();
    let texts: Vec<Vec<u8>> = (0..files).map(|n| bench.read(&format!("logs/{n}.jsonl"))).collect();
    let repaired = texts.iter().find(|text| **text != before).unwrap();
    let of = |wanted: &[u8]| texts.iter().filter(|text| **text == wanted).count();
    assert_eq!(of(&before) + of(repaired), files);
    let names = bench.tree("logs").len();
    assert_eq!(names, files, "nothing but the transcripts is left");
    if of(&before) == 0 {
        return false;
    }
    assert_eq!(ended, Some(status));
    // The next run completes or withdraws what was begun, and does the rest.
    bench.run(&["repair", "logs", "--yes", "--force-live", "-q"]).exits(0);
    let is_repaired = |n| bench.read(&format!("logs/{n}.jsonl")) == *repaired;
    assert!((0..files).all(is_repaired));
    true
}

/// A copy that is being made when the terminal is closed goes, too.
#[test]
fn a_signal_removes_a_copy_that_is_not_complete() {
    let bench = Bench::new();
    let text = "private words ".repeat(40);
    let records: Vec<String> = (0..20_000)
        .map(|n| {
            let record = STUCK[1].replace("000000000001", &format!("{:012}", n + 10));
            record.replace("private words", &text)
        })
        .collect();
    let mut lines = vec![STUCK[0]];
    lines.extend(records.iter().map(String::as_str));
    bench.lines("logs/run.jsonl", &lines);
    let mut child = bench
        .command(&["redact", "logs/run.jsonl", "-o", "logs/copy.redacted.jsonl"])
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    while bench.tree("logs").len() < 2 {
        assert!(child.try_wait().unwrap().is_none(), "it was done before the signal");
        std::thread::sleep(Duration::from_millis(2));
    }
    let sent = Command::new("kill").args(["-HUP", &child.id().to_string()]).status();
    assert!(sent.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(129));
    let left: Vec<_> = std::fs::read_dir(bench.path("logs")).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}
