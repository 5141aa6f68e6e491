//! How plans change lists of items: results after their calls, in the list that holds these.

use hashbrown::{HashMap, HashSet};

use super::Manner;
use crate::bytes::edit::Edit;
use crate::containers::rewrite::{CannotDo, apply_changes};
use crate::formats::FormatContext;
use crate::json::record::Record;
use crate::rewrite::{self, Done, Extension, NewId, NewRecord, Order, Plan, Slot};
use crate::transcript::{Action, ActionKind, EventId, PartId, PartKind, Request};

/// What lists of items support.
pub(in crate::formats) const SUPPORTS: &[ActionKind] = &[
    ActionKind::EditBytes,
    ActionKind::Remove,
    ActionKind::RemovePart,
    ActionKind::MoveTogether,
    ActionKind::AnswerCall,
    ActionKind::RenameId,
    ActionKind::MoveBoundary,
];

/// A record of the new order of the file.
pub(in crate::formats) struct Line {
    pub slot: Slot,
    /// It is new here.
    pub is_moved: bool,
}

/// A record with the number that it gets, or none.
pub(in crate::formats) type Numbered = (Slot, Option<i64>);

/// Turns actions into edits.
pub(in crate::formats) fn plan_edits(
    context: &FormatContext<'_>,
    request: &Request,
    manner: &'static Manner,
    actions: &[Action],
) -> Result<Vec<Edit>, CannotDo> {
    let t = context.transcript;
    let order = Order::of(t.events.len(), t.with_inner(), &[]);
    let mut writer = Writer {
        context,
        manner,
        moved: HashSet::new(),
        lifted: HashMap::new(),
        numbers: HashMap::new(),
    };
    let plan = Plan::new(context.source(), request, &manner.schema, order);
    rewrite::plan_edits(plan, &mut writer, actions)
}

struct Writer<'a> {
    context: &'a FormatContext<'a>,
    manner: &'static Manner,
    moved: HashSet<EventId>,
    /// Items that leave the list inside a record for that of the records.
    lifted: HashMap<NewId, EventId>,
    /// The numbers that new records get, or do not.
    numbers: HashMap<NewId, Option<i64>>,
}

impl<'a> rewrite::Writer<'a> for Writer<'a> {
    /// Results after their calls; where they must be next, the calls together and the results after them.
    fn move_together(&mut self, plan: &mut Plan<'a>, parts: &[PartId]) -> Done {
        let t = plan.t;
        let event = |part: PartId| t.a_part(part).event;
        if !self.context.target.results_anywhere || plan.request.results_next {
            let mut events: Vec<EventId> = parts.iter().copied().map(event).collect();
            events.dedup();
            for pair in events.windows(2) {
                self.put_after(plan, pair[1], pair[0])?;
            }
            return Ok(());
        }
        let is_call = |part: &&PartId| t.a_part(**part).kind == PartKind::Call;
        for call in parts.iter().filter(is_call) {
            let result = plan.request.pairs.answer(*call);
            let Some(result) = result.filter(|result| result < call) else {
                continue;
            };
            let (result, asks) = (event(result), event(*call));
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

    fn answer_call(&mut self, plan: &mut Plan<'a>, call: PartId, _: Option<EventId>) -> Done {
        let asks = plan.t.a_part(call).event;
        let new = plan.add(NewRecord {
            within: plan.t.event(asks).within,
            ..NewRecord::of(call)
        });
        plan.put_after(new, asks.into())
    }

    /// A compaction keeps records: they come after it.
    fn move_boundary(&mut self, plan: &mut Plan<'a>, extension: &Extension<'_>) -> Done {
        let mut keep = extension.keep.to_vec();
        keep.sort_unstable();
        let mut before = extension.event;
        for kept in keep {
            self.put_after(plan, kept, before)?;
            before = kept;
        }
        Ok(())
    }

    fn follow_up(&mut self, plan: &mut Plan<'a>) -> Done {
        let outermost = plan
            .order
            .stored()
            .filter(|slot| plan.within(*slot).is_none());
        let is_moved = |slot: Slot| slot.old().is_none_or(|event| self.moved.contains(&event));
        let lines = outermost.map(|slot| Line {
            slot,
            is_moved: is_moved(slot),
        });
        let lines: Vec<Line> = lines.collect();
        let set_number = self.manner.set_number;
        for (slot, to) in (self.manner.number)(self.context, &lines) {
            match slot {
                Slot::New(id) => _ = self.numbers.insert(id, to),
                Slot::Old(event) => plan.members.with(event, move |root| {
                    Ok(set_number(root, to).into_iter().collect())
                }),
            }
        }
        Ok(())
    }

    fn new_record(
        &self,
        plan: &Plan<'a>,
        id: NewId,
        before: Option<EventId>,
    ) -> Result<Vec<u8>, CannotDo> {
        let bytes = match self.lifted.get(&id) {
            Some(item) => {
                let changes = plan.members.changes(plan.source, *item)?;
                let item = apply_changes(plan.source.record(*item)?.bytes(), &changes);
                let line = before.and_then(|before| (self.manner.lift)(self.context, item, before));
                line.ok_or(CannotDo("an element cannot leave its list"))?
            }
            None => {
                let answer = (self.manner.answer)(self.context, plan.new_record(id).call);
                answer.ok_or(CannotDo("what such a call answers cannot be made up"))?
            }
        };
        let Some(to) = self.numbers.get(&id) else {
            return Ok(bytes);
        };
        let record = Record::parse(bytes).ok_or(CannotDo("a new record cannot be read"))?;
        let changes: Vec<_> = (self.manner.set_number)(record.root(), *to)
            .into_iter()
            .collect();
        Ok(apply_changes(record.bytes(), &changes))
    }
}

impl<'a> Writer<'a> {
    fn put_after(&mut self, plan: &mut Plan<'a>, event: EventId, before: EventId) -> Done {
        self.moved.insert(event);
        plan.put_after(event.into(), before.into())
    }
}
