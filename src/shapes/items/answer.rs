//! The placeholder output for a call without a recorded output.

use crate::dialects::placeholders::NO_RESULT;
use crate::dialects::responses;
use crate::format::FormatContext;
use crate::json::build::NewValue;
use crate::json::record::Record;
use crate::rewrite::{in_order, nearest};
use crate::transcript::{EventId, PartId, PartKind, Role, State};
use std::rc::Rc;

/// The members of a placeholder output for a call. `shell_is_function`: a local shell call is answered like a function
/// call. `None`: no output can be made for it.
pub(crate) fn output(
    context: &FormatContext<'_>,
    call: PartId,
    shell_is_function: bool,
) -> Option<Vec<(&'static str, NewValue)>> {
    let t = context.transcript;
    let part = t.part(call);
    let kind = responses::call_kind(t.kind(part.event))?;
    let id = NewValue::text(t.text(part.id));
    let word = match kind.call {
        "local_shell_call" if shell_is_function => "function_call_output",
        _ => kind.outputs[0],
    };
    let mut members = vec![("type", NewValue::text(word))];
    match kind.call {
        // Its output is a picture of a screen.
        "computer_call" => return None,
        "mcp_approval_request" => {
            members.push(("approval_request_id", id));
            members.push(("approve", NewValue::Raw("false".into())));
            members.push(("reason", NewValue::text(NO_RESULT)));
        }
        "tool_search_call" => {
            let by = execution(context, part.event).unwrap_or_else(|| "client".to_owned());
            members.extend([("call_id", id), ("status", NewValue::text("completed"))]);
            members
                .extend([("execution", NewValue::text(by)), ("tools", NewValue::List(Vec::new()))]);
        }
        "apply_patch_call" => {
            members.extend([("call_id", id), ("status", NewValue::text("failed"))]);
            members.push(("output", NewValue::text(NO_RESULT)));
        }
        "shell_call" => {
            let code = ("exit_code", NewValue::Raw("1".into()));
            let outcome = NewValue::object([("type", NewValue::text("exit")), code]);
            let result = [
                ("stdout", NewValue::text("")),
                ("stderr", NewValue::text(NO_RESULT)),
                ("outcome", outcome),
            ];
            members.extend([
                ("call_id", id),
                ("output", NewValue::List(vec![NewValue::object(result)])),
            ]);
        }
        _ => members.extend([("call_id", id), ("output", NewValue::text(NO_RESULT))]),
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
pub(crate) fn like(context: &FormatContext<'_>, event: EventId) -> Option<Rc<Record>> {
    let t = context.transcript;
    context
        .record(
            nearest(t, event, |other| {
                let record = t.event(other);
                let is_output =
                    record.role == Role::Tool && t.part_of(other, PartKind::Result).is_some();
                is_output && record.within == t.event(event).within && record.state == State::Whole
            })
            .unwrap_or(event),
        )
        .ok()
}

/// An output as a list item, in the layout of the nearest one.
pub(crate) fn element(
    context: &FormatContext<'_>,
    call: PartId,
    shell_is_function: bool,
) -> Option<Vec<u8>> {
    let members = output(context, call, shell_is_function)?;
    let like = like(context, context.transcript.part(call).event)?;
    Some(like.writer().write(&in_order(members, Some(like.root()))))
}
