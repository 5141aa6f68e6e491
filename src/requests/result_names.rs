//! Results must name their tool.

use super::{Need, RequestContext, refused};
use crate::dialects::piece::MemberRef;
use crate::transcript::pairs::PairStatus;
use crate::transcript::{
    Applicability, Code, Diagnostic, Instance, Label, LabelRole, PartId, Subject,
};

pub(crate) const NEED: Need =
    Need { name: "result_names", reports: &[Code::MalformedRecord, Code::LinkMismatch], check };

/// Finds results without the name of their tool, or with another name than their call.
fn check(cx: &RequestContext<'_>) -> Vec<Diagnostic> {
    let answers = cx.request.pairs.all().filter_map(|(part, standing)| match standing {
        PairStatus::Answers(call) => Some((part, call)),
        _ => None,
    });
    answers
        .filter_map(|(result, call)| {
            let (own, asked) = (tool(cx, result), tool(cx, call));
            if own.trim().is_empty() {
                let message = "tool result without a tool name";
                Some(misnamed(cx, (result, call), Code::MalformedRecord, message))
            } else if own != asked && !asked.is_empty() && !cx.wire.renames_tools {
                let message = "tool result with a different tool name than its call";
                let mut diagnostic = misnamed(cx, (result, call), Code::LinkMismatch, message);
                diagnostic.instance = Some(Instance::Elsewhere);
                Some(diagnostic)
            } else {
                None
            }
        })
        .collect()
}

fn tool<'a>(cx: &RequestContext<'a>, part: PartId) -> &'a str {
    let t = cx.transcript();
    t.text(t.part(part).tool)
}

fn misnamed(
    cx: &RequestContext<'_>,
    (result, call): (PartId, PartId),
    code: Code,
    message: &'static str,
) -> Diagnostic {
    let t = cx.transcript();
    let (own, asks) = (t.part(result), t.part(call));
    let mut diagnostic = refused(code, message, own.event);
    diagnostic.about = vec![Subject::Identity(result)];
    diagnostic.labels =
        vec![Label::of(t, call, LabelRole::Call), Label::of(t, result, LabelRole::Result)];
    let asked = tool(cx, call);
    if asked.is_empty() {
        return diagnostic;
    }
    let applicability = if own.id.is_some() && own.id == asks.id {
        Applicability::Safe
    } else {
        Applicability::Unsafe
    };
    let at = t.position(result);
    diagnostic.fixes = cx.fix_record(own.event, applicability, |record| {
        let response = (cx.wire.response)(record, at);
        response
            .and_then(|response| MemberRef::of(response, "name").set(asked, &[]))
            .into_iter()
            .collect()
    });
    diagnostic
}
