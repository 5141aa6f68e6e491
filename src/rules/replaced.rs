//! Drops findings and fixes that depend on IDs that another program replaced, and reports the replacement itself once.

use super::{Finding, RuleContext, duplicate_record_id};
use crate::transcript::replaced::Replaced;
use crate::transcript::{
    Action, Code, Effect, Fix, Label, LabelRole, LinkKind, Severity, State, Transcript,
};

/// Rules that depend on the IDs and links of records.
const OF_RECORDS: &[Code] = &[
    Code::RepeatedRecord,
    Code::LinkMismatch,
    Code::BrokenParent,
    Code::ParentCycle,
    Code::StrandedRecord,
    Code::CompactionSplitPair,
    Code::CompactionAnchor,
    Code::DuplicateRecordId,
    Code::SessionMismatch,
    Code::LeafPointer,
    Code::RecordOrder,
];
/// Rules that depend on the IDs of calls.
const OF_CALLS: &[Code] = &[
    Code::UnansweredCall,
    Code::OrphanResult,
    Code::TwoResults,
    Code::ConflictingResults,
    Code::ReusedCallId,
    Code::MissingCallId,
    Code::LinkMismatch,
    Code::RepeatedCall,
    Code::ResultNotNext,
    Code::SplitBatch,
    Code::FailedTurnWithCalls,
    Code::ResultBeforeCall,
    Code::StrandedRecord,
    Code::CompactionSplitPair,
];
/// Rules about the shape of an ID, or of a member next to it.
const OF_IDS: &[Code] = &[Code::BadCallId, Code::ForeignBlock];

/// Drops findings and fixes that depend on replaced IDs, and adds one finding about the replacement.
pub(super) fn drop_unreliable(cx: &RuleContext<'_>, found: &mut Vec<Finding>) {
    let (t, replaced) = (cx.transcript, &cx.transcript.replaced);
    let Some(first) = replaced.events.first() else {
        return;
    };
    found.retain(|finding| !depends_on_ids(cx, finding));
    for finding in found.iter_mut().filter(|finding| replaced.most || touches(replaced, finding)) {
        finding.fixes.retain(|fix| is_independent_of_ids(t, fix));
    }
    let message = match replaced.events.len() {
        1 => "IDs were replaced by another program in 1 record".to_owned(),
        some => format!("IDs were replaced by another program in {some} records"),
    };
    let mut finding = Finding::new(&duplicate_record_id::RULE, cx, message);
    finding.severity =
        if cx.format.traits.needs_no_ids { Severity::Note } else { Severity::Warning };
    finding.effect = Effect::None;
    finding.labels = vec![Label::new(*first, LabelRole::Record)];
    found.push(finding);
}

fn touches(replaced: &Replaced, finding: &Finding) -> bool {
    finding.labels.iter().any(|label| replaced.has(label.event))
}

fn depends_on_ids(cx: &RuleContext<'_>, finding: &Finding) -> bool {
    let (t, replaced) = (cx.transcript, &cx.transcript.replaced);
    let of_call =
        !finding.calls.is_empty() && finding.calls.iter().all(|id| replaced.has_call(*id));
    let parts = finding.labels.iter().flat_map(|label| t.event(label.event).parts.clone());
    let mut tools = parts.filter_map(|part| t.part(part).tool);
    match finding.rule.code {
        Code::BadToolName => tools.any(|tool| replaced.has_tool(tool)),
        code if OF_IDS.contains(&code) => touches(replaced, finding),
        code if OF_CALLS.contains(&code) && (of_call || hides_branches(cx)) => true,
        code => OF_RECORDS.contains(&code) && (replaced.most || touches(replaced, finding)),
    }
}

/// Whether the replaced IDs were needed to find the active branch. On an abandoned branch, a call does not need a result.
fn hides_branches(cx: &RuleContext<'_>) -> bool {
    let mut links = cx.transcript.links.iter();
    let is_tree = links.any(|link| matches!(link.kind, LinkKind::Parent | LinkKind::Root));
    cx.transcript.replaced.most && (cx.format.traits.replaces_by_id || is_tree)
}

/// Whether a fix does the same whatever the IDs are.
fn is_independent_of_ids(t: &Transcript, fix: &Fix) -> bool {
    fix.actions.iter().all(|action| match action {
        Action::EditBytes { .. } => true,
        Action::Remove(event) => t.event(*event).state == State::Unreadable,
        _ => false,
    })
}
