//! The remedies of a layer as edits.

use super::{pieces, read, role};
use crate::bytes::edit::Edit;
use crate::bytes::source::Span;
use crate::containers::rewrite::{CannotDo, rewrite};
use crate::containers::{Files, Layout};
use crate::dialects::stubs::NO_RESULT;
use crate::formats::FormatContext;
use crate::formats::chat::blocks::{Blocks, Writing};
use crate::formats::chat::lay::Message;
use crate::json::build::Value;
use crate::json::cut::{self, Change};
use crate::json::order::longest_run;
use crate::transcript::{Action, EventId, PartId, Request, Role};

const WRITING: Writing = Writing {
    message: read::message,
    pieces,
    role,
    list: "content",
    turns: false,
    apart: false,
    answer,
    text: |quoted| Value::object([("text", quoted)]),
};

fn answer(context: &FormatContext<'_>, call: PartId) -> Value {
    let t = context.transcript;
    let text = Value::object([("text", Value::text(NO_RESULT))]);
    let result = Value::object([
        ("toolUseId", Value::text(t.text(t.a_part(call).id))),
        ("content", Value::List(vec![text])),
        ("status", Value::text("error")),
    ]);
    Value::object([("toolResult", result)])
}

/// Turns remedies into edits.
pub(super) fn plan_edits(
    context: &FormatContext<'_>,
    request: &Request,
    actions: &[Action],
) -> Result<Vec<Edit>, CannotDo> {
    let t = context.transcript;
    let mut work = Work {
        context,
        blocks: Blocks::new(context, &WRITING),
    };
    let mut edits = Vec::new();
    for action in actions {
        match action {
            Action::Mend { edits: own, .. } => edits.extend(own.iter().cloned()),
            Action::Identify(event) => work.number(*event, t.event(*event).place.number()),
            Action::Extend {
                event,
                offset: Some(offset),
                ..
            } => {
                edits.extend(set_removed(context, *event, *offset)?);
            }
            other => work.blocks.take(other, request)?,
        }
    }
    edits.extend(match context.layout {
        Layout::Files(files) => work.files(files)?,
        layout => rewrite(context.entries, layout, t, &work.blocks.slots()?)?,
    });
    Ok(edits)
}

/// The window of a Strands session begins at another file.
fn set_removed(
    context: &FormatContext<'_>,
    state: EventId,
    count: u64,
) -> Result<Vec<Edit>, CannotDo> {
    let at = context.transcript.event(state).at;
    let record = context.record(state)?;
    let number = record
        .root()
        .at(&["conversation_manager_state", "removed_message_count"])
        .ok_or(CannotDo("the state has no window"))?;
    Ok(placed(at, vec![cut::replace(number, &count.to_string())]))
}

fn placed(at: Span, changes: Vec<Change>) -> Vec<Edit> {
    let place = |offset: u32| at.start + u64::from(offset);
    let edit = |c: Change| Edit::Bytes {
        at: Span {
            start: place(c.at.start),
            end: place(c.at.end),
            ..at
        },
        with: c.with,
    };
    changes.into_iter().map(edit).collect()
}

struct Work<'a> {
    context: &'a FormatContext<'a>,
    blocks: Blocks<'a>,
}

impl Work<'_> {
    /// A message file gets another number.
    fn number(&mut self, event: EventId, number: u64) {
        self.blocks
            .members
            .insert(event, ("message_id", number.to_string()));
    }

    /// A new message file: its message, its number, and the times of the record that it follows.
    fn new_file(
        &self,
        message: &Message,
        number: u64,
        before: EventId,
    ) -> Result<Vec<u8>, CannotDo> {
        let (look, message) = self.blocks.user_message(message)?;
        let before = self.context.record(before)?;
        let stamp = |key: &str| {
            let raw = before.root().get(key).map(|node| node.raw().into_owned());
            raw.map_or(Value::NULL, |raw| {
                Value::Raw(String::from_utf8_lossy(&raw).into_owned().into())
            })
        };
        Ok(look.write(&Value::object([
            ("message", message),
            ("message_id", Value::Raw(number.to_string().into())),
            ("redact_message", Value::NULL),
            ("created_at", stamp("created_at")),
            ("updated_at", stamp("updated_at")),
        ])))
    }

    /// The files of a Strands session. Nothing is renumbered unless a message must stand between two others.
    fn files(&mut self, files: &Files) -> Result<Vec<Edit>, CannotDo> {
        let t = self.context.transcript;
        let messages = self.blocks.lay.take_messages();
        let order: Vec<Option<EventId>> = messages.iter().map(|message| message.record).collect();
        let stays = longest_run(&order);
        let mut edits = Vec::new();
        let mut next = 0;
        let mut before = None;
        for (at, event) in order.iter().enumerate() {
            let own = event
                .filter(|_| stays[at])
                .map(|event| t.event(event).place.number());
            let number = own.map_or(next, |own| own.max(next));
            next = number + 1;
            match event {
                Some(event) => {
                    let name = files
                        .naming
                        .name(number, &number.to_string())
                        .unwrap_or_default();
                    if t.event(*event).place.number() != number {
                        edits.push(Edit::Rename(t.event(*event).at.entry, name));
                        self.number(*event, number);
                    }
                    before = Some(*event);
                }
                None => {
                    let name = files
                        .naming
                        .name(number, &number.to_string())
                        .unwrap_or_default();
                    let before = before.ok_or(CannotDo("a new message would be the first"))?;
                    let bytes = self.new_file(&messages[at], number, before)?;
                    edits.push(Edit::Create { name, bytes });
                }
            }
        }
        for message in &messages {
            if let Some(event) = &message.record {
                let changes = self.blocks.changes(*event, message)?;
                edits.extend(placed(t.event(*event).at, changes));
            }
        }
        let gone = t.records().filter(|event| !order.contains(&Some(*event)));
        edits.extend(gone.map(|event| Edit::Remove(t.event(event).at.entry)));
        edits.extend(self.moved_window(&order)?);
        Ok(edits)
    }

    /// The window counts files: one that comes or goes before it moves it.
    fn moved_window(&self, order: &[Option<EventId>]) -> Result<Vec<Edit>, CannotDo> {
        let t = self.context.transcript;
        let (Some(state), Some(removed)) = (t.host_state(), super::removed(t)) else {
            return Ok(Vec::new());
        };
        let Some(first) = usize::try_from(removed)
            .ok()
            .and_then(|count| t.records().nth(count))
        else {
            return Ok(Vec::new());
        };
        let now = order
            .iter()
            .position(|event| event.is_some_and(|event| event >= first));
        match now
            .filter(|now| i64::try_from(*now) != Ok(removed) && t.event(first).role != Role::Nobody)
        {
            Some(now) => set_removed(self.context, state, now as u64),
            None => Ok(Vec::new()),
        }
    }
}
