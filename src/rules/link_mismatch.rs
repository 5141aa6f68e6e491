//! TD108 link-mismatch.

use super::page::{RuleExample, RulePage};
use super::{Finding, Rule, RuleContext, layer, reported};
use crate::transcript::pairs::{MatchedBy, PairStatus};
use crate::transcript::{
    Action, Code, Confidence, Effect, EventId, Fix, LabelRole, LinkKind, PartId, PartKind,
    Severity, Subject,
};

pub(super) const RULE: Rule = Rule {
    code: Code::LinkMismatch,
    name: "link-mismatch",
    layer: layer::CALLS,
    severity: Severity::Fatal,
    summary: "one tool call under different IDs",
    page: RulePage {
        fix: "safe or unsafe",
        means: "One tool call has different IDs in different places: in the call and around it, in \
            two results that were swapped, in the only result after the call, or in a result whose link names another record than \
            its ID. The host pairs by one of them and the provider by another. OpenHands treats a call as unanswered if no event links to it, and runs it again.",
        causes: &[
            ("OpenHands", "events written by two processes"),
            ("LangChain", "`tool_calls` and content blocks that were edited separately"),
            ("OpenAI chat", "results that were collected in another order"),
            ("Gateways, resumed sessions", "IDs of calls that were rewritten"),
        ],
        repair: "The place that the others contradict is changed. A link that fits no call is set to \
            the only call that the ID fits.",
        otherwise: "If only the names of the tools show that two results were swapped, `transcript-doctor repair --unsafe FILE` swaps their IDs. \
            If the only result after a call without a result has another ID, it gives the result the ID of the call.",
        example: RuleExample {
            from: "openai-chat",
            options: &[],
            diff: br##" {"role":"user","content":"Go"}
 {"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"read","arguments":"{}"}},{"id":"c2","type":"function","function":{"name":"list","arguments":"{}"}}]}
-{"role":"tool","tool_call_id":"c1","name":"list","content":"a b"}
-{"role":"tool","tool_call_id":"c2","name":"read","content":"fn a"}
+{"role":"tool","tool_call_id":"c2","name":"list","content":"a b"}
+{"role":"tool","tool_call_id":"c1","name":"read","content":"fn a"}
"##,
        },
    },
    reported_by: &["hosts/claude_code", "hosts/langchain", "hosts/openai_chat", "hosts/openhands_v0", "requests/item_outputs", "requests/result_names"],
    check,
};

fn check(rule: &'static Rule, cx: &RuleContext<'_>, found: &mut Vec<Finding>) {
    for (part, status) in cx.request.pairs.all() {
        match status {
            PairStatus::Open | PairStatus::Answered(_) => check_sent_id(rule, cx, part, found),
            PairStatus::Answers(call) => match cx.request.pairs.matched_by(part) {
                Some(MatchedBy::Swapped) => report_swapped_id(rule, cx, part, call, found),
                Some(MatchedBy::IdOnly) => report_wrong_link(rule, cx, part, call, found),
                _ => {}
            },
            PairStatus::Orphan => report_lost_id(rule, cx, part, found),
            _ => {}
        }
    }
    // Links that the host keeps for other purposes than the request.
    reported::diagnostics(rule, cx, found);
}

/// Reports a call that is sent with another ID than the one that the host pairs by.
fn check_sent_id(
    rule: &'static Rule,
    cx: &RuleContext<'_>,
    call: PartId,
    found: &mut Vec<Finding>,
) {
    let t = cx.transcript;
    let part = t.part(call);
    let (Some(own_id), Some(sent_id)) = (part.id.filter(|id| !t.ids.is_empty(*id)), part.sent_id)
    else {
        return;
    };
    if own_id == sent_id {
        return;
    }
    let results = cx.request.pairs.results(call);
    let mut finding = Finding::new(rule, cx, "tool call and result are sent with different IDs");
    finding.add_part(cx, call, LabelRole::Call);
    results.iter().for_each(|result| finding.add_part(cx, *result, cx.result_role(*result)));
    finding.calls.push(sent_id);
    finding.about = vec![Subject::Identity(call)];
    // The sent ID is the wrong one, unless the call has no result and an orphaned result has the sent ID.
    let with_sent_id = orphans_with(cx, sent_id);
    with_sent_id.iter().for_each(|result| finding.add_part(cx, *result, cx.result_role(*result)));
    let to = if results.is_empty() && !with_sent_id.is_empty() { sent_id } else { own_id };
    finding.covers = with_sent_id
        .iter()
        .map(|result| Subject::Orphan(*result))
        .chain([Subject::Open(call)])
        .collect();
    let to = t.ids.get(to).to_owned();
    finding.fixes = vec![Fix::safe([Action::rename_id(vec![call], to)])];
    if !cx.is_sent(part.event) {
        finding.severity = Severity::Note;
        finding.effect = Effect::None;
    }
    found.push(finding);
}

fn orphans_with(cx: &RuleContext<'_>, id: crate::transcript::Id) -> Vec<PartId> {
    let orphans = cx.request.pairs.all().filter(|(_, status)| *status == PairStatus::Orphan);
    orphans.map(|(part, _)| part).filter(|part| cx.transcript.part(*part).id == Some(id)).collect()
}

/// Reports a result whose link is right and whose ID is that of another call, because two results have each other's IDs.
fn report_swapped_id(
    rule: &'static Rule,
    cx: &RuleContext<'_>,
    result: PartId,
    call: PartId,
    found: &mut Vec<Finding>,
) {
    let mut finding = Finding::new(rule, cx, "tool result with the ID of a different call");
    finding.add_part(cx, call, LabelRole::Call);
    finding.add_part(cx, result, cx.result_role(result));
    finding.about = vec![Subject::Identity(result)];
    let to = cx.transcript.text(cx.transcript.part(call).id).to_owned();
    finding.fixes = vec![Fix::safe([Action::rename_id(vec![result], to)])];
    found.push(finding);
}

/// Reports a result whose ID is right and whose link is not: valid for the provider, but the host may run the call again.
fn report_wrong_link(
    rule: &'static Rule,
    cx: &RuleContext<'_>,
    result: PartId,
    call: PartId,
    found: &mut Vec<Finding>,
) {
    let mut finding = Finding::new(rule, cx, "a tool result's link does not name its call");
    (finding.severity, finding.effect) = (Severity::Warning, Effect::None);
    if cx.format.traits.runs_unlinked && cx.transcript.part(call).runnable {
        finding.message =
            "tool result linked to the wrong call, so the agent would run the tool again".into();
        (finding.severity, finding.effect) = (Severity::Error, Effect::RunsAgain);
    }
    finding.add_part(cx, call, LabelRole::Call);
    finding.add_part(cx, result, cx.result_role(result));
    finding.about = vec![Subject::Identity(result)];
    let (event, to) = (cx.transcript.part(result).event, cx.transcript.part(call).event);
    if is_only_call(cx, to) && cx.transcript.event(to).id.is_some() {
        let relink = Action::SetLink { event, link: LinkKind::Call, to: Some(to) };
        finding.fixes = vec![Fix::safe([relink])];
    }
    found.push(finding);
}

/// The call that an orphaned result answers, if only its ID says otherwise: it is the only result directly after the only open
/// call. Gateways and resumed sessions give calls other IDs.
pub(super) fn lost_id(cx: &RuleContext<'_>, result: PartId) -> Option<PartId> {
    let t = cx.transcript;
    let part = t.part(result);
    let has_id = part.id.is_some_and(|id| !t.ids.is_empty(id));
    let pairs = &cx.request.pairs;
    let is_open = has_id && cx.is_sent(part.event) && !pairs.is_ambiguous(result);
    is_open.then(|| pairs.only_open_for(t, result)).flatten()
}

/// Reports the only result after the only open call, which has another ID. Either the ID was lost, or the result.
fn report_lost_id(
    rule: &'static Rule,
    cx: &RuleContext<'_>,
    result: PartId,
    found: &mut Vec<Finding>,
) {
    let Some(call) = lost_id(cx, result) else {
        return;
    };
    let message = "the only result after a tool call without a result has another ID";
    let mut finding = Finding::new(rule, cx, message);
    finding.confidence = Confidence::Likely;
    finding.add_part(cx, call, LabelRole::Call);
    finding.add_part(cx, result, cx.result_role(result));
    finding.about = vec![Subject::Orphan(result)];
    finding.covers = vec![Subject::Open(call)];
    let to = cx.transcript.text(cx.transcript.part(call).id).to_owned();
    let relink = Action::rename_id(vec![result], to);
    finding.fixes = vec![Fix::with_guess([relink]), Fix::with_guess([Action::RemovePart(result)])];
    found.push(finding);
}

/// Whether the record has exactly one call, so that a link to the record is a link to the call.
fn is_only_call(cx: &RuleContext<'_>, event: EventId) -> bool {
    let t = cx.transcript;
    t.parts_of(event, PartKind::Call).count() == 1
}
