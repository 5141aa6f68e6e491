//! Plans changes of messages that are lists of blocks: moves, removes and inserts blocks within messages and between them.

mod unit;

use unit::BlockUnit;
pub(crate) use unit::{BlockWriting, SUPPORTS};

use hashbrown::{HashMap, HashSet};

use crate::containers::rewrite::CannotDo;
use crate::format::FormatContext;
use crate::json::build::{NewValue, ValueWriter};
use crate::json::cut::{ArrayItem, RecordChange, arrange};
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::rewrite::{
    self, Extension, NewBytes, NewId, NewRecord, Order, Plan, Planner, Slot, StepResult,
};
use crate::transcript::{EventId, PartId, PartKind, Request, Role, Transcript};

/// A plan of messages with blocks, and its writer.
pub(crate) fn planner<'a>(
    context: &'a FormatContext<'a>,
    writing: &'static BlockWriting,
    request: &'a Request,
) -> Planner<'a> {
    let blocks = NewBlocks::new(context, writing);
    Planner::new(blocks.plan(request), blocks)
}

/// The messages with their new blocks.
pub(crate) struct NewBlocks<'a> {
    writer: BlockWriter<'a>,
    /// The new blocks of messages that change.
    units: HashMap<Slot, Vec<BlockUnit>>,
    /// The new messages of parts that moved.
    holder: HashMap<PartId, Slot>,
    /// Parts that are removed, and those of them that are still in `units`, by message.
    gone: HashSet<PartId>,
    leaving: HashMap<Slot, HashSet<PartId>>,
    /// Caches, cleared when anything moves: where the next result of a message is inserted, and the last message of a
    /// message's turn.
    fronts: HashMap<Slot, usize>,
    ends: HashMap<Slot, Slot>,
}

impl<'a> NewBlocks<'a> {
    /// The messages as recorded.
    pub(crate) fn new(
        context: &'a FormatContext<'a>,
        writing: &'static BlockWriting,
    ) -> NewBlocks<'a> {
        NewBlocks {
            writer: BlockWriter { context, writing },
            units: HashMap::new(),
            holder: HashMap::new(),
            gone: HashSet::new(),
            leaving: HashMap::new(),
            fronts: HashMap::new(),
            ends: HashMap::new(),
        }
    }

    /// A plan of these messages.
    pub(crate) fn plan(&self, request: &'a Request) -> Plan<'a> {
        let BlockWriter { context, writing } = self.writer;
        let order = Order::new(context.transcript, &[]);
        Plan::new(context.source(), request, &writing.schema, order)
    }

    /// A new message of results, and the layout of the message with the calls.
    pub(crate) fn results_message(&self, id: NewId) -> Result<(ValueWriter, NewValue), CannotDo> {
        let units = self.units.get(&Slot::New(id));
        let units = units.map(Vec::as_slice).unwrap_or_default();
        let t = self.writer.context.transcript;
        let caller = units.first().map(|unit| match unit {
            BlockUnit::Answer(part) | BlockUnit::Part(part) => t.part(*part).event,
        });
        let caller = caller.ok_or(CannotDo("a new message would be empty"))?;
        let caller = self.writer.context.record(caller)?;
        let blocks: Result<_, _> = units.iter().map(|unit| self.writer.block(*unit)).collect();
        let mut members = vec![
            (self.writer.writing.speaker, NewValue::text(self.writer.writing.results.1)),
            (self.writer.writing.list, NewValue::List(blocks?)),
        ];
        members.extend(self.writer.writing.beside.iter().filter_map(|key| {
            let raw = caller.root().get(key)?.raw();
            let raw = String::from_utf8_lossy(&raw).into_owned();
            Some((*key, NewValue::Raw(raw.into())))
        }));
        let like = (self.writer.writing.message)(caller.root());
        let message = rewrite::in_order(members, Some(like));
        let record = (self.writer.writing.record)(caller.root(), message);
        Ok((caller.writer().clone(), record))
    }

    fn recorded(t: &Transcript, slot: Slot) -> Vec<BlockUnit> {
        let parts = slot.old().map(|event| t.event(event).parts.clone());
        parts.into_iter().flatten().map(BlockUnit::Part).collect()
    }

    /// The blocks of a message.
    fn units(&mut self, t: &Transcript, slot: Slot) -> &mut Vec<BlockUnit> {
        self.units.entry(slot).or_insert_with(|| NewBlocks::recorded(t, slot))
    }

    /// The message that has a part.
    fn holder_of(&self, t: &Transcript, part: PartId) -> Slot {
        self.holder.get(&part).copied().unwrap_or_else(|| Slot::Old(t.part(part).event))
    }

    fn role(&self, t: &Transcript, slot: Slot) -> Role {
        slot.old()
            .map_or(self.writer.writing.results.0, |event| (self.writer.writing.role)(t, event))
    }

    /// Applies pending removals and clears the caches.
    fn apply_removals(&mut self, t: &Transcript) {
        for (slot, parts) in std::mem::take(&mut self.leaving) {
            self.units(t, slot)
                .retain(|unit| !unit.part().is_some_and(|part| parts.contains(&part)));
        }
        self.fronts.clear();
        self.ends.clear();
    }

    fn is_result(t: &Transcript, unit: BlockUnit) -> bool {
        unit.part().is_none_or(|part| t.part(part).kind == PartKind::Result)
    }

    /// The last message of this message's turn.
    fn end_of_turn(&mut self, plan: &Plan<'a>, slot: Slot) -> Slot {
        if !self.writer.writing.turns {
            return slot;
        }
        if let Some(end) = self.ends.get(&slot) {
            return *end;
        }
        let role = self.role(plan.t, slot);
        let after = plan.order.stored_from(slot);
        let more = after.take_while(|next| self.role(plan.t, *next) == role);
        let turn: Vec<Slot> = std::iter::once(slot).chain(more).collect();
        let end = turn.last().copied().unwrap_or(slot);
        self.ends.extend(turn.into_iter().map(|slot| (slot, end)));
        end
    }

    /// The next message, if results may be inserted into it.
    fn next_for_results(&mut self, plan: &Plan<'a>, slot: Slot) -> Option<Slot> {
        let next = plan.order.stored_after(slot)?;
        let takes_results = self.role(plan.t, next) == self.writer.writing.results.0
            && (!self.writer.writing.apart
                || self.units(plan.t, next).iter().any(|unit| NewBlocks::is_result(plan.t, *unit)));
        takes_results.then_some(next)
    }

    /// The message of results after this one, which is added if there is none.
    fn message_after(&mut self, plan: &mut Plan<'a>, slot: Slot, call: PartId) -> Slot {
        if let Some(next) = self.next_for_results(plan, slot) {
            return next;
        }
        let new = plan.add(NewRecord::of(call));
        plan.order.store_after(new, slot);
        new
    }
}

