//! Lines on narrow terminals: none is wider, and only what must be copied stays whole.

use std::fs;
use std::path::{Path, PathBuf};

use unicode_width::UnicodeWidthStr;

use crate::bench::Bench;

/// A folder as deep as those in which hosts keep sessions.
const DEEP: &str = "home/ana/.claude/projects/-home-ana-work-a-project-with-a-long-name/2026-03-04";

/// A file or a folder, and below it.
fn copy(from: &Path, to: &Path) {
    if from.is_file() {
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(from, to).unwrap();
        return;
    }
    for item in fs::read_dir(from).unwrap() {
        let path = item.unwrap().path();
        copy(&path, &to.join(path.file_name().unwrap()));
    }
}

/// A transcript of each rule, under a long path.
fn samples(bench: &Bench) -> Vec<String> {
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/rules");
    let items = |folder: &Path| {
        let mut items: Vec<PathBuf> =
            fs::read_dir(folder).unwrap().map(|item| item.unwrap().path()).collect();
        items.sort();
        items
    };
    let mut names = Vec::new();
    for rule in items(&rules) {
        let is_source = |path: &&PathBuf| {
            let name = path.file_name().unwrap().to_str().unwrap();
            let made = [".report.txt", ".repaired", ".unsafe", ".answered"];
            !made.iter().any(|part| name.contains(part))
        };
        let sources = items(&rule);
        for source in sources.iter().filter(is_source).take(2) {
            let file = source.file_name().unwrap().to_str().unwrap();
            let rule = rule.file_name().unwrap().to_str().unwrap();
            let name = format!("{DEEP}/5f1c7e1a-2b0d-4b5e-9d3f-{rule}-{file}");
            copy(source, &bench.path(&name));
            names.push(name);
        }
    }
    names
}

/// Whether a line holds a command, which stays whole so that it can be copied.
fn is_command(line: &str) -> bool {
    ["transcript-doctor ", " --resume ", "resume "].iter().any(|part| line.contains(part))
}

#[track_caller]
fn fits(bench: &Bench, args: &[&str], columns: &str) -> usize {
    let ran = bench.run(&[args, &["--width", columns]].concat());
    assert!(![2, 70].contains(&ran.status), "{args:?}: {}", ran.err);
    let most: usize = columns.parse().unwrap();
    let lines = || ran.out.lines().chain(ran.err.lines());
    for line in lines().filter(|line| !is_command(line)) {
        assert!(line.width() <= most, "{args:?} at {columns}: {line:?}\n{}", ran.out);
    }
    lines().count()
}

#[test]
fn nothing_is_wider_than_the_terminal() {
    let bench = Bench::new();
    let names = samples(&bench);
    assert!(names.len() > 90, "{} samples", names.len());
    let mut lines = 0;
    for (at, name) in names.iter().enumerate() {
        for command in [&["check"][..], &["explain"], &["diff"], &["repair", "-n"]] {
            let columns = if at % 4 == 0 { "80" } else { "60" };
            lines += fits(&bench, &[command, &[name]].concat(), columns);
        }
    }
    assert!(lines > 3000, "{lines} lines");
}

#[test]
fn lists_and_tables_are_no_wider_either() {
    let bench = Bench::new();
    samples(&bench);
    for columns in ["60", "80"] {
        fits(&bench, &["check", "home"], columns);
        fits(&bench, &["check", "home", "no/such/folder/of/transcripts/run.jsonl"], columns);
        fits(&bench, &["sessions", "home"], columns);
        fits(&bench, &["repair", "-y", "--only", "TD104", "home"], columns);
        fits(&bench, &["rules"], columns);
        fits(&bench, &["formats"], columns);
        fits(&bench, &["explain", "TD108"], columns);
        fits(&bench, &["explain", "TD104"], columns);
    }
}

#[test]
fn paths_are_whole_where_there_is_room_or_everything_is_asked_for() {
    let bench = Bench::new();
    let name = format!("{DEEP}/5f1c7e1a.jsonl");
    bench.lines(&name, &crate::bench::STUCK);
    bench.run(&["check", "--width", "200", &name]).exits(1).says(&format!("STUCK  {name}"));
    bench
        .run(&["check", "--width", "60", "-v", &name])
        .exits(1)
        .says(&format!("STUCK  {name}"))
        .says(&format!("at {name}:4"));
    let narrow = bench.run(&["check", "--width", "60", &name]).exits(1);
    let narrow = narrow.says("STUCK  home/ana/.claude/projects/…/2026-03-04/5f1c7e1a.jsonl");
    narrow
        .says("at home/ana/.claude/projects/…/2026-03-04/5f1c7e1a.jsonl:4")
        .says(&format!("Fix it:  transcript-doctor repair {name}"));
}

/// What limits a verdict is a sentence, which may be longer than a line.
#[test]
fn a_verdict_that_is_limited_has_several_lines() {
    let bench = Bench::new();
    let records = [
        r#"{"type":"session.start","data":{"sessionId":"s1","version":1,"producer":"copilot-agent","copilotVersion":"1.0.102","startTime":"2026-01-05T09:00:00.000Z"},"id":"e1","timestamp":"2026-01-05T09:00:00.000Z","parentId":null}"#,
        r#"{"type":"user.message","data":{"content":"Hi"},"id":"e2","timestamp":"2026-01-05T09:00:01.000Z","parentId":"e1"}"#,
    ];
    bench.lines("run.jsonl", &records);
    fits(&bench, &["check", "run.jsonl"], "60");
    let ran = bench.run(&["check", "run.jsonl", "--width", "60"]);
    ran.exits(0)
        .says("HEALTHY, but 2 records have IDs that Copilot CLI 1.0 does not load run.jsonl");
}

/// A record keeps its size and loses its id where the line has no room for both.
#[test]
fn rows_of_a_difference_are_cut_at_their_cells() {
    let bench = Bench::new();
    let batch = "fixtures/rules/unanswered-call/openhands-batch-all-missing.jsonl";
    let batch = Path::new(env!("CARGO_MANIFEST_DIR")).join(batch);
    copy(&batch, &bench.path("run.jsonl"));
    fits(&bench, &["diff", "run.jsonl"], "60");
    let ran = bench.run(&["diff", "run.jsonl", "--width", "60"]);
    ran.says("+ inserted   new  AgentErrorEvent  359 bytes");
}
