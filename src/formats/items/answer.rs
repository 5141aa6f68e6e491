//! The placeholder output for a call without a recorded output.

use crate::dialects::placeholders::NO_RESULT;
use crate::dialects::responses;
use crate::formats::FormatContext;
use crate::json::build::Value;
use crate::json::record::Record;
use crate::rewrite::{in_order, nearest};
use crate::transcript::{EventId, PartId, PartKind, Role, State};
use std::rc::Rc;

/// The members of a placeholder output for a call. `shell_is_function`: a local shell call is answered like a function
/// call. `None`: no output can be made for it.
pub(in crate::formats) fn output(
    context: &FormatContext<'_>,
    call: PartId,
    shell_is_function: bool,
) -> Option<Vec<(&'static str, Value)>> {
    let t = context.transcript;
    let part = t.part(call);
    let kind = responses::call_kind(t.kind(part.event))?;
    let id = Value::text(t.text(part.id));
    let word = match kind.call {
        "local_shell_call" if shell_is_function => "function_call_output",
        _ => kind.outputs[0],
    };
    let mut members = vec![("type", Value::text(word))];
    match kind.call {
        "computer_call" => return None,
        "mcp_approval_request" => {
            members.push(("approval_request_id", id));
            members.push(("approve", Value::Raw("false".into())));
            members.push(("reason", Value::text(NO_RESULT)));
        }
        "tool_search_call" => {
            let by = execution(context, part.event).unwrap_or_else(|| "client".to_owned());
            members.extend([("call_id", id), ("status", Value::text("completed"))]);
            members.extend([
                ("execution", Value::text(by)),
                ("tools", Value::List(Vec::new())),
            ]);
        }
        "apply_patch_call" => {
            members.extend([("call_id", id), ("status", Value::text("failed"))]);
            members.push(("output", Value::text(NO_RESULT)));
        }
        "shell_call" => {
            let code = ("exit_code", Value::Raw("1".into()));
            let outcome = Value::object([("type", Value::text("exit")), code]);
            let result = [
                ("stdout", Value::text("")),
                ("stderr", Value::text(NO_RESULT)),
                ("outcome", outcome),
            ];
            members.extend([
                ("call_id", id),
                ("output", Value::List(vec![Value::object(result)])),
            ]);
        }
        _ => members.extend([("call_id", id), ("output", Value::text(NO_RESULT))]),
    }
    Some(members)
}

/// Who runs a tool search, according to the call.
fn execution(context: &FormatContext<'_>, call: EventId) -> Option<String> {
    let record = context.record(call).ok()?;
    let root = record.root();
    let item = root.get("payload").unwrap_or(root);
    Some(item.string("execution")?.into_owned())
}

/// The nearest output, or else call, in the list of this event, as the model for a new one.
pub(in crate::formats) fn like(context: &FormatContext<'_>, event: EventId) -> Option<Rc<Record>> {
    let t = context.transcript;
    let fits = |other: EventId| {
        let record = t.event(other);
        let is_output = record.role == Role::Tool && t.part_of(other, PartKind::Result).is_some();
        is_output && record.within == t.event(event).within && record.state == State::Whole
    };
    context
        .record(nearest(t, event, fits).unwrap_or(event))
        .ok()
}

/// An output as a list item, in the layout of the nearest one.
pub(in crate::formats) fn element(
    context: &FormatContext<'_>,
    call: PartId,
    shell_is_function: bool,
) -> Option<Vec<u8>> {
    let members = output(context, call, shell_is_function)?;
    let like = like(context, context.transcript.part(call).event)?;
    Some(like.writer().write(&in_order(members, Some(like.root()))))
}
