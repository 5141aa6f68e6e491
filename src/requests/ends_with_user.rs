//! The last message must not be from the assistant.

use super::{Need, RequestContext, refused};
use crate::transcript::{Action, Code, Diagnostic, Instance, Role};

pub(crate) const NEED: Need =
    Need { name: "ends_with_user", reports: &[Code::EndsWithAssistant], check };

fn check(cx: &RequestContext<'_>) -> Vec<Diagnostic> {
    final_answer(cx).into_iter().collect()
}

fn final_answer(cx: &RequestContext<'_>) -> Option<Diagnostic> {
    let (context, request) = (cx.context, cx.request);
    let next = request.next_is_model?;
    let certain = next.refuses_prefill;
    let own_model = !context.asked && !context.strictest;
    if context.target.takes_final_answer && !(certain && own_model) {
        return None;
    }
    let last = request.order.iter().rfind(|sent| sent.role != Role::System)?;
    if last.role != Role::Assistant || last.summary || request.asks(cx.transcript(), last.event) {
        return None;
    }
    let message = "the request ends with an assistant message";
    let mut diagnostic = refused(Code::EndsWithAssistant, message, last.event);
    if !certain {
        diagnostic.instance = Some(Instance::Elsewhere);
    }
    diagnostic.fix_with_guess([Action::Remove(last.event)]);
    Some(diagnostic)
}
