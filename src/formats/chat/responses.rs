//! Responses of the Gemini API must name the tool that they are of.

use super::faults;
use crate::formats::FormatContext;
use crate::json::cut;
use crate::json::node::Node;
use crate::json::quote::quote;
use crate::transcript::pairs::{PairStatus, Pairs};
use crate::transcript::{Code, Diagnostic, Fix, Label, LabelRole, Severity, Subject};

/// Finds in a record the response that is its part with this number, from 0.
pub(crate) type Find = for<'a> fn(Node<'a>, usize) -> Option<Node<'a>>;

/// Results that do not say which tool they are of, and those that name another one than their call.
pub(crate) fn nameless(scene: &FormatContext<'_>, pairs: &Pairs, find: Find) -> Vec<Diagnostic> {
    let t = scene.transcript;
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
                true => (Code::MalformedRecord, "a result does not say of which tool it is"),
                false => (Code::LinkMismatch, "a result names another tool than its call"),
            };
            let mut fault = faults::of(t, code, said, event);
            fault.about = vec![Subject::Identity(part)];
            fault.severity = Some(if missing { Severity::Fatal } else { Severity::Warning });
            fault.labels = vec![
                Label { event: t.a_part(call).event, role: LabelRole::Call },
                Label { event, role: LabelRole::Result },
            ];
            let at = t.position(part);
            let remedy = faults::mended(scene, event, |turn| {
                let response = find(turn, at);
                response.map(|response| set(response, "name", asked)).into_iter().collect()
            });
            let by_id = t.a_part(part).id.is_some() && t.a_part(part).id == t.a_part(call).id;
            let treat = if by_id { Fix::safe } else { Fix::with_guess };
            fault.treatments =
                remedy.filter(|_| !asked.is_empty()).map(|remedy| treat(vec![remedy])).into_iter().collect();
            fault
        })
        .collect()
}

fn set(object: Node<'_>, key: &str, text: &str) -> cut::Change {
    match object.get(key) {
        Some(old) => cut::replace(old, &quote(text)),
        None => cut::insert_member(object, None, key, &quote(text)),
    }
}
