//! The severity and the effect of a finding. They depend on the rule, the host, the provider and the record, and are decided
//! only here.
//!
//! | who | decides | where |
//! |---|---|---|
//! | what reports the problem | what is known of this instance | `Diagnostic::instance`, in [`severity_of`] |
//! | the host | the severity for it, what it corrects or leaves out | rows of `HostTraits::policy` |
//! | the provider | the severity for it | `Target::severity` |
//! | the rule | the severity otherwise | `Rule::severity` |
//!
//! The first of these counts. Then the record may lower it (a provider cannot reject what is never sent), and so may what
//! the host corrects in memory, and doubt: what only one provider rejects is a warning where nothing shows that it is the one.

use super::{Finding, Rule, RuleContext, layer};
use crate::format::SentResult;
use crate::format::policy::{Across, Harm, PolicyRow};
use crate::targets::FirstMessage;
use crate::transcript::{
    Code, Diagnostic, Effect, EventId, Instance, Origin, Role, Severity, Subject, Transcript,
    distinct,
};

/// Rules about what only providers reject. In a record that is never sent it is a note.
const ONLY_SENT: &[Code] = &[
    Code::EmptyContent,
    Code::MissingInput,
    Code::BadInput,
    Code::BadToolName,
    Code::EmptyErrorResult,
    Code::Thinking,
    Code::BadMedia,
    Code::ReasoningItem,
    Code::ServerItem,
    Code::ForeignBlock,
];

/// The severity of an instance that is better or worse than its rule says.
fn severity_of(instance: Instance) -> Severity {
    match instance {
        Instance::Rejected | Instance::RejectedHere => Severity::Fatal,
        Instance::Stops | Instance::Dropped => Severity::Error,
        Instance::OffPath | Instance::Corrected | Instance::Ignored | Instance::Elsewhere => {
            Severity::Warning
        }
        Instance::Spared | Instance::Harmless => Severity::Note,
    }
}

/// The rows of the host that apply to a rule here, in order.
fn rows<'a>(cx: &'a RuleContext<'_>, code: Code) -> impl Iterator<Item = &'a PolicyRow> + 'a {
    cx.format
        .traits
        .policy
        .iter()
        .filter(move |row| row.code == code)
        .filter(|row| row.holds(cx.target, cx.client, cx.host, cx.layout))
}

/// The severity of a rule here: the host's, otherwise the provider's, otherwise the rule's own.
pub(super) fn severity(cx: &RuleContext<'_>, rule: &Rule) -> Severity {
    let by_host = rows(cx, rule.code).find_map(|row| match row.harm {
        Harm::Is(severity) | Harm::RefusesFile(severity) => Some(severity),
        Harm::Loses | Harm::Mends | Harm::SendsFirst | Harm::LeavesOut(_) | Harm::ReadsPast => None,
    });
    by_host
        .or_else(|| {
            let rows = cx.target.severity.iter();
            rows.clone().find(|(code, _)| *code == rule.code).map(|(_, severity)| *severity)
        })
        .unwrap_or(rule.severity)
}

/// Sets the severity and the effect of a diagnostic's finding, which depend on its record and on how the host reads the file.
pub(super) fn set_severity_and_effect(
    cx: &RuleContext<'_>,
    diagnostic: &Diagnostic,
    finding: &mut Finding,
) {
    finding.severity = diagnostic.instance.map_or(finding.severity, severity_of);
    finding.effect = diagnostic.effect;
    finding.is_judged = diagnostic.instance.is_some();
    finding.is_alone = diagnostic.instance == Some(Instance::RejectedHere);
    let rule = finding.rule;
    let left_out = rows(cx, rule.code).find_map(|row| match row.harm {
        Harm::LeavesOut(severity) if row.is_for(diagnostic) => Some(severity),
        _ => None,
    });
    if let Some(severity) = left_out.filter(|_| diagnostic.instance.is_none()) {
        (finding.severity, finding.effect) = (severity, Effect::Hides(1));
    }
    let refuses = rows(cx, rule.code).any(|row| matches!(row.harm, Harm::RefusesFile(_)));
    // In a document that does not parse there is no next record to continue with.
    let skips_record =
        cx.layout.is_lines() && cx.format.traits.unreadable.skips && rule.layer == layer::BYTES;
    if refuses {
        finding.effect = Effect::LoadFails;
    } else if skips_record && finding.effect == Effect::LoadFails {
        // The host can read the record, so a fatal problem in its bytes is one for the provider.
        finding.effect = match finding.severity {
            Severity::Fatal => Effect::Refused,
            _ => Effect::Hides(1),
        };
    }
    let first = finding.labels.first();
    let unharmed = rule.layer == layer::BYTES
        && first.is_some_and(|label| cx.request.unharmed.contains(&label.event));
    let reads_past =
        rows(cx, rule.code).any(|row| row.harm == Harm::ReadsPast && row.is_for(diagnostic));
    if unharmed || reads_past {
        (finding.severity, finding.effect) = (Severity::Warning, Effect::None);
    } else if skips_record {
        add_what_is_before(cx, finding);
    }
    if ONLY_SENT.contains(&rule.code) && !finding.labels.iter().any(|label| cx.is_sent(label.event))
    {
        finding.severity = Severity::Note;
    }
    if finding.severity == Severity::Note && finding.effect != Effect::Elsewhere {
        finding.effect = Effect::None;
    }
}

