//! Plans changes of a session: brings the lines of a response together, and updates parents and links to removed lines.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use hashbrown::{HashMap, HashSet};

use super::records::pair_ids;
use super::relink::relink_removed;
use super::{ClaudeSession, answer};
use crate::containers::rewrite::CannotDo;
use crate::format::FormatContext;
use crate::json::cut;
use crate::json::quote::quote;
use crate::rewrite::{
    self, Extension, LinkTo, NewBytes, NewId, Order, Plan, Planner, Schema, Slot, StepResult,
    set_member,
};
use crate::transcript::pairs::FewParts;
use crate::transcript::time::format_millis;
use crate::transcript::{EventId, Id, PartId, PartKind, Request, Role, Transcript};

pub(super) const SCHEMA: Schema = Schema { id_after: &["type"], ..Schema::TREE };

/// A plan of the records, and the writer that changes them.
pub(super) fn planner<'a>(context: &'a FormatContext<'a>, request: &'a Request) -> Planner<'a> {
    let session = ClaudeSession::of(context);
    let t = context.transcript;
    let mut lines: HashMap<Id, ResponseLines> = HashMap::new();
    for event in session.current.records.iter().copied() {
        if let Some(batch) = t.event(event).batch {
            let own = ResponseLines { on_path: FewParts::default(), lowest: event };
            let own = lines.entry(batch).or_insert(own);
            own.on_path.push(event);
            own.lowest = own.lowest.max(event);
        }
    }
    let order = Order::new(t, &session.current.records);
    let writer = ClaudeWriter {
        context,
        places: OnceCell::new(),
        session,
        lines,
        groups: Vec::new(),
        grouped: HashSet::new(),
        answers: BTreeMap::new(),
        has_result: HashMap::new(),
        newest: OnceCell::new(),
        beside: HashMap::new(),
        parents: BTreeMap::new(),
        gone: HashSet::new(),
        cut: BTreeMap::new(),
    };
    let plan = Plan::new(context.source(), request, &SCHEMA, order);
    Planner::new(plan, writer)
}

/// The state of a plan.
pub(super) struct ClaudeWriter<'a> {
    context: &'a FormatContext<'a>,
    pub session: ClaudeSession,
    /// The position of each record on the path of the current client, once records move.
    places: OnceCell<HashMap<EventId, usize>>,
    /// The lines of each response on the path.
    lines: HashMap<Id, ResponseLines>,
    /// Records that are brought together.
    groups: Vec<Vec<EventId>>,
    grouped: HashSet<EventId>,
    /// The new lines after each line of the file.
    answers: BTreeMap<EventId, Vec<NewLine>>,
    /// Whether a result of a batch is on the path, by the first call of the batch.
    has_result: HashMap<PartId, bool>,
    /// The time of the newest record.
    newest: OnceCell<Option<i64>>,
    /// The parent of each new line that is not on the path.
    beside: HashMap<NewId, EventId>,
    /// New parents.
    pub parents: BTreeMap<EventId, Option<Slot>>,
    /// Removed records.
    pub gone: HashSet<EventId>,
    /// Parts that are removed from records that stay.
    cut: BTreeMap<EventId, Vec<PartId>>,
}

/// The lines of a response.
struct ResponseLines {
    /// In the order of the path.
    on_path: FewParts<EventId>,
    /// The last of them in the file.
    lowest: EventId,
}

/// A new line, and the record that it follows on the path.
struct NewLine {
    slot: Slot,
    on_path: Option<OnPath>,
}

enum OnPath {
    After(EventId),
    AtTheEnd,
}

