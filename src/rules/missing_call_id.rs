//! TD107 missing-call-id.

use super::fresh::Fresh;
use super::page::{Example, Page};
use super::{Finding, Rule, RuleContext, claim, layer};
use crate::transcript::pairs::{MatchedBy, PairStatus};
use crate::transcript::{Action, Code, Effect, Fix, LabelRole, PartId, Severity, Subject};

pub(super) const RULE: Rule = Rule {
    code: Code::MissingCallId,
    name: "missing-call-id",
    layer: layer::CALLS,
    severity: Severity::Fatal,
    summary: "a tool call or result without an id",
    page: Page {
        fix: "safe or you decide",
        means: "A tool call or a result has no id, so nothing can pair them. Results without ids are \
            never copies of each other.",
        causes: &[("Proxies and local models", "servers that leave the id out")],
        repair: "The result gets the id of the call that its link names, or of the only unanswered \
            call of its tool. A call and a result without ids that are linked get a new one.",
        otherwise: "If several calls are possible, edit the id: only you know which call it was.",
        example: Some(Example {
            from: "openai-responses",
            options: &[],
            diff: br##" {"type":"function_call","call_id":"call_1","name":"ls","arguments":"{}"}
-{"type":"function_call_output","call_id":null,"output":"a.txt"}
+{"type":"function_call_output","call_id":"call_1","output":"a.txt"}
 {"type":"message","role":"user","content":"Go on."}
"##,
        }),
    },
    reported_by: &["formats/openhands", "requests/hosted_ids"],
    check,
};

fn check(rule: &'static Rule, case: &RuleContext<'_>, found: &mut Vec<Finding>) {
    claim::diagnostics(rule, case, found);
    if case.format.traits.ids_are_optional {
        return;
    }
    let t = case.transcript;
    let mut fresh = Fresh::new(case);
    let missing = |part: PartId| t.a_part(part).id.is_none_or(|id| t.ids.is_empty(id));
    for (part, standing) in case.request.pairs.all().filter(|(part, _)| missing(*part)) {
        let mut finding = Finding::new(rule, case, "tool result without an id");
        let traits = &case.format.traits;
        let loads = traits.unreadable.skips || traits.names_by_place;
        finding.effect = if t.a_part(part).id.is_none() && !loads {
            Effect::LoadFails
        } else {
            Effect::Refused
        };
        finding.about = vec![Subject::Identity(part)];
        match standing {
            PairStatus::Answers(call) | PairStatus::Surplus(call) if !missing(call) => {
                finding.part(case, call, LabelRole::Call);
                finding.part(case, part, case.result_role(part));
                let to = t.text(t.a_part(call).id).to_owned();
                let sure = matches!(
                    case.request.pairs.matched_by(part),
                    Some(MatchedBy::LinkOnly | MatchedBy::ToolOnly)
                );
                let rename = vec![Action::RenameId {
                    parts: vec![part],
                    to,
                }];
                finding.fixes = vec![if sure {
                    Fix::safe(rename)
                } else {
                    Fix::with_guess(rename)
                }];
            }
            // Both are without id: told with the call.
            PairStatus::Answers(_) | PairStatus::Surplus(_) => continue,
            // The host pairs by position: nothing in the whole recording is left that it could answer.
            PairStatus::Orphan if case.format.traits.pairs.restarts_ids() => continue,
            PairStatus::Orphan => {
                finding.part(case, part, LabelRole::Result);
                finding.covers = vec![Subject::Orphan(part)];
                // One of them is answered: which, nobody can say.
                finding
                    .covers
                    .extend(open_of_tool(case, part).map(Subject::Open));
            }
            PairStatus::Answered(_) | PairStatus::Open | PairStatus::CopyOf(_) => {
                finding.message = "tool call without an id".to_owned();
                finding.part(case, part, LabelRole::Call);
                let results = case.request.pairs.results(part);
                results
                    .iter()
                    .for_each(|result| finding.part(case, *result, case.result_role(*result)));
                finding.fixes = vec![new_id(case, &mut fresh, part, results)];
            }
            PairStatus::None | PairStatus::Failed | PairStatus::OfFailed(_) => continue,
        }
        let unsent = !case.is_sent(t.a_part(part).event);
        if unsent && finding.effect == Effect::Refused {
            finding.severity = Severity::Note;
            finding.effect = Effect::None;
        }
        found.push(finding);
    }
}

/// Open calls that one result is said to explain.
const MOST_EXPLAINED: usize = 64;

/// The open calls of a result's tool, in front of the result.
fn open_of_tool<'a>(
    case: &'a RuleContext<'_>,
    result: PartId,
) -> impl Iterator<Item = PartId> + 'a {
    let t = case.transcript;
    let open = case
        .request
        .pairs
        .all()
        .filter(|(_, standing)| *standing == PairStatus::Open)
        .map(|(call, _)| call);
    let tool = t.a_part(result).tool;
    // Without a tool it can only belong to the batch in front of it.
    let batches = &case.request.pairs.batches;
    let behind =
        batches.partition_point(|batch| batch.calls.first().is_some_and(|call| *call < result));
    let batch = behind
        .checked_sub(1)
        .map(|at| batches[at].calls.as_slice())
        .unwrap_or_default();
    let fits = move |call: &PartId| match tool {
        Some(_) => *call < result && t.a_part(*call).tool == tool,
        None => batch.contains(call),
    };
    open.filter(fits).take(MOST_EXPLAINED)
}

/// The id that its result carries, else one made from the record's own or from its place, for a call and what answers it.
fn new_id(case: &RuleContext<'_>, fresh: &mut Fresh<'_>, call: PartId, results: &[PartId]) -> Fix {
    let t = case.transcript;
    if let [only] = results
        && let Some(id) = t
            .a_part(*only)
            .id
            .filter(|id| !t.ids.get(*id).trim().is_empty())
    {
        let to = t.ids.get(id).to_owned();
        return Fix::safe(vec![Action::RenameId {
            parts: vec![call],
            to,
        }]);
    }
    let event = t.event(t.a_part(call).event);
    let own: Option<String> = event
        .id
        .filter(|_| !case.format.traits.names_by_place)
        .map(|own| {
            t.ids
                .get(own)
                .chars()
                .filter(char::is_ascii_alphanumeric)
                .take(48)
                .collect()
        });
    let to = match own.filter(|own| !own.is_empty()) {
        Some(own) => format!("call_{own}"),
        None => fresh.like(&format!("call_td{}", event.place.number())),
    };
    let parts = std::iter::once(call)
        .chain(results.iter().copied())
        .collect();
    Fix::safe(vec![Action::RenameId { parts, to }])
}
