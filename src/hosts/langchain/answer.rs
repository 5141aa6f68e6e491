//! The result that answers a call: one that was recorded outside of the messages, else an error.

use super::own;
use crate::containers::rewrite::CannotDo;
use crate::dialects::langchain::{Form, MessageShape};
use crate::dialects::placeholders::NO_RESULT;
use crate::format::FormatContext;
use crate::json::build::NewValue;
use crate::rewrite::made_id;
use crate::shapes::chat;
use crate::transcript::{Code, PartId};

/// The tool message for a call. If none was recorded: a new one, in the form and layout of the message that makes the call.
///
/// # Errors
/// The message with the call cannot be read again.
pub(super) fn bytes(
    context: &FormatContext<'_>,
    call: PartId,
    occurrence: usize,
) -> Result<Vec<u8>, CannotDo> {
    let t = context.transcript;
    let part = t.part(call);
    let model = context.record(part.event)?;
    let form = Form::of(model.root()).ok_or(CannotDo("the message is of no known form"))?;
    let (id, name) = (t.text(part.id), part.tool.map(|tool| t.ids.get(tool)));
    if let Some(recorded) = recorded(context, id)? {
        return Ok(recorded);
    }
    let thread = chat::state_text(t, own::THREAD).unwrap_or_default();
    let code = Code::UnansweredCall.as_str();
    let words = ["transcript-doctor", code, thread, id, &occurrence.to_string()];
    let own_id = t.has_record_ids().then(|| made_id(&words));
    Ok(model.writer().write(&message(form.shape, id, name, own_id)))
}

/// The result that a task wrote, but whose step never ended, so that it is not among the messages.
fn recorded(context: &FormatContext<'_>, call: &str) -> Result<Option<Vec<u8>>, CannotDo> {
    let Some(state) = context.transcript.host_state() else {
        return Ok(None);
    };
    let state = context.record(state)?;
    let found = state.root().items_of("recovered").find(|message| {
        Form::of(*message).is_some_and(|form| form.body.has_str("tool_call_id", call))
    });
    Ok(found.map(|message| message.raw().into_owned()))
}

fn message(shape: MessageShape, id: &str, name: Option<&str>, own_id: Option<String>) -> NewValue {
    let text = |text: &str| NewValue::text(text);
    if shape == MessageShape::Role {
        let mut members = vec![("role", text("tool"))];
        members.extend(name.map(|name| ("name", text(name))));
        members.extend([("tool_call_id", text(id)), ("content", text(NO_RESULT))]);
        return NewValue::Object(members);
    }
    // Messages of this shape may hold a mark; a role has no place for one.
    let mark = NewValue::object([(
        "transcript_doctor",
        NewValue::object([("code", text(Code::UnansweredCall.as_str()))]),
    )]);
    let mut members = vec![("content", text(NO_RESULT)), ("additional_kwargs", mark)];
    if shape == MessageShape::Constructor {
        members.push(("type", text("tool")));
        members.extend(name.map(|name| ("name", text(name))));
        members.extend(own_id.map(|own| ("id", NewValue::Text(own))));
        members.extend([("tool_call_id", text(id)), ("status", text("error"))]);
        let class = ["langchain", "schema", "messages", "ToolMessage"].map(text).to_vec();
        return NewValue::object([
            ("lc", NewValue::Raw("1".into())),
            ("type", text("constructor")),
            ("id", NewValue::List(class)),
            ("kwargs", NewValue::Object(members)),
        ]);
    }
    members.extend([
        ("response_metadata", NewValue::Object(Vec::new())),
        ("type", text("tool")),
        ("name", name.map_or(NewValue::NULL, text)),
        ("id", own_id.map_or(NewValue::NULL, NewValue::Text)),
        ("tool_call_id", text(id)),
        ("artifact", NewValue::NULL),
        ("status", text("error")),
    ]);
    let data = NewValue::Object(members);
    if shape == MessageShape::Dict {
        NewValue::object([("type", text("tool")), ("data", data)])
    } else {
        data
    }
}
