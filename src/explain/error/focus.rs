//! Restricts a repair to what a decoded text is about.

use std::collections::BTreeSet;

use super::Decoded;
use crate::engine::Judged;
use crate::repair::{Focus, about};
use crate::rules::{Finding, layer};
use crate::transcript::EventId;

/// What a repair may change: the findings that the text leads to, the calls of their batches, and
/// damage in the bytes or links of the same records, which must be repaired first. `None` if the
/// text leads to no finding.
pub(crate) fn focus(decoded: &Decoded<'_>, judged: &Judged) -> Option<Focus> {
    if decoded.findings.is_empty() {
        return None;
    }
    let named: Vec<&Finding> = decoded.findings.iter().map(|at| &judged.findings[*at]).collect();
    let mut focus = Focus::default();
    for finding in &named {
        let ids = about(judged, finding);
        if ids.is_empty() {
            focus.codes.insert(finding.rule.code);
        }
        focus.ids.extend(ids);
    }
    focus.ids.extend(batch_mates(judged, &focus.ids));
    let records: BTreeSet<EventId> =
        named.iter().flat_map(|finding| &finding.labels).map(|label| label.event).collect();
    let below = judged.findings.iter().filter(|finding| {
        finding.layer <= layer::TREE
            && finding.labels.iter().any(|label| records.contains(&label.event))
    });
    for finding in below {
        let ids = about(judged, finding);
        if ids.is_empty() {
            focus.codes.insert(finding.rule.code);
        }
        focus.ids.extend(ids);
    }
    Some(focus)
}

/// The IDs of the calls in the same batches: the provider wants a result for each of them.
fn batch_mates(judged: &Judged, ids: &BTreeSet<String>) -> Vec<String> {
    let t = &judged.transcript;
    let mut mates = Vec::new();
    for batch in &judged.request().pairs.batches {
        let all: Vec<&str> = batch.calls.iter().map(|call| t.text(t.part(*call).id)).collect();
        if all.iter().any(|id| ids.contains(*id)) {
            mates.extend(all.into_iter().filter(|id| !id.is_empty()).map(str::to_owned));
        }
    }
    mates
}
