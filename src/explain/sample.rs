//! Hand-made explanations for the tests of what people see.

use super::error;
use super::format::ListedFormat;
use super::go_on::{CallEffect, GoOn, MayContinue};
use super::planned::{Planned, PlannedStep};
use super::record::{Held, NamingFinding, RecordAccount, RecordsAccount, Ref};
use super::recorded::{Ended, Recorded};
use super::rule::Manual;
use super::story::{
    Account, ConversationNumbers, FoundStory, NamedCall, ProposedCommand, StoryLine,
};
use super::{Explained, SCHEMA};
use crate::report::model::{Applied, Choice, ResumeCommand, Tool, Verdict};
use crate::report::redact::{StringKind, at_hand};
use crate::report::sample::{conversation, two_results};
use crate::report::text::{Sentence, Shown};
use crate::transcript::{Code, Confidence, Severity};

fn tool() -> Tool {
    Tool { name: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION") }
}

fn read(foreign: &str) -> error::PastedText {
    error::PastedText {
        speaker: "Anthropic",
        means: "a tool call has more than one result",
        source: "a report",
        codes: vec![Code::TwoResults],
        is_alike: false,
        no_damage: false,
        ids: vec![Shown::from(foreign)],
        indices: vec![21],
    }
}

/// An explained transcript. Every foreign string is `foreign`; sentences contain it as the models
/// fill it in.
pub(crate) fn story(foreign: &str) -> Account {
    let shown = || Shown::from(foreign);
    // Each member that may hold a foreign string must have one, or redaction is not tested for it.
    let mut finding = two_results();
    finding.resolution.choices = vec![Choice {
        does: "",
        has_zone: true,
        time: None,
        unit: "event",
        numbers: vec![65],
        options: vec!["--prefer".into(), "1".into(), "--call".into(), shown()],
        is_kept: false,
        text: Some(Shown::of(StringKind::Text, foreign)),
    }];
    for record in &mut finding.records {
        (record.kind, record.tool, record.id) = (Some(shown()), Some(shown()), Some(shown()));
    }
    finding.message = format!("two results for one tool call of {}", at_hand(shown()));
    let line = |number, clock: &str, says: &str, certainty| StoryLine {
        unit: "event",
        number,
        time: Some(format!("2026-01-21T{clock}000")),
        says: says.into(),
        certainty,
        asides: Vec::new(),
    };
    let mut first = line(
        61,
        "09:48:05.911",
        &format!("the agent started `{}`.", at_hand(shown())),
        Confidence::Certain,
    );
    first
        .asides
        .push((Sentence::from("Its output mentions ").name(shown()).and("."), Confidence::Likely));
    let timeline = finding.records.clone();
    let mut account = conversation(foreign, Verdict::Stuck, vec![finding]);
    account.session = Some(shown());
    account.resume = Some(ResumeCommand {
        command: vec!["claude".into(), shown()],
        folder: Some(shown()),
        has_folder: true,
        at_home: true,
    });
    Account {
        schema: SCHEMA,
        tool: tool(),
        conversation: account,
        summary: ConversationNumbers {
            events: 66,
            calls: 21,
            branches_left: 1,
            status: Some(shown()),
            last: timeline.last().cloned(),
        },
        stories: vec![FoundStory {
            code: "P1",
            name: "second-server",
            title: "a second server",
            certainty: Confidence::Likely,
            call_id: Some(shown()),
            lines: vec![
                first,
                line(
                    65,
                    "09:48:18.847",
                    "the command delivered its real output.",
                    Confidence::Certain,
                ),
            ],
            so: Sentence::from("So both 61 and 65 answer ").name(shown()).and("."),
            doubt: "the files may have been edited by hand.",
            prevent: "give each server its own folder (OpenHands/software-agent-sdk#2114).",
            more: vec![70, 72],
            also: vec![NamedCall { tool: Some(shown()), call_id: Some(shown()) }],
        }],
        unexplained: Vec::new(),
        recorded: Some(Recorded {
            ended: Ended::Refused,
            unit: "event",
            number: 66,
            time: None,
            quote: Some(Shown::of(StringKind::Quote, foreign)),
            read: read(foreign),
            findings: vec![0],
        }),
        go_on: GoOn {
            answer: MayContinue::AfterRepair,
            says: vec![Sentence::from("the command ").name(shown()).and(" ran once.")],
            then: vec![Sentence::from("the result of ").name(shown()).and(" is kept.")],
            effects: vec![CallEffect {
                tool: Some(shown()),
                call_id: Some(shown()),
                unit: "event",
                number: 61,
                ran: "may have run twice",
            }],
        },
        cuts: None,
        timeline,
        planned: Some(Planned {
            counts: Applied { removed: 1, kept: 65, planned_only: true, ..Applied::default() },
            steps: vec![PlannedStep { says: "remove event 63".to_owned(), text: Some(shown()) }],
            more: 2,
            verdict: Verdict::Healthy,
            left: Vec::new(),
        }),
        next: Some(ProposedCommand { command: "repair", options: &[] }),
    }
}

/// One explanation of each kind, with foreign strings everywhere.
pub(crate) fn all(foreign: &str) -> Vec<Explained> {
    let shown = || Shown::from(foreign);
    let account = story(foreign);
    let record = account.timeline[0].clone();
    // The conversation is the same in all of them, so that only what is around it differs.
    let error = error::ErrorAccount {
        schema: SCHEMA,
        tool: tool(),
        read: read(foreign),
        found: true,
        evidence: "ids",
        certainty: Confidence::Likely,
        answers: vec![error::IdAnswer {
            asked: shown(),
            id: Some(shown()),
            certainty: Confidence::Likely,
            doubt: "as a library or a proxy rewrites it",
            status: "several",
            says: "has more than one result",
            unit: "event",
            numbers: vec![63, 65],
            call: Some(61),
        }],
        index_checks: vec![error::IndexCheck {
            api: 21,
            ours: 23,
            unit: "event",
            numbers: vec![61],
        }],
        says: "Not a known error text; this is based on the IDs in it.".into(),
        repaired_by: None,
        records: account.timeline.clone(),
        findings: vec![0],
        others: vec![0],
        conversation: account.conversation.clone(),
        next: account.next,
    };
    let known = RecordAccount {
        record,
        unit: "event",
        number: 61,
        parent: Some(Ref { number: 60, id: Some(shown()) }),
        missing_parent: Some(shown()),
        children: vec![Ref { number: 62, id: Some(shown()) }],
        api_index: Some(21),
        cut: None,
        inclusion: "sent",
        holds: vec![Held {
            what: "call",
            tool: Some(shown()),
            id: Some(shown()),
            standing: "answered",
            pair: vec![Ref { number: 65, id: Some(shown()) }],
        }],
        findings: vec![NamingFinding {
            code: Code::TwoResults,
            severity: Severity::Fatal,
            message: format!("two results of {}", at_hand(shown())),
        }],
        preview: Some(shown()),
    };
    let records = RecordsAccount {
        schema: SCHEMA,
        path: shown(),
        format: "openhands",
        target: "anthropic",
        records: vec![known],
        left_out: 3,
    };
    let rule = crate::rules::ALL
        .iter()
        .find(|rule| rule.code == Code::TwoResults)
        .map(|rule| Manual::of(rule))
        .unwrap();
    at_hand(vec![
        Explained::Story(Box::new(account)),
        Explained::Error(Box::new(error)),
        Explained::Records(records),
        Explained::Rule(rule.clone()),
        Explained::Rules(vec![rule]),
        Explained::Formats(vec![ListedFormat::of(crate::hosts::ALL[0])]),
    ])
}
