//! TD103 orphan-result.

use super::page::{Example, Page};
use super::{Finding, Rule, RuleContext, claim, layer};
use crate::transcript::pairs::PairStatus;
use crate::transcript::{Action, Code, Fix, IdRange, LabelRole, PartId, Severity, Subject};

pub(super) const RULE: Rule = Rule {
    code: Code::OrphanResult,
    name: "orphan-result",
    layer: layer::ORPHANS,
    severity: Severity::Fatal,
    summary: "tool result without a call",
    page: Page {
        fix: "safe",
        means: "A tool result answers a call that is not in the request.",
        causes: &[(
            "Any host",
            "a call that was deleted by hand; a history trimmed at its start; two processes \
                on one session",
        )],
        repair: "The result is removed; its text stays in the journal.",
        otherwise: "If ids start again in each response and several calls with this id have no result, \
            only `transcript-doctor repair --unsafe FILE` removes it.",
        example: Some(Example {
            from: "openai-responses",
            options: &[],
            diff: br##" {"type":"message","role":"user","content":"List the files."}
-{"type":"function_call_output","call_id":"call_1","output":"a.txt"}
 {"type":"message","role":"user","content":"Go on."}
"##,
        }),
    },
    reported_by: &["formats/anthropic", "requests/starts_with_user"],
    check,
};

fn check(rule: &'static Rule, case: &RuleContext<'_>, found: &mut Vec<Finding>) {
    claim::diagnostics(rule, case, found);
    for (result, standing) in case.request.pairs.all() {
        let part = case.transcript.a_part(result);
        let no_id = part.id.is_none_or(|id| case.transcript.ids.is_empty(id));
        let by_place =
            case.format.traits.pairs.restarts_ids() || case.format.traits.ids_are_optional;
        let told_elsewhere = no_id && !by_place;
        if standing != PairStatus::Orphan || told_elsewhere || !case.is_sent(part.event) {
            continue;
        }
        let mut finding = Finding::new(rule, case, "tool result without a call");
        finding.part(case, result, LabelRole::Result);
        finding.about = vec![Subject::Orphan(result)];
        let park = vec![Action::RemovePart(result)];
        finding.fixes = vec![if case.request.pairs.is_ambiguous(result) {
            finding.message =
                "tool result that could belong to several calls with this id".to_owned();
            Fix::with_guess(park)
        } else if case.request.needed.binary_search(&result).is_ok() {
            finding.message =
                "tool result without a call, at the start of the conversation".to_owned();
            Fix::with_guess(park)
        } else {
            Fix::safe(park)
        }];
        if let Some(call) = meant(case, result) {
            let to = case
                .transcript
                .text(case.transcript.a_part(call).id)
                .to_owned();
            let rename = Action::RenameId {
                parts: vec![result],
                to,
            };
            finding.fixes.insert(0, Fix::with_guess(vec![rename]));
        }
        found.push(finding);
    }
}

/// The one call of the batch in front of a result that lacks one, where a person may guess that it is meant: no other
/// result of that batch is without a call.
fn meant(case: &RuleContext<'_>, result: PartId) -> Option<PartId> {
    let pairs = &case.request.pairs;
    if !case.format.traits.guesses_calls {
        return None;
    }
    let behind = pairs
        .batches
        .partition_point(|batch| batch.calls.first().is_some_and(|call| *call < result));
    let batch = pairs.batches.get(behind.checked_sub(1)?)?;
    let mut open = batch
        .calls
        .iter()
        .copied()
        .filter(|call| pairs.status(*call) == PairStatus::Open);
    let (call, None) = (open.next()?, open.next()) else {
        return None;
    };
    let end = pairs
        .batches
        .get(behind)
        .and_then(|next| next.calls.first().copied())
        .unwrap_or(case.transcript.parts.end());
    let last = *batch.calls.last()?;
    let parts = IdRange::new(last, end.min(case.transcript.parts.end()));
    let orphans = parts
        .filter(|part| pairs.status(*part) == PairStatus::Orphan)
        .take(2)
        .count();
    (orphans == 1).then_some(call)
}