impl<'a> rewrite::Writer<'a> for NewBlocks<'a> {
    fn remove(&mut self, plan: &mut Plan<'a>, event: EventId) -> StepResult {
        self.apply_removals(plan.t);
        plan.order.remove(event);
        Ok(())
    }

    /// Removes a block, and its message if nothing else is in it.
    fn remove_part(&mut self, plan: &mut Plan<'a>, part: PartId) -> StepResult {
        if !self.gone.insert(part) {
            return Ok(());
        }
        let slot = self.holder_of(plan.t, part);
        let leaving = self.leaving.entry(slot).or_default();
        leaving.insert(part);
        let count = leaving.len();
        if count == self.units(plan.t, slot).len() {
            self.apply_removals(plan.t);
            plan.order.remove_slot(slot);
        }
        Ok(())
    }

    /// Moves the results of a batch to the start of the message after its calls.
    fn move_together(&mut self, plan: &mut Plan<'a>, parts: &[PartId]) -> StepResult {
        let t = plan.t;
        let (calls, results): (Vec<PartId>, Vec<PartId>) =
            parts.iter().partition(|part| t.part(**part).kind == PartKind::Call);
        let (Some(call), Some(first)) = (calls.last().copied(), results.first().copied()) else {
            return Ok(());
        };
        let event = |part: PartId| t.part(part).event;
        self.apply_removals(t);
        if !plan.order.is_stored(event(call)) {
            return Ok(());
        }
        let end = self.end_of_turn(plan, event(call).into());
        let moved: HashSet<BlockUnit> = results.iter().copied().map(BlockUnit::Part).collect();
        let carrier = Slot::Old(event(first));
        // A message that only has results of these calls goes as a whole, so that it stays what it is.
        let is_alone = self.writer.writing.turns
            && results.iter().all(|result| event(*result) == event(first));
        let moves_whole = plan.order.is_stored(carrier)
            && (self.next_for_results(plan, end).is_none() || is_alone)
            && self.units(t, carrier).iter().all(|unit| moved.contains(unit));
        let into = if moves_whole {
            plan.order.store_after(carrier, end);
            carrier
        } else {
            self.message_after(plan, end, call)
        };
        let mut holders: Vec<Slot> = results.iter().map(|part| self.holder_of(t, *part)).collect();
        self.holder.extend(results.iter().map(|result| (*result, into)));
        holders.sort_unstable();
        holders.dedup();
        for slot in holders {
            let units = self.units(t, slot);
            units.retain(|unit| !moved.contains(unit));
            if units.is_empty() && slot != into {
                plan.order.remove_slot(slot);
            }
        }
        let front = results.into_iter().map(BlockUnit::Part);
        self.units(t, into).splice(0..0, front);
        Ok(())
    }

    /// Inserts a result into the message of results after the call, after existing results.
    fn answer_call(&mut self, plan: &mut Plan<'a>, call: PartId, _: Option<EventId>) -> StepResult {
        let t = plan.t;
        if !self.leaving.is_empty() {
            self.apply_removals(t);
        }
        let caller = t.part(call).event;
        if !plan.order.is_stored(caller) {
            return Ok(());
        }
        let end = self.end_of_turn(plan, caller.into());
        let into = self.message_after(plan, end, call);
        let pairs = &plan.request.pairs;
        let front = self.fronts.get(&into).copied();
        let units = self.units(t, into);
        let front = front.unwrap_or_else(|| {
            units
                .iter()
                .take_while(|unit| unit.part().is_none_or(|part| pairs.call_of(part).is_some()))
                .count()
        });
        units.insert(front, BlockUnit::Answer(call));
        self.fronts.insert(into, front + 1);
        Ok(())
    }

    /// Appends the blocks of `from` to those of `into`, with results first.
    fn move_text(&mut self, plan: &mut Plan<'a>, from: EventId, into: EventId) -> StepResult {
        let t = plan.t;
        self.apply_removals(t);
        if !plan.order.is_stored(from) {
            return Ok(());
        }
        plan.order.remove(from);
        if !plan.order.is_stored(into) {
            return Ok(());
        }
        let more = std::mem::take(self.units(t, from.into()));
        let parts = more.iter().filter_map(|unit| unit.part());
        self.holder.extend(parts.map(|part| (part, into.into())));
        let units = self.units(t, into.into());
        units.extend(more);
        units.sort_by_key(|unit| !NewBlocks::is_result(t, *unit));
        Ok(())
    }

    /// Messages that a compaction must keep are moved right after it, and lose the members that hide them.
    fn move_boundary(&mut self, plan: &mut Plan<'a>, extension: &Extension<'_>) -> StepResult {
        self.apply_removals(plan.t);
        let mut last = extension.event;
        for event in extension.keep.iter().copied() {
            plan.order.store_after(event, last);
            for key in self.writer.writing.hidden_by {
                plan.members.remove(event, key);
            }
            last = event;
        }
        Ok(())
    }

    fn follow_up(&mut self, plan: &mut Plan<'a>) -> StepResult {
        self.apply_removals(plan.t);
        for (slot, units) in &self.units {
            let Some(event) = slot.old().filter(|event| plan.order.is_stored(*event)) else {
                continue;
            };
            if *units != NewBlocks::recorded(plan.t, *slot) {
                let (writer, units) = (self.writer, units.clone());
                plan.members.with(event, move |root| writer.changes(event, root, &units));
            }
        }
        Ok(())
    }

    fn new_record(&self, _: &Plan<'a>, id: NewId, _: Option<EventId>) -> NewBytes {
        let (look, message) = self.results_message(id)?;
        Ok(look.write(&message))
    }
}

