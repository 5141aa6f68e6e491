//! TD106 reused-call-id.

use super::fresh::NewIds;
use super::page::{RuleExample, RulePage};
use super::{Finding, Rule, RuleContext, layer, reported};
use crate::transcript::{
    Action, Code, Effect, Fix, Id, IndexVec, LabelRole, PartId, Severity, Subject,
};

pub(super) const RULE: Rule = Rule {
    code: Code::ReusedCallId,
    name: "reused-call-id",
    layer: layer::REUSE,
    severity: Severity::Fatal,
    summary: "two different tool calls with the same ID",
    page: RulePage {
        fix: "safe",
        means: "Two different tool calls have the same ID. Anthropic requires unique IDs in a \
            request; OpenHands drops every later result of the ID when it loads.",
        causes: &[(
            "Models",
            "IDs that start again in each response: `call_0`, `functions.NAME:0`",
        )],
        repair: "The later call and its result get the ID with a number, `-2` or `_2`, or a new ID \
            in the provider's own style.",
        otherwise: "",
        example: RuleExample {
            from: "anthropic-messages",
            options: &[],
            diff: br##" {"role":"user","content":"Go"}
 {"role":"assistant","content":[{"type":"tool_use","id":"call_0","name":"ls","input":{}}]}
 {"role":"user","content":[{"type":"tool_result","tool_use_id":"call_0","content":"a.txt"}]}
-{"role":"assistant","content":[{"type":"tool_use","id":"call_0","name":"cat","input":{"f":1}}]}
-{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_0","content":"text"}]}
+{"role":"assistant","content":[{"type":"tool_use","id":"call_0-2","name":"cat","input":{"f":1}}]}
+{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_0-2","content":"text"}]}
 {"role":"user","content":"Thanks"}
"##,
        },
    },
    reported_by: &["requests/reused_hosted_ids"],
    check,
};

fn check(rule: &'static Rule, cx: &RuleContext<'_>, found: &mut Vec<Finding>) {
    reported::diagnostics(rule, cx, found);
    let t = cx.transcript;
    if cx.format.traits.ids_are_optional {
        return;
    }
    let frames = cx.format.traits.pairs.restarts_ids();
    let calls = cx.request.pairs.batches.iter().flat_map(|batch| &batch.calls).copied();
    // A call without a result is fixed first.
    let calls = calls.filter(|call| !frames || cx.request.pairs.answer(*call).is_some());
    let mut first = t.ids.table(None);
    let mut new_ids = NewIds::new(cx);
    for call in calls {
        let Some(id) = t.part(call).id.filter(|id| !t.ids.is_empty(*id)) else {
            continue;
        };
        let Some(before) = first[id] else {
            first[id] = Some(call);
            continue;
        };
        let mut finding = Finding::new(rule, cx, "two different tool calls with the same ID");
        let [was_sent, is_sent] = [before, call].map(|call| cx.is_sent(t.part(call).event));
        if !was_sent || !is_sent {
            finding.severity = Severity::Note;
            finding.effect = Effect::None;
        } else if cx.target.reuse_accepted && !same_batch(cx, before, call) {
            if frames || cx.format.traits.takes_reused_ids {
                first[id] = Some(call);
                continue;
            }
            if cx.format.traits.empties_reused_calls && all_were_used(cx, call, &first) {
                finding.message = "all calls of a message have IDs of earlier calls: it is sent with an empty list of calls".into();
            } else {
                finding.severity = Severity::Error;
                finding.effect = Effect::Hides(1);
            }
        }
        if !was_sent {
            first[id] = Some(call);
        }
        let mut parts = vec![call];
        for (call, own) in [(before, false), (call, true)] {
            finding.add_part(cx, call, LabelRole::Call);
            for result in cx.request.pairs.results(call) {
                finding.add_part(cx, *result, cx.result_role(*result));
                if own {
                    parts.push(*result);
                }
            }
        }
        finding.about = vec![Subject::Identity(call)];
        let to = new_ids.derive(t.ids.get(id), 2);
        if !cx.request.pairs.is_disputed(t, call) {
            finding.fixes = vec![Fix::safe([Action::RenameId { parts, to }])];
        }
        found.push(finding);
    }
}

/// Whether all calls of a message have the ID of a call of an earlier one.
fn all_were_used(cx: &RuleContext<'_>, call: PartId, first: &IndexVec<Id, Option<PartId>>) -> bool {
    let batch = cx.request.pairs.batch_of(call);
    batch.is_some_and(|batch| {
        batch.calls.iter().all(|own| {
            let before = cx.transcript.part(*own).id.and_then(|id| first[id]);
            before.is_some_and(|before| !same_batch(cx, before, *own))
        })
    })
}

/// Whether two calls are in one message, where no target can distinguish their results.
fn same_batch(cx: &RuleContext<'_>, a: PartId, b: PartId) -> bool {
    let [a, b] = [a, b].map(|call| cx.request.pairs.batch_of(call).map(std::ptr::from_ref));
    a.is_some() && a == b
}
