//! Plans changes of messages and of the files of a Strands session: their numbers, and the window that counts them.

use super::{read, role};
use crate::containers::Layout;
use crate::containers::rewrite::CannotDo;
use crate::dialects::placeholders::NO_RESULT;
use crate::format::FormatContext;
use crate::json::build::NewValue;
use crate::json::cut;
use crate::json::order::longest_run;
use crate::rewrite::{self, Extension, NewBytes, NewId, Plan, Planner, Schema, Slot, StepResult};
use crate::shapes::chat::blocks::{BlockWriting, NewBlocks};
use crate::transcript::{ActionKind, EventId, PartId, Request, Role};

pub(super) const WRITING: BlockWriting = BlockWriting {
    schema: Schema {
        supports: &[
            ActionKind::EditBytes,
            ActionKind::Remove,
            ActionKind::RemovePart,
            ActionKind::MoveTogether,
            ActionKind::AnswerCall,
            ActionKind::RenameId,
            ActionKind::MoveText,
            ActionKind::AssignId,
            ActionKind::MoveBoundary,
        ],
        ..Schema::PLAIN
    },
    message: read::message,
    role,
    answer,
    text: |quoted| NewValue::object([("text", quoted)]),
    ..BlockWriting::MESSAGES
};

fn answer(context: &FormatContext<'_>, call: PartId) -> NewValue {
    let t = context.transcript;
    let text = NewValue::object([("text", NewValue::text(NO_RESULT))]);
    let result = NewValue::object([
        ("toolUseId", NewValue::text(t.text(t.part(call).id))),
        ("content", NewValue::List(vec![text])),
        ("status", NewValue::text("error")),
    ]);
    NewValue::object([("toolResult", result)])
}

/// A plan of the records, and the writer that changes them.
pub(super) fn planner<'a>(context: &'a FormatContext<'a>, request: &'a Request) -> Planner<'a> {
    let blocks = NewBlocks::new(context, &WRITING);
    let plan = blocks.plan(request);
    Planner::new(plan, ConverseWriter { context, blocks })
}

struct ConverseWriter<'a> {
    context: &'a FormatContext<'a>,
    blocks: NewBlocks<'a>,
}

impl<'a> rewrite::Writer<'a> for ConverseWriter<'a> {
    fn remove(&mut self, plan: &mut Plan<'a>, event: EventId) -> StepResult {
        self.blocks.remove(plan, event)
    }

    fn remove_part(&mut self, plan: &mut Plan<'a>, part: PartId) -> StepResult {
        self.blocks.remove_part(plan, part)
    }

    fn move_together(&mut self, plan: &mut Plan<'a>, parts: &[PartId]) -> StepResult {
        self.blocks.move_together(plan, parts)
    }

    fn answer_call(
        &mut self,
        plan: &mut Plan<'a>,
        call: PartId,
        in_place_of: Option<EventId>,
    ) -> StepResult {
        self.blocks.answer_call(plan, call, in_place_of)
    }

    fn move_text(&mut self, plan: &mut Plan<'a>, from: EventId, into: EventId) -> StepResult {
        self.blocks.move_text(plan, from, into)
    }

    /// Sets the number in a message file to that of its name.
    fn assign_id(&mut self, plan: &mut Plan<'a>, event: EventId) -> StepResult {
        set_number(plan, event, plan.t.event(event).place().number());
        Ok(())
    }

    fn move_boundary(&mut self, plan: &mut Plan<'a>, extension: &Extension<'_>) -> StepResult {
        let count = extension.offset.ok_or(CannotDo("nothing to move"))?;
        set_removed(plan, extension.event, count);
        Ok(())
    }

    fn follow_up(&mut self, plan: &mut Plan<'a>) -> StepResult {
        self.blocks.follow_up(plan)?;
        if matches!(self.context.layout, Layout::Files(_)) {
            number_files(plan);
            move_window(plan);
        }
        Ok(())
    }

    /// A new message. A file also has its number, and the times of the record before it.
    fn new_record(&self, plan: &Plan<'a>, id: NewId, before: Option<EventId>) -> NewBytes {
        if !matches!(self.context.layout, Layout::Files(_)) {
            return self.blocks.new_record(plan, id, before);
        }
        let (look, message) = self.blocks.results_message(id)?;
        let before = before.ok_or(CannotDo("a new message would be the first"))?;
        let before = self.context.record(before)?;
        let stamp = |key| before.root().get(key).map_or(NewValue::NULL, NewValue::copy);
        let number = plan.new_record(id).id.clone();
        Ok(look.write(&NewValue::object([
            ("message", message),
            ("message_id", NewValue::Raw(number.into())),
            ("redact_message", NewValue::NULL),
            ("created_at", stamp("created_at")),
            ("updated_at", stamp("updated_at")),
        ])))
    }
}

fn set_number(plan: &mut Plan<'_>, event: EventId, number: u64) {
    plan.members.set(event, "message_id", number.to_string());
}

/// Sets the start of the window of a Strands session.
fn set_removed(plan: &mut Plan<'_>, state: EventId, count: u64) {
    plan.members.with(state, move |root| {
        let number = root.at(&["conversation_manager_state", "removed_message_count"]);
        let number = number.ok_or(CannotDo("the state has no window"))?;
        Ok(vec![cut::replace(number, &count.to_string())])
    });
}

/// Numbers the new files. Existing files are renumbered only if a message is inserted between two of them.
fn number_files(plan: &mut Plan<'_>) {
    let order: Vec<Slot> = plan.order.stored().collect();
    let stays = longest_run(&order.iter().copied().map(Slot::old).collect::<Vec<_>>());
    let mut next = 0;
    for (slot, stays) in order.into_iter().zip(stays) {
        let own = slot.old().map(|event| plan.t.event(event).place().number());
        let number = own.filter(|_| stays).map_or(next, |own| own.max(next));
        next = number + 1;
        match slot {
            Slot::New(id) => plan.set_id(id, number.to_string()),
            Slot::Old(event) if own != Some(number) => {
                plan.names.insert(event, number.to_string());
                set_number(plan, event, number);
            }
            Slot::Old(_) => {}
        }
    }
}

/// Moves the window, which counts files, if files before it were inserted or removed.
fn move_window(plan: &mut Plan<'_>) {
    let t = plan.t;
    let (Some(state), Some(removed)) = (t.host_state(), super::removed(t)) else {
        return;
    };
    let count = usize::try_from(removed).ok();
    let Some(first) = count.and_then(|count| t.records().nth(count)) else {
        return;
    };
    let now = plan.order.stored().position(|slot| slot.old().is_some_and(|event| event >= first));
    if let Some(now) = now.filter(|now| i64::try_from(*now) != Ok(removed))
        && t.event(first).role != Role::Nobody
    {
        set_removed(plan, state, now as u64);
    }
}
