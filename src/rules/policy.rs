//! How bad a finding is, and what it does: decided here and nowhere else in this room, for a rule, a host, a provider and a
//! record.
//!
//! | who | says | where |
//! |---|---|---|
//! | what found the damage | how bad this case of it is | `Diagnostic::severity` |
//! | the host | how bad it is to it, what it heals or leaves out | rows of `Format::policy` |
//! | the provider | how bad it is to it | `Target::severity` |
//! | the rule | how bad it is else | `Rule::severity` |
//!
//! The first of these decides. Then come the record (what is never sent, no provider refuses) and what the host does in memory.

use super::{Finding, Rule, RuleContext, layer};
use crate::formats::policy::{Harm, Row};
use crate::transcript::{Code, Diagnostic, Effect, EventId, Severity, Subject, Transcript};

/// Rules of what only a provider minds: in a record that is never sent it is a note.
const ONLY_SENT: &[Code] = &[
    Code::EmptyContent,
    Code::MissingInput,
    Code::BadInput,
    Code::BadToolName,
    Code::EmptyErrorResult,
    Code::Thinking,
    Code::BadMedia,
    Code::ReasoningItem,
    Code::ForeignBlock,
];

/// The rows of the host for a rule that hold here, in order.
fn rows<'a>(case: &'a RuleContext<'_>, code: Code) -> impl Iterator<Item = &'a Row> + 'a {
    let own = move |row: &&Row| row.code == code;
    let holds = |row: &&Row| row.holds(case.target, case.client, case.lines);
    case.format.policy.iter().filter(own).filter(holds)
}

/// How bad a rule's damage is here: the host knows best, then the provider, then the rule.
pub(super) fn severity(case: &RuleContext<'_>, rule: &Rule) -> Severity {
    let by_host = rows(case, rule.code).find_map(|row| match row.harm {
        Harm::Is(severity) | Harm::RefusesFile(severity) => Some(severity),
        Harm::Loses | Harm::Mends | Harm::LeavesOut(_) => None,
    });
    let by_target = || {
        let rows = case.target.severity.iter();
        rows.clone()
            .find(|(code, _)| *code == rule.code)
            .map(|(_, severity)| *severity)
    };
    by_host.or_else(by_target).unwrap_or(rule.severity)
}

/// Settles what a reported damage does, by the record that it is in and by what the host does with its file.
pub(super) fn settle(case: &RuleContext<'_>, diagnostic: &Diagnostic, finding: &mut Finding) {
    finding.severity = diagnostic.severity.unwrap_or(finding.severity);
    finding.effect = diagnostic.effect;
    let rule = finding.rule;
    let left_out = rows(case, rule.code).find_map(|row| match row.harm {
        Harm::LeavesOut(severity) if row.is_for(diagnostic) => Some(severity),
        _ => None,
    });
    if let Some(severity) = left_out.filter(|_| diagnostic.severity.is_none()) {
        (finding.severity, finding.effect) = (severity, Effect::Hides(1));
    }
    let refuses = rows(case, rule.code).any(|row| matches!(row.harm, Harm::RefusesFile(_)));
    // A document that does not parse has nothing that could be read on from.
    let reads_on = case.lines && case.format.traits.unreadable.skips && rule.layer == layer::BYTES;
    if refuses {
        finding.effect = Effect::LoadFails;
    } else if reads_on && finding.effect == Effect::LoadFails {
        // What is fatal in bytes that the host can read is so for the provider.
        finding.effect = match finding.severity {
            Severity::Fatal => Effect::Refused,
            _ => Effect::Hides(1),
        };
    }
    let is_sent = || {
        let mut events = finding.labels.iter().map(|label| label.event);
        events.any(|event| case.is_sent(event))
    };
    if ONLY_SENT.contains(&rule.code) && !is_sent() {
        finding.severity = Severity::Note;
    }
    if finding.severity == Severity::Note {
        finding.effect = Effect::None;
    }
}

/// What the host puts right in memory is refused by nobody, but what is sent may not be what happened.
pub(super) fn heal(case: &RuleContext<'_>, finding: &mut Finding) {
    if finding.severity != Severity::Fatal || case.strictest {
        return;
    }
    let healed =
        rows(case, finding.rule.code).find(|row| matches!(row.harm, Harm::Loses | Harm::Mends));
    match healed.map(|row| row.harm) {
        Some(Harm::Loses) => {
            finding.severity = Severity::Error;
            finding.effect = Effect::Hides(dropped(case.transcript, finding));
            finding.message = format!("{}; {} hides this", finding.message, case.format.host.title);
        }
        Some(_) => {
            finding.severity = Severity::Warning;
            finding.effect = Effect::None;
        }
        None => {}
    }
}

/// How many records a host leaves out with the calls and results that a finding is about.
fn dropped(t: &Transcript, finding: &Finding) -> u32 {
    let part = |subject: &Subject| match subject {
        Subject::Open(part)
        | Subject::Orphan(part)
        | Subject::Surplus(part)
        | Subject::Identity(part)
        | Subject::Place(part) => Some(t.a_part(*part).event),
        _ => None,
    };
    let mut events: Vec<EventId> = finding.about.iter().filter_map(part).collect();
    events.sort_unstable();
    events.dedup();
    u32::try_from(events.len()).unwrap_or(u32::MAX).max(1)
}
