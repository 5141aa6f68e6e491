//! The plan while actions are taken up, and its edits.

use hashbrown::HashMap;

use super::{Extension, Members, NewId, Order, Schema, Slot, Source, UNSUPPORTED, Writer};
use crate::bytes::edit::Edit;
use crate::containers::change;
use crate::containers::rewrite::{CannotDo, Placed, rewrite};
use crate::transcript::{Action, EventId, IndexVec, PartId, Request, Transcript};

/// A result that a plan inserts.
#[derive(Clone, Debug)]
pub(crate) struct NewRecord {
    /// The call that it answers.
    pub call: PartId,
    /// Its own ID, where records have one. Made from the call's, so that the same damage gives the same bytes.
    pub id: String,
    /// The unreadable record whose place it takes.
    pub instead_of: Option<EventId>,
    /// The record in whose list it is an item.
    pub within: Option<EventId>,
}

impl NewRecord {
    /// A result for a call, without an ID of its own.
    pub(crate) fn of(call: PartId) -> NewRecord {
        NewRecord {
            call,
            id: String::new(),
            instead_of: None,
            within: None,
        }
    }
}

/// What becomes of the records.
pub(crate) struct Plan<'a> {
    /// The transcript.
    pub source: Source<'a>,
    /// Its facts.
    pub t: &'a Transcript,
    /// What would be sent of it.
    pub request: &'a Request,
    /// The records in their new order.
    pub order: Order,
    /// What changes inside them.
    pub members: Members<'a>,
    /// Files that get a name of their own.
    pub names: HashMap<EventId, String>,
    new: IndexVec<NewId, NewRecord>,
    edits: Vec<Edit>,
    schema: &'static Schema,
}

impl<'a> Plan<'a> {
    /// A plan that changes nothing yet.
    pub(crate) fn new(
        source: Source<'a>,
        request: &'a Request,
        schema: &'static Schema,
        order: Order,
    ) -> Plan<'a> {
        Plan {
            source,
            t: source.t,
            request,
            order,
            members: Members::new(schema),
            names: HashMap::new(),
            new: IndexVec::new(),
            edits: Vec::new(),
            schema,
        }
    }

    /// Does what an action says.
    pub(super) fn take(
        &mut self,
        writer: &mut impl Writer<'a>,
        action: &Action,
    ) -> Result<(), CannotDo> {
        if !self.schema.supports.contains(&action.kind()) {
            return Err(UNSUPPORTED);
        }
        match action {
            Action::EditBytes { event, edits, .. } => {
                self.edits.extend(edits.iter().cloned());
                writer.mended(self, *event, edits)
            }
            Action::Remove(event) | Action::Bypass(event) => writer.remove(self, *event),
            Action::RemovePart(part) => writer.remove_part(self, *part),
            Action::MoveTogether(parts) => writer.gather(self, parts),
            Action::AnswerCall { call, in_place_of } => writer.answer(self, *call, *in_place_of),
            Action::RenameId { parts, to } => writer.rename(self, parts, to),
            Action::SetLink { event, link, to } => writer.relink(self, *event, *link, *to),
            Action::MoveBoundary {
                event,
                add,
                keep,
                offset,
            } => {
                let extension = Extension {
                    event: *event,
                    add,
                    keep,
                    offset: *offset,
                };
                writer.extend(self, &extension)
            }
            Action::MoveText { from, into } => writer.merge(self, *from, *into),
            Action::AssignId(event) => writer.identify(self, *event),
            Action::Renumber(event) => writer.renumber(self, *event),
            Action::SetIdle(event) => writer.settle(self, *event),
        }
    }

    /// A new record, which has no place yet.
    pub(crate) fn add(&mut self, record: NewRecord) -> Slot {
        Slot::New(self.new.push(record))
    }

    /// A new record.
    pub(crate) fn new_record(&self, id: NewId) -> &NewRecord {
        &self.new[id]
    }

    /// Gives a new record its ID, once that follows from its place.
    pub(crate) fn set_id(&mut self, id: NewId, to: String) {
        self.new[id].id = to;
    }

    /// Whether records are inserted.
    pub(crate) fn has_new(&self) -> bool {
        !self.new.is_empty()
    }

    /// The ID of a record, as others name it.
    pub(crate) fn id(&self, slot: Slot) -> Result<&str, CannotDo> {
        match slot {
            Slot::New(id) => Ok(&self.new[id].id),
            Slot::Old(event) => {
                let id = self.t.event(event).id;
                let id = id.ok_or(CannotDo("the record to be named has no id"))?;
                Ok(self.t.ids.get(id))
            }
        }
    }

    /// The record in whose list a record is an item.
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

    /// Changes of bytes besides those of members.
    pub(crate) fn edit(&mut self, edits: impl IntoIterator<Item = Edit>) {
        self.edits.extend(edits);
    }

    pub(super) fn finish(mut self, writer: &impl Writer<'a>) -> Result<Vec<Edit>, CannotDo> {
        let mut edits = std::mem::take(&mut self.edits);
        let Source {
            entries, layout, t, ..
        } = self.source;
        if self.order.is_changed() || !self.names.is_empty() {
            edits.extend(rewrite(entries, layout, t, &self.placed(writer)?)?);
            if let Some(state) = t.host_state() {
                edits.extend(self.members.edits_of(self.source, state)?);
            }
        } else {
            edits.extend(self.members.edits(self.source)?);
        }
        writer.beside(&self, &mut edits)?;
        Ok(edits)
    }

    /// The records in their new order, as the container writes them.
    fn placed(&self, writer: &impl Writer<'a>) -> Result<Vec<Placed>, CannotDo> {
        let mut before = None;
        let mut inner = self.inner(writer)?;
        let outermost = self
            .order
            .stored()
            .filter(|slot| self.within(*slot).is_none());
        let placed = outermost.map(|slot| match slot {
            Slot::New(id) => Ok(Placed::New {
                bytes: writer.new_record(self, id, before)?,
                id: self.new[id].id.clone(),
            }),
            Slot::Old(event) => {
                before = Some(event);
                let mut changes = self.members.changes(self.source, event)?;
                if let Some(inner) = inner.remove(&event) {
                    changes.extend(inner);
                    changes = change::in_order(changes)?;
                }
                Ok(Placed::Old {
                    event,
                    changes,
                    name: self.names.get(&event).cloned(),
                })
            }
        });
        placed.collect()
    }
}