impl<'a> rewrite::Writer<'a> for ClaudeWriter<'a> {
    fn remove(&mut self, _: &mut Plan<'a>, event: EventId) -> StepResult {
        self.gone.insert(event);
        Ok(())
    }

    fn remove_part(&mut self, plan: &mut Plan<'a>, part: PartId) -> StepResult {
        let event = plan.t.part(part).event;
        self.cut.entry(event).or_default().push(part);
        Ok(())
    }

    /// Brings the lines of a response together, with the results after them.
    fn move_together(&mut self, plan: &mut Plan<'a>, parts: &[PartId]) -> StepResult {
        let t = plan.t;
        let event = |part: &PartId| t.part(*part).event;
        // For tools that the provider runs, the call comes first.
        let is_hosted = |part: &PartId| t.part(*part).kind == PartKind::Hosted;
        let is_call = |part: &&PartId| {
            t.part(**part).kind == PartKind::Call
                || (is_hosted(part) && Some(*part) == parts.first())
        };
        let Some(call) = parts.iter().find(is_call).map(event) else {
            return Ok(());
        };
        let results = parts.iter().filter(|part| !is_call(part));
        let mut results: Vec<EventId> = results.map(event).collect();
        results.dedup();
        results.retain(|result| self.session.current.has(*result));
        let answer = |event: EventId| t.event(event).batch.ok_or(event);
        if results
            .iter()
            .flat_map(|line| {
                let calls = t.event(*line).parts.clone();
                let calls = calls.filter_map(|part| plan.request.pairs.call_of(part));
                calls.map(|call| event(&call))
            })
            .any(|other| answer(other) != answer(call))
        {
            return Err(CannotDo("a record holds results of several answers"));
        }
        let asked = parts.iter().filter(is_call).map(event);
        let lines = self.answer_lines(t, call).iter().copied();
        let mut group: Vec<EventId> = lines.chain(asked).collect();
        group.retain(|line| self.session.current.has(*line));
        group.sort_unstable_by_key(|line| self.places().get(line).copied());
        group.dedup();
        if group.is_empty() || group.iter().chain(&results).any(|line| self.grouped.contains(line))
        {
            return Ok(());
        }
        if let Some(id) = t.event(call).batch.filter(|_| parts.iter().all(is_hosted)) {
            for result in &results {
                if t.event(*result).batch != Some(id) {
                    set_message_id(plan, *result, id);
                }
            }
        }
        group.extend(results);
        self.grouped.extend(&group);
        self.groups.push(group);
        Ok(())
    }

    fn answer_call(&mut self, plan: &mut Plan<'a>, call: PartId, _: Option<EventId>) -> StepResult {
        let t = plan.t;
        let new = plan.add(answer::new(self.context, call));
        let line = t.part(call).event;
        let last = self.answer_lines(t, line).last().copied().unwrap_or(line);
        let lowest = self.lowest(t, line);
        // Besides the results of the other calls, as the client writes it (run: 2.1.332).
        let is_beside = self.has_result(plan, call) || !self.session.current.has(line);
        let (after, on_path) = if plan.request.is_pending(call) {
            let last = t.records().next_back().unwrap_or(line);
            (last, (!is_beside).then_some(OnPath::AtTheEnd))
        } else if is_beside {
            (lowest, None)
        } else {
            (lowest, Some(OnPath::After(last)))
        };
        if let (Slot::New(id), None) = (new, &on_path) {
            self.beside.insert(id, line);
        }
        let line = NewLine { slot: new, on_path };
        // Most calls are the only one of their turn.
        let lines = self.answers.entry(after).or_insert_with(|| Vec::with_capacity(1));
        lines.push(line);
        Ok(())
    }

    fn set_link(&mut self, _: &mut Plan<'a>, event: EventId, (_, to): LinkTo) -> StepResult {
        self.parents.insert(event, to.map(Slot::Old));
        Ok(())
    }

    fn move_boundary(&mut self, plan: &mut Plan<'a>, extension: &Extension<'_>) -> StepResult {
        let first = *extension.keep.first().ok_or(CannotDo("nothing to keep"))?;
        let id = plan.id(first.into())?.to_owned();
        set_segment(plan, extension.event, "headUuid", id);
        Ok(())
    }

    fn follow_up(&mut self, plan: &mut Plan<'a>) -> StepResult {
        self.cut_parts(plan);
        self.order_path(plan);
        self.relink_path(plan);
        relink_removed(self, plan)?;
        for (event, to) in std::mem::take(&mut self.parents) {
            if !self.gone.contains(&event) {
                let id = to.map(|to| plan.id(to).map(quote)).transpose()?;
                let raw = id.unwrap_or_else(|| "null".to_owned());
                plan.members.set(event, "parentUuid", raw);
            }
        }
        let mut gone: Vec<EventId> = self.gone.iter().copied().collect();
        gone.sort_unstable();
        gone.into_iter().for_each(|event| plan.order.remove(event));
        Ok(())
    }

    fn new_record(&self, plan: &Plan<'a>, id: NewId, _: Option<EventId>) -> NewBytes {
        let record = plan.new_record(id);
        let beside = self.beside.get(&id).copied().map(Slot::Old);
        let parent = beside.or_else(|| plan.order.before(Slot::New(id)));
        let parent = plan.id(parent.ok_or(CannotDo("the answer has no place"))?)?;
        let stamp = format_millis(self.time_of(plan, record.call).unwrap_or_default());
        answer::bytes(plan, record, parent, &stamp)
    }
}

