//! `--report FMT=PATH`.

use serde_json::Value;

use crate::bench::{Bench, STUCK, healthy};

fn bench() -> Bench {
    let bench = Bench::new();
    bench.lines("run.jsonl", &STUCK);
    bench
}

fn json(bench: &Bench, name: &str) -> Value {
    serde_json::from_slice(&bench.read(name)).unwrap()
}

#[test]
fn one_run_may_write_several_reports() {
    let bench = bench();
    let plain = bench.run(&["check", "run.jsonl"]).exits(1);
    let reports = ["--report", "json=a.json", "--report", "human=b.txt", "--report=concise=c.txt"];
    let ran = bench.run(&[&["check", "run.jsonl"], &reports[..]].concat()).exits(1);
    assert_eq!(ran.out, plain.out, "what goes to standard output stays the same");
    let told = json(&bench, "a.json");
    assert_eq!(
        (&told["exit_code"], &told["conversations"][0]["verdict"]),
        (&1.into(), &"stuck".into())
    );
    let human = String::from_utf8(bench.read("b.txt")).unwrap();
    // It has no colors and no texts.
    let introduction = "       2026-01-21 · \"private words\"\n";
    let removed = " \"A restart occurred while this tool was …\" (kept in the\n  journal)";
    let plain = plain.out.replace(introduction, "");
    assert_eq!(human, plain.replace(removed, " (kept in the journal)"));
    let concise = String::from_utf8(bench.read("c.txt")).unwrap();
    assert!(concise.starts_with("run.jsonl:4: fatal TD104"), "{concise}");
}

#[test]
fn colors_and_quiet_do_not_affect_files() {
    let bench = bench();
    let args = ["check", "run.jsonl", "-qq", "--color", "always", "--report", "human=b.txt"];
    let ran = bench.run(&args).exits(1);
    assert_eq!(ran.out, "");
    let human = String::from_utf8(bench.read("b.txt")).unwrap();
    assert!(human.contains("fatal[TD104]") && !human.contains('\u{1b}'), "{human}");
}

#[test]
fn every_command_with_a_report_writes_it() {
    let bench = bench();
    bench.run(&["explain", "run.jsonl", "--report", "json=a.json"]).exits(0).says("What happened");
    assert_eq!(json(&bench, "a.json")["stories"][0]["code"], "P1");
    bench.run(&["explain", "run.jsonl:4", "--report", "json=a.json"]).exits(0).says("line 4");
    assert_eq!(json(&bench, "a.json")["records"][0]["number"], 4);
    bench.run(&["explain", "TD104", "--report", "json=a.json"]).exits(0).says("two-results");
    assert_eq!(json(&bench, "a.json")["code"], "TD104");
    let error = "each tool_use must have a single result: toolu_01A";
    bench
        .run(&["explain", "run.jsonl", "--error", error, "--report", "json=a.json"])
        .exits(0)
        .says("Found:");
    assert_eq!(json(&bench, "a.json")["evidence"], "ids");
    bench
        .run(&["diff", "run.jsonl", "--report", "json=a.json"])
        .exits(0)
        .says("what repair would change");
    assert_eq!(json(&bench, "a.json")["conversations"][0]["applied"]["removed"], 1);
    bench
        .run(&["repair", "run.jsonl", "-n", "--report", "json=a.json"])
        .exits(1)
        .says("Would remove 1");
    assert_eq!(json(&bench, "a.json")["conversations"][0]["applied"]["removed"], 1);
    bench.run(&["repair", "run.jsonl", "--report", "json=a.json"]).exits(0).says("Undo");
    assert_eq!(json(&bench, "a.json")["conversations"][0]["verdict"], "healthy");
}

#[test]
fn a_dash_replaces_the_output_on_standard_output() {
    let bench = bench();
    let ran = bench.run(&["check", "run.jsonl", "--report", "json=-"]).exits(1);
    assert_eq!(ran.json()["exit_code"], 1);
    for twice in
        [["--report", "json=-", "--report", "concise=-"], ["--report", "json=-", "-f", "concise"]]
    {
        bench
            .run(&[&["check", "run.jsonl"], &twice[..]].concat())
            .exits(2)
            .complains("only one report can go");
    }
}

