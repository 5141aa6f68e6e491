//! `--redact`: what a reader may see in every output. `redact`: copies without texts.

use crate::bench::{Bench, STUCK};

/// The stuck conversation with names, IDs and texts of people.
fn bench() -> Bench {
    let bench = Bench::new();
    let lines: Vec<String> = STUCK
        .iter()
        .map(|line| {
            line.replace("terminal", "what zoe typed").replace("toolu_01A", "ask zoe first")
        })
        .collect();
    bench.lines("work/run.jsonl", &lines.iter().map(String::as_str).collect::<Vec<_>>());
    bench.lines("plain/run.jsonl", &STUCK);
    bench
}

const SHAPES: [&str; 5] = ["human", "concise", "json", "markdown", "html"];

#[test]
fn content_shows_no_text_and_strict_no_name() {
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
                    "each tool_use must have a single result. Found multiple `tool_result` blocks with id: ask zoe first",
                ],
            ] {
                let ran = bench.run(&[args, &["--redact", mode, "-f", shape]].concat());
                assert!([0, 1, 5].contains(&ran.status), "{args:?}: {}{}", ran.out, ran.err);
                for secret in ["zoe", "private", &home] {
                    let all = format!("{}{}", ran.out, ran.err);
                    assert!(
                        !all.contains(secret),
                        "{mode} {shape} {args:?} tells {secret:?}:\n{all}"
                    );
                }
            }
        }
    }
    let ran = bench.run(&["check", &path, "--redact", "content"]).says("~/work/run.jsonl");
    ran.says("[name 14 B #").says("transcript-doctor repair ~/work/run.jsonl");
    let ran =
        bench.run(&["check", &path, "--redact", "strict"]).says("~/path-1.jsonl").says("call-1");
    assert!(!ran.out.contains("transcript-doctor"), "{}", ran.out);
}

#[test]
fn continuous_integration_gets_no_text() {
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
    // Data does not depend on where the program runs.
    let json = ran("1", &["-f", "json"]).json();
    assert_eq!(json["records"][0]["preview"], "private words");
}

/// What is quoted of a record that is removed.
const REMOVED: &str = " \"A restart occurred while this tool was …\" (kept in the\n  journal)";

#[test]
fn plain_ids_and_names_stay() {
    let bench = bench();
    let ran =
        bench.run(&["check", "plain/run.jsonl", "--redact", "content"]).exits(1).says("toolu_01A");
    // Only the words of the introduction and of what is removed are left out.
    let introduction = "       2026-01-21 · \"private words\"\n";
    let whole = bench.run(&["check", "plain/run.jsonl"]).says(introduction);
    let whole = whole.out.replace(introduction, "");
    assert_eq!(ran.out, whole.replace(REMOVED, " (kept in the journal)"));
}

#[test]
fn data_is_never_redacted() {
    let bench = bench();
    for args in
        [&["diff", "plain/run.jsonl", "--as", "raw"][..], &["repair", "plain/run.jsonl", "-o", "-"]]
    {
        bench.run(args).exits(0).says("private output");
        for mode in ["content", "strict"] {
            bench.run(&[args, &["--redact", mode]].concat()).exits(2).complains("never redacted");
        }
    }
}

#[test]
fn a_report_file_has_no_text() {
    let bench = bench();
    let run = |more: &[&str]| {
        bench
            .run(&[&["explain", "plain/run.jsonl:2", "--report", "json=told.json"], more].concat())
            .exits(0)
    };
    let told = || String::from_utf8(bench.read("told.json")).unwrap();
    run(&[]).says("says: \"private words\"");
    assert!(told().contains("[text 13 B #0001]") && !told().contains("private"), "{}", told());
    run(&["--redact", "off"]);
    assert!(told().contains("private words"), "{}", told());
    bench
        .run(&["check", "work/run.jsonl", "--report", "concise=told.json", "--redact", "strict"])
        .exits(1);
    assert!(told().starts_with("~/path-1.jsonl:"), "{}", told());
}

#[test]
fn sentences_in_a_report_file_are_redacted() {
    let bench = bench();
    let path = bench.path("work/run.jsonl").to_str().unwrap().to_owned();
    for shape in SHAPES {
        let report = format!("{shape}=told");
        for args in
            [&["explain", &path][..], &["explain", &path, "--timeline", "all"], &["check", &path]]
        {
            let ran = bench.run(&[args, &["--report", &report]].concat());
            assert!(ran.out.contains("zoe"), "{}", ran.out);
            let told = String::from_utf8(bench.read("told")).unwrap();
            assert!(
                !told.contains("zoe") && !told.contains("private"),
                "{shape} {args:?}:\n{told}"
            );
        }
    }
}

#[test]
fn a_copy_has_no_text_and_the_same_findings() {
    let bench = bench();
    let ran = bench.run(&["redact", "work/run.jsonl", "-o", "run.redacted.jsonl"]).exits(0);
    ran.says("Wrote run.redacted.jsonl, without any text: 2 findings, as in the original.");
    let copy = String::from_utf8(bench.read("run.redacted.jsonl")).unwrap();
    for gone in ["zoe", "private", "\\\"ls"] {
        assert!(!copy.contains(gone), "{gone} is in\n{copy}");
    }
    assert!(copy.contains("[text 13 B #") && copy.lines().count() == 5, "{copy}");
    bench
        .run(&["check", "run.redacted.jsonl"])
        .exits(1)
        .says("fatal[TD104] two results for one tool call");
    // The copy has nothing to repair it with.
    let ran =
        bench.run(&["repair", "run.redacted.jsonl"]).exits(4).complains("it is a redacted copy");
    assert!(ran.out.contains("nothing") || !ran.out.contains("Removed"), "{}", ran.out);
    assert_eq!(bench.read("run.redacted.jsonl"), copy.as_bytes());
    bench.run(&["repair", "-n", "run.redacted.jsonl"]).exits(1).says("remove line 4");
}

