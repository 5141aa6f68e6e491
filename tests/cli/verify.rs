//! `verify`: a repair, compared with the checksums in the journal.

use std::fs;
use std::process::Command;

use crate::bench::{Bench, STUCK};
use crate::tools;

/// The journal of a bench.
const LOG: &str = "state/transcript-doctor/ops.jsonl";

/// What another program says of a file. `None`: there is no such program.
fn sha256sum(bench: &Bench, name: &str) -> Option<String> {
    if !tools::has("sha256sum", "a_repair_is_compared_with_the_journal") {
        return None;
    }
    let ran = Command::new("sha256sum").arg(bench.path(name)).output().ok()?;
    Some(String::from_utf8(ran.stdout).unwrap().split(' ').next().unwrap().to_owned())
}

#[test]
fn a_repair_is_compared_with_the_journal() {
    let bench = Bench::new();
    bench.lines("run.jsonl", &STUCK);
    fs::copy(bench.path("run.jsonl"), bench.path("copy.jsonl")).unwrap();
    bench.run(&["verify"]).exits(5);
    bench.run(&["repair", "run.jsonl"]).exits(0);
    let before = bench.faces("");
    for what in [&["verify"][..], &["verify", "1"], &["verify", "run.jsonl"], &["verify", "last"]] {
        let ran = bench.run(what).exits(0).says("VERIFIED  operation 1, 20");
        let ran = ran.says("On the disk is what was there after the repair.");
        let ran = ran.says("The journal restores what was there before.");
        let ran = ran.says("so nothing else was changed.");
        // A third person has one of the two files, and a program of their own.
        for (name, label) in [("copy.jsonl", "before"), ("run.jsonl", "after")] {
            if let Some(sum) = sha256sum(&bench, name) {
                assert!(ran.out.contains(&format!("{label:<6}  {sum}  ")), "{sum}\n{}", ran.out);
            }
        }
    }
    assert_eq!(bench.faces(""), before);
    // Lines that came since contradict nothing.
    let longer = [bench.read("run.jsonl"), bench.read("copy.jsonl")].concat();
    bench.write("run.jsonl", longer);
    bench.run(&["verify"]).exits(0).says("VERIFIED").says("has 5 lines more since");
    let other = String::from_utf8(bench.read("copy.jsonl")).unwrap().replace("private", "another");
    bench.write("run.jsonl", other);
    bench.run(&["verify"]).exits(1).says("DIFFERS  operation 1");
}

#[test]
fn an_undone_repair_is_compared_with_what_was_there_before() {
    let bench = Bench::new();
    bench.folder("c", &STUCK);
    bench.run(&["repair", "c"]).exits(0);
    bench.run(&["verify", "c"]).exits(0).says("no such file");
    bench.run(&["undo"]).exits(0);
    let ran = bench.run(&["verify", "1"]).exits(0).says("VERIFIED");
    ran.says("undone by operation 2").says("On the disk is what was there before the repair.");
}

#[test]
fn a_forged_journal_is_noticed() {
    let bench = Bench::new();
    bench.lines("run.jsonl", &STUCK);
    bench.run(&["repair", "run.jsonl"]).exits(0);
    let log = String::from_utf8(bench.read(LOG)).unwrap();
    // Edits that make something else of the original.
    let (head, edits) = log.split_once("\"edits\":[{\"start\":").unwrap();
    let (start, rest) = edits.split_once(',').unwrap();
    let earlier = start.parse::<u64>().unwrap() - 1;
    bench.write(LOG, format!("{head}\"edits\":[{{\"start\":{earlier},{rest}"));
    bench.run(&["verify"]).exits(1).says("DIFFERS").says("do not trust this journal");
    bench.write(LOG, &log);
    bench.run(&["verify"]).exits(0);
    // An original that is gone, and a file that changed.
    let objects = bench.path("state/transcript-doctor/objects");
    let _ = fs::remove_dir_all(objects);
    let _ = fs::remove_dir_all(bench.path("state/transcript-doctor/kept"));
    bench.write("run.jsonl", "{}\n");
    bench.run(&["verify"]).exits(3).says("The journal does not restore what was there before");
}
