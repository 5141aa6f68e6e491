//! What the three rules about misplaced batches share: each reports one departure from the normal form.

use std::collections::HashSet;

use super::{Finding, Rule, RuleContext};
use crate::transcript::placement::{MOST_INTRUDERS, first_listed};
use crate::transcript::request::{Departure, Misplaced};
use crate::transcript::{Action, Fix, Label, LabelRole, PartId, PartKind, Subject};

/// Reports the batches with this departure from the normal form.
pub(super) fn find(
    rule: &'static Rule,
    cx: &RuleContext<'_>,
    departure: Departure,
    found: &mut Vec<Finding>,
) {
    for misplaced in &cx.request.misplaced {
        // A summary in between is a problem of the compaction.
        if misplaced.departure == departure && !misplaced.by_summary {
            let batch = &cx.request.pairs.batches[misplaced.batch as usize];
            found.push(finding(rule, cx, &batch.calls, misplaced));
        }
    }
}

fn finding(
    rule: &'static Rule,
    cx: &RuleContext<'_>,
    calls: &[PartId],
    misplaced: &Misplaced,
) -> Finding {
    let message = match misplaced.departure {
        Departure::Early => "tool result before its call",
        Departure::Split => "tool calls of one turn are not together",
        Departure::Apart => "another message between a tool call and its result",
    };
    let t = cx.transcript;
    let mut finding = Finding::new(rule, cx, message);
    // If results may be anywhere after their call, only the early ones are misplaced.
    let anywhere = cx.target.results_anywhere && !cx.request.results_next;
    let early = anywhere.then(|| misplaced.normal_order.iter().collect::<HashSet<_>>());
    let calls = calls.iter().filter(|call| early.as_ref().is_none_or(|early| early.contains(call)));
    let own = calls.flat_map(|call| [Some(*call), cx.request.pairs.answer(*call)]).flatten();
    for part in own {
        finding.about.push(Subject::Place(part));
        finding.calls.extend(t.part(part).id);
    }
    for part in &misplaced.normal_order {
        let role = if t.part(*part).kind == PartKind::Result {
            LabelRole::Result
        } else {
            LabelRole::Call
        };
        finding.labels.push(Label::of(t, *part, role));
    }
    if misplaced.has_more {
        finding.message.to_mut().push_str(&first_listed(MOST_INTRUDERS));
    }
    let intruders = misplaced.intruders.iter();
    finding.labels.extend(intruders.map(|event| Label::new(*event, LabelRole::Intruder)));
    finding.labels.sort_by_key(|label| label.event);
    finding.fixes = vec![Fix::safe([Action::MoveTogether(misplaced.normal_order.clone())])];
    finding
}
