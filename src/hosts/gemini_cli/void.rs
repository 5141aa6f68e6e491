//! Empty parts. Tested with Gemini CLI 0.61.0: a part without data is sent and rejected, null stops
//! the client while it loads the chat, and a single empty text makes it leave out what the model
//! says until the next user message. Responses to calls that are left out this way are still sent.

use super::{message, own};
use crate::dialects::gemini;
use crate::format::FormatContext;
use crate::json::cut::{self, RecordChange};
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::requests::refused;
use crate::transcript::request::Sent;
use crate::transcript::{
    Applicability, Code, Diagnostic, Effect, EventId, FactValue, Fix, Instance, PartKind, Role,
    Transcript,
};

/// A part of the content without data.
const EMPTY: i64 = 1;
/// A part that is null.
const NULL: i64 = 1 << 1;
/// An empty text of the model.
const SILENT: i64 = 1 << 2;
/// A part of a result without data.
const IN_RESULT: i64 = 1 << 3;

/// The kinds of empty parts in a message, as a fact; `None` if there are none.
pub(super) fn fact(message: Node<'_>) -> Option<FactValue> {
    let by_model = message::is_gemini(message);
    let of_content = content(message).map(|part| bits(part, by_model));
    let of_results = results(message).flat_map(|(_, void)| void).map(|(_, bits)| bits);
    let all = of_content.chain(of_results).fold(0, |all, bits| all | bits);
    (all != 0).then_some(FactValue::Number(all))
}

/// The kind of empty part that this is; 0 if it is not empty.
fn bits(part: Node<'_>, by_model: bool) -> i64 {
    if part.is_null() {
        return NULL;
    }
    // Thinking is not sent.
    if gemini::is_thought(part) {
        return 0;
    }
    if gemini::is_empty(part) {
        return EMPTY;
    }
    if by_model && is_silent(part) { SILENT } else { 0 }
}

/// Whether a part is only an empty text.
fn is_silent(part: Node<'_>) -> bool {
    part.is_str("")
        || (part.has_str("text", "")
            && part.members().all(|(key, _)| {
                ["text", "thought", "callIndex"].iter().any(|known| key.is_str(known))
            }))
}

fn content(message: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let content = message.get("content").filter(|content| !content.is_null());
    let one = content.filter(|content| content.kind() == Kind::Object);
    one.into_iter().chain(content.into_iter().flat_map(|list| list.items()))
}

/// A `result`, and the indexes and kinds of its empty items.
type Voids<'a> = (Node<'a>, Vec<(u32, i64)>);

/// The result lists that are not entirely empty. The call of an empty one counts as unanswered.
fn results(message: Node<'_>) -> impl Iterator<Item = Voids<'_>> {
    let lists = message::tool_calls(message).filter_map(|call| call.get("result"));
    let lists = lists.filter(|list| list.kind() == Kind::Array);
    let found = lists.map(|list| {
        let all = (0_u32..).zip(list.items());
        (list, all.map(|(at, part)| (at, result_bits(part))).collect::<Vec<_>>())
    });
    let found = found.filter(|(_, all)| all.iter().any(|(_, bits)| *bits == 0));
    found.map(|(list, all)| (list, all.into_iter().filter(|(_, bits)| *bits != 0).collect()))
}

fn result_bits(part: Node<'_>) -> i64 {
    match bits(part, false) {
        EMPTY => IN_RESULT,
        other => other,
    }
}

/// Whether all parts of a result are empty.
pub(super) fn is_void(result: Node<'_>) -> bool {
    result.kind() == Kind::Array && result.items().all(|part| bits(part, false) != 0)
}

/// Reports messages whose empty parts do harm.
pub(super) fn check(context: &FormatContext<'_>, order: &[Sent]) -> Vec<Diagnostic> {
    let t = context.transcript;
    let mut found: Vec<(EventId, VoidHarm)> = Vec::new();
    for run in order
        .chunk_by(|before, next| (before.role == Role::Assistant) == (next.role == Role::Assistant))
    {
        let mut run_harm = None;
        for sent in run {
            let by_model = t.event(sent.event).role == Role::Assistant;
            // The model's turn and the responses to its calls are sent separately.
            let own = match sent.role {
                Role::Assistant => EMPTY | SILENT | NULL,
                _ if by_model => IN_RESULT | NULL,
                _ => EMPTY | IN_RESULT | NULL,
            };
            let harm = match t.fact_number(sent.event, own::VOID).unwrap_or(0) & own {
                0 => continue,
                bits if bits & NULL != 0 => Some(VoidHarm::Stops),
                _ if sent.role == Role::Assistant => {
                    *run_harm.get_or_insert_with(|| harm_to_run(t, run))
                }
                _ => Some(VoidHarm::Refused),
            };
            found.extend(harm.map(|harm| (sent.event, harm)));
        }
    }
    found.sort_unstable();
    found.dedup_by_key(|(event, _)| *event);
    found.into_iter().map(|(event, harm)| diagnostic(context, event, harm)).collect()
}

/// What empty parts do, the worst first.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum VoidHarm {
    /// The client stops.
    Stops,
    /// The part is sent, and the provider rejects it.
    Refused,
    /// Calls are left out, but their responses are sent.
    SplitsPairs,
    /// This many messages are left out.
    Hides(u32),
}

