//! TD405 bad-call-id.

use super::fresh::Fresh;
use super::{Finding, Rule, RuleContext, claim, layer};
use crate::transcript::{Action, Code, Effect, Fix, LabelRole, PartId, Severity, Subject};

pub(super) const RULE: Rule = Rule {
    code: Code::BadCallId,
    name: "bad-call-id",
    layer: layer::REUSE,
    severity: Severity::Fatal,
    summary: "a tool call id with characters or a length that the provider rejects",
    page: "\
Providers take ids of letters, digits, _ and -, at most 64 of them. Some models write others (functions.NAME:0). OpenHands'
client library replaces the bad characters on its way to Anthropic, so there this is a note.

Repair: blanks around the id go, a bad character becomes _, the rest is cut to the length; the call and its result get the
same id, with _2, _3 and so on where it is taken.
",
    reported_by: &["dialects/anthropic", "requests/item_ids"],
    check,
};

fn check(rule: &'static Rule, case: &RuleContext<'_>, found: &mut Vec<Finding>) {
    claim::diagnostics(rule, case, found);
    let t = case.transcript;
    let calls = case
        .request
        .pairs
        .batches
        .iter()
        .flat_map(|batch| batch.calls.iter().copied());
    let bad = |call: &PartId| {
        let id = t
            .a_part(*call)
            .sent_id
            .map(|id| t.ids.get(id))
            .filter(|id| !id.is_empty());
        id.is_some_and(|id| !case.target.takes_id(id)) && !case.request.rewritten.contains(call)
    };
    found.extend(long(rule, case, calls.clone()));
    let bad: Vec<PartId> = calls.filter(bad).collect();
    let Some(first) = bad.first().copied() else {
        return;
    };
    // One finding for all: a model that writes such ids writes nothing else.
    let mut finding = Finding::new(
        rule,
        case,
        "tool call ids with characters or a length that the provider rejects",
    );
    finding.about = vec![Subject::Identity(first)];
    if finding.severity == Severity::Note {
        finding.effect = Effect::None;
        finding.part(case, first, LabelRole::Call);
    } else {
        let mut actions = Vec::with_capacity(bad.len());
        let mut fresh = Fresh::new(case);
        for call in bad {
            finding.part(case, call, LabelRole::Call);
            let results = case.request.pairs.results(call);
            if case.request.pairs.is_disputed(t, call) {
                continue;
            }
            results
                .iter()
                .for_each(|result| finding.part(case, *result, case.result_role(*result)));
            let parts = std::iter::once(call)
                .chain(results.iter().copied())
                .collect();
            let to = fresh.id(t.text(t.a_part(call).sent_id), 1);
            actions.push(Action::Rename { parts, to });
        }
        if !actions.is_empty() {
            finding.fixes = vec![Fix::safe(actions)];
        }
    }
    found.push(finding);
}

/// Ids that the target takes, but not every deployment of it: the first of them.
fn long(
    rule: &'static Rule,
    case: &RuleContext<'_>,
    mut calls: impl Iterator<Item = PartId>,
) -> Option<Finding> {
    let t = case.transcript;
    let call = calls.find(|call| {
        let id = t.text(t.a_part(*call).sent_id);
        id.len() > case.target.careful_id
            && case.target.takes_id(id)
            && !case.request.rewritten.contains(call)
    })?;
    let mut finding = Finding::new(
        rule,
        case,
        "tool call ids that are too long for older \
        deployments",
    );
    finding.severity = Severity::Note;
    finding.effect = Effect::None;
    finding.part(case, call, LabelRole::Call);
    Some(finding)
}
