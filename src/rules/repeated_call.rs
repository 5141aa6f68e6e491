//! TD109 repeated-call.

use super::page::{Example, Page};
use super::{Finding, Rule, RuleContext, claim, layer};
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
    page: Page {
        fix: "safe",
        means: "One tool call of one response is stored twice under two record ids. Providers reject \
            the second use of its id, and hosts drop one of the results.",
        causes: &[
            (
                "OpenHands",
                "an action that was written again after a resume",
            ),
            (
                "Claude Code",
                "a response that was streamed and stored twice",
            ),
        ],
        repair: "The later copies are removed with their results. If only a copy has a real result, \
            that result is kept and answers the first call.",
        otherwise: "",
        example: Some(Example {
            from: "openai-responses",
            options: &[],
            diff: br##"-{"type":"function_call","call_id":"call_1","name":"ls","arguments":"{}"}
 {"type":"function_call","call_id":"call_1","name":"ls","arguments":"{}"}
 {"type":"function_call_output","call_id":"call_1","output":"a.txt"}
 {"type":"message","role":"user","content":"Go on."}
"##,
        }),
    },
    reported_by: &[
        "formats/anthropic",
        "formats/chat",
        "formats/items",
        "formats/openai_chat",
    ],
    check,
};

fn check(rule: &'static Rule, case: &RuleContext<'_>, found: &mut Vec<Finding>) {
    claim::diagnostics(rule, case, found);
    let pairs = &case.request.pairs;
    for (call, _) in pairs
        .all()
        .filter(|(call, _)| !pairs.copies(*call).is_empty())
    {
        let mut finding = Finding::new(
            rule,
            case,
            "same tool call recorded more than once in one response",
        );
        finding.part(case, call, LabelRole::Call);
        let mut parks = Vec::new();
        for copy in pairs.copies(call) {
            finding.part(case, *copy, LabelRole::Copy);
            finding.about.push(Subject::Identity(*copy));
            parks.push(Action::RemovePart(*copy));
        }
        for result in pairs.results(call) {
            finding.part(case, *result, case.result_role(*result));
            let surplus = pairs.status(*result) == PairStatus::Surplus(call);
            if surplus && goes_with_copy(case, call, *result) {
                finding.covers.push(Subject::Surplus(*result));
                parks.push(Action::RemovePart(*result));
            }
            finding
                .covers
                .extend([Subject::Place(*result), Subject::Identity(*result)]);
        }
        finding.fixes = vec![Fix::safe(parks)];
        let sent = |copy: &PartId| case.is_sent(case.transcript.a_part(*copy).event);
        if !pairs.copies(call).iter().any(sent) {
            finding.severity = Severity::Warning;
            finding.effect = Effect::RunsAgain;
        }
        found.push(finding);
    }
}

/// Whether a result of a call that has copies belongs to one of them: its link names the copy, or, without a link, it
/// stands behind one.
pub(super) fn goes_with_copy(case: &RuleContext<'_>, call: PartId, result: PartId) -> bool {
    let t = case.transcript;
    let copies = case
        .request
        .pairs
        .copies(call)
        .iter()
        .map(|copy| t.a_part(*copy).event);
    let event = t.a_part(result).event;
    match t.link_of(event, LinkKind::Call).and_then(|link| link.to) {
        Some(to) => copies.clone().any(|copy| t.event(copy).id == Some(to)),
        None => copies.clone().any(|copy| copy < event),
    }
}
