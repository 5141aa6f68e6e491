//! The examples on the pages of the rules: each has the problem, and the command on the page repairs it as shown.

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
    // These take a folder, a process that writes, a host that splits lines by Unicode rules, or another provider.
    let needs_more = [
        "TD007", "TD205", "TD307", "TD501", "TD502", "TD503", "TD504", "TD507", "TD901", "TD902",
    ];
    assert_eq!(without, needs_more);
}
