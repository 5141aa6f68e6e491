//! A pasted error never ends in nothing: it leads to a session, to a cause, or to the sentence that says what to do.

use std::fs::{File, FileTimes};
use std::time::{Duration, SystemTime};

use crate::bench::{Bench, STUCK, healthy};

const TWICE: &str = "messages.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: toolu_01A";
const NO_ID: &str = "API Error: 400 each tool_use must have a single result";
const BUSY: &str =
    r#"API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;

/// A folder of a project with a damaged transcript and a healthy one.
fn project() -> Bench {
    let bench = Bench::new();
    bench.lines("work/run.jsonl", &STUCK);
    bench.lines("work/healthy.jsonl", &healthy());
    Bench::inside(&bench, "work")
}

#[test]
fn the_working_directory_is_searched_like_the_folders_of_hosts() {
    let bench = project();
    for text in [TWICE, "toolu_01A"] {
        let ran = bench.run(&["explain", text]).exits(0);
        let ran = ran.says("Found:  run.jsonl, by the IDs in the text").says("fatal[TD104]");
        ran.complains("searched 2 transcripts: 2 contain an ID of the error");
    }
    // Of several damaged ones, the newest comes first.
    bench.lines("work/again.jsonl", &STUCK);
    let old = FileTimes::new().set_modified(SystemTime::now() - Duration::from_secs(3600));
    let file = File::options().write(true).open(bench.path("work/again.jsonl")).unwrap();
    file.set_times(old).unwrap();
    let ran = bench.run(&["explain", "toolu_01A"]).exits(0);
    let first = ran.out.find("Found:  run.jsonl").unwrap();
    assert!(ran.out.find("again.jsonl").is_some_and(|second| first < second), "{}", ran.out);
    assert!(!ran.out.contains("healthy.jsonl"), "{}", ran.out);
    // Where nothing is wrong with it, that is said.
    std::fs::remove_file(bench.path("work/run.jsonl")).unwrap();
    std::fs::remove_file(bench.path("work/again.jsonl")).unwrap();
    let ran = bench.run(&["explain", "toolu_01A"]).exits(0);
    ran.says("Found:  healthy.jsonl").says("is here, and we see nothing wrong with it");
}

#[test]
fn without_an_id_the_newest_sessions_are_searched_for_what_causes_it() {
    let bench = project();
    let ran = bench
        .run(&["explain", NO_ID])
        .exits(0)
        .says("Found:  run.jsonl (a guess: it has a problem of this kind)");
    ran.complains("searched the newest 2 transcripts for a problem that causes this error");
    std::fs::remove_file(bench.path("work/run.jsonl")).unwrap();
    let ran = bench.run(&["explain", NO_ID]).exits(5).says("Possible causes, most likely first");
    let ran = ran.says("TD104").says("No new session has damage that causes this.");
    ran.complains(": none has one");
}

#[test]
fn an_id_that_is_nowhere_prints_what_the_text_says_and_what_to_do() {
    let bench = project();
    let gone = TWICE.replace("toolu_01A", "toolu_09Z");
    let ran = bench.run(&["explain", &gone]).exits(5).complains("none contains an ID of the error");
    let ran = ran.says("a tool call has more than one result (message 1, toolu_09Z)");
    ran.says("TD104").says("No session on this machine contains these IDs");
    bench.run(&["explain", "toolu_09Z"]).exits(5).says("(toolu_09Z)");
}

#[test]
fn a_shell_may_have_split_the_text_or_taken_its_backticks() {
    let bench = project();
    let wanted = bench.run(&["explain", TWICE]).exits(0).out;
    let words: Vec<&str> = TWICE.split(' ').collect();
    for line in [&["explain"][..], &[], &["explain", "--find", "--error"]] {
        let ran = bench.run(&[line, &words].concat()).exits(0);
        assert_eq!(ran.out, wanted, "{line:?}");
        assert!(ran.err.contains("reading these words as an error message"), "{}", ran.err);
    }
    let named = bench.run(&[&["explain", "run.jsonl"], &words[..]].concat()).exits(0);
    named.says("Found:  run.jsonl").says("fatal[TD104]");
    let taken = TWICE.replace("`tool_result`", "");
    bench.run(&["explain", &taken]).exits(0).says("fatal[TD104]");
    let cut = TWICE.replace(
        "must have a single result. Found multiple `tool_result` blocks",
        "must hav…locks",
    );
    let ran = bench.run(&["explain", &cut]).exits(0).says("fatal[TD104]");
    ran.says("toolu_01A has more than one result");
    // A typo in a command is none of that.
    bench.run(&["chekc", "a.jsonl", "b.jsonl", "c.jsonl"]).exits(2).complains("unrecognized");
    bench.run(&["explain", "my last session"]).exits(2);
}

#[test]
fn what_is_not_the_transcripts_is_said_at_once() {
    let bench = project();
    for text in [BUSY, "413 Request Entity Too Large", "overloaded_error"] {
        let ran = bench.run(&["explain", text]).exits(0).says("The transcript is not damaged");
        assert!(!ran.err.contains("searched"), "{}", ran.err);
    }
    let ran = bench.run(&["explain", "Error: nobody has ever seen this text"]).exits(5);
    ran.says("not a known error text").says("`explain FILE --error TEXT` finds the place");
}

#[test]
fn a_text_about_what_was_repaired_says_how_to_restart() {
    let bench = Bench::new();
    let folder = ".openhands/conversations/8162594143274ac6a9a44ba08aafa96f";
    bench.folder(folder, &STUCK);
    bench.run(&["repair", "--force-live", folder]).exits(0);
    let ran = bench.run(&["explain", folder, "--error", TWICE]).exits(0);
    let ran = ran.says("Repaired by operation 1 on 20");
    ran.says("Restart: openhands --resume");
}
