//! What a run does in the services that continuous integration is made of.

use crate::bench::{Bench, Ran, STUCK, healthy};

fn in_github(bench: &Bench, args: &[&str]) -> Ran {
    let mut command = bench.command(args);
    command
        .env("CI", "true")
        .env("GITHUB_ACTIONS", "true")
        .env("GITHUB_STEP_SUMMARY", bench.path("summary.md"));
    Ran::from(command.output().unwrap())
}

#[test]
fn github_gets_annotations_and_a_summary() {
    let bench = Bench::new();
    bench.lines("logs/run.jsonl", &STUCK);
    bench.write("summary.md", "before\n");
    let ran = in_github(&bench, &["check", "logs"]).exits(1);
    let annotation = "::error file=logs/run.jsonl,line=4,title=TD104 two-results::";
    assert!(ran.out.starts_with("STUCK"), "{}", ran.out);
    assert!(ran.out.contains(annotation), "{}", ran.out);
    let summary = String::from_utf8(bench.read("summary.md")).unwrap();
    assert!(summary.starts_with("before\n### transcript-doctor\n"), "{summary}");
    assert!(
        summary.contains("| TD104 two-results | fatal | 1 | 1 | safe |\n")
            && summary.contains("```sh\ntranscript-doctor repair logs/run.jsonl\n```"),
        "{summary}"
    );
    // Another output is left as it is.
    let ran = in_github(&bench, &["check", "logs", "-f", "json"]).exits(1);
    assert_eq!(ran.json()["exit_code"], 1);
    let ran = in_github(&bench, &["explain", "TD104"]).exits(0);
    assert!(!ran.out.contains("::error"), "{}", ran.out);
}

#[test]
fn the_tenth_annotation_says_how_many_are_missing() {
    let bench = Bench::new();
    for n in 0..12 {
        bench.lines(&format!("{n:02}.jsonl"), &STUCK);
    }
    let ran = bench.run(&["check", ".", "-f", "github"]).exits(1);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert!(lines[8].starts_with("::error file=08.jsonl"), "{}", ran.out);
    assert!(lines[9].starts_with("::error title=3 errors more::"), "{}", ran.out);
    assert!(lines[10].starts_with("::error file=09.jsonl"), "{}", ran.out);
}

#[test]
fn paths_for_review_are_relative_to_the_working_directory() {
    let bench = Bench::new();
    bench.lines("project/logs/run.jsonl", &STUCK);
    let path = bench.path("project/logs/run.jsonl").canonicalize().unwrap();
    let inside = Bench::inside(&bench, "project");
    let path = path.to_str().unwrap();
    for ci in ["", "true"] {
        for (format, wanted) in [
            ("sarif", "\"uri\":\"logs/run.jsonl\""),
            ("gitlab", "\"path\":\"logs/run.jsonl\""),
            ("rdjsonl", "\"path\":\"logs/run.jsonl\""),
            ("github", "file=logs/run.jsonl,"),
            ("junit", "name=\"logs/run.jsonl\""),
        ] {
            let mut command = inside.command(&["check", path, "-f", format]);
            let ran = Ran::from(command.env("CI", ci).output().unwrap());
            assert!(ran.out.contains(wanted), "{format}: {}", ran.out);
            let report = format!("{format}=report");
            inside.run(&["check", path, "--report", &report]).exits(1);
            let report = String::from_utf8(bench.read("project/report")).unwrap();
            assert!(report.contains(wanted), "{format}: {report}");
        }
    }
}

#[test]
fn findings_in_documents_have_lines() {
    let bench = Bench::new();
    let document = "[\n  {\"role\": \"user\", \"content\": \"List\"},\n  {\"role\": \"assistant\", \"content\": null, \
        \"tool_calls\": [{\"id\": \"call_1\", \"type\": \"function\", \
        \"function\": {\"name\": \"ls\", \"arguments\": \"{}\"}}]},\n  {\"role\": \"user\", \"content\": \"Go on\"}\n]\n";
    bench.write("run.json", document);
    let ran = bench.run(&["check", "run.json", "-f", "json"]).exits(1);
    let record = &ran.json()["conversations"][0]["findings"][0]["records"][0];
    let start = &record["range"]["start"];
    assert_eq!((&start["line"], &start["column"]), (&3.into(), &3.into()), "{record}");
    bench
        .run(&["check", "run.json", "-f", "github"])
        .exits(1)
        .says("file=run.json,line=3,endLine=3,col=3,");
    bench.lines("well.jsonl", &healthy());
    bench
        .run(&["check", "run.json", "well.jsonl", "-f", "junit"])
        .exits(1)
        .says("tests=\"2\" failures=\"1\" errors=\"0\"")
        .says("<testcase classname=\"openhands\" name=\"well.jsonl\"/>");
}
