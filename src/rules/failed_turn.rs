//! TD203 failed-turn-with-calls.

use std::collections::{BTreeMap, HashSet};

use super::page::{RuleExample, RulePage};
use super::{Finding, Rule, RuleContext, layer, reported};
use crate::transcript::{
    Action, Code, Effect, Fix, LabelRole, PartId, Severity, Subject, distinct,
};

pub(super) const RULE: Rule = Rule {
    code: Code::FailedTurnWithCalls,
    name: "failed-turn-with-calls",
    layer: layer::ORPHANS,
    severity: Severity::Fatal,
    summary: "tool results of a failed response",
    page: RulePage {
        fix: "safe or unsafe",
        means: "The provider failed, or you stopped it, in the middle of a response that already had \
            tool calls. The host leaves that response out of the next request but still sends \
            the results of its calls, which then answer nothing. Without results it is only a \
            note.",
        causes: &[
            ("pi, OpenClaw", "results, or placeholders of the host's own repair, after an aborted response"),
            ("Claude Code", "an API error in the middle of a streamed response"),
        ],
        repair: "Removes all results of the failed response. The response stays as it is, and so does \
            everything else. If a tool ran, the model does not know about it.",
        otherwise: "If an earlier call with the same ID has no result, the result may be its own: \
            `transcript-doctor repair --unsafe FILE` gives it to that call.",
        example: RuleExample {
            from: "pi",
            options: &[],
            diff: br##" {"type":"session","version":3,"id":"s1","timestamp":"2026-01-05T09:00:00Z","cwd":"/w"}
 {"type":"message","id":"m1","parentId":null,"timestamp":"2026-01-05T09:00:01Z","message":{"role":"assistant","stopReason":"aborted","content":[{"type":"toolCall","id":"call_1","name":"ls","arguments":{}}]}}
-{"type":"message","id":"m2","parentId":"m1","timestamp":"2026-01-05T09:00:02Z","message":{"role":"toolResult","toolCallId":"call_1","toolName":"ls","content":[{"type":"text","text":"a.txt"}]}}
-{"type":"message","id":"m3","parentId":"m2","timestamp":"2026-01-05T09:00:03Z","message":{"role":"user","content":"Go on"}}
+{"type":"message","id":"m3","parentId":"m1","timestamp":"2026-01-05T09:00:03Z","message":{"role":"user","content":"Go on"}}
"##,
        },
    },
    reported_by: &["hosts/pi"],
    check,
};

fn check(rule: &'static Rule, cx: &RuleContext<'_>, found: &mut Vec<Finding>) {
    let pairs = &cx.request.pairs;
    for calls in &pairs.failed {
        let mut finding =
            Finding::new(rule, cx, "tool results of a failed response are sent without it");
        let mut removals = Vec::new();
        for call in calls {
            finding.add_part(cx, *call, LabelRole::Call);
            for result in pairs.results(*call) {
                finding.add_part(cx, *result, cx.result_role(*result));
                finding.about.push(Subject::Orphan(*result));
                removals.push(Action::RemovePart(*result));
            }
        }
        if removals.is_empty() {
            finding.message = "failed response with unanswered tool calls".into();
            finding.severity = Severity::Note;
            finding.effect = Effect::None;
        } else if !add_dispute(cx, calls, &mut finding) {
            finding.fixes = vec![Fix::safe(removals)];
        }
        found.push(finding);
    }
    reported::diagnostics(rule, cx, found);
}

/// Whether results may also belong to earlier open calls. Then the finding says so, and its fix, which gives them to those
/// calls, is a guess.
fn add_dispute(cx: &RuleContext<'_>, calls: &[PartId], finding: &mut Finding) -> bool {
    let pairs = &cx.request.pairs;
    let mut results: Vec<PartId> =
        calls.iter().flat_map(|call| pairs.results(*call)).copied().collect();
    // If several results fit an open call, the first one counts.
    let mut rivals: BTreeMap<PartId, PartId> = BTreeMap::new();
    for (result, call) in results.iter().filter_map(|result| Some((*result, pairs.rival(*result)?)))
    {
        rivals.entry(call).or_insert(result);
    }
    if rivals.is_empty() {
        return false;
    }
    finding.message =
        "tool result of a failed response, or of an earlier call with the same ID".into();
    for call in rivals.keys() {
        finding.add_part(cx, *call, LabelRole::Call);
        finding.covers.push(Subject::Open(*call));
    }
    let moved: HashSet<PartId> = rivals.values().copied().collect();
    results.retain(|result| !moved.contains(result));
    let batches: Vec<usize> = distinct(rivals.keys().filter_map(|call| pairs.batch_number(*call)));
    let moves =
        batches.into_iter().map(|batch| {
            let batch = &pairs.batches[batch];
            Action::MoveTogether(
                batch
                    .calls
                    .iter()
                    .copied()
                    .chain(batch.calls.iter().filter_map(|call| {
                        rivals.get(call).copied().or_else(|| pairs.answer(*call))
                    }))
                    .collect(),
            )
        });
    let actions = moves.chain(results.into_iter().map(Action::RemovePart));
    finding.fixes = vec![Fix::with_guess(actions)];
    true
}
