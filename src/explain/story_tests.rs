use super::*;
use crate::bytes::source::{EntryId, Source};
use crate::detect::recognize;
use crate::engine::{CheckOptions, judge};
use crate::format::head::Sample;
use crate::outputs::{self, Detail, OutputStyle, json};
use crate::report::text::is_dangerous;

/// A fixture's lines.
pub(in crate::explain) fn fixture(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/stories").join(name);
    std::fs::read_to_string(path.with_extension("jsonl")).unwrap()
}

/// Judges a line file and looks at it.
pub(in crate::explain) fn with<T>(text: &str, look: impl FnOnce(&Source, &Judged) -> T) -> T {
    let name = "run.jsonl";
    let source = Source::memory(name, vec![(name.to_owned(), text.as_bytes().to_vec())]);
    let detection = recognize(&Sample::of_file(&source, EntryId(0), name).unwrap(), None).unwrap();
    let judged = judge(&source, name, &detection, &CheckOptions::default()).unwrap();
    look(&source, &judged)
}

fn account_of(text: &str, options: &ExplainOptions) -> Account {
    with(text, |source, judged| {
        let account = account(Path::new("run.jsonl"), source, judged, false, options);
        crate::report::redact::at_hand(account)
    })
}

fn shown(account: &Account, style: &OutputStyle) -> String {
    let mut out = Vec::new();
    outputs::explained::story(account, &mut out, style).unwrap();
    anstream::adapter::strip_str(std::str::from_utf8(&out).unwrap()).to_string()
}

/// Without the lines that do not belong to the sentences: what is before the first empty line and after `Timeline`.
fn sentences(text: &str) -> String {
    let behind = text.split_once("\n\n").map_or("", |(_, behind)| behind);
    behind.split("\nTimeline").next().unwrap_or_default().trim_end().to_owned()
}

