//! Signals and closed pipes.
#![cfg(unix)]

use crate::bench::{Bench, STUCK};
use std::process::Stdio;

#[cfg(target_os = "linux")]
#[test]
fn a_signal_ends_the_run_with_its_own_status() {
    for (signal, number, status) in [("-INT", 2, 130), ("-TERM", 15, 143)] {
        let bench = Bench::new();
        // Standard input stays open, so the program waits for more of it.
        let mut child =
            bench.command(&["check", "-"]).stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let handler = || {
            let state = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
            let caught = state.lines().find_map(|line| line.strip_prefix("SigCgt:"));
            caught.is_some_and(|mask| {
                u64::from_str_radix(mask.trim(), 16).is_ok_and(|mask| mask >> (number - 1) & 1 == 1)
            })
        };
        while !handler() {
            std::thread::yield_now();
        }
        let sent =
            std::process::Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        assert_eq!(child.wait().unwrap().code(), Some(status));
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let bench = Bench::new();
    for n in 0..200 {
        bench.lines(&format!("logs/{n}.jsonl"), &STUCK);
    }
    for format in ["human", "concise", "json"] {
        let mut command = bench.command(&["check", "-v", "-f", format, "logs"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let done = child.wait_with_output().unwrap();
        assert_eq!((done.status.code(), String::from_utf8(done.stderr).unwrap()), (Some(1), String::new()));
    }
}
