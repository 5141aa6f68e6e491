//! Handmade reports for tests of outputs.

use crate::engine::TargetFrom;
use crate::proof::Reason;
use crate::repair::{Op, RepairStep};
use crate::transcript::{Applicability, Code, Confidence, Severity};
use std::collections::BTreeMap;

use super::file::RecordFile;
use super::model::{
    Affected, Conversation, FindingIdentity, FindingRecord, PlannedAction, PlannedFix, Report,
    ReportedFinding, Resolution, Skipped, TextPosition, TextRange, Unchecked, Verdict,
};
use super::redact::{RedactMode, StringKind};
use super::text::Shown;

/// A record of a folder: event number, role, time of day, kind, tool, call ID.
pub(crate) fn record(
    index: u64,
    role: &'static str,
    clock: &str,
    kind: &str,
    tool: &str,
    call: &str,
) -> FindingRecord {
    FindingRecord {
        is_numbered: true,
        role,
        file: Some(RecordFile::inside(format!("events/event-{index:05}-7f0c.json"))),
        line: None,
        index: Some(index),
        unit: "event",
        pointer: None,
        byte: Some([0, 100]),
        range: None,
        id: Some(Shown::of(StringKind::Record, format!("event-{index}"))),
        kind: Some(Shown::of(StringKind::Name, kind)),
        time: Some(format!("2026-01-21T{clock}000Z")),
        tool: Some(Shown::of(StringKind::Name, tool)).filter(|tool| !tool.exact().is_empty()),
        call: Some(Shown::of(StringKind::Call, call)).filter(|call| !call.exact().is_empty()),
        has_zone: false,
        words: None,
    }
}

/// From this line and column to the end of the line after it.
pub(crate) fn range(line: u64, column: u64) -> TextRange {
    let at = |line, column| TextPosition { line, column, character: column };
    TextRange { start: at(line, column), end: at(line + 1, 80) }
}

/// Two results for one call.
pub(crate) fn two_results() -> ReportedFinding {
    let call = "toolu_01EvREYhc5WD2xswPAvEc8ir";
    ReportedFinding {
        code: Code::TwoResults,
        name: "two-results",
        severity: Severity::Fatal,
        confidence: Confidence::Certain,
        effect: Default::default(),
        identity: FindingIdentity {
            count: 1,
            is_local: false,
            fingerprint: String::from("9b1f"),
            fingerprints: vec![String::from("9b1f")],
            keys: Vec::new(),
        },
        message: String::from("two results for one tool call"),
        call_ids: vec![Shown::of(StringKind::Call, call)],
        affected: Affected {
            api_index: BTreeMap::from([("anthropic", 59)]),
            ..Affected::default()
        },
        records: vec![
            record(61, "call", "09:48:05.911", "ActionEvent", "terminal", call),
            record(63, "placeholder", "09:48:16.588", "AgentErrorEvent", "terminal", call),
            record(65, "result", "09:48:18.847", "ObservationEvent", "terminal", call),
        ],
        resolution: Resolution {
            fix: PlannedFix {
                applicability: Applicability::Safe,
                actions: vec![PlannedAction {
                    step: RepairStep {
                        op: Op::Remove,
                        file: None,
                        line: None,
                        index: Some(63),
                        says: String::from("remove event 63"),
                        removes: Some(String::from("event 63")),
                        reason: Some(Reason::Placeholder),
                        text: None,
                    },
                    file: Some(RecordFile::inside("events/event-00063-7f0c.json")),
                    text: None,
                }],
            },
            choices: Vec::new(),
            is_chosen: false,
            advice: "".into(),
        },
        consequences: Vec::new(),
    }
}

/// A line file with one unsafe finding.
pub(crate) fn broken_parent() -> ReportedFinding {
    let mut finding = two_results();
    finding.code = Code::BrokenParent;
    finding.name = "broken-parent";
    finding.severity = Severity::Error;
    finding.message = String::from("the parent of a record does not exist");
    finding.records = vec![FindingRecord {
        file: None,
        line: Some(61),
        index: Some(60),
        ..record(60, "record", "12:03:10.000", "assistant", "", "")
    }];
    finding.call_ids.clear();
    finding.resolution.fix =
        PlannedFix { applicability: Applicability::Unsafe, actions: Vec::new() };
    finding
}

/// A conversation with these findings.
pub(crate) fn conversation(
    path: &str,
    verdict: Verdict,
    findings: Vec<ReportedFinding>,
) -> Conversation {
    Conversation {
        path: Shown::of(StringKind::File, path),
        path_hex: None,
        format: "openhands",
        host: "openhands",
        host_title: "OpenHands",
        title: "OpenHands SDK event log",
        session: Some(Shown::of(StringKind::Session, "fcbbaec2")),
        parent: None,
        rows: None,
        row: None,
        verdict,
        live: false,
        target: "anthropic",
        target_title: "Anthropic",
        refused_by: vec!["Anthropic"],
        clients: BTreeMap::new(),
        recorded_by: None,
        target_from: TargetFrom::model(true),
        hint: None,
        may_be_habits: false,
        introduction: Default::default(),
        records: 66,
        calls: 21,
        findings,
        known: 0,
        caveats: Vec::new(),
        pending: Vec::new(),
        unknown_side_effects: Vec::new(),
        applied: None,
        resume: None,
        copy: None,
        container: None,
        no_safe_fix: None,
        not_selected: BTreeMap::new(),
        needs_from: false,
        offer: None,
        remarks: Vec::new(),
        stored: None,
        redacted: RedactMode::default(),
    }
}

/// One stuck conversation.
pub(crate) fn stuck() -> Report {
    let conversation = conversation("conversations/fcbbaec2", Verdict::Stuck, vec![two_results()]);
    Report { exit_code: 1, ..Report::new(vec![conversation], Vec::new(), Vec::new()) }
}

/// Many conversations, some damaged, one that could not be read.
pub(crate) fn many() -> Report {
    let mut all: Vec<Conversation> = (0..30)
        .map(|n| conversation(&format!("store/{n:02}.jsonl"), Verdict::Healthy, Vec::new()))
        .collect();
    all.push(conversation("store/aa.jsonl", Verdict::Stuck, vec![two_results(), two_results()]));
    all.push(conversation("store/ab.jsonl", Verdict::Lossy, vec![broken_parent()]));
    all.push(conversation("store/ac.jsonl", Verdict::Stuck, vec![broken_parent(), two_results()]));
    all.push(conversation("store/ad.jsonl", Verdict::Pending, Vec::new()));
    let gone = Unchecked {
        candidates: Vec::new(),
        container: None,
        path: Shown::of(StringKind::File, "store/b01e.jsonl"),
        path_hex: None,
        why: String::from("permission denied"),
    };
    let skipped = vec![skipped("store/notes.txt"), skipped("store/readme.md")];
    Report { exit_code: 3, ..Report::new(all, vec![gone], skipped) }
}

/// A skipped file.
pub(crate) fn skipped(path: &str) -> Skipped {
    Skipped {
        path: Shown::of(StringKind::File, path),
        path_hex: None,
        why: "not a transcript".into(),
    }
}
