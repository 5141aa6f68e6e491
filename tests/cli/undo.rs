//! `undo`.

use std::path::Path;

use crate::bench::{Bench, STUCK, exists};

#[test]
fn the_exact_bytes_are_restored() {
    let bench = Bench::new();
    bench.folder("c", &STUCK);
    let before = bench.tree("c");
    bench.run(&["repair", "c"]).exits(0);
    assert_ne!(bench.tree("c"), before);
    bench.run(&["undo", "-n"]).exits(0).says("Would restore");
    assert_ne!(bench.tree("c"), before);
    bench.run(&["undo", "c"]).exits(0).says("to its state before operation 1");
    assert_eq!(bench.tree("c"), before);
    bench.run(&["undo", "1"]).exits(4).complains("c: operation 1 was undone by operation 2");
    bench.run(&["undo", "--list"]).exits(0).says("undone by 2").says("undoes 1");
}

/// `cp event-00005-… event-00003-…`: the repair removes one of the two, and the other gets its name.
#[test]
fn a_folder_with_copied_event_files_is_restored() {
    let folder = "fixtures/healthy/openhands/single-folder/8162594143274ac6a9a44ba08aafa96f";
    let healthy = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    for options in [&[][..], &["--no-backup"]] {
        let bench = Bench::new();
        for name in ["base_state.json", "events"] {
            let from = healthy.join(name);
            let files = if from.is_dir() {
                std::fs::read_dir(&from).unwrap().map(|item| item.unwrap().path()).collect()
            } else {
                vec![from]
            };
            for file in files {
                let below = file.strip_prefix(&healthy).unwrap().to_str().unwrap();
                bench.write(&format!("c/{below}"), std::fs::read(&file).unwrap());
            }
        }
        let event = |number: u32| {
            let prefix = format!("event-{number:05}-");
            let mut items = std::fs::read_dir(bench.path("c/events")).unwrap();
            let named =
                |item: &std::fs::DirEntry| item.file_name().to_str().unwrap().starts_with(&prefix);
            items.find_map(|item| item.ok().filter(named)).unwrap().path()
        };
        std::fs::copy(event(5), event(3)).unwrap();
        let (before, old) = (bench.faces("c"), bench.tree("c"));
        bench.run(&[&["repair", "c"], options].concat()).exits(0);
        assert_ne!(bench.faces("c"), before);
        bench.run(&["undo", "1", "--output", "copy"]).exits(0);
        assert_eq!(bench.tree("copy"), old);
        bench.run(&["undo", "c"]).exits(0);
        assert_eq!(bench.faces("c"), before);
    }
}

/// `last` is what `diff --op last` calls it, unless a file has that name.
#[test]
fn last_is_what_was_done_last() {
    let bench = Bench::new();
    bench.lines("run.jsonl", &STUCK);
    bench.lines("last", &STUCK);
    let before = bench.read("run.jsonl");
    bench.run(&["repair", "run.jsonl"]).exits(0);
    bench.run(&["undo", "last"]).exits(5).complains("nothing to undo for last");
    std::fs::remove_file(bench.path("last")).unwrap();
    bench.run(&["undo", "last", "--yes"]).exits(0).says("to its state before operation 1");
    assert_eq!(bench.read("run.jsonl"), before);
}

