//! From actions to edits: one plan for all formats.
//!
//! A [`Plan`] keeps the new order of the records, what changes inside them and the records that are new, and finishes
//! into edits. A format gives a [`Schema`] (what it supports and where its members are, as data) and a [`Writer`] with
//! hooks for what is special: where a result goes, how a new record looks, what follows once the order is known.
//!
//! It knows no host, no member's name and no container: [`crate::containers::rewrite`] writes lists in a new order.

mod inner;
mod linked;
mod members;
mod order;
mod plan;
mod style;

use std::rc::Rc;

use crate::bytes::edit::Edit;
use crate::bytes::source::Entries;
use crate::containers::Layout;
use crate::containers::records::RecordCache;
use crate::containers::rewrite::CannotDo;
use crate::dialects::Piece;
use crate::json::node::Node;
use crate::json::record::Record;
use crate::transcript::index::idx;
use crate::transcript::{Action, ActionKind, EventId, LinkKind, PartId, State, Transcript};

pub(crate) use members::Members;
pub(crate) use order::Order;
pub(crate) use plan::{NewRecord, Plan};
pub(crate) use style::{in_order, made_id, nearest};

idx! {
    /// A record that a plan inserts.
    NewId
}

/// A record of the new order.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Slot {
    /// One that was there.
    Old(EventId),
    /// One that the plan inserts.
    New(NewId),
}

impl Slot {
    /// The record that was there.
    pub(crate) fn old(self) -> Option<EventId> {
        match self {
            Slot::Old(event) => Some(event),
            Slot::New(_) => None,
        }
    }
}

impl From<EventId> for Slot {
    fn from(event: EventId) -> Slot {
        Slot::Old(event)
    }
}

impl TryFrom<Slot> for EventId {
    type Error = NewId;

    fn try_from(slot: Slot) -> Result<EventId, NewId> {
        match slot {
            Slot::Old(event) => Ok(event),
            Slot::New(id) => Err(id),
        }
    }
}

/// What a format's records hold, as data.
#[derive(Debug)]
pub(crate) struct Schema {
    /// The kinds of actions that the format has a place for. Others are not offered.
    pub supports: &'static [ActionKind],
    /// A new member of a record comes after this one; without it, at the end.
    pub after: Option<&'static str>,
    /// A new ID of a call or a result comes after the first of these that its object has; without them, at the end.
    pub id_after: &'static [&'static str],
    /// Reads a record into the pieces that its parts were made of.
    pub pieces: fn(Node<'_>) -> Vec<Piece<'_>>,
    /// Lists of a record that go when nothing is left in them; others stay, empty.
    pub drops_empty: &'static [&'static str],
    /// The list inside a record whose items are events of their own.
    pub list: for<'n> fn(Node<'n>) -> Option<Node<'n>>,
}

impl Schema {
    /// Nothing special.
    pub(crate) const PLAIN: Schema = Schema {
        supports: &[],
        after: None,
        id_after: &[],
        pieces: |_| Vec::new(),
        drops_empty: &[],
        list: |_| None,
    };
}

/// The transcript that a plan changes.
#[derive(Copy, Clone)]
pub(crate) struct Source<'a> {
    /// The bytes.
    pub entries: &'a dyn Entries,
    /// The same, record by record.
    pub records: &'a RecordCache<'a>,
    /// Where the records are.
    pub layout: &'a Layout,
    /// The facts.
    pub t: &'a Transcript,
}

impl Source<'_> {
    /// A record, read again; one inside another without what is around it.
    ///
    /// # Errors
    /// Its bytes are damaged, so that places in it are not those that its reader saw, or they cannot be had.
    pub(crate) fn record(&self, event: EventId) -> Result<Rc<Record>, CannotDo> {
        let event = self.t.event(event);
        if event.state != State::Whole {
            return Err(CannotDo("a record has damaged bytes"));
        }
        self.records.at(event.at)
    }
}

/// Whether a step of a plan could be done.
pub(crate) type Done = Result<(), CannotDo>;