/// What a run of model messages loses; `None` if nothing.
fn harm_to_run(t: &Transcript, run: &[Sent]) -> Option<VoidHarm> {
    let mut count = 0_u32;
    for sent in run {
        let mut parts = sent.parts.clone().map(|part| t.part(part));
        if parts.clone().any(|part| part.kind == PartKind::Call) {
            return Some(VoidHarm::SplitsPairs);
        }
        count += u32::from(parts.any(|part| part.kind == PartKind::Text && !part.blank));
    }
    (count > 0).then_some(VoidHarm::Hides(count))
}

fn diagnostic(context: &FormatContext<'_>, event: EventId, harm: VoidHarm) -> Diagnostic {
    let (message, effect, instance) = match harm {
        VoidHarm::Stops => {
            ("a part is null: Gemini CLI stops at it", Effect::LoadFails, Instance::Stops)
        }
        VoidHarm::Refused => ("empty part", Effect::Refused, Instance::Rejected),
        VoidHarm::SplitsPairs => (
            "empty part: Gemini CLI leaves out the tool calls around it, but not their results",
            Effect::Refused,
            Instance::Rejected,
        ),
        VoidHarm::Hides(count) => (
            "empty part: Gemini CLI leaves out what the model says around it",
            Effect::Hides(count),
            Instance::Dropped,
        ),
    };
    let mut diagnostic = refused(Code::EmptyContent, message, event);
    (diagnostic.effect, diagnostic.instance) = (effect, Some(instance));
    let action = context.change(event, changes);
    diagnostic.fixes = Fix::only(Applicability::Safe, action);
    diagnostic
}

/// Removes the empty parts of a message.
fn changes(message: Node<'_>) -> Vec<RecordChange> {
    let by_model = message::is_gemini(message);
    let mut changes = Vec::new();
    match message.get("content") {
        Some(list) if list.kind() == Kind::Array => {
            let all = (0_u32..).zip(list.items());
            let void: Vec<u32> =
                all.filter(|(_, part)| bits(*part, by_model) != 0).map(|(at, _)| at).collect();
            if !void.is_empty() {
                changes.extend(cut::remove_members(list, &void));
            }
        }
        Some(one) if one.kind() == Kind::Object && bits(one, by_model) != 0 => {
            changes.push(cut::replace(one, "[]"));
        }
        _ => {}
    }
    for (list, void) in results(message) {
        let void: Vec<u32> = void.into_iter().map(|(at, _)| at).collect();
        if !void.is_empty() {
            changes.extend(cut::remove_members(list, &void));
        }
    }
    changes
}
