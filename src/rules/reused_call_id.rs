//! TD106 reused-call-id.

use hashbrown::HashMap;

use super::fresh::Fresh;
use super::page::{Example, Page};
use super::{Finding, Rule, RuleContext, claim, layer};
use crate::transcript::{Action, Code, Effect, Fix, Id, LabelRole, PartId, Severity, Subject};

pub(super) const RULE: Rule = Rule {
    code: Code::ReusedCallId,
    name: "reused-call-id",
    layer: layer::REUSE,
    severity: Severity::Fatal,
    summary: "two different tool calls with the same id",
    page: Page {
        fix: "safe",
        means: "Two different tool calls have the same id. Anthropic requires unique ids in a \
            request; OpenHands drops every later result of the id when it loads.",
        causes: &[(
            "Models",
            "ids that start again in each response: `call_0`, `functions.NAME:0`",
        )],
        repair: "The later call and its result get the id with `_2`, `_3` and so on, or a new id in \
            the provider's own style.",
        otherwise: "",
        example: Some(Example {
            from: "anthropic-messages",
            options: &[],
            diff: br##" {"role":"user","content":"Go"}
 {"role":"assistant","content":[{"type":"tool_use","id":"call_0","name":"ls","input":{}}]}
 {"role":"user","content":[{"type":"tool_result","tool_use_id":"call_0","content":"a.txt"}]}
-{"role":"assistant","content":[{"type":"tool_use","id":"call_0","name":"cat","input":{"f":1}}]}
-{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_0","content":"text"}]}
+{"role":"assistant","content":[{"type":"tool_use","id":"call_0_2","name":"cat","input":{"f":1}}]}
+{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_0_2","content":"text"}]}
 {"role":"user","content":"Thanks"}
"##,
        }),
    },
    reported_by: &["requests/reused_hosted_ids"],
    check,
};

fn check(rule: &'static Rule, case: &RuleContext<'_>, found: &mut Vec<Finding>) {
    claim::diagnostics(rule, case, found);
    let t = case.transcript;
    if case.format.traits.ids_are_optional {
        return;
    }
    let frames = case.format.traits.pairs.restarts_ids();
    let calls = case
        .request
        .pairs
        .batches
        .iter()
        .flat_map(|batch| &batch.calls)
        .copied();
    // A call that nothing answers gets its answer first.
    let calls = calls.filter(|call| !frames || case.request.pairs.answer(*call).is_some());
    let mut first: HashMap<Id, PartId> = HashMap::new();
    let mut fresh = Fresh::new(case);
    for call in calls {
        let Some(id) = t.a_part(call).id.filter(|id| !t.ids.is_empty(*id)) else {
            continue;
        };
        let Some(before) = first.get(&id).copied() else {
            first.insert(id, call);
            continue;
        };
        let mut finding = Finding::new(rule, case, "two different tool calls with the same id");
        let sent = |call: PartId| case.is_sent(t.a_part(call).event);
        if !sent(before) || !sent(call) {
            finding.severity = Severity::Note;
            finding.effect = Effect::None;
        } else if case.target.reuse_accepted && !same_batch(case, before, call) {
            if frames || case.format.traits.takes_reused_ids {
                first.insert(id, call);
                continue;
            }
            finding.severity = Severity::Error;
            finding.effect = Effect::Hides(1);
        }
        if !sent(before) {
            first.insert(id, call);
        }
        let mut parts = vec![call];
        for (call, own) in [(before, false), (call, true)] {
            finding.part(case, call, LabelRole::Call);
            for result in case.request.pairs.results(call) {
                finding.part(case, *result, case.result_role(*result));
                if own {
                    parts.push(*result);
                }
            }
        }
        finding.about = vec![Subject::Identity(call)];
        let to = fresh.id(t.ids.get(id), 2);
        if !case.request.pairs.is_disputed(t, call) {
            finding.fixes = vec![Fix::safe(vec![Action::RenameId { parts, to }])];
        }
        found.push(finding);
    }
}

/// Calls of one message: no target can tell their results apart.
fn same_batch(case: &RuleContext<'_>, one: PartId, other: PartId) -> bool {
    let of = |call| case.request.pairs.batch_of(call).map(std::ptr::from_ref);
    of(one).is_some() && of(one) == of(other)
}
