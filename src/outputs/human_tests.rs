use super::super::tests::text;
use super::*;
use crate::outputs::document::finding::DRAWN;
use crate::outputs::next::AsTyped;
use crate::report::redact::at_hand;
use crate::report::sample;

fn typed(name: &str) -> OutputStyle {
    at_hand(OutputStyle {
        next: AsTyped { names: vec![name.into()], ..AsTyped::default() },
        ..OutputStyle::default()
    })
}

#[test]
fn a_stuck_conversation_as_in_the_manual() {
    let wanted = "\
STUCK  conversations/fcbbaec2
       OpenHands SDK event log, 66 records, 21 calls, checked against Anthropic
       (recorded model)
       Anthropic will reject the next request: two results for one tool call.

fatal[TD104] two results for one tool call: terminal toolu_01EvR…c8ir  fix: safe
    61  09:48:05.911  ActionEvent       terminal  call toolu_01EvR…c8ir  ─┐
    63  09:48:16.588  AgentErrorEvent   terminal  result                 ─┤
        placeholder, 11 s later
    65  09:48:18.847  ObservationEvent  terminal  result                 ─┘
        2.3 s later
  at conversations/fcbbaec2/events/event-00063-7f0c.json
  fix: remove event 63 (kept in the journal)

1 conversation: 1 stuck.  1 fatal (1 safe fix).
Fix it:  transcript-doctor repair conversations/fcbbaec2
";
    assert_eq!(text("human", &sample::stuck(), &typed("conversations/fcbbaec2")), wanted);
}

#[test]
fn many_conversations_are_a_table() {
    let wanted = "\
34 conversations
  STUCK 2  LOSSY 1  PENDING 1  HEALTHY 30
  rule                 conversations  findings  fix
  TD104 two-results                2         3  safe
  TD301 broken-parent              2         2  unsafe
  STUCK       store/aa.jsonl  2 TD104
  STUCK       store/ac.jsonl  TD104, TD301
  LOSSY       store/ab.jsonl  TD301

not checked  store/b01e.jsonl  permission denied
Skipped 2 files that are not transcripts (list: -v).

3 fatal, 2 errors (3 safe fixes, 2 unsafe fixes).
Repair all that is safe:
  transcript-doctor repair --only TD104 --yes --keep-mtime store
";
    assert_eq!(text("human", &sample::many(), &typed("store")), wanted);
}

#[test]
fn quiet_is_the_verdicts() {
    let style = OutputStyle { detail: Detail::Verdicts, ..OutputStyle::default() };
    assert_eq!(text("human", &sample::stuck(), &style), "STUCK       conversations/fcbbaec2\n");
}

#[test]
fn an_unsafe_finding_asks_to_look_first() {
    let c = sample::conversation("a.jsonl", Verdict::Lossy, vec![sample::broken_parent()]);
    let shown = text(
        "human",
        &Report::new(vec![c], Vec::new(), vec![sample::skipped("notes.txt")]),
        &typed("a.jsonl"),
    );
    assert!(shown.ends_with("transcript-doctor diff --unsafe a.jsonl\n"), "{shown}");
    assert!(shown.contains("Skipped 1 file that is not a transcript (list: -v)."), "{shown}");
    assert!(shown.contains("  at a.jsonl:61\n"), "{shown}");
}

#[test]
fn many_findings_of_one_rule_are_folded() {
    let findings = (0..25).map(|_| sample::two_results()).collect();
    let report = Report::new(
        vec![sample::conversation("a", Verdict::Stuck, findings)],
        Vec::new(),
        Vec::new(),
    );
    let shown = text("human", &report, &OutputStyle::default());
    assert_eq!(shown.matches("fatal[TD104]").count(), DRAWN);
    assert!(shown.contains("15 more TD104; -v shows them"), "{shown}");
    let all =
        text("human", &report, &OutputStyle { detail: Detail::All, ..OutputStyle::default() });
    assert_eq!(all.matches("fatal[TD104]").count(), 25);
    assert!(all.contains("toolu_01EvREYhc5WD2xswPAvEc8ir"), "{all}");
}

#[test]
fn notes_wait_for_v() {
    let mut finding = sample::two_results();
    finding.severity = Severity::Note;
    let report = Report::new(
        vec![sample::conversation("a", Verdict::Healthy, vec![finding])],
        Vec::new(),
        Vec::new(),
    );
    let shown = text("human", &report, &typed("a"));
    assert!(!shown.contains("note[") && shown.contains("1 note"), "{shown}");
    assert!(!shown.contains("Fix it"), "{shown}");
}
