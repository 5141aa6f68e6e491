//! TD405 bad-call-id.

use super::fresh::NewIds;
use super::page::{RuleExample, RulePage};
use super::{Finding, Rule, RuleContext, layer, reported};
use crate::transcript::{
    Action, Code, Effect, Fix, HabitPlaces, LabelRole, PartId, Severity, Subject,
};

pub(super) const RULE: Rule = Rule {
    code: Code::BadCallId,
    name: "bad-call-id",
    layer: layer::REUSE,
    severity: Severity::Fatal,
    summary: "a tool call ID with characters or a length that the provider rejects",
    page: RulePage {
        fix: "safe",
        means: "Providers accept tool call IDs of letters, digits, `_`, and `-`, most of them up to \
            64 characters. Some models write other IDs. OpenHands' client library replaces bad \
            characters before it sends a request to Anthropic, so it is only a note there.",
        causes: &[
            ("Models", "IDs such as `functions.ls:0`"),
            ("A change of the provider", "IDs that were fine for the one before"),
        ],
        repair: "White space around the ID is cut, each bad character becomes `_`, and the rest is \
            cut to the length. The call and its result get the same ID, with a number, `-2` or \
            `_2`, if it is taken.",
        otherwise: "",
        example: RuleExample {
            from: "anthropic-messages",
            options: &[],
            diff: br##" {"role":"user","content":"Go"}
-{"role":"assistant","content":[{"type":"tool_use","id":"functions.ls:0","name":"ls","input":{}}]}
-{"role":"user","content":[{"type":"tool_result","tool_use_id":"functions.ls:0","content":"a.txt"}]}
+{"role":"assistant","content":[{"type":"tool_use","id":"functions_ls_0","name":"ls","input":{}}]}
+{"role":"user","content":[{"type":"tool_result","tool_use_id":"functions_ls_0","content":"a.txt"}]}
"##,
        },
    },
    reported_by: &["requests/hosted_ids", "requests/item_ids"],
    check,
};

fn check(rule: &'static Rule, cx: &RuleContext<'_>, found: &mut Vec<Finding>) {
    reported::diagnostics(rule, cx, found);
    let t = cx.transcript;
    let calls = cx.request.pairs.batches.iter().flat_map(|batch| batch.calls.iter().copied());
    found.extend(first_long(rule, cx, calls.clone()));
    let bad: Vec<PartId> = calls
        .filter(|call| {
            let id = t.part(*call).sent_id.map(|id| t.ids.get(id)).filter(|id| !id.is_empty());
            id.is_some_and(|id| !cx.target.takes_id(id)) && !cx.request.rewritten_ids.contains(call)
        })
        .collect();
    let Some(first) = bad.first().copied() else {
        return;
    };
    // One finding for all IDs, because a model that writes such IDs writes only these.
    let refusal = cx.target.id_refusal(t.text(t.part(first).sent_id));
    let mut finding = Finding::new(rule, cx, refusal);
    finding.about = vec![Subject::Identity(first)];
    finding.habit = Some(HabitPlaces::Calls);
    if finding.severity == Severity::Note {
        finding.effect = Effect::None;
        finding.add_part(cx, first, LabelRole::Call);
    } else {
        let mut actions = Vec::with_capacity(bad.len());
        let mut new_ids = NewIds::new(cx);
        for call in bad {
            finding.add_part(cx, call, LabelRole::Call);
            let results = cx.request.pairs.results(call);
            if cx.request.pairs.is_disputed(t, call) {
                continue;
            }
            results
                .iter()
                .for_each(|result| finding.add_part(cx, *result, cx.result_role(*result)));
            let parts = std::iter::once(call).chain(results.iter().copied()).collect();
            let to = new_ids.derive(t.text(t.part(call).sent_id), 1);
            actions.push(Action::RenameId { parts, to });
        }
        if !actions.is_empty() {
            finding.fixes = vec![Fix::safe(actions)];
        }
    }
    found.push(finding);
}

/// A note about the first ID that is too long for some deployments of the target.
fn first_long(
    rule: &'static Rule,
    cx: &RuleContext<'_>,
    mut calls: impl Iterator<Item = PartId>,
) -> Option<Finding> {
    let t = cx.transcript;
    let call = calls.find(|call| {
        let id = t.text(t.part(*call).sent_id);
        id.len() > cx.target.careful_id
            && cx.target.takes_id(id)
            && !cx.request.rewritten_ids.contains(call)
    })?;
    let mut finding = Finding::new(
        rule,
        cx,
        "tool call IDs that are too long for older \
        deployments",
    );
    finding.severity = Severity::Note;
    finding.effect = Effect::None;
    finding.add_part(cx, call, LabelRole::Call);
    Some(finding)
}