#[derive(Copy, Clone)]
struct BlockWriter<'a> {
    context: &'a FormatContext<'a>,
    writing: &'static BlockWriting,
}

impl BlockWriter<'_> {
    /// The changes that write a message's blocks in their new order. A string becomes a list.
    fn changes(
        self,
        event: EventId,
        root: Node<'_>,
        units: &[BlockUnit],
    ) -> Result<Vec<RecordChange>, CannotDo> {
        let content = (self.writing.message)(root).get(self.writing.list);
        let content = content.ok_or(CannotDo("a message has no content"))?;
        let parts = self.context.transcript.event(event).parts.clone();
        let is_own = |part: &PartId| parts.contains(part);
        let record = self.context.record(event)?;
        let look = record.writer();
        // A text has no blocks, so it becomes the first of a list.
        if content.kind() == Kind::String {
            let own = NewValue::copy(content);
            let mut blocks = Vec::new();
            for unit in units {
                blocks.push(match unit {
                    BlockUnit::Part(part) if is_own(part) => (self.writing.text)(own.clone()),
                    other => self.block(*other)?,
                });
            }
            let list = look.at(content).write(&NewValue::List(blocks));
            return Ok(vec![RecordChange::new(content.span(), list)]);
        }
        let first = content.items().next();
        let look = first.map_or_else(|| look.clone(), |block| look.at(block));
        let mut items = Vec::new();
        for unit in units {
            items.push(match unit {
                BlockUnit::Part(part) if is_own(part) => {
                    ArrayItem::Old(parts.position_of(*part) as u32)
                }
                other => ArrayItem::New(look.write(&self.block(*other)?)),
            });
        }
        Ok(arrange(content, &items))
    }

    /// The value of a block from another message, or of a new block.
    fn block(self, unit: BlockUnit) -> Result<NewValue, CannotDo> {
        let part = match unit {
            BlockUnit::Answer(call) => return Ok((self.writing.answer)(self.context, call)),
            BlockUnit::Part(part) => part,
        };
        let t = self.context.transcript;
        let event = t.part(part).event;
        let record = self.context.record(event)?;
        let list = (self.writing.message)(record.root()).get(self.writing.list);
        let offset = t.event(event).parts.position_of(part);
        let block = list.and_then(|list| list.items().nth(offset));
        Ok(NewValue::copy(block.ok_or(CannotDo("a block is gone"))?))
    }
}