/// How a format does what its [`Schema`] says that it supports.
pub(crate) trait Writer<'a> {
    /// Follows up a change of a record's bytes.
    fn mended(&mut self, _: &mut Plan<'a>, _: EventId, _: &[Edit]) -> Done {
        Ok(())
    }

    /// Takes a record out.
    fn remove(&mut self, plan: &mut Plan<'a>, event: EventId) -> Done {
        plan.order.remove(event);
        Ok(())
    }

    /// Takes a call or a result out: its record, unless the format cuts it from the record.
    fn remove_part(&mut self, plan: &mut Plan<'a>, part: PartId) -> Done {
        self.remove(plan, plan.t.a_part(part).event)
    }

    /// Brings calls and results together.
    fn gather(&mut self, _: &mut Plan<'a>, _: &[PartId]) -> Done {
        Err(UNSUPPORTED)
    }

    /// Inserts a result for a call, in the place of an unreadable record if one is named.
    fn answer(&mut self, _: &mut Plan<'a>, _: PartId, _: Option<EventId>) -> Done {
        Err(UNSUPPORTED)
    }

    /// Gives a call and its results another ID, in every place.
    fn rename(&mut self, plan: &mut Plan<'a>, parts: &[PartId], to: &str) -> Done {
        for part in parts {
            plan.members.rename(plan.t, *part, to);
        }
        Ok(())
    }

    /// Lets a link of a record name another record.
    fn relink(&mut self, _: &mut Plan<'a>, _: EventId, _: LinkKind, _: Option<EventId>) -> Done {
        Err(UNSUPPORTED)
    }

    /// Moves the boundary of a compaction.
    fn extend(&mut self, _: &mut Plan<'a>, _: &Extension<'_>) -> Done {
        Err(UNSUPPORTED)
    }

    /// Moves the text of one record into another one.
    fn merge(&mut self, _: &mut Plan<'a>, _from: EventId, _into: EventId) -> Done {
        Err(UNSUPPORTED)
    }

    /// Gives a record the ID that its name says, or a free one.
    fn identify(&mut self, _: &mut Plan<'a>, _: EventId) -> Done {
        Err(UNSUPPORTED)
    }

    /// Gives a record's file the name that its content says.
    fn renumber(&mut self, _: &mut Plan<'a>, _: EventId) -> Done {
        Err(UNSUPPORTED)
    }

    /// Sets the host's status to idle.
    fn settle(&mut self, _: &mut Plan<'a>, _: EventId) -> Done {
        Err(UNSUPPORTED)
    }

    /// Does what follows from the new order.
    fn follow_up(&mut self, _: &mut Plan<'a>) -> Done {
        Ok(())
    }

    /// The bytes of a new record. `before`: the last record that was there before it in storage.
    fn new_record(
        &self,
        _: &Plan<'a>,
        _: NewId,
        _before: Option<EventId>,
    ) -> Result<Vec<u8>, CannotDo> {
        Err(UNSUPPORTED)
    }

    /// Adds edits beside the records.
    fn beside(&self, _: &Plan<'a>, _: &mut Vec<Edit>) -> Done {
        Ok(())
    }
}

/// How the boundary of a compaction moves.
#[derive(Clone, Debug)]
pub(crate) struct Extension<'e> {
    /// The compaction.
    pub event: EventId,
    /// Records that it leaves out besides.
    pub add: &'e [EventId],
    /// Records that it must keep.
    pub keep: &'e [EventId],
    /// Where its summary stands.
    pub offset: Option<u64>,
}

const UNSUPPORTED: CannotDo = CannotDo("this format has no place for that");

/// Turns the actions of one layer into edits, all of them or none.
pub(crate) fn plan_edits<'a>(
    mut plan: Plan<'a>,
    writer: &mut impl Writer<'a>,
    actions: &[Action],
) -> Result<Vec<Edit>, CannotDo> {
    for action in actions {
        plan.take(writer, action)?;
    }
    writer.follow_up(&mut plan)?;
    plan.finish(writer)
}

#[cfg(test)]
mod tests;
