//! The examples on the pages of the rules: each has the problem, and the command on the page repairs it as shown.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use transcript_doctor::testing::explain::rule::{Manual, Paragraph};
use transcript_doctor::testing::rules::{self, RuleExample};
use transcript_doctor::testing::transcript::Code;

use crate::bench::{Bench, Ran};

/// The findings of a transcript, by their codes.
fn codes(found: &Ran) -> Vec<String> {
    let report = found.json();
    let findings = report["conversations"][0]["findings"].as_array().unwrap();
    let codes = findings.iter().filter_map(|own| own["code"].as_str());
    codes.map(str::to_owned).collect()
}

/// Writes the files of an example as if nobody had changed them for an hour. Returns those that stay open.
fn write(bench: &Bench, example: &RuleExample) -> Vec<File> {
    let hour = Duration::from_secs(3600);
    let files = example.before().into_iter().filter_map(|(name, bytes)| {
        let path = format!("run/{name}");
        let path = path.trim_end_matches('/');
        bench.write(path, bytes);
        let file = File::options().append(true).open(bench.path(path));
        let file = file.unwrap();
        file.set_modified(SystemTime::now() - hour).unwrap();
        example.is_open().then_some(file)
    });
    files.collect()
}

/// Files whose bytes can be read in a failure.
fn readable(files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Vec<(String, String)> {
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let files = files.into_iter();
    files.map(|(name, bytes)| (name, text(bytes))).collect()
}

#[test]
fn examples_are_true() {
    for rule in rules::ALL {
        let example = &rule.page.example;
        // Nowhere else can a process see what others have open.
        if example.is_open() && !cfg!(target_os = "linux") {
            continue;
        }
        let bench = Bench::new();
        let open = write(&bench, example);
        let from = ["--from", example.from];
        let found = bench.run(&[&["check", "run", "-f", "json"], &from[..]].concat());
        let mut codes = codes(&found);
        if rule.code == Code::GrowingTail {
            // The process that still writes it is a finding of its own.
            codes.retain(|code| code != Code::LiveWriter.as_str());
        }
        assert_eq!(codes, [rule.code.as_str()], "{}", found.out);
        let to = ["repair", "run", "-y", "-o", "out"];
        let repaired = bench.run(&[&to, &from[..], example.options].concat());
        assert_eq!(
            readable(bench.tree("out")),
            readable(example.after()),
            "{}: {}{}",
            rule.code,
            repaired.out,
            repaired.err
        );
        drop(open);
    }
}

#[test]
fn pages_answer_what_somebody_who_sees_the_error_asks() {
    for rule in rules::ALL {
        let manual = Manual::of(rule);
        let titles: Vec<&str> = manual.sections.iter().map(|own| own.title).collect();
        let has = |title: &str| titles.contains(&title);
        let code = rule.code;
        for always in ["What it means", "Causes", "What repair does"] {
            assert!(has(always), "{code}: {titles:?}");
        }
        // A piece of a pattern is not what anybody sees.
        for paragraph in manual.sections.iter().flat_map(|own| &own.paragraphs) {
            if let Paragraph::Quote(who, text) = paragraph {
                assert!(text.trim().contains([' ', '_']), "{code}: {who}: {text}");
            }
        }
        assert!(
            has("What you see") || format!("{:?}", rule.severity) != "Fatal",
            "{code}: no error text of a provider"
        );
        let needs_more = manual.fix.contains("unsafe") || manual.fix.contains("you decide");
        assert_eq!(has("If it is not safe"), needs_more, "{code}: {titles:?}");
        if manual.fix.contains("unsafe") {
            assert!(rule.page.otherwise.contains("--unsafe"), "{code}: no command");
        }
    }
}

/// The title line of a page names every kind of fix that the rule has for a fixture.
#[test]
fn title_lines_name_the_fixes_that_occur() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/rules");
    let folders = fs::read_dir(root).unwrap().map(|own| own.unwrap().path());
    let reports = folders.flat_map(|folder| fs::read_dir(folder).unwrap());
    let mut seen = 0;
    for path in reports.map(|own| own.unwrap().path()) {
        if !path.to_string_lossy().ends_with(".report.txt") {
            continue;
        }
        // `  TD104 fatal, refused, safe: two results …`
        for line in fs::read_to_string(&path).unwrap().lines() {
            let Some((facts, _)) = line.split_once(": ") else {
                continue;
            };
            let Some((code, fixes)) = facts.trim().split_once(' ') else {
                continue;
            };
            let (Some(rule), Some((_, fixes))) = (rules::by_name(code), fixes.rsplit_once(", "))
            else {
                continue;
            };
            for fix in fixes.split('/').filter(|fix| ["safe", "unsafe"].contains(fix)) {
                seen += 1;
                let named = rule.page.fix.split([' ', ',']).any(|word| word == fix);
                let is_asked_for = rule.page.fix == "on request";
                assert!(named || is_asked_for, "{}: {line}", path.display());
            }
        }
    }
    assert!(seen > 500, "{seen} fixes");
}