#[test]
fn unwritable_reports_fail_before_any_work() {
    let bench = bench();
    bench.write("folder/x", "");
    let before = bench.read("run.jsonl");
    for (report, why) in [
        ("json=nowhere/a.json", "nowhere/a.json"),
        ("json=folder", "is a folder"),
        ("json=", "expected FMT=PATH"),
        ("json", "expected FMT=PATH"),
        ("yaml=a.yaml", "the formats are human"),
        ("json=folder/x/a.json", "folder/x/a.json"),
    ] {
        let ran = bench.run(&["repair", "run.jsonl", "--report", report]).exits(2).complains(why);
        assert_eq!(ran.out, "");
    }
    let twice = ["--report", "json=a", "--report", "human=folder/../a"];
    bench
        .run(&[&["check", "run.jsonl"], &twice[..]].concat())
        .exits(2)
        .complains("two reports would be");
    bench
        .run(&["undo", "--report", "json=a"])
        .exits(2)
        .complains("'--report' is an option of check,");
    let two = ["diff", "run.jsonl", "run.jsonl", "--report", "json=a"];
    bench.run(&two).exits(2).complains("'[OTHER]' cannot be used with '--report <FMT=PATH>'");
    assert_eq!(bench.read("run.jsonl"), before);
}

#[test]
fn a_report_never_overwrites_a_transcript() {
    let bench = bench();
    bench.folder("81625941432749c6a9a44ba08aafa96f", &healthy());
    let before = bench.tree("");
    let into = "human=81625941432749c6a9a44ba08aafa96f/report.txt";
    for (target, report) in [
        ("run.jsonl", "json=run.jsonl"),
        (".", "json=run.jsonl"),
        (".", into),
        ("81625941432749c6a9a44ba08aafa96f", into),
    ] {
        for command in ["check", "repair"] {
            let ran = bench.run(&[command, target, "--report", report]).exits(2);
            ran.complains("into a transcript");
        }
        bench.run(&["explain", target, "--report", report]).exits(2).complains("into a transcript");
    }
    let both = ["repair", "run.jsonl", "-o", "copy.jsonl", "--report", "json=copy.jsonl"];
    bench.run(&both).exits(2).complains("into a transcript");
    assert_eq!(bench.tree(""), before);
}

#[test]
#[cfg(unix)]
fn links_are_followed_and_devices_stay() {
    let bench = bench();
    bench.write("real.json", "old");
    std::os::unix::fs::symlink("real.json", bench.path("link.json")).unwrap();
    bench.run(&["check", "run.jsonl", "--report", "json=link.json"]).exits(1);
    assert_eq!(json(&bench, "real.json")["exit_code"], 1);
    assert!(bench.path("link.json").is_symlink());
    bench.run(&["check", "run.jsonl", "--report", "json=/dev/null"]).exits(1);
    bench
        .run(&["check", "run.jsonl", "--report", "json=/dev/full"])
        .exits(3)
        .complains("cannot write");
}

#[test]
fn a_support_page_has_the_story_and_the_repair_plan() {
    let bench = bench();
    let before = bench.tree("");
    for (shape, found) in [
        ("html", "<h2>What happened <span"),
        ("markdown", "## What happened\n"),
        ("html", "<h2>What a repair would do</h2>\n<p>Would remove 1; 4 of 5 records unchanged."),
        ("markdown", "It is then **HEALTHY**"),
        ("html", "transcript-doctor repair run.jsonl</code>"),
        ("markdown", "```text\ntranscript-doctor repair run.jsonl\n```"),
        ("html", "<summary>About TD104 two-results</summary>"),
        ("html", "Yes, after the repair"),
    ] {
        bench.run(&["explain", "run.jsonl", "-f", shape]).exits(0).says(found);
    }
    assert_eq!(bench.tree(""), before);
    bench.run(&["explain", "run.jsonl", "--report", "html=a.html"]).exits(0).says("What happened");
    let page = String::from_utf8(bench.read("a.html")).unwrap();
    assert!(
        page.starts_with("<!doctype html>\n<html lang=\"en\">") && !page.contains("<script"),
        "{page}"
    );
    assert!(!page.contains("private"), "no text of the recording is in it: {page}");
    bench.run(&["explain", "TD104", "-f", "html"]).exits(0).says("<h1>").says("two-results");
    bench.run(&["rules", "-f", "markdown"]).exits(0).says("| TD104 two-results | fatal |");
    bench.run(&["explain", "run.jsonl:4", "-f", "html"]).exits(0).says("<h2>line 4</h2>");
}

