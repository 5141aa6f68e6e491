//! TD108 link-mismatch.

use super::page::{Example, Page};
use super::{Finding, Rule, RuleContext, claim, layer};
use crate::transcript::pairs::{MatchedBy, PairStatus};
use crate::transcript::{
    Action, Code, Effect, EventId, Fix, LabelRole, LinkKind, PartId, PartKind, Severity, Subject,
};

pub(super) const RULE: Rule = Rule {
    code: Code::LinkMismatch,
    name: "link-mismatch",
    layer: layer::CALLS,
    severity: Severity::Fatal,
    summary: "one tool call under different ids",
    page: Page {
        fix: "safe",
        means: "One tool call has different ids in different places: in the call and around it, in \
            two results that were swapped, or in a result whose link names another record than \
            its id. The host pairs by one of them and the provider by another. OpenHands takes a \
            call as unanswered if no event links to it, and runs it again.",
        causes: &[
            ("OpenHands", "events written by two processes"),
            ("LangChain", "`tool_calls` and content blocks that were edited separately"),
            ("OpenAI chat", "results that were collected in another order"),
        ],
        repair: "The place that the others contradict is changed. A link that fits no call is set to \
            the only call that the id fits.",
        otherwise: "",
        example: Some(Example {
            from: "openai-chat",
            options: &[],
            diff: br##" {"role":"user","content":"Go"}
 {"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"read","arguments":"{}"}},{"id":"c2","type":"function","function":{"name":"list","arguments":"{}"}}]}
-{"role":"tool","tool_call_id":"c1","name":"list","content":"a b"}
-{"role":"tool","tool_call_id":"c2","name":"read","content":"fn a"}
+{"role":"tool","tool_call_id":"c2","name":"list","content":"a b"}
+{"role":"tool","tool_call_id":"c1","name":"read","content":"fn a"}
"##,
        }),
    },
    reported_by: &["formats/claude_code", "formats/langchain", "formats/openai_chat", "formats/openhands_v0", "requests/item_outputs", "requests/result_names"],
    check,
};

fn check(rule: &'static Rule, case: &RuleContext<'_>, found: &mut Vec<Finding>) {
    for (part, standing) in case.request.pairs.all() {
        match standing {
            PairStatus::Open | PairStatus::Answered(_) => two_ids(rule, case, part, found),
            PairStatus::Answers(call) => match case.request.pairs.matched_by(part) {
                Some(MatchedBy::Swapped) => swapped(rule, case, part, call, found),
                Some(MatchedBy::IdOnly) => wrong_link(rule, case, part, call, found),
                _ => {}
            },
            _ => {}
        }
    }
    // Links that the host keeps for others than the model.
    claim::diagnostics(rule, case, found);
}

/// The call goes out with another id than the host pairs by.
fn two_ids(rule: &'static Rule, case: &RuleContext<'_>, call: PartId, found: &mut Vec<Finding>) {
    let t = case.transcript;
    let part = t.a_part(call);
    let (Some(outer), Some(inner)) = (part.id.filter(|id| !t.ids.is_empty(*id)), part.sent_id)
    else {
        return;
    };
    if outer == inner {
        return;
    }
    let results = case.request.pairs.results(call);
    let mut finding = Finding::new(
        rule,
        case,
        "tool call and result are sent with different ids",
    );
    finding.part(case, call, LabelRole::Call);
    results
        .iter()
        .for_each(|result| finding.part(case, *result, case.result_role(*result)));
    if !finding.calls.contains(&inner) {
        finding.calls.push(inner);
    }
    finding.about = vec![Subject::Identity(call)];
    // Nothing but the inner id is contradicted; without a result, one that carries the inner id is looked for.
    let by_inner = orphans_with(case, inner);
    by_inner
        .iter()
        .for_each(|result| finding.part(case, *result, case.result_role(*result)));
    let to = if results.is_empty() && !by_inner.is_empty() {
        inner
    } else {
        outer
    };
    finding.covers = by_inner
        .iter()
        .map(|result| Subject::Orphan(*result))
        .chain([Subject::Open(call)])
        .collect();
    let to = t.ids.get(to).to_owned();
    finding.fixes = vec![Fix::safe(vec![Action::RenameId {
        parts: vec![call],
        to,
    }])];
    if !case.is_sent(part.event) {
        finding.severity = Severity::Note;
        finding.effect = Effect::None;
    }
    found.push(finding);
}

fn orphans_with(case: &RuleContext<'_>, id: crate::transcript::Id) -> Vec<PartId> {
    let orphans = case
        .request
        .pairs
        .all()
        .filter(|(_, standing)| *standing == PairStatus::Orphan);
    orphans
        .map(|(part, _)| part)
        .filter(|part| case.transcript.a_part(*part).id == Some(id))
        .collect()
}

/// Two results carry each other's ids: their links are right.
fn swapped(
    rule: &'static Rule,
    case: &RuleContext<'_>,
    result: PartId,
    call: PartId,
    found: &mut Vec<Finding>,
) {
    let mut finding = Finding::new(rule, case, "tool result with the id of a different call");
    finding.part(case, call, LabelRole::Call);
    finding.part(case, result, case.result_role(result));
    finding.about = vec![Subject::Identity(result)];
    let to = case
        .transcript
        .text(case.transcript.a_part(call).id)
        .to_owned();
    finding.fixes = vec![Fix::safe(vec![Action::RenameId {
        parts: vec![result],
        to,
    }])];
    found.push(finding);
}

/// The id fits a call, the link names another record or none: valid for the provider, but the host runs the call again.
fn wrong_link(
    rule: &'static Rule,
    case: &RuleContext<'_>,
    result: PartId,
    call: PartId,
    found: &mut Vec<Finding>,
) {
    let mut finding = Finding::new(rule, case, "a tool result's link does not name its call");
    (finding.severity, finding.effect) = (Severity::Warning, Effect::None);
    if case.format.traits.runs_unlinked && case.transcript.a_part(call).runnable {
        finding.message =
            "tool result linked to another call, so the next run executes the tool again"
                .to_owned();
        (finding.severity, finding.effect) = (Severity::Error, Effect::RunsAgain);
    }
    finding.part(case, call, LabelRole::Call);
    finding.part(case, result, case.result_role(result));
    finding.about = vec![Subject::Identity(result)];
    let (event, to) = (
        case.transcript.a_part(result).event,
        case.transcript.a_part(call).event,
    );
    if is_only_call(case, to) && case.transcript.event(to).id.is_some() {
        let relink = Action::SetLink {
            event,
            link: LinkKind::Call,
            to: Some(to),
        };
        finding.fixes = vec![Fix::safe(vec![relink])];
    }
    found.push(finding);
}

/// Whether the record holds one call, so that naming the record names the call.
fn is_only_call(case: &RuleContext<'_>, event: EventId) -> bool {
    let t = case.transcript;
    t.event(event)
        .parts
        .clone()
        .filter(|part| t.a_part(*part).kind == PartKind::Call)
        .count()
        == 1
}
