//! An output must have the type that belongs to its call, otherwise the provider pairs neither of them.

use super::{Need, RequestContext, content};
use crate::dialects::responses;
use crate::json::cut;
use crate::json::quote::quote;
use crate::transcript::pairs::PairStatus;
use crate::transcript::{Applicability, Code, Diagnostic, Label, LabelRole, PartId, Subject};

pub(crate) const NEED: Need = Need { name: "item_outputs", reports: &[Code::LinkMismatch], check };

/// Types of calls whose outputs differ only in their type.
const PLAIN: &[&str] = &["function_call", "custom_tool_call", "local_shell_call"];

fn check(cx: &RequestContext<'_>) -> Vec<Diagnostic> {
    let t = cx.transcript();
    // Almost all pairs are of the same types.
    let mut good = None;
    let mut mismatches = Vec::new();
    for (result, status) in cx.request.pairs.all() {
        let PairStatus::Answers(call) = status else { continue };
        let types = [call, result].map(|part| t.event(t.part(part).event).kind);
        if good == Some(types) {
            continue;
        }
        let mismatch = check_types(cx, call, result);
        good = mismatch.is_none().then_some(types);
        mismatches.extend(mismatch);
    }
    mismatches
}

fn check_types(cx: &RequestContext<'_>, call: PartId, result: PartId) -> Option<Diagnostic> {
    let t = cx.transcript();
    let (asks, answers) = (t.part(call).event, t.part(result).event);
    if responses::fits(t.kind(asks), t.kind(answers)) {
        return None;
    }
    let message = "tool call and its output are of different types";
    let mut diagnostic = content(Code::LinkMismatch, message, asks);
    diagnostic.labels =
        vec![Label::of(t, call, LabelRole::Call), Label::of(t, result, LabelRole::Result)];
    diagnostic.about = vec![Subject::Identity(result)];
    let kind = responses::call_kind(t.kind(asks)).filter(|kind| PLAIN.contains(&kind.call));
    if let Some(kind) = kind.filter(|_| t.kind(answers).ends_with("_call_output")) {
        diagnostic.fixes = cx.fix_record(answers, Applicability::Safe, |record| {
            let word = (cx.wire.message)(record).get("type");
            let word = word.map(|word| cut::replace(word, &quote(kind.outputs[0])));
            word.into_iter().collect()
        });
    }
    Some(diagnostic)
}
