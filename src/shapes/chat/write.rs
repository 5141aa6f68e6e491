//! Plans changes of messages, for formats in which a result is a message of its own.

use hashbrown::{HashMap, HashSet};

use crate::containers::rewrite::CannotDo;
use crate::dialects::Piece;
use crate::format::FormatContext;
use crate::json::cut::{ArrayItem, RecordChange, arrange};
use crate::rewrite::{
    self, Extension, NewBytes, NewId, NewRecord, Order, Plan, Planner, Schema, Slot, StepResult,
};
use crate::transcript::{EventId, Id, IdRange, PartId, PartKind, Request, Role, Transcript};

/// Writes a placeholder result for a call; the number is how many calls with its ID are before it.
pub(crate) type WriteAnswer = fn(&FormatContext<'_>, PartId, usize) -> Result<Vec<u8>, CannotDo>;

/// How a format writes its messages.
pub(crate) struct ListWriting {
    pub schema: Schema,
    /// Writes a placeholder result.
    pub answer: WriteAnswer,
    /// Whether a record may be between a message with calls and its results.
    pub beside: fn(&Transcript, EventId) -> bool,
    /// Updates what follows from the other changes.
    pub follow_up: fn(&mut Plan<'_>, &Changed),
}

/// What actions have changed that a plan does not show.
#[derive(Default)]
pub(crate) struct Changed {
    /// The parts that are removed from messages.
    pub cut: HashSet<PartId>,
    /// Parts with a new ID.
    pub renamed: Vec<(PartId, String)>,
    /// The new position of a summary.
    pub offset: Option<u64>,
}

/// A plan of messages, and its writer.
pub(crate) fn planner<'a>(
    context: &'a FormatContext<'a>,
    writing: &'static ListWriting,
    request: &'a Request,
) -> Planner<'a> {
    let order = Order::new(context.transcript, &[]);
    let writer = ListWriter {
        context,
        writing,
        answered: HashMap::new(),
        changed: Changed::default(),
        left: HashMap::new(),
        occurrences: HashMap::new(),
    };
    let plan = Plan::new(context.source(), request, &writing.schema, order);
    Planner::new(plan, writer)
}

struct ListWriter<'a> {
    context: &'a FormatContext<'a>,
    writing: &'static ListWriting,
    /// The last result of the calls in a message.
    answered: HashMap<EventId, Slot>,
    changed: Changed,
    /// How many parts with content the messages of removed parts still have.
    left: HashMap<EventId, usize>,
    /// How many calls with the same ID are before each call. Computed once there are new results.
    occurrences: HashMap<PartId, usize>,
}

/// Whether a message consists of this one result.
fn is_whole(t: &Transcript, part: PartId) -> bool {
    t.event(t.part(part).event).role == Role::Tool
}

/// Whether a part is content that the model sees.
fn speaks(t: &Transcript, part: PartId) -> bool {
    let part = t.part(part);
    !part.blank && part.kind != PartKind::Thinking
}

