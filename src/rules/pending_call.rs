//! TD102 pending-call.

use super::page::{RuleExample, RulePage};
use super::{Finding, Rule, RuleContext, layer, reported};
use crate::transcript::pairs::PairStatus;
use crate::transcript::{Action, Code, Effect, Fix, LabelRole, PartId, Severity, Subject};

pub(super) const RULE: Rule = Rule {
    code: Code::PendingCall,
    name: "pending-call",
    layer: layer::OPEN,
    severity: Severity::Note,
    summary: "a tool call that is still waiting for its result",
    page: RulePage {
        fix: "on request",
        means: "The transcript ends with a tool call: the tool is still running, somebody has to \
            approve it, or the host was stopped. This is not a problem: the host answers or runs \
            the call when you resume.",
        causes: &[
            ("Any host", "a session that was closed while a tool ran"),
        ],
        repair: "Nothing by default.",
        otherwise: "To continue without the tool, run `transcript-doctor repair --answer-pending FILE`. \
            It inserts an error result that is marked as ours.",
        example: RuleExample {
            from: "openai-responses",
            options: &["--answer-pending"],
            diff: br##" {"type":"message","role":"user","content":"List the files."}
 {"type":"function_call","call_id":"call_1","name":"ls","arguments":"{}"}
+{"type":"function_call_output","call_id":"call_1","output":"Interrupted: no result was recorded; the tool may or may not have run. (inserted by transcript-doctor, TD101)"}
"##,
        },
    },
    reported_by: &["hosts/openai_chat"],
    check,
};

fn check(rule: &'static Rule, cx: &RuleContext<'_>, found: &mut Vec<Finding>) {
    let pairs = &cx.request.pairs;
    for batch in pairs.batches.iter().filter(|batch| batch.pending) {
        let open: Vec<PartId> = batch
            .calls
            .iter()
            .filter(|call| pairs.status(**call) == PairStatus::Open)
            .copied()
            .collect();
        if open.is_empty() {
            continue;
        }
        let message = if open.len() == 1 {
            "tool call waiting for its result"
        } else {
            "tool calls waiting for their results"
        };
        let hint = cx.format.traits.pending_hint;
        let message =
            if hint.is_empty() { message.to_owned() } else { format!("{message}; {hint}") };
        let mut finding = Finding::new(rule, cx, message);
        finding.effect = Effect::None;
        for call in &open {
            finding.add_part(cx, *call, LabelRole::Call);
        }
        finding.about = open.iter().map(|call| Subject::Open(*call)).collect();
        let answers = open.iter().map(|call| Action::answer_call(*call));
        finding.fixes = vec![Fix::with_guess(answers)];
        found.push(finding);
    }
    // Calls without an ID to pair them by.
    reported::diagnostics(rule, cx, found);
}
