//! The plan: applies actions, then produces edits.

use hashbrown::HashMap;

use super::{
    Extension, MemberChanges, NewId, Order, PlanSource, Schema, Slot, UNSUPPORTED, Writer,
};
use crate::bytes::edit::Edit;
use crate::containers::rewrite::{CannotDo, PlacedRecord, rewrite};
use crate::containers::{Layout, change};
use crate::transcript::{
    Action, EventId, IndexVec, PartId, PartKind, Request, Transcript, distinct,
};

/// A result that a plan inserts.
#[derive(Clone, Debug)]
pub(crate) struct NewRecord {
    /// The call that it answers.
    pub call: PartId,
    /// Its own ID, if records have one. It is made from the call's, so that the same damage gives the same bytes.
    pub id: String,
    /// The unreadable record that it replaces.
    pub instead_of: Option<EventId>,
    /// The record that contains it as an item of a list.
    pub within: Option<EventId>,
}

impl NewRecord {
    /// A result for a call, without an ID of its own.
    pub(crate) fn of(call: PartId) -> NewRecord {
        NewRecord { call, id: String::new(), instead_of: None, within: None }
    }
}

/// The changes to the records of a transcript.
pub(crate) struct Plan<'a> {
    pub source: PlanSource<'a>,
    pub t: &'a Transcript,
    pub request: &'a Request,
    /// The records in their new order.
    pub order: Order,
    /// The changes inside records.
    pub members: MemberChanges<'a>,
    /// New names of files.
    pub names: HashMap<EventId, String>,
    new: IndexVec<NewId, NewRecord>,
    edits: Vec<Edit>,
    schema: &'static Schema,
}

