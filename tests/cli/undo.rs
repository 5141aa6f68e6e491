//! `undo`.

use crate::bench::{Bench, STUCK, exists};

#[test]
fn the_exact_bytes_come_back() {
    let bench = Bench::new();
    bench.folder("c", &STUCK);
    let before = bench.tree("c");
    bench.run(&["repair", "c"]).exits(0);
    assert_ne!(bench.tree("c"), before);
    bench.run(&["undo", "-n"]).exits(0).says("Would put back");
    assert_ne!(bench.tree("c"), before);
    bench.run(&["undo", "c"]).exits(0).says("as before operation 1");
    assert_eq!(bench.tree("c"), before);
    bench.run(&["undo", "1"]).exits(4).complains("undone by operation 2");
    bench.run(&["undo", "--list"]).exits(0).says("undone by 2").says("undoes 1");
}

#[test]
fn what_came_since_is_not_lost() {
    let bench = Bench::new();
    bench.lines("run.jsonl", &STUCK);
    let before = bench.read("run.jsonl");
    bench.run(&["repair", "run.jsonl"]).exits(0);
    let mut longer = bench.read("run.jsonl");
    longer.extend_from_slice(b"{\"new\":1}\n");
    bench.write("run.jsonl", &longer);
    bench.run(&["undo", "1"]).exits(4).complains("1 line more since");
    assert_eq!(bench.read("run.jsonl"), longer);
    bench.run(&["undo", "1", "--output", "before.jsonl"]).exits(0);
    assert_eq!(bench.read("before.jsonl"), before);
}

#[test]
fn without_a_repair_there_is_nothing_to_undo() {
    let bench = Bench::new();
    bench.lines("run.jsonl", &STUCK);
    bench.run(&["undo"]).exits(5);
    bench.run(&["undo", "run.jsonl"]).exits(5);
    bench.run(&["undo", "7"]).exits(5);
    bench.run(&["undo", "--list"]).exits(0);
    assert!(!exists(&bench.path("state")));
}

#[test]
fn an_interrupted_operation_is_told_and_settled() {
    let bench = Bench::new();
    bench.lines("run.jsonl", &STUCK);
    bench.run(&["repair", "run.jsonl"]).exits(0);
    let log = String::from_utf8(bench.read("state/transcript-doctor/ops.jsonl")).unwrap();
    bench.write("state/transcript-doctor/ops.jsonl", log.lines().next().unwrap().to_owned() + "\n");
    bench.run(&["check", "run.jsonl"]).exits(0).complains("operation 1 was interrupted");
    bench.run(&["undo", "--list"]).exits(0).says("interrupted");
    bench.run(&["repair", "run.jsonl"]).exits(0).complains("operation 1 was completed");
    bench.run(&["undo"]).exits(0);
}
