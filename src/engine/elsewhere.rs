//! Checks a conversation against another API, where nothing in it shows whose messages they are.

use hashbrown::{HashMap, HashSet};

use super::{CheckOptions, TargetChoice, judge};
use crate::bytes::source::{Entries, Span};
use crate::containers::ReadError;
use crate::format::Detection;
use crate::rules::{Finding, Seen};
use crate::targets;
use crate::transcript::{
    Code, Effect, Event, EventId, Label, PartKind, Role, Severity, Transcript,
};

/// The only rules worth a warning: a conversation that starts with the assistant, and empty text.
const CODES: &[Code] = &[Code::BadStart, Code::EmptyContent];
/// Fewest messages for a warning: two texts may be the rest of anything.
const FEWEST: usize = 3;

/// Whether nothing shows whose messages these are.
pub(super) fn is_assumed(detection: &Detection, t: &Transcript) -> bool {
    detection.other.is_some()
        && t.parts.iter().all(|part| part.kind == PartKind::Text)
        && t.events.iter().all(|event| event.role != Role::Tool)
}

fn messages(t: &Transcript) -> impl DoubleEndedIterator<Item = (EventId, &Event)> {
    let events = t.events.enumerated();
    events.filter(|(_, event)| matches!(event.role, Role::User | Role::Assistant))
}

/// Whether the other API might reject something. If not, nothing is read twice.
fn may_be_rejected(t: &Transcript) -> bool {
    let begins = messages(t).next().is_some_and(|(_, first)| first.role == Role::Assistant);
    let empty = || {
        messages(t).any(|(_, event)| event.parts.is_empty())
            || t.parts.iter().any(|part| part.blank)
    };
    (begins || empty()) && messages(t).nth(FEWEST - 1).is_some()
}

/// Warnings about messages that the other API would reject.
///
/// # Errors
/// The bytes cannot be read.
pub(super) fn warnings(
    (entries, name): (&dyn Entries, &str),
    detection: &Detection,
    options: &CheckOptions,
    t: &Transcript,
) -> Result<Vec<Finding>, ReadError> {
    let Some(other) = detection.other.filter(|_| may_be_rejected(t)) else {
        return Ok(Vec::new());
    };
    let Some(target) = targets::by_name(other.target) else {
        return Ok(Vec::new());
    };
    let other_detection = Detection { format: other.format, other: None, ..detection.clone() };
    let options = CheckOptions {
        target: Some(TargetChoice::At(target)),
        found_by: None,
        blame: None,
        ..options.clone()
    };
    let other_judged = judge(entries, name, &other_detection, &options)?;
    // The last response waits for the next prompt; it was not sent yet.
    let last = messages(t).next_back().filter(|(_, event)| event.role == Role::Assistant);
    let sent = messages(t).filter(|(number, _)| last.is_none_or(|(last, _)| last != *number));
    // The other format reads the same records, but may number the events differently.
    let numbers: HashMap<Span, EventId> =
        sent.map(|(number, event)| (event.at(), number)).collect();
    let mut warnings = Vec::new();
    for finding in
        other_judged.findings.into_iter().filter(|finding| CODES.contains(&finding.rule.code))
    {
        let labels: Vec<Label> = finding
            .labels
            .iter()
            .filter_map(|label| {
                let event = *numbers.get(&other_judged.transcript.event(label.event).at())?;
                Some(Label::new(event, label.role))
            })
            .collect();
        if labels.is_empty() {
            continue;
        }
        let (severity, effect) = (Severity::Warning, Effect::None);
        warnings.push(Finding {
            severity,
            effect,
            message: format!("{}, which {} would reject", finding.message, target.title).into(),
            labels,
            calls: Vec::new(),
            about: Vec::new(),
            covers: Vec::new(),
            fixes: Vec::new(),
            habit: None,
            consequences: Vec::new(),
            evaluation: 0,
            seen_by: vec![Seen { evaluation: 0, severity, effect }],
            ..finding
        });
    }
    Ok(warnings)
}

/// The warnings that are not among the findings.
pub(super) fn unknown(mut warnings: Vec<Finding>, own: &[Finding]) -> Vec<Finding> {
    if warnings.is_empty() {
        return warnings;
    }
    let places = |own: &Finding| {
        let code = own.rule.code;
        own.labels.iter().map(move |label| (code, label.event)).collect::<Vec<(Code, EventId)>>()
    };
    let known: HashSet<(Code, EventId)> = own.iter().flat_map(places).collect();
    warnings.retain(|warning| !places(warning).iter().any(|place| known.contains(place)));
    warnings
}