impl<'a> ClaudeWriter<'a> {
    fn places(&self) -> &HashMap<EventId, usize> {
        let path = &self.session.current.records;
        self.places.get_or_init(|| path.iter().copied().zip(0..).collect())
    }

    /// The lines on the path that belong to the response of a call, in order.
    fn answer_lines(&self, t: &Transcript, call: EventId) -> &[EventId] {
        let lines = t.event(call).batch.and_then(|batch| self.lines.get(&batch));
        lines.map(|own| &*own.on_path).unwrap_or_default()
    }

    /// The last of these lines in the file.
    fn lowest(&self, t: &Transcript, call: EventId) -> EventId {
        let lines = t.event(call).batch.and_then(|batch| self.lines.get(&batch));
        lines.map_or(call, |own| own.lowest)
    }

    /// Whether a result of the calls of the same response is on the path.
    fn has_result(&mut self, plan: &Plan<'a>, call: PartId) -> bool {
        let pairs = &plan.request.pairs;
        let Some((first, batch)) =
            pairs.batch_of(call).and_then(|batch| Some((*batch.calls.first()?, batch)))
        else {
            return false;
        };
        if let Some(known) = self.has_result.get(&first) {
            return *known;
        }
        let mut results = batch.calls.iter().filter_map(|call| pairs.answer(*call));
        let has = results.any(|result| self.session.current.has(plan.t.part(result).event));
        self.has_result.insert(first, has);
        has
    }

    /// Removes parts, and records of which nothing is left.
    fn cut_parts(&mut self, plan: &mut Plan<'a>) {
        let cuts = std::mem::take(&mut self.cut).into_iter();
        let emptied = cuts.filter(|(event, parts)| !plan.cut(*event, parts));
        self.gone.extend(emptied.map(|(event, _)| event));
    }

    /// Orders the path: brings groups together and inserts the new lines.
    fn order_path(&mut self, plan: &mut Plan<'a>) {
        for pair in self.groups.iter().flat_map(|group| group.windows(2)) {
            plan.order.put_after_on_path(pair[1], pair[0]);
        }
        for lines in self.answers.values() {
            let mut after: HashMap<EventId, Slot> = HashMap::new();
            for line in lines {
                match line.on_path {
                    Some(OnPath::After(event)) => {
                        let before = after.insert(event, line.slot);
                        plan.order.put_after_on_path(line.slot, before.unwrap_or(event.into()));
                    }
                    Some(OnPath::AtTheEnd) => plan.order.put_last_on_path(line.slot),
                    None => {}
                }
            }
        }
        self.keep_the_end(plan);
        for (event, lines) in &self.answers {
            let mut before = Slot::Old(*event);
            for line in lines {
                plan.order.store_after(line.slot, before);
                before = line.slot;
            }
        }
    }

