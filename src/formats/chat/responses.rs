//! Responses of the Gemini API must name the tool that they are of.

use super::diagnostics;
use crate::formats::FormatContext;
use crate::json::cut;
use crate::json::node::Node;
use crate::json::quote::quote;
use crate::transcript::pairs::{PairStatus, Pairs};
use crate::transcript::{Code, Diagnostic, Fix, Label, LabelRole, Severity, Subject};

/// Finds in a record the response that is its part with this number, from 0.
pub(crate) type Find = for<'a> fn(Node<'a>, usize) -> Option<Node<'a>>;

/// Results that do not say which tool they are of, and those that name another one than their call.
pub(crate) fn nameless(context: &FormatContext<'_>, pairs: &Pairs, find: Find) -> Vec<Diagnostic> {
    let t = context.transcript;
    let answers = pairs.all().filter_map(|(part, standing)| match standing {
        PairStatus::Answers(call) => Some((part, call)),
        _ => None,
    });
    let wrong = answers.filter(|(part, call)| {
        let (own, asked) = (t.text(t.a_part(*part).tool), t.text(t.a_part(*call).tool));
        own.trim().is_empty() || (own != asked && !asked.is_empty())
    });
    wrong
        .map(|(part, call)| {
            let event = t.a_part(part).event;
            let (own, asked) = (t.text(t.a_part(part).tool), t.text(t.a_part(call).tool));
            let missing = own.trim().is_empty();
            let (code, said) = match missing {
                true => (
                    Code::MalformedRecord,
                    "a result does not say of which tool it is",
                ),
                false => (
                    Code::LinkMismatch,
                    "a result names another tool than its call",
                ),
            };
            let mut diagnostic = diagnostics::of(t, code, said, event);
            diagnostic.about = vec![Subject::Identity(part)];
            diagnostic.severity = Some(if missing {
                Severity::Fatal
            } else {
                Severity::Warning
            });
            diagnostic.labels = vec![
                Label {
                    event: t.a_part(call).event,
                    role: LabelRole::Call,
                },
                Label {
                    event,
                    role: LabelRole::Result,
                },
            ];
            let at = t.position(part);
            let action = context.change(event, |turn| {
                let response = find(turn, at);
                response
                    .map(|response| set(response, "name", asked))
                    .into_iter()
                    .collect()
            });
            let by_id = t.a_part(part).id.is_some() && t.a_part(part).id == t.a_part(call).id;
            let treat = if by_id { Fix::safe } else { Fix::with_guess };
            diagnostic.fixes = action
                .filter(|_| !asked.is_empty())
                .map(|action| treat(vec![action]))
                .into_iter()
                .collect();
            diagnostic
        })
        .collect()
}

fn set(object: Node<'_>, key: &str, text: &str) -> cut::Change {
    match object.get(key) {
        Some(old) => cut::replace(old, &quote(text)),
        None => cut::insert_member(object, None, key, &quote(text)),
    }
}
