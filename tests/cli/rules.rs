//! The examples on the pages of the rules: each has the problem, and the command on the page repairs it as shown.

use std::fs;
use std::path::Path;

use transcript_doctor::testing::explain::rule::Manual;
use transcript_doctor::testing::rules;

use crate::bench::Bench;

#[test]
fn examples_are_true() {
    let mut without = Vec::new();
    for rule in rules::ALL {
        let Some(example) = &rule.page.example else {
            without.push(rule.code.as_str());
            continue;
        };
        let bench = Bench::new();
        bench.write("run.jsonl", example.before());
        let from = ["--from", example.from];
        let found = bench.run(&[&["check", "run.jsonl", "-f", "json"], &from[..]].concat());
        let report = found.json();
        let findings = report["conversations"][0]["findings"].as_array().unwrap();
        let codes: Vec<&str> = findings.iter().filter_map(|f| f["code"].as_str()).collect();
        assert_eq!(codes, [rule.code.as_str()], "{}", found.out);
        let args = [
            &["repair", "run.jsonl", "-y", "-o", "out.jsonl"],
            &from[..],
            example.options,
        ];
        let repaired = bench.run(&args.concat());
        assert_eq!(
            String::from_utf8_lossy(&bench.read("out.jsonl")),
            String::from_utf8_lossy(&example.after()),
            "{}: {}{}",
            rule.code,
            repaired.out,
            repaired.err
        );
    }
    // These take a folder, a process that writes, or a host that splits lines by Unicode rules.
    let needs_more = [
        "TD007", "TD411", "TD503", "TD504", "TD507", "TD901", "TD902",
    ];
    assert_eq!(without, needs_more);
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
        assert!(
            has("What you see") || format!("{:?}", rule.severity) != "Fatal",
            "{code}: no error text of a provider"
        );
        let needs_more = manual.fix.contains("unsafe") || manual.fix.contains("you decide");
        assert_eq!(has("If it is not safe"), needs_more, "{code}: {titles:?}");
        if manual.fix.contains("unsafe") {
            assert!(
                rule.page.otherwise.contains("--unsafe"),
                "{code}: no command"
            );
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
            for fix in fixes
                .split('/')
                .filter(|fix| ["safe", "unsafe"].contains(fix))
            {
                seen += 1;
                let named = rule.page.fix.split([' ', ',']).any(|word| word == fix);
                let is_asked_for = rule.page.fix == "on request";
                assert!(named || is_asked_for, "{}: {line}", path.display());
            }
        }
    }
    assert!(seen > 500, "{seen} fixes");
}