    /// Makes sure that no line that moved up on the path is the last or the newest of the file, because clients would take it
    /// for the last record. Such a line moves to after the line before it on the path, and gets its time.
    fn keep_the_end(&self, plan: &mut Plan<'a>) {
        let t = plan.t;
        let Some(end) = plan.order.leaf().and_then(Slot::old) else {
            return;
        };
        for group in &self.groups {
            let mut before: Option<EventId> = None;
            let mut place: Option<Slot> = None;
            for line in group.iter().copied() {
                let is_late = line > end || t.event(line).time() > t.event(end).time();
                let Some(before) = before.filter(|_| is_late && line != end) else {
                    before = Some(line);
                    place = None;
                    continue;
                };
                let after = place.replace(line.into()).unwrap_or(before.into());
                plan.order.store_after(line, after);
                if let Some(time) = t.event(before).time() {
                    plan.members.set(line, "timestamp", quote(&format_millis(time)));
                }
            }
        }
    }

    /// Gives every record of the new path the one before it as parent.
    fn relink_path(&mut self, plan: &Plan<'a>) {
        let records = &self.session.current.records;
        let before = std::iter::once(None).chain(records.iter().copied().map(Some));
        let old: HashMap<EventId, Option<EventId>> = records.iter().copied().zip(before).collect();
        for (slot, before) in plan.order.links() {
            let Some(event) = slot.old() else { continue };
            if old.get(&event).copied().flatten().map(Slot::Old) != before {
                self.parents.entry(event).or_insert(before);
            }
        }
    }

    /// The time of a result: that of the line before it, or, at the end of the conversation, later than all records.
    fn time_of(&self, plan: &Plan<'a>, call: PartId) -> Option<i64> {
        let t = plan.t;
        let line = t.part(call).event;
        if plan.request.is_pending(call) {
            let newest = self.newest.get_or_init(|| {
                let all = self.session.tree.main.iter();
                all.filter_map(|event| t.event(*event).time()).max()
            });
            return newest.as_ref()?.checked_add(1000);
        }
        t.event(self.lowest(t, line)).time().or(t.event(line).time())
    }

    /// The next remaining record on the path after a removed one.
    pub(super) fn next_on_path(&self, plan: &Plan<'a>, event: EventId) -> Option<EventId> {
        let rest = plan.order.path_from(event).filter_map(Slot::old);
        rest.into_iter().find(|event| !self.gone.contains(event))
    }

    /// Another line with the same call as a removed one.
    pub(super) fn twin(&self, t: &Transcript, event: EventId) -> Option<EventId> {
        let calls: Vec<_> = pair_ids(t, event).collect();
        let main = self.session.tree.main.iter().copied();
        main.filter(|other| *other != event && !self.gone.contains(other)).find(|other| {
            let mut ids = pair_ids(t, *other);
            t.event(*other).role == Role::Assistant && ids.any(|id| calls.contains(&id))
        })
    }
}

/// Sets the ID of a message, so that it is joined with others that have it.
fn set_message_id(plan: &mut Plan<'_>, event: EventId, id: Id) {
    let id = quote(plan.t.ids.get(id));
    plan.members.with(event, move |root| {
        let message = root.get("message");
        let message = message.ok_or(CannotDo("a record has no message"))?;
        Ok(vec![set_member(message, None, "id", &id)])
    });
}

/// Points a member of the preserved segment, and its copy in the list of preserved messages, to another record.
pub(super) fn set_segment(plan: &mut Plan<'_>, event: EventId, key: &'static str, id: String) {
    plan.members.with(event, move |root| {
        let data = root.get("compactMetadata");
        let places = ["preservedSegment", "preservedMessages"];
        let values = places.iter().filter_map(|place| data?.get(place)?.get(key));
        Ok(values.map(|value| cut::replace(value, &quote(&id))).collect())
    });
}

/// Removes these IDs from the lists of preserved messages.
pub(super) fn unlist(plan: &mut Plan<'_>, event: EventId, ids: Vec<String>) {
    plan.members.with(event, move |root| {
        let lists = root.at(&["compactMetadata", "preservedMessages"]);
        let lists = lists.into_iter().flat_map(|kept| kept.members());
        let shorter = lists.flat_map(|(_, list)| {
            let items = (0_u32..).zip(list.items());
            let named = items.filter(|(_, item)| ids.iter().any(|id| item.is_str(id)));
            let victims: Vec<u32> = named.map(|(at, _)| at).collect();
            cut::remove_members(list, &victims)
        });
        Ok(shorter.collect())
    });
}
