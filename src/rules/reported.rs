//! Turns the diagnostics of readers, containers, formats and request checks into findings of the rule with their code.

use hashbrown::{HashMap, HashSet};

use super::{Finding, Rule, RuleContext, policy};
use crate::transcript::{EventId, Id, Label, PartId, PartKind, PartsAbout};

/// Makes a finding of every diagnostic with the rule's code.
pub(super) fn diagnostics(rule: &'static Rule, cx: &RuleContext<'_>, found: &mut Vec<Finding>) {
    let (of_records, of_request) = (&cx.transcript.diagnostics, &cx.request.diagnostics);
    // Each rule asks, and most conversations have none.
    if of_records.is_empty() && of_request.is_empty() {
        return;
    }
    let diagnostics = of_records.iter().chain(of_request);
    let diagnostics = diagnostics.filter(|diagnostic| diagnostic.code == rule.code);
    found.reserve_exact(diagnostics.clone().count());
    // Thousands of diagnostics may be about one record.
    let mut ids_of: HashMap<EventId, Vec<Id>> = HashMap::new();
    for diagnostic in diagnostics {
        // Clones have the room that they need; `clone_from` would make room for four.
        let mut finding = Finding {
            confidence: diagnostic.confidence,
            labels: diagnostic.labels.clone(),
            about: diagnostic.about.clone(),
            covers: diagnostic.covers.clone(),
            fixes: diagnostic.fixes.clone(),
            habit: diagnostic.habit,
            ..Finding::new(rule, cx, diagnostic.message.clone())
        };
        let mut seen = HashSet::new();
        let about = PartsAbout::of(cx.transcript, &diagnostic.about);
        for label in &diagnostic.labels {
            let meant = meant(cx, &about, label);
            let ids = match &meant {
                None => ids_of.entry(label.event).or_insert_with(|| ids_in(cx, label.event)),
                Some(ids) => ids,
            };
            finding.calls.extend(ids.iter().copied().filter(|id| seen.insert(*id)));
        }
        policy::set_severity_and_effect(cx, diagnostic, &mut finding);
        found.push(finding);
    }
}

/// The IDs of the calls and results in the record of a label that the diagnostic is about, if it names some.
fn meant(cx: &RuleContext<'_>, about: &PartsAbout, label: &Label) -> Option<Vec<Id>> {
    let parts: Vec<PartId> = match label.part {
        Some(part) => vec![part],
        None => about.in_record(label.event).collect(),
    };
    let ids = parts.iter().filter_map(|part| cx.transcript.part(*part).id);
    (!parts.is_empty()).then(|| ids.collect())
}

/// The IDs of the calls and results in a record, without duplicates.
fn ids_in(cx: &RuleContext<'_>, event: EventId) -> Vec<Id> {
    let t = cx.transcript;
    let parts = t.event(event).parts.clone().map(|part| t.part(part));
    let mut seen = HashSet::new();
    parts
        .filter(|part| matches!(part.kind, PartKind::Call | PartKind::Result | PartKind::Hosted))
        .filter_map(|part| part.id)
        .filter(|id| seen.insert(*id))
        .collect()
}
