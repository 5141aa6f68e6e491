//! What the three rules about places share: each claims one way in which a batch departs from the normal form.

use super::{Finding, Rule, RuleContext};
use crate::transcript::placement::{Departure, Misplaced};
use crate::transcript::{Action, Fix, Label, LabelRole, PartId, PartKind, Subject};

/// Finds the batches that depart from the normal form in this way.
pub(super) fn find(
    rule: &'static Rule,
    case: &RuleContext<'_>,
    departure: Departure,
    found: &mut Vec<Finding>,
) {
    for misplaced in &case.request.misplaced {
        // A summary in between is the compaction's fault, not the order's.
        if misplaced.departure == departure && !misplaced.by_summary {
            let batch = &case.request.pairs.batches[misplaced.batch as usize];
            found.push(told(rule, case, &batch.calls, misplaced));
        }
    }
}

fn told(
    rule: &'static Rule,
    case: &RuleContext<'_>,
    calls: &[PartId],
    misplaced: &Misplaced,
) -> Finding {
    let said = match misplaced.departure {
        Departure::Early => "tool result before its call",
        Departure::Split => "tool calls of one turn are not together",
        Departure::Apart => "another message between a tool call and its result",
    };
    let t = case.transcript;
    let mut finding = Finding::new(rule, case, said);
    // Where results may stand anywhere, those of the batch that are not early are in their place.
    let apart = case.target.results_anywhere && !case.request.results_next;
    let concerned = |call: &&PartId| !apart || misplaced.normal_order.contains(*call);
    let calls = calls.iter().filter(concerned);
    let own = calls
        .flat_map(|call| [Some(*call), case.request.pairs.answer(*call)])
        .flatten();
    for part in own {
        finding.about.push(Subject::Place(part));
        finding
            .calls
            .extend(t.a_part(part).id.filter(|id| !finding.calls.contains(id)));
    }
    for part in misplaced.normal_order.iter().map(|part| t.a_part(*part)) {
        let role = if part.kind == PartKind::Result {
            LabelRole::Result
        } else {
            LabelRole::Call
        };
        finding.labels.push(Label::new(part.event, role));
    }
    let intruders = misplaced.intruders.iter();
    finding
        .labels
        .extend(intruders.map(|event| Label::new(*event, LabelRole::Intruder)));
    finding.labels.sort_by_key(|label| label.event);
    finding.fixes = vec![Fix::safe(vec![Action::MoveTogether(
        misplaced.normal_order.clone(),
    )])];
    finding
}
