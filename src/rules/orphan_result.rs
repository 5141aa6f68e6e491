//! TD103 orphan-result.

use super::page::{RuleExample, RulePage};
use super::{Finding, Rule, RuleContext, layer, link_mismatch, reported};
use crate::transcript::pairs::PairStatus;
use crate::transcript::{Action, Code, Fix, LabelRole, Severity, Subject};

pub(super) const RULE: Rule = Rule {
    code: Code::OrphanResult,
    name: "orphan-result",
    layer: layer::ORPHANS,
    severity: Severity::Fatal,
    summary: "tool result without a call",
    page: RulePage {
        fix: "safe or unsafe",
        means: "A tool result answers a call that is not in the request.",
        causes: &[(
            "Any host",
            "a call that was deleted by hand; a history trimmed at its start; two processes \
                on one session",
        )],
        repair: "The result is removed; its text stays in the journal. If a call of the turn before it has no result, it may be the \
            result of that call, so it is not removed by itself.",
        otherwise: "If IDs start again in each response and several calls with this ID have no result, \
            only `transcript-doctor repair --unsafe FILE` removes it.",
        example: RuleExample {
            from: "openai-responses",
            options: &[],
            diff: br##" {"type":"message","role":"user","content":"List the files."}
-{"type":"function_call_output","call_id":"call_1","output":"a.txt"}
 {"type":"message","role":"user","content":"Go on."}
"##,
        },
    },
    reported_by: &["hosts/amazon_q", "hosts/anthropic", "requests/starts_with_user"],
    check,
};

fn check(rule: &'static Rule, cx: &RuleContext<'_>, found: &mut Vec<Finding>) {
    reported::diagnostics(rule, cx, found);
    for (result, status) in cx.request.pairs.all() {
        if status != PairStatus::Orphan {
            continue;
        }
        let part = cx.transcript.part(result);
        // Without an ID it is reported as that, unless the host pairs by place.
        let no_id = part.id.is_none_or(|id| cx.transcript.ids.is_empty(id));
        let by_place = cx.format.traits.pairs.restarts_ids() || cx.format.traits.ids_are_optional;
        let is_reported_elsewhere = no_id && !by_place;
        if is_reported_elsewhere || !cx.is_sent(part.event) {
            continue;
        }
        // Its call is known by something else, so it is not lost.
        if link_mismatch::lost_id(cx, result).is_some() {
            continue;
        }
        let mut finding = Finding::new(rule, cx, "tool result without a call");
        finding.add_part(cx, result, LabelRole::Result);
        finding.about = vec![Subject::Orphan(result)];
        let remove = vec![Action::RemovePart(result)];
        finding.fixes = vec![if cx.request.pairs.is_ambiguous(result) {
            finding.message = "tool result that could belong to several calls with this ID".into();
            Fix::with_guess(remove)
        } else if cx.request.needed.binary_search(&result).is_ok() {
            finding.message = "tool result without a call, at the start of the conversation".into();
            Fix::with_guess(remove)
        } else {
            let open = cx.request.pairs.open_for(cx.transcript, result);
            if !open.is_empty() {
                finding.message =
                    "tool result without a call, which may be the result of a call before it"
                        .into();
            }
            Fix::safe_if(open.is_empty(), remove)
        }];
        found.push(finding);
    }
}
