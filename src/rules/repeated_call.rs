//! TD109 repeated-call.

use super::page::{RuleExample, RulePage};
use super::{Finding, Rule, RuleContext, layer, reported};
use crate::transcript::pairs::PairStatus;
use crate::transcript::{
    Action, Code, Effect, Fix, LabelRole, LinkKind, PartId, Severity, Subject,
};

pub(super) const RULE: Rule = Rule {
    code: Code::RepeatedCall,
    name: "repeated-call",
    layer: layer::COPIES,
    severity: Severity::Fatal,
    summary: "the same tool call recorded twice",
    page: RulePage {
        fix: "safe",
        means: "One tool call of one response is stored twice under two record IDs. Providers reject \
            the second use of its ID, and hosts drop one of the results.",
        causes: &[
            ("OpenHands", "an action that was written again after a resume"),
            ("Claude Code", "a response that was streamed and stored twice"),
        ],
        repair: "The later copies are removed with their results. If only a copy has a real result, \
            that result is kept and answers the first call.",
        otherwise: "",
        example: RuleExample {
            from: "openai-responses",
            options: &[],
            diff: br##"-{"type":"function_call","call_id":"call_1","name":"ls","arguments":"{}"}
 {"type":"function_call","call_id":"call_1","name":"ls","arguments":"{}"}
 {"type":"function_call_output","call_id":"call_1","output":"a.txt"}
 {"type":"message","role":"user","content":"Go on."}
"##,
        },
    },
    reported_by: &["hosts/anthropic", "shapes/chat", "shapes/items", "hosts/openai_chat"],
    check,
};

fn check(rule: &'static Rule, cx: &RuleContext<'_>, found: &mut Vec<Finding>) {
    reported::diagnostics(rule, cx, found);
    let pairs = &cx.request.pairs;
    for (call, _) in pairs.all().filter(|(call, _)| !pairs.copies(*call).is_empty()) {
        let mut finding =
            Finding::new(rule, cx, "same tool call recorded more than once in one response");
        finding.add_part(cx, call, LabelRole::Call);
        let mut removals = Vec::new();
        for copy in pairs.copies(call) {
            finding.add_part(cx, *copy, LabelRole::Copy);
            finding.about.push(Subject::Identity(*copy));
            removals.push(Action::RemovePart(*copy));
        }
        for result in pairs.results(call) {
            finding.add_part(cx, *result, cx.result_role(*result));
            let surplus = pairs.status(*result) == PairStatus::Surplus(call);
            if surplus && belongs_to_copy(cx, call, *result) {
                finding.covers.push(Subject::Surplus(*result));
                removals.push(Action::RemovePart(*result));
            }
            finding.covers.extend([Subject::Place(*result), Subject::Identity(*result)]);
        }
        finding.fixes = vec![Fix::safe(removals)];
        if !pairs.copies(call).iter().any(|copy| cx.is_sent(cx.transcript.part(*copy).event)) {
            finding.severity = Severity::Warning;
            finding.effect = Effect::RunsAgain;
        }
        found.push(finding);
    }
}

/// Whether a result of a call with copies belongs to one of the copies: its link points to the copy, or it has no link and
/// is after one.
pub(super) fn belongs_to_copy(cx: &RuleContext<'_>, call: PartId, result: PartId) -> bool {
    let t = cx.transcript;
    let copies = cx.request.pairs.copies(call).iter().map(|copy| t.part(*copy).event);
    let event = t.part(result).event;
    match t.linked(event, LinkKind::Call) {
        Some(to) => copies.clone().any(|copy| t.event(copy).id == Some(to)),
        None => copies.clone().any(|copy| copy < event),
    }
}
