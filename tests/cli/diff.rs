//! `diff`.

use crate::bench::{Bench, STUCK, healthy};
use std::process::Command;

#[test]
fn the_patch_does_what_repair_does() {
    let bench = Bench::new();
    bench.folder("a", &STUCK);
    bench.folder("b", &STUCK);
    let patch = bench.run(&["diff", "--as", "raw", "a"]).exits(0).out;
    bench.write("p.patch", &patch);
    let Ok(done) = Command::new("git").args(["apply", "p.patch"]).current_dir(bench.path("")).status() else {
        return;
    };
    assert!(done.success(), "{patch}");
    bench.run(&["repair", "b"]).exits(0);
    assert_eq!(bench.tree("a"), bench.tree("b"));
}

#[test]
fn the_views() {
    let bench = Bench::new();
    bench.lines("run.jsonl", &STUCK);
    bench.run(&["diff", "run.jsonl"]).exits(0).says("- parked       4  AgentErrorEvent");
    bench.run(&["diff", "--as", "messages", "run.jsonl"]).says("-    2  tool       result, placeholder");
    bench.run(&["diff", "--stat", "run.jsonl"]).says("run.jsonl: 1 parked");
    bench.run(&["diff", "--exit-code", "run.jsonl"]).exits(1);
    let report = bench.run(&["diff", "-f", "json", "run.jsonl"]).exits(0).json();
    assert_eq!(report["conversations"][0]["applied"]["parked"], 1);
}

#[test]
fn two_recordings() {
    let bench = Bench::new();
    bench.lines("a.jsonl", &STUCK);
    bench.lines("b.jsonl", &healthy());
    bench.run(&["diff", "a.jsonl", "b.jsonl"]).exits(0).says("- parked       4").says("1 parked; 4 kept");
    bench.run(&["diff", "--exit-code", "a.jsonl", "b.jsonl"]).exits(1);
    bench.run(&["diff", "--exit-code", "a.jsonl", "a.jsonl"]).exits(0);
    let raw = bench.run(&["diff", "--as", "raw", "a.jsonl", "b.jsonl"]).exits(0).out;
    assert_eq!(
        raw.lines().filter(|line| line.starts_with('-') && !line.starts_with("---")).count(),
        1,
        "{raw}"
    );
    bench.run(&["diff", "--as", "messages", "a.jsonl", "b.jsonl"]).says("placeholder");
    bench.run(&["diff", "a.jsonl", "gone.jsonl"]).exits(3);
    bench.run(&["diff", "a.jsonl", "empty-folder"]).exits(3);
}
