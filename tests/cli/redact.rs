//! `--redact`: what a reader may see, in every output.

use crate::bench::{Bench, STUCK};

/// The stuck conversation with names, ids and texts of people.
fn bench() -> Bench {
    let bench = Bench::new();
    let lines: Vec<String> = STUCK
        .iter()
        .map(|line| line.replace("terminal", "what ana typed").replace("toolu_01A", "ask ana first"))
        .collect();
    bench.lines("work/run.jsonl", &lines.iter().map(String::as_str).collect::<Vec<_>>());
    bench.lines("plain/run.jsonl", &STUCK);
    bench
}

const SHAPES: [&str; 5] = ["human", "concise", "json", "markdown", "html"];

#[test]
fn content_has_no_text_and_strict_no_name() {
    let bench = bench();
    let path = bench.path("work/run.jsonl").to_str().unwrap().to_owned();
    let home = bench.path("").to_str().unwrap().trim_end_matches('/').to_owned();
    for mode in ["content", "strict"] {
        for shape in SHAPES {
            for args in [
                &["check", &path, "-v"][..],
                &["repair", "-n", &path],
                &["diff", &path],
                &["diff", &path, "--as", "messages"],
                &["explain", &path, "-v", "--timeline", "all"],
                &["explain", &format!("{path}:2")],
                &["explain", &format!("{path}:4")],
                &[
                    "explain",
                    &path,
                    "--error",
                    "each tool_use must have a single result. Found multiple `tool_result` blocks with id: ask ana first",
                ],
            ] {
                let ran = bench.run(&[args, &["--redact", mode, "-f", shape]].concat());
                assert!([0, 1, 5].contains(&ran.status), "{args:?}: {}{}", ran.out, ran.err);
                for secret in ["ana", "private", &home] {
                    let all = format!("{}{}", ran.out, ran.err);
                    assert!(!all.contains(secret), "{mode} {shape} {args:?} tells {secret:?}:\n{all}");
                }
            }
        }
    }
    let ran = bench.run(&["check", &path, "--redact", "content"]).says("~/work/run.jsonl");
    ran.says("[name 14 B #").says("transcript-doctor repair ~/work/run.jsonl");
    let ran = bench.run(&["check", &path, "--redact", "strict"]).says("~/path-1.jsonl").says("call-1");
    assert!(!ran.out.contains("transcript-doctor"), "{}", ran.out);
}

#[test]
fn a_machine_that_keeps_what_is_printed_gets_no_text() {
    let bench = bench();
    let args = ["explain", "plain/run.jsonl:2"];
    bench.run(&args).exits(0).says("says: \"private words\"");
    let ran = |ci: &str, more: &[&str]| {
        let mut command = bench.command(&[&args[..], more].concat());
        crate::bench::Ran::from(command.env("CI", ci).output().unwrap()).exits(0)
    };
    ran("true", &[]).says("says: \"[text 13 B #0001]\"");
    ran("false", &[]).says("says: \"private words\"");
    ran("true", &["--redact", "off"]).says("says: \"private words\"");
    let json = ran("1", &["-f", "json"]).json();
    assert_eq!(json["records"][0]["preview"], "[text 13 B #0001]");
}

#[test]
fn plain_ids_and_names_stay() {
    let bench = bench();
    let ran = bench.run(&["check", "plain/run.jsonl", "--redact", "content"]).exits(1).says("toolu_01A");
    assert_eq!(ran.out, bench.run(&["check", "plain/run.jsonl"]).out);
}

#[test]
fn data_is_never_redacted() {
    let bench = bench();
    for args in [&["diff", "plain/run.jsonl", "--as", "raw"][..], &["repair", "plain/run.jsonl", "-o", "-"]] {
        bench.run(args).exits(0).says("private output");
        for mode in ["content", "strict"] {
            bench.run(&[args, &["--redact", mode]].concat()).exits(2).complains("never redacted");
        }
    }
}

#[test]
fn a_file_that_is_written_has_no_text() {
    let bench = bench();
    let run = |more: &[&str]| {
        bench.run(&[&["explain", "plain/run.jsonl:2", "--report", "json=told.json"], more].concat()).exits(0)
    };
    let told = || String::from_utf8(bench.read("told.json")).unwrap();
    run(&[]).says("says: \"private words\"");
    assert!(told().contains("[text 13 B #0001]") && !told().contains("private"), "{}", told());
    run(&["--redact", "off"]);
    assert!(told().contains("private words"), "{}", told());
    bench.run(&["check", "work/run.jsonl", "--report", "concise=told.json", "--redact", "strict"]).exits(1);
    assert!(told().starts_with("~/path-1.jsonl:"), "{}", told());
}

#[test]
fn sentences_in_a_file_are_made_for_its_reader() {
    let bench = bench();
    let path = bench.path("work/run.jsonl").to_str().unwrap().to_owned();
    for shape in SHAPES {
        let report = format!("{shape}=told");
        for args in [&["explain", &path][..], &["explain", &path, "--timeline", "all"], &["check", &path]] {
            let ran = bench.run(&[args, &["--report", &report]].concat());
            assert!(ran.out.contains("ana"), "{}", ran.out);
            let told = String::from_utf8(bench.read("told")).unwrap();
            assert!(!told.contains("ana") && !told.contains("private"), "{shape} {args:?}:\n{told}");
        }
    }
}