#[test]
fn a_story_reads_as_a_person_would_tell_it() {
    let account = account_of(&fixture("second-server"), &ExplainOptions::default());
    let wanted = "\
What happened (certain unless marked)
  1. Line 4: the agent started `terminal`.                          09:48:05.922
  2. Line 5: another process resumed this conversation and set it   09:48:09.577
     to ERROR.
  3. Line 6: crash recovery found the call unanswered and wrote an  09:48:09.579
     error for it.
  4. Line 7: the command, never interrupted, delivered its real     09:48:11.069
     output.
So both 6 and 7 answer toolu_01NESTED0001. The next request then has 2 results
with the same ID, and Anthropic rejects it every time.

Safe to continue?  Yes, after the repair: the command ran once, and its output
is kept.
Prevent it: open a persistence folder with only one process at a time; agent
servers with leases ensure that themselves (OpenHands/software-agent-sdk#2114,
#2966).";
    assert_eq!(sentences(&shown(&account, &OutputStyle::default())), wanted);
    assert!(
        shown(&account, &OutputStyle::default())
            .ends_with("\nNext:  transcript-doctor repair run.jsonl\n")
    );
}

#[test]
fn what_is_not_certain_is_marked() {
    let text = fixture("second-server");
    let text: String = text
        .lines()
        .filter(|line| !line.contains("aa0ca063"))
        .map(|line| format!("{line}\n"))
        .collect();
    let account = account_of(&text, &ExplainOptions::default());
    let shown = shown(&account, &OutputStyle { width: 140, ..OutputStyle::default() });
    assert!(shown.contains("delivered its real output. (likely)"), "{shown}");
    assert!(shown.contains("It may also be "), "{shown}");
    assert!(
        shown.contains(
            "Check the side effects of:\n  `terminal` toolu_01NESTED0001 (line 3): may have run twice."
        ),
        "{shown}"
    );
    assert!(shown.contains("started `terminal`.  "), "{shown}");
}

#[test]
fn a_healthy_recording_is_said_to_be_healthy() {
    let account = account_of(
        &fixture("healed-itself"),
        &ExplainOptions { stories: false, ..ExplainOptions::default() },
    );
    assert_eq!((account.go_on.answer, account.next), (MayContinue::Yes, None));
    assert_eq!((account.summary.branches_left, account.timeline.len()), (1, 0));
    let shown = shown(&account, &OutputStyle { width: 120, ..OutputStyle::default() });
    let says = "No problems. 1 abandoned branch. The last status is finished. The last message is a tool result.";
    assert!(shown.contains(says) && !shown.contains("What happened"), "{shown}");
    let account = account_of(&fixture("healed-itself"), &ExplainOptions::default());
    assert_eq!(account.stories.iter().map(|story| story.code).collect::<Vec<_>>(), ["P18"]);
    assert_eq!(account.go_on.answer, MayContinue::Yes);
}

#[test]
fn a_damage_without_a_known_cause_is_told_as_such() {
    let account = account_of(
        &fixture("../rules/orphan-result/openhands-at-the-end"),
        &ExplainOptions::default(),
    );
    assert_eq!((account.stories.len(), account.unexplained.as_slice()), (0, &[0][..]));
    let shown = sentences(&shown(&account, &OutputStyle::default()));
    assert!(shown.starts_with("Problems (cause unknown)\nfatal[TD103]"), "{shown}");
}

#[test]
fn the_timeline_is_chosen() {
    let text = fixture("second-server");
    let lines = |options: ExplainOptions| -> Vec<u64> {
        account_of(&text, &options).timeline.iter().filter_map(|record| record.line).collect()
    };
    let options = ExplainOptions::default();
    assert_eq!(lines(options.clone()), [3, 4, 5, 6, 7, 8]);
    assert_eq!(lines(ExplainOptions { context: 0, ..options.clone() }), [4, 5, 6, 7]);
    assert_eq!(
        lines(ExplainOptions { timeline: Timeline::All, ..options.clone() }),
        (1..=12).collect::<Vec<_>>()
    );
    assert_eq!(
        lines(ExplainOptions { timeline: Timeline::Calls, ..options.clone() }),
        [4, 6, 7, 8, 9, 10, 11]
    );
    for word in ["11", "35dcbad9", "35dcbad9-83c7-4b41-9592-e277a6a948df"] {
        assert_eq!(
            lines(ExplainOptions { around: Some(word.to_owned()), ..options.clone() }),
            [10, 11, 12],
            "{word}"
        );
    }
    assert!(lines(ExplainOptions { around: Some("nothing".to_owned()), ..options }).is_empty());
}

#[test]
fn no_string_of_a_recording_steers_the_terminal() {
    let bad = "x\\u001b[2J\\u0007\\u202e\\u2028\\u009b";
    let text = fixture("run-again")
        .replace("terminal", bad)
        .replace("toolu_01RERUN0001", bad)
        .replace("finished", bad);
    let account =
        account_of(&text, &ExplainOptions { timeline: Timeline::All, ..ExplainOptions::default() });
    assert_eq!(account.stories.len(), 1);
    for detail in [Detail::Verdicts, Detail::Normal, Detail::All] {
        let shown = shown(&account, &OutputStyle { detail, ..OutputStyle::default() });
        assert_eq!(shown.chars().find(|c| *c != '\n' && is_dangerous(*c)), None, "{shown:?}");
    }
    let mut out = Vec::new();
    json::value(&account, &mut out).unwrap();
    let out = String::from_utf8(out).unwrap();
    assert_eq!(out.trim_end().chars().find(|c| is_dangerous(*c)), None, "{out:?}");
    let value: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(value["stories"][0]["code"], "P2");
    assert_eq!(value["go_on"]["answer"], "after_repair");
}

#[test]
fn ascii_means_ascii_and_a_narrow_page_stays_narrow() {
    for name in ["second-server", "late-result", "crash-in-batch", "repeated-call", "healed-itself"]
    {
        let account = account_of(&fixture(name), &ExplainOptions::default());
        let shown =
            shown(&account, &OutputStyle { ascii: true, width: 80, ..OutputStyle::default() });
        assert!(shown.is_ascii(), "{shown}");
        let behind = shown.split_once("\n\n").map_or("", |(_, behind)| behind);
        let wide =
            behind.lines().filter(|line| !line.starts_with("  at ")).find(|line| line.len() > 80);
        assert_eq!(wide, None, "{shown}");
    }
}
