//! TD107 missing-call-id.

use super::fresh::{MADE, NewIds};
use super::page::{RuleExample, RulePage};
use super::{Finding, Rule, RuleContext, layer, reported};
use crate::transcript::pairs::{MatchedBy, PairStatus};
use crate::transcript::{
    Action, Code, Effect, Fix, HabitPlaces, LabelRole, PartId, Severity, Subject, Transcript,
};

pub(super) const RULE: Rule = Rule {
    code: Code::MissingCallId,
    name: "missing-call-id",
    layer: layer::CALLS,
    severity: Severity::Fatal,
    summary: "a tool call or result without an ID",
    page: RulePage {
        fix: "safe or you decide",
        means: "A tool call or a result has no ID, so nothing can pair them. Results without IDs are \
            never copies of each other. Rows in the form of chat templates have none, which is healthy, and if a \
            program leaves out all of them where nothing shows the provider, that is one note.",
        causes: &[("Proxies and local models", "servers that leave the ID out")],
        repair: "The result gets the ID of the call that its link names, or of the only unanswered \
            call of its tool. A call and a result without IDs that are linked get a new one.",
        otherwise: "If several calls are possible, edit the ID: only you know which call it was.",
        example: RuleExample {
            from: "openai-responses",
            options: &[],
            diff: br##" {"type":"function_call","call_id":"call_1","name":"ls","arguments":"{}"}
-{"type":"function_call_output","call_id":null,"output":"a.txt"}
+{"type":"function_call_output","call_id":"call_1","output":"a.txt"}
 {"type":"message","role":"user","content":"Go on."}
"##,
        },
    },
    reported_by: &["hosts/openhands", "requests/hosted_ids"],
    check,
};

fn check(rule: &'static Rule, cx: &RuleContext<'_>, found: &mut Vec<Finding>) {
    reported::diagnostics(rule, cx, found);
    if cx.format.traits.ids_are_optional {
        return;
    }
    let t = cx.transcript;
    let mut new_ids = NewIds::new(cx);
    for (part, status) in cx.request.pairs.all().filter(|(part, _)| lacks_id(t, *part)) {
        let mut finding = Finding::new(rule, cx, "tool result without an ID");
        let traits = &cx.format.traits;
        let loads = traits.unreadable.skips || traits.names_by_place;
        finding.effect =
            if t.part(part).id.is_none() && !loads { Effect::LoadFails } else { Effect::Refused };
        finding.about = vec![Subject::Identity(part)];
        finding.habit = Some(HabitPlaces::Results);
        match status {
            PairStatus::Answers(call) | PairStatus::Surplus(call) if !lacks_id(t, call) => {
                finding.add_part(cx, call, LabelRole::Call);
                finding.add_part(cx, part, cx.result_role(part));
                let to = t.text(t.part(call).id).to_owned();
                let is_certain = matches!(
                    cx.request.pairs.matched_by(part),
                    Some(MatchedBy::LinkOnly | MatchedBy::ToolOnly)
                );
                let rename = vec![Action::rename_id(vec![part], to)];
                finding.fixes = vec![Fix::safe_if(is_certain, rename)];
            }
            // Neither has an ID: this is reported with the call.
            PairStatus::Answers(_) | PairStatus::Surplus(_) => continue,
            // The host pairs by position, so no call is left that it could belong to.
            PairStatus::Orphan if cx.format.traits.pairs.restarts_ids() => continue,
            PairStatus::Orphan => {
                finding.add_part(cx, part, LabelRole::Result);
                finding.covers = vec![Subject::Orphan(part)];
                // The result belongs to one of these calls, but it is unknown to which one.
                finding.covers.extend(open_of_tool(cx, part).map(Subject::Open));
            }
            PairStatus::Answered(_) | PairStatus::Open | PairStatus::CopyOf(_) => {
                finding.message = "tool call without an ID".into();
                finding.habit = Some(HabitPlaces::Calls);
                finding.add_part(cx, part, LabelRole::Call);
                let results = cx.request.pairs.results(part);
                results
                    .iter()
                    .for_each(|result| finding.add_part(cx, *result, cx.result_role(*result)));
                finding.fixes = vec![add_id(cx, &mut new_ids, part, results)];
            }
            PairStatus::None | PairStatus::Failed | PairStatus::OfFailed(_) => continue,
        }
        let is_unsent = !cx.is_sent(t.part(part).event);
        if is_unsent && finding.effect == Effect::Refused {
            finding.severity = Severity::Note;
            finding.effect = Effect::None;
        }
        found.push(finding);
    }
}

fn lacks_id(t: &Transcript, part: PartId) -> bool {
    t.part(part).id.is_none_or(|id| t.ids.is_empty(id))
}

/// At most this many open calls are covered by one result.
const MOST_EXPLAINED: usize = 64;

/// The open calls of a result's tool before the result.
fn open_of_tool<'a>(cx: &'a RuleContext<'_>, result: PartId) -> impl Iterator<Item = PartId> + 'a {
    let t = cx.transcript;
    let open = cx
        .request
        .pairs
        .all()
        .filter(|(_, status)| *status == PairStatus::Open)
        .map(|(call, _)| call);
    let tool = t.part(result).tool;
    // Without a tool name it can only belong to the batch before it.
    let batches = &cx.request.pairs.batches;
    let next =
        batches.partition_point(|batch| batch.calls.first().is_some_and(|call| *call < result));
    let batch = next.checked_sub(1).map(|at| &*batches[at].calls).unwrap_or_default();
    open.filter(move |call| match tool {
        Some(_) => *call < result && t.part(*call).tool == tool,
        None => batch.contains(call),
    })
    .take(MOST_EXPLAINED)
}

/// Gives a call and its results an ID: that of its only result, or else one made from the ID or the place of its record.
fn add_id(cx: &RuleContext<'_>, new_ids: &mut NewIds<'_>, call: PartId, results: &[PartId]) -> Fix {
    let t = cx.transcript;
    if let [only] = results
        && let Some(id) = t.part(*only).id.filter(|id| !t.ids.get(*id).trim().is_empty())
    {
        let to = t.ids.get(id).to_owned();
        return Fix::safe([Action::rename_id(vec![call], to)]);
    }
    let event = t.event(t.part(call).event);
    let own: Option<String> = event
        .id
        .filter(|_| !cx.format.traits.names_by_place)
        .map(|own| t.ids.get(own).chars().filter(char::is_ascii_alphanumeric).take(48).collect());
    let to = match own.filter(|own| !own.is_empty()) {
        Some(own) => format!("call_{own}"),
        None => new_ids.unique(&format!("{MADE}{}", event.place().number())),
    };
    let parts = std::iter::once(call).chain(results.iter().copied()).collect();
    Fix::safe([Action::RenameId { parts, to }])
}
