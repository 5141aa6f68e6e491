//! IDs can be typed as they are printed, shortened, and by prefix.

use crate::bench::{Bench, STUCK};

const FIRST: &str = "toolu_01EvREYhc5WD2xswPAvE0001";
const SECOND: &str = "toolu_01EvREYhc5WD2xswPAvE0002";

/// A transcript with two calls whose IDs start alike.
fn bench() -> Bench {
    let bench = Bench::new();
    let turn = |n: usize, id: &str| {
        let turn = STUCK[2..].join("\n").replace("toolu_01A", id);
        turn.replace("-0000000000", &format!("-{n:010}")).replace("\"r1\"", &format!("\"r{n}\""))
    };
    bench.lines("run.jsonl", &[STUCK[0], STUCK[1], &turn(1, FIRST), &turn(2, SECOND)]);
    bench
}

#[test]
fn printed_ids_can_be_typed() {
    let bench = bench();
    for (more, middle) in [(&[][..], '…'), (&["--ascii"], '~')] {
        let out = bench.run(&[&["check", "run.jsonl"], more].concat()).exits(1).out;
        let words =
            out.split_whitespace().filter(|word| word.contains(middle) && !word.contains('"'));
        let mut short: Vec<&str> = words.collect();
        short.dedup();
        assert!(short.len() >= 2, "{out}");
        for word in short {
            let told = bench.run(&["explain", "run.jsonl", "--call", word, "-v"]).exits(0);
            assert!(told.out.contains(FIRST) != told.out.contains(SECOND), "{word}: {}", told.out);
        }
    }
    let dots = FIRST.replace("REYhc5WD2xswPAv", "...");
    for args in [&["run.jsonl", "--call", &dots][..], &["run.jsonl", &dots], &["run.jsonl", FIRST]]
    {
        let told = bench
            .run(&[&["explain", "-v"], args].concat())
            .exits(0)
            .says("call: terminal")
            .says(FIRST);
        assert!(!told.out.contains(SECOND), "{}", told.out);
    }
    let error = format!(
        "each tool_use must have a single result. Found multiple `tool_result` blocks with id: {dots}"
    );
    let told = bench.run(&["explain", "run.jsonl", "--error", &error]).exits(0);
    told.says("the only ID that begins and ends like that")
        .says("lines 4 and 5 (its call: line 3)");
    bench.run(&["repair", "-n", "run.jsonl", "--error", &error]).exits(1).says("Would remove 1");
    bench.run(&["explain", "run.jsonl", "--around", &dots]).exits(0);
}

#[test]
fn a_record_is_named_by_its_number_or_its_id() {
    let bench = bench();
    bench.run(&["explain", "run.jsonl", "2"]).exits(0).says("line 2");
    let id = "00000000-0000-4000-8000-000000000001";
    for word in [id, "00000000-0000-4…0001"] {
        bench.run(&["explain", "run.jsonl", word, "-v"]).exits(0).says("line 2").says(id);
    }
    bench.run(&["explain", "run.jsonl", "99"]).exits(2).complains("there is no record 99");
    bench
        .run(&["explain", "run.jsonl", "gone"])
        .exits(2)
        .complains("no record or tool call has the ID gone");
    bench
        .run(&["explain", "run.jsonl", "--around", "gone"])
        .exits(2)
        .complains("there is no record gone");
}

#[test]
fn an_ambiguous_id_is_an_error_that_lists_the_matches() {
    let bench = bench();
    for args in [
        &["--call", "toolu_01Ev"][..],
        &["--call", "toolu_01…"],
        &["toolu_01Ev"],
        &["--around", "toolu_01Ev"],
    ] {
        let ran = bench.run(&[&["explain", "run.jsonl"], args].concat()).exits(2);
        ran.complains("matches 2 ids; type more of it").complains(FIRST).complains(SECOND);
    }
    bench
        .run(&["explain", "run.jsonl", "--call", "toolu_02"])
        .exits(2)
        .complains("no record has the tool call toolu_02");
    let error = "No tool output found for function call toolu_01Ev….";
    bench.run(&["explain", "run.jsonl", "--error", error]).exits(5).says("matches several IDs");
}

#[test]
fn rows_are_searched_for_shortened_ids_too() {
    let bench = Bench::new();
    let row = |id: &str| {
        format!(
            r#"{{"messages":[{{"role":"user","content":"a"}},{{"role":"tool","tool_call_id":"{id}","content":"b"}}]}}"#
        )
    };
    bench.lines("rows.jsonl", &[&row("call_abcdef01"), &row("call_abcdef02")]);
    bench.run(&["explain", "rows.jsonl", "--call", "call_abc…02"]).exits(0).says("call_abcdef02");
    bench.run(&["explain", "rows.jsonl", "--call", "call_abc"]).exits(2).complains("matches 2 ids");
}

#[test]
fn a_session_is_named_by_its_shortened_id() {
    let bench = Bench::new();
    for id in ["81625941432749c6a9a44ba08aafa96f", "81625941432749c6a9a44ba08aafa970"] {
        bench.folder(&format!(".openhands/conversations/{id}"), &STUCK);
    }
    for word in [
        "81625941…a96f",
        "81625941...a96f",
        "81625941-4327…a96f",
        "81625941432749c6a9a44ba08aafa96",
    ] {
        bench.run(&["check", word]).exits(1).says("a96f");
    }
    bench.run(&["check", "81625941…"]).exits(2).complains("matches 2 sessions");
    bench.run(&["check", "81625941…ffff"]).exits(5);
    bench.run(&["undo", "81625941…a96f"]).exits(5).complains("nothing to undo for");
}
