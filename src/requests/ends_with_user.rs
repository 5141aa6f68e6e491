//! The last message is not the model's.

use super::{Need, RequestContext, refused};
use crate::transcript::{Action, Code, Diagnostic, Fix, Role, Severity};

pub(crate) const NEED: Need = Need {
    name: "ends_with_user",
    reports: &[Code::EndsWithAssistant],
    check,
};

fn check(case: &RequestContext<'_>) -> Vec<Diagnostic> {
    by_model(case).into_iter().collect()
}

fn by_model(case: &RequestContext<'_>) -> Option<Diagnostic> {
    let (context, request) = (case.context, case.request);
    let next = request.next_is_model?;
    let certain = next.refuses_prefill;
    let own_model = !context.asked && !context.strictest;
    if context.target.takes_final_answer && !(certain && own_model) {
        return None;
    }
    let last = request
        .order
        .iter()
        .rfind(|sent| sent.role != Role::System)?;
    if last.role != Role::Assistant || last.summary || request.asks(case.transcript(), last.event) {
        return None;
    }
    let said = "the request ends with an assistant message";
    let mut diagnostic = refused(Code::EndsWithAssistant, said, last.event);
    if !certain {
        diagnostic.severity = Some(Severity::Warning);
    }
    diagnostic.fixes = vec![Fix::with_guess(vec![Action::Remove(last.event)])];
    Some(diagnostic)
}
