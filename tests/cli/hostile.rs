//! Transcripts are written by others: nothing in them can steer the terminal of who reads a report.

use crate::bench::{Bench, STUCK};

/// What a terminal obeys, what reverses a text, and what C1 controls begin.
const HOSTILE: &str = "a\u{1b}[2J\u{7}b\u{202e}c\u{9b}31md\u{2066}e\u{7f}";

/// The records with hostile texts, names, and IDs.
fn hostile() -> Vec<String> {
    let written = serde_json::to_string(HOSTILE).unwrap();
    let written = written.trim_matches('"');
    let records = STUCK.iter().map(|record| {
        record
            .replace("private words", written)
            .replace("private output", written)
            .replace("\"terminal\"", &format!("\"terminal{written}\""))
            .replace("toolu_01A", &format!("toolu_01A{written}"))
    });
    records.collect()
}

#[test]
fn what_was_typed_wrongly_is_printed_with_escapes() {
    let bench = Bench::new();
    for words in [
        &["check", "--\u{202e}bad"][..],
        &["check", "-f", "a\u{202e}b", "x"],
        &["ch\u{202e}eck"],
        &["repair", "--prefer", "\u{202e}", "x"],
    ] {
        let ran = bench.run(words).exits(2);
        assert!(!ran.err.contains('\u{202e}'), "{words:?}: {}", ran.err);
        assert!(ran.err.contains("\\u{202e}"), "{words:?}: {}", ran.err);
    }
}

#[test]
fn no_output_can_steer_a_terminal() {
    let bench = Bench::new();
    let records = hostile();
    let records: Vec<&str> = records.iter().map(String::as_str).collect();
    bench.lines("run.jsonl", &records);
    // A name of a file is a foreign text, too.
    let name = "evil\u{1b}[2J\u{202e}.jsonl";
    if !cfg!(windows) {
        bench.lines(name, &records);
    }
    let mut seen = String::new();
    let mut run = |words: &[&str]| {
        let ran = bench.run(words);
        for c in ran.out.chars().chain(ran.err.chars()) {
            let is_steering = c.is_control() && c != '\n' && c != '\t';
            let is_bidi = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
            assert!(!is_steering && !is_bidi, "{words:?}: {c:?}\n{}{}", ran.out, ran.err);
        }
        seen.push_str(&ran.out);
    };
    let files = if cfg!(windows) { vec!["run.jsonl"] } else { vec!["run.jsonl", name] };
    for file in files {
        for format in [
            "human", "concise", "json", "jsonl", "sarif", "junit", "github", "gitlab", "rdjsonl",
            "markdown", "html",
        ] {
            run(&["check", "-v", "--redact", "off", "-f", format, file]);
        }
        for format in ["human", "json", "markdown", "html"] {
            run(&["explain", "--redact", "off", "-f", format, file]);
        }
        run(&["explain", "--redact", "off", &format!("{file}:2")]);
        run(&["diff", "--redact", "off", file]);
        run(&["sessions", "--redact", "off", file]);
        run(&["check", "--list-files", file]);
        run(&["check", "--show-settings", file]);
        run(&["repair", "--redact", "off", "-v", file]);
        run(&["diff", "--op", "last", "--redact", "off"]);
    }
    run(&["undo", "--list"]);
    run(&["verify"]);
    run(&["check", &format!("gone{HOSTILE}.jsonl")]);
    // The texts were shown, as far as they can be.
    assert!(seen.contains("\\u{1b}[2J") && seen.contains("\\u001b[2J"), "{seen}");
}
