//! Rules whose damage the readers, containers and projections see themselves: the rule claims their faults.

use hashbrown::{HashMap, HashSet};

use super::{Finding, Rule, RuleContext};
use crate::transcript::{Effect, EventId, Id, Part, PartKind, Severity};

/// Makes a finding of every fault with the rule's code.
pub(super) fn diagnostics(rule: &'static Rule, case: &RuleContext<'_>, found: &mut Vec<Finding>) {
    let diagnostics = case
        .transcript
        .diagnostics
        .iter()
        .chain(&case.request.diagnostics);
    // Ten thousand faults may be about one record.
    let mut ids_of: HashMap<EventId, Vec<Id>> = HashMap::new();
    for diagnostic in diagnostics.filter(|diagnostic| diagnostic.code == rule.code) {
        let mut finding = Finding::new(rule, case, diagnostic.message.clone());
        finding.severity = diagnostic.severity.unwrap_or(finding.severity);
        finding.confidence = diagnostic.confidence;
        finding.effect = diagnostic.effect;
        finding.labels.clone_from(&diagnostic.labels);
        finding.about.clone_from(&diagnostic.about);
        finding.covers.clone_from(&diagnostic.covers);
        finding.fixes.clone_from(&diagnostic.fixes);
        let mut known = HashSet::new();
        for label in &diagnostic.labels {
            let ids = ids_of
                .entry(label.event)
                .or_insert_with(|| ids_in(case, label.event));
            finding
                .calls
                .extend(ids.iter().copied().filter(|id| known.insert(*id)));
        }
        let traits = &case.format.traits;
        let refuses = traits.refuses_file.contains(&rule.code);
        // A document that does not parse has nothing that could be read on from.
        let skips =
            case.lines && traits.unreadable.skips && !refuses && rule.layer == super::layer::BYTES;
        if refuses {
            finding.effect = Effect::LoadFails;
        } else if skips && finding.effect == Effect::LoadFails {
            // What is fatal in bytes that the host can read is so for the provider.
            let fatal = finding.severity == Severity::Fatal;
            finding.effect = if fatal {
                Effect::Refused
            } else {
                Effect::Hides(1)
            };
        }
        if finding.severity == Severity::Note {
            finding.effect = Effect::None;
        }
        found.push(finding);
    }
}

/// The ids of the calls and results in a record, each once.
fn ids_in(case: &RuleContext<'_>, event: EventId) -> Vec<Id> {
    let t = case.transcript;
    let asks = |part: &&Part| {
        matches!(
            part.kind,
            PartKind::Call | PartKind::Result | PartKind::Hosted
        )
    };
    let parts = t.event(event).parts.clone().map(|part| t.a_part(part));
    let mut known = HashSet::new();
    parts
        .filter(asks)
        .filter_map(|part| part.id)
        .filter(|id| known.insert(*id))
        .collect()
}

/// As [`diagnostics`], for what only a provider minds: in a record that is never sent it is a note.
pub(super) fn sent_faults(rule: &'static Rule, case: &RuleContext<'_>, found: &mut Vec<Finding>) {
    let before = found.len();
    diagnostics(rule, case, found);
    for finding in &mut found[before..] {
        if !finding.labels.iter().any(|label| case.is_sent(label.event)) {
            finding.severity = Severity::Note;
            finding.effect = Effect::None;
        }
    }
}
