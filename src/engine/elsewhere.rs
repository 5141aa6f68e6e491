//! What another API would refuse, where nothing in a conversation shows whose messages they are.

use hashbrown::{HashMap, HashSet};

use super::{CheckOptions, TargetChoice, judge};
use crate::bytes::source::{Entries, Span};
use crate::containers::ReadError;
use crate::formats::Detection;
use crate::rules::{Finding, Seen};
use crate::targets;
use crate::transcript::{
    Code, Effect, Event, EventId, Label, PartKind, Role, Severity, Transcript,
};

/// What is worth a warning: a conversation that begins with the assistant, and empty text.
const CODES: &[Code] = &[Code::BadStart, Code::EmptyContent];
/// Messages below which nothing is concluded: two texts may be the rest of anything.
const FEWEST: usize = 3;

/// Whether nothing shows whose messages these are: not the first ones, and none behind them.
pub(super) fn is_assumed(claim: &Detection, t: &Transcript) -> bool {
    claim.other.is_some()
        && t.parts.iter().all(|part| part.kind == PartKind::Text)
        && t.events.iter().all(|event| event.role != Role::Tool)
}

fn spoken(t: &Transcript) -> impl DoubleEndedIterator<Item = (EventId, &Event)> {
    let events = t.events.enumerated();
    events.filter(|(_, event)| matches!(event.role, Role::User | Role::Assistant))
}

/// Whether the other API might refuse something: else nothing is read twice.
fn may_be_refused(t: &Transcript) -> bool {
    let begins = spoken(t)
        .next()
        .is_some_and(|(_, first)| first.role == Role::Assistant);
    let empty = || {
        spoken(t).any(|(_, event)| event.parts.is_empty()) || t.parts.iter().any(|part| part.blank)
    };
    (begins || empty()) && spoken(t).nth(FEWEST - 1).is_some()
}

/// What the other API would refuse of the messages, each as a warning that names it. `own`: what is found already.
///
/// # Errors
/// The bytes cannot be had.
pub(super) fn refused(
    (entries, name): (&dyn Entries, &str),
    claim: &Detection,
    ask: &CheckOptions,
    t: &Transcript,
    own: &[Finding],
) -> Result<Vec<Finding>, ReadError> {
    let Some(other) = claim.other.filter(|_| may_be_refused(t)) else {
        return Ok(Vec::new());
    };
    let Some(target) = targets::by_name(other.target) else {
        return Ok(Vec::new());
    };
    let theirs = Detection {
        format: other.format,
        other: None,
        ..claim.clone()
    };
    let ask = CheckOptions {
        target: Some(TargetChoice::At(target)),
        blame: None,
        ..ask.clone()
    };
    let judged = judge(entries, name, &theirs, &ask)?;
    // A last answer waits for the next prompt; it is nothing that was sent.
    let last = spoken(t)
        .next_back()
        .filter(|(_, event)| event.role == Role::Assistant);
    let sent = spoken(t).filter(|(number, _)| last.is_none_or(|(last, _)| last != *number));
    // The other format reads the same records, perhaps into events of other numbers.
    let numbers: HashMap<Span, EventId> = sent.map(|(number, event)| (event.at, number)).collect();
    let ours = |label: &Label| {
        let event = *numbers.get(&judged.transcript.event(label.event).at)?;
        Some(Label::new(event, label.role))
    };
    let known: HashSet<(Code, EventId)> = own
        .iter()
        .flat_map(|own| own.labels.iter().map(|label| (own.rule.code, label.event)))
        .collect();
    let mut warnings = Vec::new();
    for finding in judged
        .findings
        .into_iter()
        .filter(|finding| CODES.contains(&finding.rule.code))
    {
        let labels: Vec<Label> = finding.labels.iter().filter_map(ours).collect();
        let is_known = labels
            .iter()
            .any(|label| known.contains(&(finding.rule.code, label.event)));
        if labels.is_empty() || is_known {
            continue;
        }
        let (severity, effect) = (Severity::Warning, Effect::None);
        warnings.push(Finding {
            severity,
            effect,
            message: format!("{}, which {} would reject", finding.message, target.title),
            labels,
            calls: Vec::new(),
            about: Vec::new(),
            covers: Vec::new(),
            fixes: Vec::new(),
            consequences: Vec::new(),
            sight: 0,
            seen_by: vec![Seen {
                sight: 0,
                severity,
                effect,
            }],
            ..finding
        });
    }
    Ok(warnings)
}
