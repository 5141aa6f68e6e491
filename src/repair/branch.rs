//! Writes a repair as a new branch: the file keeps every record, and the repaired end is appended.

use super::extent::in_place;
use super::ledger::Ledger;
use super::{Refused, RepairPlan, choose, gate};
use crate::bytes::overlay::Overlay;
use crate::bytes::patch::Patch;
use crate::bytes::source::Entries;
use crate::engine::{CheckOptions, Judged, judge};
use crate::transcript::Severity;

/// How a repair is written.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum WriteStyle {
    /// Records are changed, moved and removed in place.
    #[default]
    InPlace,
    /// The file stays as it is, and the repaired end of the conversation is appended as a new branch.
    Branch,
}

/// The same repair as a branch. The result must pass the same checks as a repair in place.
///
/// # Errors
/// The format has no branches, or appending records cannot fix the problems.
pub(super) fn as_branch(
    entries: &dyn Entries,
    name: &str,
    options: &CheckOptions,
    policy: &choose::Policy,
    plan: RepairPlan,
) -> Result<RepairPlan, Refused> {
    let detection = &plan.before.detection;
    let format = detection.format;
    let append = format
        .traits
        .branch
        .ok_or(Refused::Style("transcripts of this format are repaired in place"))?;
    let edits = {
        let overlay = Overlay::new(entries, &plan.patch);
        let old = plan.before.context(0, entries, name, options.live);
        let new = plan.after().context(0, &overlay, name, options.live);
        append(&old, &new).map_err(|cannot| Refused::Style(cannot.0))?
    };
    let patch = Patch::new(edits).map_err(|error| Refused::Bug(error.to_string()))?;
    let overlay = Overlay::new(entries, &patch);
    let after = judge(&overlay, name, detection, options)?;
    let scenes = after.contexts(&overlay, name, options.live);
    let errors = |judged: &Judged| judged.at_least(Severity::Error).count();
    let open = choose::round(&scenes, &after, policy, &Ledger::default(), &in_place);
    if open.is_some() || errors(&after) > errors(plan.after()) {
        return Err(Refused::Style("some problems stay in the file whatever is appended"));
    }
    if !same_request(plan.after(), &after) {
        return Err(Refused::Style(
            "the host would not continue from the appended branch as from the repaired records",
        ));
    }
    if gate::new_damage(&plan.before, &after, &plan.taken) {
        return Err(Refused::Style("the appended branch would cause new problems"));
    }
    Ok(RepairPlan { patch, changed: Some(after), ..plan })
}

/// Whether two states of a conversation have the same requests: the roles, and the IDs of calls and results, in order.
fn same_request(a: &Judged, b: &Judged) -> bool {
    let outline = |judged: &Judged| -> Vec<String> {
        let t = &judged.transcript;
        let sent = judged.evaluations.iter().flat_map(|evaluation| &evaluation.request.order);
        sent.map(|sent| {
            let parts = t.parts.slice(&sent.parts);
            let parts = parts.iter().map(|part| format!("{:?} {}", part.kind, t.text(part.id)));
            format!("{:?} {} {}", sent.role, sent.summary, parts.collect::<Vec<_>>().join(","))
        })
        .collect()
    };
    outline(a) == outline(b)
}
