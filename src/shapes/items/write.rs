//! Plans changes of lists of items: moves results to after their calls, into the list of the calls.

use hashbrown::{HashMap, HashSet};

use super::ItemLayout;
use crate::containers::rewrite::{CannotDo, apply_changes};
use crate::format::FormatContext;
use crate::json::record::Record;
use crate::rewrite::{
    self, Extension, NewBytes, NewId, NewRecord, Order, Plan, Planner, Schema, Slot, StepResult,
};
use crate::transcript::{ActionKind, EventId, PartId, PartKind, Request};

/// The actions that lists of items support.
pub(crate) const SUPPORTS: &[ActionKind] = Schema::LIST.supports;

/// A record of the new order of the file.
pub(crate) struct OrderedItem {
    pub slot: Slot,
    /// Whether it was not at this place before.
    pub is_moved: bool,
}

/// A record with its new number; `None`: it has no number.
pub(crate) type Numbered = (Slot, Option<i64>);

/// A plan of items, and its writer.
pub(crate) fn planner<'a>(
    context: &'a FormatContext<'a>,
    layout: &'static ItemLayout,
    request: &'a Request,
) -> Planner<'a> {
    let t = context.transcript;
    let order = Order::of(t.events.len(), t.with_inner(), &[]);
    let writer = ItemWriter {
        context,
        layout,
        moved: HashSet::new(),
        lifted: HashMap::new(),
        numbers: HashMap::new(),
    };
    let plan = Plan::new(context.source(), request, &layout.schema, order);
    Planner::new(plan, writer)
}

struct ItemWriter<'a> {
    context: &'a FormatContext<'a>,
    layout: &'static ItemLayout,
    moved: HashSet<EventId>,
    /// Items that move from a list inside a record to the list of records.
    lifted: HashMap<NewId, EventId>,
    /// The numbers of new records.
    numbers: HashMap<NewId, Option<i64>>,
}

impl<'a> rewrite::Writer<'a> for ItemWriter<'a> {
    /// Moves results to after their calls. If results must be next, also brings the calls together.
    fn move_together(&mut self, plan: &mut Plan<'a>, parts: &[PartId]) -> StepResult {
        let t = plan.t;
        if !self.context.target.results_anywhere || plan.request.results_next {
            let mut events: Vec<EventId> = parts.iter().map(|part| t.part(*part).event).collect();
            events.dedup();
            for pair in events.windows(2) {
                self.put_after(plan, pair[1], pair[0])?;
            }
            return Ok(());
        }
        for call in parts.iter().filter(|part| t.part(**part).kind == PartKind::Call) {
            let result = plan.request.pairs.answer(*call);
            let Some(result) = result.filter(|result| result < call) else {
                continue;
            };
            let (result, asks) = (t.part(result).event, t.part(*call).event);
            if t.event(result).within.is_some() && t.event(asks).within.is_none() {
                plan.order.remove(result);
                let new = plan.add(NewRecord::of(*call));
                if let Slot::New(id) = new {
                    self.lifted.insert(id, result);
                }
                plan.put_after(new, asks.into())?;
            } else {
                self.put_after(plan, result, asks)?;
            }
        }
        Ok(())
    }

    fn answer_call(&mut self, plan: &mut Plan<'a>, call: PartId, _: Option<EventId>) -> StepResult {
        let asks = plan.t.part(call).event;
        let new = plan.add(NewRecord { within: plan.t.event(asks).within, ..NewRecord::of(call) });
        plan.put_after(new, asks.into())
    }

    /// Keeps records of a compaction by moving them to after it.
    fn move_boundary(&mut self, plan: &mut Plan<'a>, extension: &Extension<'_>) -> StepResult {
        let mut keep = extension.keep.to_vec();
        keep.sort_unstable();
        let mut before = extension.event;
        for kept in keep {
            self.put_after(plan, kept, before)?;
            before = kept;
        }
        Ok(())
    }

    fn follow_up(&mut self, plan: &mut Plan<'a>) -> StepResult {
        let mut lines = Vec::new();
        for slot in plan.order.stored().filter(|slot| plan.within(*slot).is_none()) {
            let is_moved = slot.old().is_none_or(|event| self.moved.contains(&event));
            lines.push(OrderedItem { slot, is_moved });
        }
        let set_number = self.layout.set_number;
        for (slot, to) in (self.layout.number)(self.context, &lines) {
            match slot {
                Slot::New(id) => _ = self.numbers.insert(id, to),
                Slot::Old(event) => plan
                    .members
                    .with(event, move |root| Ok(set_number(root, to).into_iter().collect())),
            }
        }
        Ok(())
    }

    fn new_record(&self, plan: &Plan<'a>, id: NewId, before: Option<EventId>) -> NewBytes {
        let bytes = match self.lifted.get(&id) {
            Some(item) => {
                let changes = plan.members.changes(plan.source, *item)?;
                let item = apply_changes(plan.source.record(*item)?.bytes(), &changes);
                let line = before.and_then(|before| (self.layout.lift)(self.context, item, before));
                line.ok_or(CannotDo("an element cannot leave its list"))?
            }
            None => {
                let answer = (self.layout.answer)(self.context, plan.new_record(id).call);
                answer.ok_or(CannotDo("what such a call answers cannot be made up"))?
            }
        };
        let Some(to) = self.numbers.get(&id) else {
            return Ok(bytes);
        };
        let record = Record::parse(bytes).ok_or(CannotDo("a new record cannot be read"))?;
        let changes: Vec<_> = (self.layout.set_number)(record.root(), *to).into_iter().collect();
        Ok(apply_changes(record.bytes(), &changes))
    }
}

impl<'a> ItemWriter<'a> {
    fn put_after(&mut self, plan: &mut Plan<'a>, event: EventId, before: EventId) -> StepResult {
        self.moved.insert(event);
        plan.put_after(event.into(), before.into())
    }
}
