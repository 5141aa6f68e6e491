//! Calls of version 4 among messages of newer versions, which would send them without their tools, inputs, and results.

use crate::json::cut::{self, RecordChange};
use crate::json::node::Node;
use crate::json::quote::quote;

pub(super) fn is_call(part: Node<'_>) -> bool {
    part.has_str("type", "tool-invocation")
}

/// The changes that write the calls of a message as newer versions do. None: one of them lacks what these need.
pub(super) fn changes(message: Node<'_>) -> Vec<RecordChange> {
    let calls = message.items_of("parts").filter(|part| is_call(*part));
    let changes: Option<Vec<RecordChange>> =
        calls.map(|part| Some(cut::replace(part, &converted(part)?))).collect();
    changes.unwrap_or_default()
}

/// A call as newer versions have it, with all other members of its part.
fn converted(part: Node<'_>) -> Option<String> {
    let call = part.get("toolInvocation")?;
    let raw = |key| call.get(key).map(text);
    let (state, output) = match call.string("state")?.as_ref() {
        "result" => ("output-available", Some(raw("result")?)),
        "call" => ("input-available", None),
        "partial-call" => ("input-streaming", None),
        _ => return None,
    };
    let mut members = vec![
        ("\"type\"".to_owned(), quote(&format!("tool-{}", call.string("toolName")?))),
        ("\"toolCallId\"".to_owned(), raw("toolCallId")?),
        ("\"state\"".to_owned(), quote(state)),
        ("\"input\"".to_owned(), raw("args").unwrap_or_else(|| "{}".to_owned())),
    ];
    members.extend(output.map(|output| ("\"output\"".to_owned(), output)));
    let others =
        part.members().filter(|(key, _)| !key.is_str("type") && !key.is_str("toolInvocation"));
    members.extend(others.map(|(key, value)| (text(key), text(value))));
    let members: Vec<String> =
        members.iter().map(|(key, value)| format!("{key}:{value}")).collect();
    Some(format!("{{{}}}", members.join(",")))
}

fn text(node: Node<'_>) -> String {
    String::from_utf8_lossy(&node.raw()).into_owned()
}