impl<'a> Plan<'a> {
    /// A plan that changes nothing yet.
    pub(crate) fn new(
        source: PlanSource<'a>,
        request: &'a Request,
        schema: &'static Schema,
        order: Order,
    ) -> Plan<'a> {
        Plan {
            source,
            t: source.t,
            request,
            order,
            members: MemberChanges::new(schema),
            names: HashMap::new(),
            new: IndexVec::new(),
            edits: Vec::new(),
            schema,
        }
    }

    pub(super) fn apply(
        &mut self,
        writer: &mut dyn Writer<'a>,
        action: &Action,
    ) -> Result<(), CannotDo> {
        if !self.schema.supports.contains(&action.kind()) {
            return Err(UNSUPPORTED);
        }
        match action {
            Action::EditBytes { event, edits, .. } => {
                self.edits.extend(edits.iter().cloned());
                writer.after_edit(self, *event, edits)
            }
            Action::Remove(event) | Action::Bypass(event) => writer.remove(self, *event),
            Action::RemovePart(part) => writer.remove_part(self, *part),
            Action::MoveTogether(parts) => writer.move_together(self, parts),
            Action::AnswerCall { call, in_place_of } => {
                writer.answer_call(self, *call, *in_place_of)
            }
            Action::RenameId { parts, to } => writer.rename_id(self, parts, to),
            Action::SetLink { event, link, to } => writer.set_link(self, *event, (*link, *to)),
            Action::MoveBoundary { event, add, keep, offset } => {
                let extension = Extension { event: *event, add, keep, offset: *offset };
                writer.move_boundary(self, &extension)
            }
            Action::MoveText { from, into } => writer.move_text(self, *from, *into),
            Action::AssignId(event) => writer.assign_id(self, *event),
            Action::Renumber(event) => writer.renumber(self, *event),
            Action::SetIdle(event) => writer.set_idle(self, *event),
        }
    }

    /// Removes parts of a record, unless nothing would be left of it.
    pub(crate) fn cut(&mut self, event: EventId, parts: &[PartId]) -> bool {
        let parts = distinct(parts);
        let leaves_some = parts.len() < self.t.event(event).parts.len();
        for part in parts.into_iter().filter(|_| leaves_some) {
            self.members.cut(self.t, *part);
        }
        leaves_some
    }

    /// Adds a new record. The caller puts it in its place.
    pub(crate) fn add(&mut self, record: NewRecord) -> Slot {
        Slot::New(self.new.push(record))
    }

    pub(crate) fn new_record(&self, id: NewId) -> &NewRecord {
        &self.new[id]
    }

    /// Sets the ID of a new record, for IDs that depend on its place.
    pub(crate) fn set_id(&mut self, id: NewId, to: String) {
        self.new[id].id = to;
    }

    /// Whether records are inserted.
    pub(crate) fn has_new(&self) -> bool {
        !self.new.is_empty()
    }

    /// The ID that links to a record use.
    pub(crate) fn id(&self, slot: Slot) -> Result<&str, CannotDo> {
        match slot {
            Slot::New(id) => Ok(&self.new[id].id),
            Slot::Old(event) => {
                let id = self.t.event(event).id;
                let id = id.ok_or(CannotDo("the record to be named has no ID"))?;
                Ok(self.t.ids.get(id))
            }
        }
    }

    /// The record that contains this one as an item of a list.
    pub(crate) fn within(&self, slot: Slot) -> Option<EventId> {
        match slot {
            Slot::Old(event) => self.t.event(event).within,
            Slot::New(id) => self.new[id].within,
        }
    }

    /// Puts a record directly after another one of its list.
    pub(crate) fn put_after(&mut self, slot: Slot, before: Slot) -> Result<(), CannotDo> {
        if self.within(slot) != self.within(before) {
            return Err(CannotDo("a record cannot leave its list"));
        }
        if !self.order.is_stored(before) {
            return Err(CannotDo("the record before it is gone"));
        }
        self.order.store_after(slot, before);
        Ok(())
    }

    /// Puts the messages of results directly after the one with their calls. `records_of`: all records of a message, of which
    /// the first gives it its place.
    pub(crate) fn gather_records(
        &mut self,
        parts: &[PartId],
        records_of: impl Fn(EventId) -> Vec<EventId>,
    ) -> Result<(), CannotDo> {
        let cannot = CannotDo("results are moved only with their whole message");
        let t = self.t;
        let (calls, results): (Vec<PartId>, Vec<PartId>) =
            parts.iter().partition(|part| t.part(**part).kind == PartKind::Call);
        let asks = t.part(*calls.last().ok_or(cannot.clone())?).event;
        let mut before = *records_of(asks).first().ok_or(cannot.clone())?;
        let mut moved: Vec<EventId> = results.iter().map(|part| t.part(*part).event).collect();
        moved.dedup();
        for event in moved.into_iter().filter(|event| *event != asks) {
            let mut own = t.event(event).parts.clone();
            if !own.all(|part| parts.contains(&part)) {
                return Err(cannot);
            }
            for record in records_of(event) {
                self.put_after(record.into(), before.into())?;
                before = record;
            }
        }
        Ok(())
    }

    /// Adds edits other than those of members.
    pub(crate) fn edit(&mut self, edits: impl IntoIterator<Item = Edit>) {
        self.edits.extend(edits);
    }

    pub(super) fn finish(mut self, writer: &dyn Writer<'a>) -> Result<Vec<Edit>, CannotDo> {
        let mut edits = std::mem::take(&mut self.edits);
        let PlanSource { entries, layout, t, .. } = self.source;
        if self.order.is_changed() || !self.names.is_empty() {
            edits.extend(rewrite(entries, layout, t, self.placed(writer)?)?);
            if let Some(state) = t.host_state() {
                edits.extend(self.members.edits_of(self.source, state)?);
            }
        } else {
            edits.extend(self.members.edits(self.source)?);
        }
        writer.add_edits(&self, &mut edits)?;
        Ok(edits)
    }

    /// The records in their new order, for the container to write.
    fn placed(&self, writer: &dyn Writer<'a>) -> Result<Vec<PlacedRecord>, CannotDo> {
        let mut before = None;
        let mut inner = self.inner(writer)?;
        let is_folder = matches!(self.source.layout, Layout::Files(_));
        let outermost = self.order.stored().filter(|slot| self.within(*slot).is_none());
        let mut placed = Vec::with_capacity(outermost.clone().count());
        for slot in outermost {
            placed.push(match slot {
                Slot::New(id) => PlacedRecord::New {
                    bytes: writer.new_record(self, id, before)?,
                    id: if is_folder { self.new[id].id.clone() } else { String::new() },
                },
                Slot::Old(event) => {
                    before = Some(event);
                    let mut changes = self.members.changes(self.source, event)?;
                    if let Some(inner) = inner.remove(&event) {
                        changes.extend(inner);
                        changes = change::in_order(changes)?;
                    }
                    PlacedRecord::Old { event, changes, name: self.names.get(&event).cloned() }
                }
            });
        }
        Ok(placed)
    }
}