#[test]
fn a_page_of_many_starts_with_the_worst() {
    let bench = bench();
    bench.lines("well.jsonl", &healthy());
    bench.write("gone.jsonl", "not a recording");
    let ran = bench.run(&["check", ".", "gone.jsonl", "-f", "markdown"]).exits(3);
    let ran = ran.says("| STUCK | 1 |").says("| TD104 two-results | 1 | 1 | safe |");
    ran.says("not checked").says("<details><summary>1 without problems</summary>");
    bench
        .run(&["repair", ".", "-y", "-f", "html"])
        .exits(0)
        .says("removed 1")
        .says("transcript-doctor undo 1");
}

#[test]
fn locations_are_links_on_request() {
    let bench = bench();
    let begin = "\u{1b}]8;;file://";
    let end = "/run.jsonl\u{1b}\\";
    for args in [
        &["check", "run.jsonl"][..],
        &["check", "run.jsonl", "-f", "concise"],
        &["explain", "run.jsonl"],
        &["repair", "run.jsonl", "-n"],
    ] {
        // A pipe is not a terminal, whatever terminal the program was started in.
        let mut command = bench.command(args);
        let plain =
            crate::bench::Ran::from(command.env("TERM_PROGRAM", "WezTerm").output().unwrap());
        assert!(!plain.out.contains('\u{1b}'), "{}", plain.out);
        let linked = bench.run(&[args, &["--hyperlink", "always"]].concat());
        let linked = linked.says(begin).says(end);
        assert!(!linked.out.contains("\u{1b}["), "links have no colors: {}", linked.out);
        let text = anstream::adapter::strip_str(&linked.out).to_string();
        assert_eq!(text, plain.out, "links change no text");
        let both = bench.run(&[args, &["--hyperlink", "always", "--color", "always"]].concat());
        both.says(begin).says("\u{1b}[1");
        let colored = bench.run(&[args, &["--hyperlink", "never", "--color", "always"]].concat());
        assert!(!colored.out.contains(begin));
    }
    for args in [
        &["check", "run.jsonl", "-f", "json"][..],
        &["check", "run.jsonl", "-f", "html"],
        &["check", "run.jsonl", "--redact", "content"],
        &["repair", "run.jsonl", "-o", "-"],
        &["diff", "run.jsonl", "--as", "raw"],
    ] {
        let ran = bench.run(&[args, &["--hyperlink", "always", "--report", "human=told"]].concat());
        let told = String::from_utf8(bench.read("told")).unwrap();
        assert!(!format!("{}{}{told}", ran.out, ran.err).contains(begin), "{args:?}");
    }
}

/// The pointers in the only finding about a fixture, with their roles.
fn pointers(fixture: &str) -> Vec<(String, String)> {
    let path = format!("{}/fixtures/{fixture}", env!("CARGO_MANIFEST_DIR"));
    let bench = Bench::new();
    let report = bench.run(&["check", "--format", "json", &path]).exits(1).json();
    let finding = &report["conversations"][0]["findings"][0];
    let records = finding["records"].as_array().unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let of = |record: &Value| (text(&record["role"]), text(&record["pointer"]));
    records.iter().map(of).collect()
}

#[test]
fn a_part_that_is_call_and_result_is_named() {
    for (fixture, wanted) in [
        (
            "unanswered-call/opencode.json",
            &[("call", "/messages/1/parts/2"), ("call", "/messages/1/parts/3")][..],
        ),
        ("unanswered-call/ai-sdk-ui-lines.jsonl", &[("call", "/parts/1")]),
        (
            "two-results/opencode-stub.json",
            &[
                ("call", "/messages/1/parts/2"),
                ("placeholder", "/messages/1/parts/1"),
                ("result", "/messages/1/parts/2"),
            ],
        ),
        (
            "repeated-call/opencode.json",
            &[("call", "/messages/1/parts/1"), ("copy", "/messages/1/parts/2")],
        ),
    ] {
        let found = pointers(&format!("rules/{fixture}"));
        let found: Vec<(&str, &str)> = found.iter().map(|(a, b)| (&**a, &**b)).collect();
        assert_eq!(found, wanted, "{fixture}");
    }
}