impl<'a> rewrite::Writer<'a> for ListWriter<'a> {
    /// Removes a part, and its message if no content is left in it.
    fn remove_part(&mut self, plan: &mut Plan<'a>, part: PartId) -> StepResult {
        let t = plan.t;
        let event = t.part(part).event;
        let left = self
            .left
            .entry(event)
            .or_insert_with(|| t.event(event).parts.clone().filter(|own| speaks(t, *own)).count());
        if self.changed.cut.insert(part) && speaks(t, part) {
            *left -= 1;
        }
        if *left == 0 || is_whole(t, part) {
            plan.order.remove(event);
        } else {
            plan.members.cut(t, part);
        }
        Ok(())
    }

    /// Moves every result to directly after the part before it. Blocks only move within their message.
    fn move_together(&mut self, plan: &mut Plan<'a>, parts: &[PartId]) -> StepResult {
        let t = plan.t;
        let (blocks, messages): (Vec<PartId>, Vec<PartId>) = parts
            .iter()
            .partition(|part| t.part(**part).kind == PartKind::Result && !is_whole(t, **part));
        let mut messages: Vec<EventId> = messages.iter().map(|part| t.part(*part).event).collect();
        messages.dedup();
        for pair in messages.windows(2) {
            if !pair.iter().all(|message| plan.order.is_stored(*message)) {
                return Err(CannotDo("a message that must be moved is gone"));
            }
            let beside = self.last_beside(plan, pair[0].into());
            plan.order.store_after(pair[1], beside);
        }
        let Some(own) = blocks.first().map(|part| t.part(*part).event) else {
            return Ok(());
        };
        let before = messages.last().copied();
        let before = before.filter(|before| plan.order.is_stored(*before));
        let next = before.and_then(|before| plan.order.stored_after(before));
        if next != Some(own.into()) || blocks.iter().any(|part| t.part(*part).event != own) {
            return Err(CannotDo("results in another message's content are not moved"));
        }
        let (pieces, parts) = (plan.source.pieces, t.event(own).parts.clone());
        plan.members.with(own, move |root| to_front(&pieces(root), &parts, &blocks));
        Ok(())
    }

    /// Inserts the result after existing results of the message with the call.
    fn answer_call(&mut self, plan: &mut Plan<'a>, call: PartId, _: Option<EventId>) -> StepResult {
        let (t, pairs) = (plan.t, &plan.request.pairs);
        let event = t.part(call).event;
        if !plan.order.is_stored(event) {
            return Err(CannotDo("the message that asks is gone"));
        }
        let answers_own = |call: PartId| t.part(call).event == event;
        let from = self.answered.get(&event).copied().unwrap_or(event.into());
        let results = plan.order.stored_from(from).take_while(|slot| match slot {
            Slot::New(id) => answers_own(plan.new_record(*id).call),
            Slot::Old(other) => {
                let mut parts = t.event(*other).parts.clone();
                let is_own = t.event(*other).role == Role::Tool
                    && parts.any(|part| pairs.call_of(part).is_some_and(answers_own));
                is_own || (self.writing.beside)(t, *other)
            }
        });
        let last = results.last().unwrap_or(from);
        let new = plan.add(NewRecord::of(call));
        plan.order.store_after(new, last);
        self.answered.insert(event, new);
        Ok(())
    }

    fn rename_id(&mut self, plan: &mut Plan<'a>, parts: &[PartId], to: &str) -> StepResult {
        for part in parts.iter().copied() {
            plan.members.rename(plan.t, part, to);
            self.changed.renamed.push((part, to.to_owned()));
        }
        Ok(())
    }

    fn move_boundary(&mut self, plan: &mut Plan<'a>, extension: &Extension<'_>) -> StepResult {
        self.changed.offset = extension.offset;
        let mut before = extension.event;
        for event in extension.keep.iter().copied() {
            plan.order.store_after(event, before);
            before = event;
        }
        Ok(())
    }

    fn follow_up(&mut self, plan: &mut Plan<'a>) -> StepResult {
        if plan.has_new() {
            self.occurrences = occurrences(plan.t);
        }
        (self.writing.follow_up)(plan, &self.changed);
        Ok(())
    }

    fn new_record(&self, plan: &Plan<'a>, id: NewId, _: Option<EventId>) -> NewBytes {
        let call = plan.new_record(id).call;
        let occurrence = self.occurrences.get(&call).copied().unwrap_or_default();
        (self.writing.answer)(self.context, call, occurrence)
    }
}

impl ListWriter<'_> {
    /// The last of the records that may be between this one and a result.
    fn last_beside(&self, plan: &Plan<'_>, slot: Slot) -> Slot {
        let records = plan.order.stored_from(slot).take_while(|slot| {
            let event = slot.old();
            event.is_some_and(|event| (self.writing.beside)(plan.t, event))
        });
        records.last().unwrap_or(slot)
    }
}

/// How many calls with the same ID are before each call.
fn occurrences(t: &Transcript) -> HashMap<PartId, usize> {
    let mut seen: HashMap<Option<Id>, usize> = HashMap::new();
    let parts = t.parts.enumerated();
    let calls = parts.filter(|(_, part)| part.kind == PartKind::Call);
    calls
        .map(|(number, part)| {
            let count = seen.entry(part.id).or_default();
            *count += 1;
            (number, *count - 1)
        })
        .collect()
}

/// Moves the blocks of these parts before the others of their list.
fn to_front(
    pieces: &[Piece<'_>],
    all: &IdRange<PartId>,
    front: &[PartId],
) -> Result<Vec<RecordChange>, CannotDo> {
    let front: Option<Vec<&Piece<'_>>> =
        front.iter().map(|part| pieces.get(all.position_of(*part))).collect();
    let front = front.ok_or(CannotDo("a part cannot be found again"))?;
    let homes = front.iter().flat_map(|piece| piece.homes.iter());
    let Some(list) = homes.clone().next().map(|home| home.list) else {
        return Ok(Vec::new());
    };
    let own = homes.filter(|home| home.list.index() == list.index());
    let first: Vec<u32> = own.map(|home| home.at).collect();
    let is_first: HashSet<u32> = first.iter().copied().collect();
    let rest = (0..list.items().count() as u32).filter(|at| !is_first.contains(at));
    let items: Vec<ArrayItem> = first.iter().copied().chain(rest).map(ArrayItem::Old).collect();
    Ok(arrange(list, &items))
}
