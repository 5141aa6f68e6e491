//! Changes a chat: removes and moves records, and changes messages in place.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::answer::{self, UnansweredCall};
use super::history::GeminiHistory;
use super::message::{self, PartLocation, PlacedPart};
use crate::containers::rewrite::CannotDo;
use crate::dialects::gemini;
use crate::format::FormatContext;
use crate::json::cut::{self, RecordChange};
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::rewrite::{self, Order, Plan, Planner, Schema, StepResult};
use crate::transcript::{ActionKind, EventId, PartId, Request, Transcript};

pub(super) const SCHEMA: Schema = Schema {
    supports: &[
        ActionKind::EditBytes,
        ActionKind::Remove,
        ActionKind::RemovePart,
        ActionKind::MoveTogether,
        ActionKind::AnswerCall,
    ],
    list: |record| {
        let set = record.at(&["$set", "messages"]);
        set.or_else(|| record.get("messages"))
    },
    ..Schema::PLAIN
};

/// A plan of the records, and the writer that changes them.
pub(super) fn planner<'a>(context: &'a FormatContext<'a>, request: &'a Request) -> Planner<'a> {
    let t = context.transcript;
    let order = Order::of(t.events.len(), t.with_inner(), &[]);
    let messages = GeminiHistory::of(t, context.layout.is_lines()).messages.into_iter();
    let before = messages.map(|message| (message.event, message.before)).collect();
    let writer = GeminiWriter { context, before, edits: BTreeMap::new() };
    let plan = Plan::new(context.source(), request, &SCHEMA, order);
    Planner::new(plan, writer)
}

/// The changes of the parts of a message.
#[derive(Default)]
struct PartEdits {
    /// Parts to remove.
    cuts: Vec<PartId>,
    /// Calls that get a result.
    answers: Vec<PartId>,
}

struct GeminiWriter<'a> {
    context: &'a FormatContext<'a>,
    /// The earlier records of each message, by its last one.
    before: HashMap<EventId, Vec<EventId>>,
    edits: BTreeMap<EventId, PartEdits>,
}

impl<'a> rewrite::Writer<'a> for GeminiWriter<'a> {
    /// Removes a record, and the earlier ones with its ID, which would come back in its place.
    fn remove(&mut self, plan: &mut Plan<'a>, event: EventId) -> StepResult {
        let records = self.records_of(event).into_iter();
        records.for_each(|event| plan.order.remove(event));
        Ok(())
    }

    fn remove_part(&mut self, plan: &mut Plan<'a>, part: PartId) -> StepResult {
        self.edits_of(plan.t, part).cuts.push(part);
        Ok(())
    }

    /// Stores the result in the message with the call.
    fn answer_call(&mut self, plan: &mut Plan<'a>, call: PartId, _: Option<EventId>) -> StepResult {
        self.edits_of(plan.t, call).answers.push(call);
        Ok(())
    }

    /// Moves messages that only have results after the message with their calls.
    fn move_together(&mut self, plan: &mut Plan<'a>, parts: &[PartId]) -> StepResult {
        plan.gather_records(parts, |event| self.records_of(event))
    }

    fn follow_up(&mut self, plan: &mut Plan<'a>) -> StepResult {
        let context = self.context;
        for (event, edits) in std::mem::take(&mut self.edits) {
            if is_emptied(plan.t, event, &edits) {
                self.remove(plan, event)?;
            } else {
                plan.members.with(event, move |root| changes(context, event, root, &edits));
            }
        }
        Ok(())
    }
}

impl GeminiWriter<'_> {
    fn edits_of(&mut self, t: &Transcript, part: PartId) -> &mut PartEdits {
        self.edits.entry(t.part(part).event).or_default()
    }

    /// All records of the message whose last record this is; for any other record, only itself.
    fn records_of(&self, event: EventId) -> Vec<EventId> {
        let before = self.before.get(&event).into_iter().flatten();
        before.copied().chain([event]).collect()
    }
}

/// Whether nothing would be left of a message.
fn is_emptied(t: &Transcript, event: EventId, edits: &PartEdits) -> bool {
    let mut parts = t.event(event).parts.clone();
    super::own_parts(t, event) as usize == parts.len()
        && parts.all(|part| edits.cuts.contains(&part))
}

/// The changes inside a message.
fn changes(
    context: &FormatContext<'_>,
    event: EventId,
    root: Node<'_>,
    edits: &PartEdits,
) -> Result<Vec<RecordChange>, CannotDo> {
    let parts = message::parts(root);
    let first = context.transcript.event(event).parts.clone();
    let part =
        |number: &PartId| parts.get(first.position_of(*number)).ok_or(CannotDo("a part is gone"));
    let mut changes = Vec::new();
    let cuts = edits.cuts.iter().map(part).collect::<Result<Vec<_>, _>>()?;
    changes.extend(remove_parts(root, &cuts));
    let mut calls = Vec::new();
    for call in &edits.answers {
        let PlacedPart { piece, location } = part(call)?;
        let (args, item) = match location {
            PartLocation::Content(part) => {
                (gemini::call(*part).and_then(|call| call.get("args")), None)
            }
            PartLocation::Call(item) => (item.get("args"), Some(*item)),
            PartLocation::Result { .. } => (None, None),
        };
        calls.push(UnansweredCall {
            id: piece.id().map(|id| id.into_owned()),
            name: piece.name().map(|name| name.into_owned()).unwrap_or_default(),
            args,
            item,
        });
    }
    if !calls.is_empty() {
        changes.extend(answer::changes(root, &calls, context.record(event)?.writer())?);
    }
    Ok(changes)
}

/// The changes that remove these parts from their lists. A result that is not a list becomes an
/// empty one.
fn remove_parts(message: Node<'_>, cuts: &[&PlacedPart<'_>]) -> Vec<RecordChange> {
    let mut lists: BTreeMap<u32, (Node<'_>, Vec<u32>)> = BTreeMap::new();
    let mut changes = Vec::new();
    for placed in cuts {
        let item = match placed.location {
            PartLocation::Result { whole, item: Some(at) } => Some((whole, at)),
            PartLocation::Result { whole, item: None } => {
                changes.push(cut::replace(whole, "[]"));
                None
            }
            PartLocation::Content(part) => {
                let list = message.get("content");
                let list = list.filter(|list| list.kind() == Kind::Array);
                list.and_then(|list| {
                    let mut items = (0_u32..).zip(list.items());
                    let (at, _) = items.find(|(_, item)| item.index() == part.index())?;
                    Some((list, at))
                })
            }
            PartLocation::Call(_) => None,
        };
        if let Some((list, at)) = item {
            let (_, victims) = lists.entry(list.index()).or_insert_with(|| (list, Vec::new()));
            victims.push(at);
        }
    }
    let cut = lists.into_values();
    changes.extend(cut.flat_map(|(list, at)| cut::remove_members(list, &at)));
    changes
}