#[test]
fn later_changes_are_not_lost() {
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
fn an_interrupted_operation_is_reported_and_settled() {
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

#[test]
fn a_run_over_many_files_is_undone_as_one() {
    let bench = Bench::new();
    bench.lines("alone.jsonl", &STUCK);
    bench.run(&["repair", "alone.jsonl"]).exits(0);
    for name in ["a", "b", "c"] {
        bench.lines(&format!("logs/{name}.jsonl"), &STUCK);
    }
    let before = bench.tree("logs");
    let ran = bench
        .run(&["repair", "logs", "-y"])
        .exits(0)
        .says("Undo all 3:  transcript-doctor undo batch-2");
    assert!(!ran.out.contains("batch-1"));
    let list = bench.run(&["undo", "--list"]).exits(0);
    assert_eq!(list.out.lines().filter(|line| line.contains("batch-2")).count(), 3, "{}", list.out);
    assert_eq!(bench.run(&["undo", "--list", "-q"]).out, "1\n2\n3\n4\n");
    let after = bench.tree("logs");
    let ran = bench.run(&["undo", "-n"]).exits(0);
    assert_eq!((ran.out.matches("Would restore").count(), bench.tree("logs")), (3, after));
    bench.run(&["undo", "-o", "x"]).exits(2).complains("--output takes one operation");
    bench
        .run(&["undo"])
        .exits(0)
        .says("Last repair: batch 2 of 3 operations (3 files)")
        .says("Undid 3 of 3 operations.");
    assert_eq!(bench.tree("logs"), before);
    bench.run(&["undo", "batch-2"]).exits(4).complains("batch 2 was undone before");
    bench.run(&["undo", "batch-9"]).exits(5).complains("no batch 9");
    // Then the one before it.
    bench.run(&["undo"]).exits(0).says("Last repair: operation 1");
    bench.run(&["undo"]).exits(5);
}

#[test]
fn changed_files_are_reported_and_left_alone() {
    let bench = Bench::new();
    for name in ["a", "b", "c"] {
        bench.lines(&format!("logs/{name}.jsonl"), &STUCK);
    }
    let before = bench.tree("logs");
    bench.run(&["repair", "logs", "-y", "-f", "json"]).exits(0);
    let mut longer = bench.read("logs/b.jsonl");
    longer.extend_from_slice(b"{\"new\":1}\n");
    bench.write("logs/b.jsonl", &longer);
    let ran = bench
        .run(&["undo"])
        .exits(4)
        .says("Undid 2 of 3 operations.")
        .complains("1 line more since");
    assert!(ran.err.contains("undo 2 --output PATH"), "{}", ran.err);
    assert_eq!(bench.read("logs/b.jsonl"), longer);
    for (was, is) in before.iter().zip(bench.tree("logs")) {
        assert_eq!(was == &is, was.0 != "b.jsonl", "{}", was.0);
    }
}

#[test]
fn part_of_a_batch_can_be_undone() {
    let bench = Bench::new();
    for name in ["x/a", "x/b", "y/c", "y/d"] {
        bench.lines(&format!("logs/{name}.jsonl"), &STUCK);
    }
    let (x, y) = (bench.tree("logs/x"), bench.tree("logs/y"));
    bench.run(&["repair", "logs", "-y"]).exits(0);
    bench.run(&["undo", "2"]).exits(0);
    assert_ne!((bench.tree("logs/x"), bench.tree("logs/y")), (x.clone(), y.clone()));
    bench.run(&["undo", "logs/x"]).exits(0).says("a.jsonl");
    assert_eq!(bench.tree("logs/x"), x);
    assert_ne!(bench.tree("logs/y"), y);
    bench.run(&["undo", "logs/x"]).exits(5).complains("nothing to undo for logs/x");
    bench.run(&["undo", "batch-1"]).exits(0).says("Undid 2 of 2 operations.");
    assert_eq!(bench.tree("logs/y"), y);
}

#[test]
fn a_killed_run_is_undone_as_far_as_it_came() {
    let bench = Bench::new();
    for name in ["a", "b", "c"] {
        bench.lines(&format!("logs/{name}.jsonl"), &STUCK);
    }
    let before = bench.tree("logs");
    bench.run(&["repair", "logs", "-y"]).exits(0);
    // As if killed after the intent of the last one, before its new bytes were in place.
    let log = String::from_utf8(bench.read("state/transcript-doctor/ops.jsonl")).unwrap();
    let lines: Vec<&str> = log.lines().collect();
    bench.write("state/transcript-doctor/ops.jsonl", lines[..lines.len() - 1].join("\n") + "\n");
    let (name, bytes) = before.last().unwrap();
    bench.write(&format!("logs/{name}"), bytes);
    bench
        .run(&["undo"])
        .exits(0)
        .says("Undid 2 of 2 operations.")
        .complains("operation 3 was withdrawn");
    assert_eq!(bench.tree("logs"), before);
}

#[test]
fn the_original_goes_into_a_folder_that_exists() {
    let bench = Bench::new();
    bench.lines("run.jsonl", &STUCK);
    let before = bench.read("run.jsonl");
    bench.run(&["repair", "run.jsonl"]).exits(0);
    std::fs::create_dir(bench.path("out")).unwrap();
    bench.run(&["undo", "1", "-o", "out"]).exits(0).says("Wrote out/run.jsonl");
    assert_eq!(bench.read("out/run.jsonl"), before);
    bench.run(&["undo", "1", "-o", "out"]).exits(2).complains("exists");
    bench.run(&["undo", "1", "-o", "gone/run.jsonl"]).exits(2).complains("no such folder: gone");
}
