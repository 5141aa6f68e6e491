//! Items must have the members of their type, with values of the right type.

use super::blocks::Problems;
use super::{Need, RequestContext, refused};
use crate::dialects::piece::MemberRef;
use crate::dialects::responses::{self, CallKind, Sort};
use crate::json::node::Node;
use crate::json::quote::quote;
use crate::json::tape::Kind;
use crate::transcript::{Action, Applicability, Code, Diagnostic, EventId, Flaws, PartKind, Role};

pub(crate) const NEED: Need = Need {
    name: "item_shape",
    reports: &[Code::MalformedRecord, Code::EmptyContent, Code::MissingInput],
    check,
};

fn check(cx: &RequestContext<'_>) -> Vec<Diagnostic> {
    let replaced = &cx.transcript().replaced;
    let flawed = cx.flawed(Flaws::SHAPE).filter(|event| !replaced.has(*event));
    flawed.flat_map(|event| in_item(cx, event)).collect()
}

fn in_item(cx: &RequestContext<'_>, event: EventId) -> Vec<Diagnostic> {
    let Ok(record) = cx.context.record(event) else {
        return Vec::new();
    };
    let item = (cx.wire.message)(record.root());
    let mut problems = Problems::default();
    match responses::sort(item) {
        Some(Sort::Call(kind)) => check_call(cx, event, (item, kind), &mut problems),
        Some(Sort::Output) => check_output(item, &mut problems),
        // A host that reads items itself may not load this one.
        Some(Sort::Server) if cx.wire.skips_malformed => return Vec::new(),
        Some(Sort::Server) => return vec![without_id(event)],
        _ => check_message(cx, item, &mut problems),
    }
    let mut found = problems.diagnostics(cx, event);
    let by_model = cx.transcript().event(event).role == Role::Assistant;
    for diagnostic in found.iter_mut().filter(|own| by_model && own.code == Code::EmptyContent) {
        diagnostic.fix_safely([Action::Remove(event)]);
    }
    found
}

fn check_call(
    cx: &RequestContext<'_>,
    event: EventId,
    (item, kind): (Node<'_>, &CallKind),
    problems: &mut Problems<'_>,
) {
    if !responses::is_text(item, "name") {
        let message = "tool call without a tool name";
        let manual = Applicability::Manual;
        problems.add(Code::MalformedRecord, message, manual, Vec::new());
    }
    if responses::is_text(item, kind.input) {
        return;
    }
    let is_function = kind.input == "arguments";
    let input = MemberRef::of(item, kind.input);
    let safe_if = |is_safe| if is_safe { Applicability::Safe } else { Applicability::Unsafe };
    if let Some(value) = input.node().filter(|value| !value.is_null()) {
        let applicability = safe_if(is_function && value.kind() == Kind::Object);
        let message = "tool call arguments are not a string";
        let change = input.put(&as_text(value), &[]);
        problems.add(Code::MalformedRecord, message, applicability, vec![change]);
        return;
    }
    // What a call without arguments has in their place.
    let nothing = if is_function { "\"{}\"" } else { "\"\"" };
    let t = cx.transcript();
    let call = t.part_of(event, PartKind::Call);
    let is_answered = call.is_some_and(|call| cx.request.pairs.answer(call).is_some());
    let (code, applicability) = if cx.wire.skips_malformed {
        (Code::MalformedRecord, Applicability::Unsafe)
    } else {
        (Code::MissingInput, safe_if(is_answered))
    };
    let change = input.put(nothing, &["name"]);
    problems.add(code, "tool call without arguments", applicability, vec![change]);
}

/// A call of a hosted tool without its ID. Only the server knows it, so none can be made up.
fn without_id(event: EventId) -> Diagnostic {
    let message = "call of a hosted tool without its ID";
    let mut diagnostic = refused(Code::MalformedRecord, message, event);
    diagnostic.fix_with_guess([Action::Remove(event)]);
    diagnostic
}

fn check_output(item: Node<'_>, problems: &mut Problems<'_>) {
    let output = item.get("output").filter(|output| !output.is_null());
    let (message, applicability, changes) = match output {
        Some(value) => (
            "tool output is neither a string nor a list",
            Applicability::Unsafe,
            vec![MemberRef::At(value).put(&as_text(value), &[])],
        ),
        None => ("tool call output is null or missing", Applicability::Manual, Vec::new()),
    };
    problems.add(Code::MalformedRecord, message, applicability, changes);
}

fn check_message(cx: &RequestContext<'_>, item: Node<'_>, problems: &mut Problems<'_>) {
    let mut add = |code, message| problems.add(code, message, Applicability::Manual, Vec::new());
    if !responses::ResponseItem::of(item).has_role() {
        add(Code::MalformedRecord, "message without a valid role");
    }
    let content = item.get("content");
    let is_list = content.is_some_and(|content| content.kind() == Kind::Array);
    let is_empty = content.is_none_or(responses::is_empty);
    if is_empty && !cx.wire.skips_malformed {
        add(Code::EmptyContent, "message without content");
    } else if is_empty && !is_list {
        add(Code::MalformedRecord, "message without content");
    }
}

/// A value as a string with its JSON.
fn as_text(value: Node<'_>) -> String {
    quote(&String::from_utf8_lossy(&value.raw()))
}