#[test]
fn a_copy_never_replaces_another_file() {
    let bench = bench();
    let was = bench.read("plain/run.jsonl");
    bench.run(&["redact", "plain/run.jsonl"]).exits(2).complains("--output");
    bench
        .run(&["redact", "plain/run.jsonl", "-o", "plain/run.jsonl", "--force"])
        .exits(2)
        .complains("itself");
    bench.run(&["redact", "plain/run.jsonl", "-o", "work/run.jsonl"]).exits(2).complains("exists");
    bench.run(&["redact", "plain/run.jsonl", "-o", "work/run.jsonl", "--force"]).exits(0);
    bench.run(&["redact", "plain/run.jsonl", "--redact", "off", "-o", "x"]).exits(2);
    bench.run(&["redact", "nowhere.jsonl", "-o", "x"]).exits(3);
    assert_eq!(bench.read("plain/run.jsonl"), was);
    let out = bench.run(&["redact", "plain/run.jsonl", "-o", "-"]).exits(0).out;
    assert_eq!(out.as_bytes(), bench.read("work/run.jsonl"));
}

#[test]
fn strict_gives_other_ids_everywhere() {
    let bench = Bench::new();
    let lines: Vec<String> =
        STUCK.iter().map(|line| line.replace("toolu_01A", "toolu_01EvREYhc5WD2")).collect();
    bench.lines("run.jsonl", &lines.iter().map(String::as_str).collect::<Vec<_>>());
    bench.run(&["redact", "run.jsonl", "-o", "s.redacted.jsonl", "--redact", "strict"]).exits(0);
    let copy = String::from_utf8(bench.read("s.redacted.jsonl")).unwrap();
    assert!(!copy.contains("toolu_01EvR") && copy.contains("\"toolu_"), "{copy}");
    assert!(!copy.contains("00000000-0000-4000-8000"), "{copy}");
    bench.folder("c1", &STUCK);
    let ran = bench.run(&["redact", "c1", "-o", "c2.redacted", "--redact", "strict"]);
    let ran = ran.exits(0).says("1 finding, as in");
    assert!(ran.err.is_empty(), "{}", ran.err);
    let names = bench.tree("c2.redacted").into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    assert_eq!(names.len(), 6, "{names:?}");
    assert!(!names.iter().any(|name| name.contains("00000000-0000")), "{names:?}");
    bench.run(&["repair", "c2.redacted"]).exits(4);
}

#[test]
fn compressed_files_and_rows_are_copied_too() {
    let bench = bench();
    let row = |id: &str| {
        format!(
            r#"{{"messages":[{{"role":"user","content":"my words"}},{{"role":"assistant","content":null,"tool_calls":[{{"id":"call_{id}","type":"function","function":{{"name":"f","arguments":"{{\"mine\":1}}"}}}}]}},{{"role":"user","content":"and on"}}]}}"#
        )
    };
    let rows: Vec<String> = (0..3).map(|n| row(&n.to_string())).collect();
    bench.lines("rows.jsonl", &rows.iter().map(String::as_str).collect::<Vec<_>>());
    bench
        .run(&["redact", "rows.jsonl", "-o", "rows.redacted.jsonl.gz"])
        .exits(0)
        .says("as in the original");
    let bytes = bench.read("rows.redacted.jsonl.gz");
    assert_eq!(bytes.get(..2), Some(&[0x1f, 0x8b][..]));
    bench.run(&["redact", "rows.redacted.jsonl.gz", "-o", "again.jsonl"]).exits(0);
    let again = String::from_utf8(bench.read("again.jsonl")).unwrap();
    assert!(
        again.lines().count() == 3 && !again.contains("mine") && !again.contains("my words"),
        "{again}"
    );
    // Rows that were glued, with NUL bytes before them and a torn one at the end; and rows of an array.
    let damaged = format!("{}{}\n\0\0{}\n{}", rows[0], rows[1], rows[2], &rows[0][..90]);
    bench.write("damaged.jsonl", damaged);
    bench.write("rows.json", format!("[{}]", rows.join(",\n")));
    for (name, copy) in [("damaged.jsonl", "d.jsonl"), ("rows.json", "r.json")] {
        bench.run(&["redact", name, "-o", copy]).exits(0).says("as in the original");
        let copy = String::from_utf8(bench.read(copy)).unwrap();
        assert!(!copy.contains("mine") && !copy.contains("my words"), "{copy}");
    }
}

#[test]
fn each_session_of_a_database_gets_a_copy_of_its_own() {
    let bench = Bench::new();
    let fixtures = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/databases");
    std::fs::copy(fixtures.join("goose.db"), bench.path("goose.db")).unwrap();
    bench
        .run(&["redact", "goose.db", "-o", "copies"])
        .exits(2)
        .complains("with several sessions, --output must be an existing folder");
    std::fs::create_dir(bench.path("copies")).unwrap();
    bench.run(&["redact", "goose.db", "-o", "copies"]).exits(0);
    std::fs::create_dir(bench.path("strict")).unwrap();
    bench.run(&["redact", "goose.db", "-o", "strict", "--redact", "strict"]).exits(0);
    let names = |folder: &str| -> Vec<String> {
        bench.tree(folder).into_iter().map(|(name, _)| name).collect()
    };
    let of = |name: &str| format!("{name}.redacted.jsonl");
    assert_eq!(names("copies"), ["20260304_1", "20260304_2", "20260304_3"].map(of));
    assert_eq!(names("strict"), ["session-1", "session-2", "session-3"].map(of));
}