/// If the host does not find what is before a line that it skips, that is lost, too.
fn add_what_is_before(cx: &RuleContext<'_>, finding: &mut Finding) {
    let t = cx.transcript;
    let first = finding.labels.first().map(|label| t.event(label.event).at());
    let Some(cut) = cx.request.cut.filter(|cut| first == Some(t.event(cut.line).at())) else {
        return;
    };
    let needs = cx.target.needs.first_message;
    if cut.starts_with_answer && needs == FirstMessage::User && !cx.request.start_is_unknown {
        (finding.severity, finding.effect) = (Severity::Fatal, Effect::Refused);
        finding
            .message
            .to_mut()
            .push_str("; without them the conversation starts with the assistant");
    } else if let Effect::Hides(hidden) = finding.effect {
        finding.effect = Effect::Hides(hidden.max(cut.hides));
    }
}

/// Lowers the severity of what the host corrects in memory: the provider does not reject it, but what is sent may not be
/// what happened.
pub(super) fn apply_host_corrections(cx: &RuleContext<'_>, finding: &mut Finding) {
    if finding.severity != Severity::Fatal || cx.strictest {
        return;
    }
    let correction = correction(cx, finding.rule, Some(finding));
    let loses = match correction {
        Some(Harm::SendsFirst) => first_is_surplus(cx, finding),
        Some(Harm::Loses) => !leaves_out_copies(cx, finding),
        _ => false,
    };
    match correction {
        Some(_) if loses => {
            finding.severity = Severity::Error;
            finding.effect = Effect::Hides(count_dropped(cx.transcript, finding));
            finding.message = format!("{}; {} hides this", finding.message, cx.host.title).into();
        }
        Some(_) => {
            finding.severity = Severity::Warning;
            finding.effect = Effect::None;
        }
        None => {}
    }
}

/// Whether this is between the records of a finding.
fn is_across(cx: &RuleContext<'_>, finding: &Finding, across: Across) -> bool {
    let t = cx.transcript;
    let events = finding.labels.iter().map(|label| label.event);
    let (Some(first), Some(last)) = (events.clone().min(), events.max()) else {
        return false;
    };
    let mut between = t.events.ids_from(first).take_while(|event| *event < last);
    match across {
        Across::Kind(kind) => {
            t.ids.find(kind).is_some() && between.any(|event| t.kind(event) == kind)
        }
        Across::Answer => between.any(|event| {
            let record = t.event(event);
            record.role == Role::Assistant
                && record.batch != t.event(first).batch
                && cx.is_sent(event)
        }),
    }
}

/// Whether the first result of a call is one that does not count.
fn first_is_surplus(cx: &RuleContext<'_>, finding: &Finding) -> bool {
    let parts = finding.about.iter().filter_map(|subject| match subject {
        Subject::Surplus(result) => Some(*result),
        _ => None,
    });
    let pairs = &cx.request.pairs;
    parts.into_iter().any(|result| {
        let call = pairs.call_of(result);
        call.is_some_and(|call| pairs.results(call).first() == Some(&result))
    })
}

/// Lowers the severity of what only this provider rejects, if nothing shows that the conversation is for it.
pub(super) fn apply_doubt(cx: &RuleContext<'_>, finding: &mut Finding) {
    let is_refused = finding.severity > Severity::Warning && finding.effect == Effect::Refused;
    let is_alone = finding.is_alone || cx.target.alone.contains(&finding.rule.code);
    if cx.is_certain || !is_refused || !is_alone {
        return;
    }
    finding.severity = Severity::Warning;
    finding.effect = Effect::None;
    finding.message.to_mut().push_str(&cx.target.doubt());
}

/// What the host does in memory about the damage of a rule, so that the provider accepts it.
fn correction(cx: &RuleContext<'_>, rule: &Rule, finding: Option<&Finding>) -> Option<Harm> {
    rows(cx, rule.code)
        .filter(|row| {
            row.across.is_none_or(|across| finding.is_some_and(|own| is_across(cx, own, across)))
        })
        .map(|row| row.harm)
        .find(|harm| matches!(harm, Harm::Loses | Harm::Mends | Harm::SendsFirst))
}

/// Whether the host corrects the damage of a rule in memory.
pub(super) fn is_corrected(cx: &RuleContext<'_>, rule: &Rule) -> bool {
    !cx.strictest && correction(cx, rule, None).is_some()
}

/// Whether all that the host leaves out are copies of the result that it sends, and placeholders beside it.
fn leaves_out_copies(cx: &RuleContext<'_>, finding: &Finding) -> bool {
    let (t, pairs) = (cx.transcript, &cx.request.pairs);
    let call = |subject: &Subject| match subject {
        Subject::Surplus(result) => pairs.call_of(*result),
        _ => None,
    };
    !finding.about.is_empty()
        && finding.about.iter().all(|subject| {
            call(subject).is_some_and(|call| {
                let results = pairs.results(call);
                let sent = match cx.format.traits.sends_result {
                    SentResult::Last => results.last().copied(),
                    SentResult::First | SentResult::Any => pairs.answer(call),
                };
                results.iter().filter(|part| Some(**part) != sent).all(|part| {
                    let own = t.part(*part);
                    let sent = sent.map(|sent| t.part(sent).digest);
                    own.origin == Origin::Placeholder || Some(own.digest) == sent
                })
            })
        })
}

/// How many records the host drops: those with the calls and results that a finding is about.
fn count_dropped(t: &Transcript, finding: &Finding) -> u32 {
    let parts = finding.about.iter().filter_map(Subject::part);
    let events: Vec<EventId> = distinct(parts.map(|part| t.part(part).event));
    u32::try_from(events.len()).unwrap_or(u32::MAX).max(1)
}
