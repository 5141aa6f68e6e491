//! Stories that several hosts share: what each of them needs, and what is said of which host.

use super::tests::{changed, codes, with, without};
use super::*;
use crate::transcript::Confidence::{Certain, Guess, Likely};

/// The lines of a fixture of a rule.
fn fixture(name: &str) -> Vec<String> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/rules").join(name);
    std::fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect()
}

/// What is said of the first story: what follows, how to prevent it.
fn said(name: &str, lines: &[String]) -> (&'static str, &'static str, &'static str) {
    with(name, lines, |_, stories| (stories[0].host, stories[0].does, stories[0].prevent))
}

#[test]
fn a_failed_answer_is_told_with_what_became_of_its_tools() {
    let lines = fixture("failed-turn-with-calls/pi-errored-turn-with-result.jsonl");
    let runs = |lines: &[String]| {
        with("x.jsonl", lines, |_, stories| {
            (stories[0].story.code, stories[0].lines[0].says, stories[0].runs())
        })
    };
    let (code, says, ran) = runs(&lines);
    assert!((code, ran) == ("S1", Runs::Unseen) && says.contains("ended with an error"), "{says}");
    let stopped: Vec<String> = lines
        .iter()
        .map(|line| line.replace("\"stopReason\":\"error\"", "\"stopReason\":\"aborted\""))
        .collect();
    let (_, says, _) = runs(&stopped);
    assert!(says.contains("response was stopped"), "{says}");
    // Without its result the answer does no harm; only the record after it has lost its parent.
    assert_eq!(codes(&without(&lines, 6)), [("S7", Guess)]);
    let stub = fixture("failed-turn-with-calls/pi-failed-turn-then-retry-with-same-id.jsonl");
    assert_eq!(runs(&stub).2, Runs::Unknown);
}

#[test]
fn a_rewritten_file_is_told_once_without_places() {
    let lines = fixture("unreadable-record/claude-code-cut-by-marks.jsonl");
    let of = |lines: &[String]| {
        with("x.jsonl", lines, |_, stories| {
            stories
                .iter()
                .map(|one| (one.story.code, one.more.len(), one.explained.len()))
                .collect::<Vec<_>>()
        })
    };
    assert_eq!(of(&lines), [("S26", 0, 3)]);
    // A text behind the mark is what a crash leaves.
    let behind: Vec<String> = lines
        .iter()
        .map(|line| if line.ends_with(']') { format!("{line} and") } else { line.clone() })
        .collect();
    assert_eq!(of(&behind), [("S4", 2, 3)]);
    let ids = fixture("duplicate-record-id/claude-code-one-id-on-all.jsonl");
    assert_eq!(of(&ids), [("S26", 0, 1)]);
}

#[test]
fn who_wrote_it_decides_what_is_said() {
    let lines = fixture("failed-turn-with-calls/pi-failed-turn-then-retry-with-same-id.jsonl");
    let (host, does, prevent) = said("x.jsonl", &lines);
    assert_eq!((host, prevent), ("pi", ""));
    assert!(does.contains("{host} never sends"), "{does}");
    // What only OpenClaw writes makes it OpenClaw's.
    let theirs = [&lines[..], &[r#"{"type":"custom","customType":"openclaw.note","id":"0c0c0c0c","parentId":null,"timestamp":"2026-02-25T06:13:20.000Z","appendMode":"side"}"#.to_owned()]].concat();
    let (host, does, prevent) = said("x.jsonl", &theirs);
    assert_eq!(host, "OpenClaw");
    assert!(does.contains("OpenClaw") && prevent.contains("2026.3.13"), "{does} {prevent}");
}

#[test]
fn an_interrupt_needs_its_mark_and_no_other_turn() {
    let lines = fixture("unanswered-call/claude-code-batch-unanswered-mid.jsonl");
    assert_eq!(codes(&lines), [("S8", Certain)]);
    let spoke = changed(&lines, 5, "[Request interrupted by user", "Please stop [");
    assert_eq!(codes(&spoke), [("S9", Likely)]);
    let codex = fixture("unanswered-call/codex-missing-output.jsonl");
    assert_eq!(codes(&codex), [], "the model went on, and why the output is missing is not known");
}

#[test]
fn a_long_pause_means_that_the_program_ended() {
    let lines = fixture("unanswered-call/pi-orphan-call-crash.jsonl");
    let so = |lines: &[String]| {
        with("x.jsonl", lines, |_, stories| (stories[0].story.code, stories[0].variant.so))
    };
    assert!(so(&lines).0 == "S9" && so(&lines).1.contains("ended the wait"));
    let late = changed(&lines, 4, "T06:13:23", "T09:13:23");
    assert!(so(&late).1.contains("the program ended"), "{}", so(&late).1);
}

#[test]
fn a_placeholder_is_certain_by_the_clock_only() {
    let lines = fixture("two-results/pi-synthetic-then-real-result.jsonl");
    assert_eq!(codes(&lines), [("S10", Certain)]);
    let mut swapped = lines.clone();
    swapped.swap(3, 5);
    assert_eq!(codes(&swapped).first().map(|(code, _)| *code), Some("S11"));
    assert_eq!(codes(&fixture("two-results/langchain.jsonl")), [("S10", Likely)]);
}

#[test]
fn two_outputs_are_a_copy_or_a_second_run() {
    let lines = fixture("conflicting-results/codex-two-real-outputs.jsonl");
    assert_eq!(codes(&lines), [("S12", Guess)]);
    let same = [&lines[..8], &lines[7..8], &lines[9..]].concat();
    assert_eq!(codes(&same), [("S12", Likely)]);
}

#[test]
fn a_fragment_tells_who_wrote_on_behind_it() {
    let lines = fixture("glued-records/claude-code-spliced-line.jsonl");
    assert_eq!(codes(&lines), [("S4", Likely)]);
    assert_eq!(codes(&fixture("glued-records/claude-code-three-glued.jsonl")), [("S5", Guess)]);
    // A line that never was a record is no write that stopped.
    assert_eq!(codes(&fixture("unreadable-record/claude-code-garbage-line.jsonl")), []);
}

#[test]
fn ids_of_another_provider_tell_of_a_switch() {
    let ask = |id: &str| {
        [
            r#"{"role":"user","content":"hi"}"#.to_owned(),
            format!(
                r#"{{"role":"assistant","content":null,"tool_calls":[{{"id":"{id}","type":"function","function":{{"name":"f","arguments":"{{}}"}}}}]}}"#
            ),
            format!(r#"{{"role":"tool","tool_call_id":"{id}","content":"ok"}}"#),
        ]
    };
    let long = format!("toolu_{}", "a".repeat(80));
    assert_eq!(codes(&[ask("call_9f3a12b"), ask(&long)].concat()), [("S15", Likely)]);
    assert_eq!(codes(&[ask("toolu_01Ab"), ask(&long)].concat()), []);
}

#[test]
fn notes_tell_no_story_of_the_shared_kind() {
    let lines = fixture("unanswered-call/openhands-before-condensation.jsonl");
    with("x.jsonl", &lines, |judged, stories| {
        assert!(!judged.findings.is_empty() && stories.is_empty());
    });
}
