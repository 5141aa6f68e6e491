//! What is not told of records whose ids another program replaced, and what is.

use super::{Finding, RuleContext, duplicate_record_id};
use crate::transcript::replaced::Replaced;
use crate::transcript::{
    Action, Code, Effect, Fix, Label, LabelRole, LinkKind, Severity, State, Transcript,
};

/// Damage of which only the ids and links of records tell.
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
/// Damage of which only the ids of calls tell.
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
/// What a provider refuses in an id, or in what stands beside it.
const OF_IDS: &[Code] = &[Code::BadCallId, Code::ForeignBlock];

/// Takes out what rests on replaced ids, findings and treatments, and says once that they were replaced.
pub(super) fn judge(case: &RuleContext<'_>, found: &mut Vec<Finding>) {
    let (t, replaced) = (case.transcript, &case.transcript.replaced);
    let Some(first) = replaced.events.first() else {
        return;
    };
    found.retain(|finding| !rests_on_ids(case, finding));
    for finding in found
        .iter_mut()
        .filter(|finding| replaced.most || touches(replaced, finding))
    {
        finding.fixes.retain(|fix| needs_no_id(t, fix));
    }
    let said = match replaced.events.len() {
        1 => "ids were replaced by another program in 1 record".to_owned(),
        some => format!("ids were replaced by another program in {some} records"),
    };
    let mut finding = Finding::new(&duplicate_record_id::RULE, case, said);
    finding.severity = if case.format.traits.needs_no_ids {
        Severity::Note
    } else {
        Severity::Warning
    };
    finding.effect = Effect::None;
    finding.labels = vec![Label::new(*first, LabelRole::Record)];
    found.push(finding);
}

fn touches(replaced: &Replaced, finding: &Finding) -> bool {
    finding.labels.iter().any(|label| replaced.has(label.event))
}

fn rests_on_ids(case: &RuleContext<'_>, finding: &Finding) -> bool {
    let (t, replaced) = (case.transcript, &case.transcript.replaced);
    let of_call =
        !finding.calls.is_empty() && finding.calls.iter().all(|id| replaced.has_call(*id));
    let parts = finding
        .labels
        .iter()
        .flat_map(|label| t.event(label.event).parts.clone());
    let mut tools = parts.filter_map(|part| t.a_part(part).tool);
    match finding.rule.code {
        Code::BadToolName => tools.any(|tool| replaced.has_tool(tool)),
        code if OF_IDS.contains(&code) => touches(replaced, finding),
        code if OF_CALLS.contains(&code) && (of_call || hides_who_counts(case)) => true,
        code => OF_RECORDS.contains(&code) && (replaced.most || touches(replaced, finding)),
    }
}

/// Whether only the replaced ids tell which records count: on a branch that was left, a call needs no result.
fn hides_who_counts(case: &RuleContext<'_>) -> bool {
    let mut links = case.transcript.links.iter();
    let is_tree = links.any(|link| matches!(link.kind, LinkKind::Parent | LinkKind::Root));
    case.transcript.replaced.most && (case.format.traits.replaces_by_id || is_tree)
}

/// Whether a treatment does the same whatever the ids are.
fn needs_no_id(t: &Transcript, fix: &Fix) -> bool {
    fix.actions.iter().all(|action| match action {
        Action::EditBytes { .. } => true,
        Action::Remove(event) => t.event(*event).state == State::Unreadable,
        _ => false,
    })
}
