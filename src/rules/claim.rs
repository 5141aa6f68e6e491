//! Rules whose damage the readers, containers and projections see themselves: the rule claims their faults.

use hashbrown::{HashMap, HashSet};

use super::{Finding, Rule, RuleContext, policy};
use crate::transcript::{EventId, Id, Part, PartKind};

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
        finding.confidence = diagnostic.confidence;
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
        policy::settle(case, diagnostic, &mut finding);
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
