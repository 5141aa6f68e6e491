//! Plans the edits for actions, for all formats.
//!
//! A [`Plan`] keeps the new order of the records, the changes inside them and the new records, and turns them into edits. A
//! format has a [`Schema`] (what it supports and where its members are, as data) and a [`Writer`] with hooks for what is
//! special: where a result goes, how a new record looks, what follows from the new order.
//!
//! This module does not know hosts, names of members or containers: [`crate::containers::rewrite`] writes lists in a new
//! order.

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
use crate::dialects::{Piece, Pieces};
use crate::json::node::Node;
use crate::json::record::Record;
use crate::transcript::index::idx;
use crate::transcript::{
    Action, ActionKind, EventId, LinkKind, PartId, PartKind, State, Transcript,
};

pub(crate) use members::{MemberChanges, set_member};
pub(crate) use order::Order;
pub(crate) use plan::{NewRecord, Plan};
pub(crate) use style::{in_order, made_id, nearest, separator};

idx! {
    /// A record that a plan inserts.
    NewId
}

/// A record of the new order.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Slot {
    /// An existing record.
    Old(EventId),
    /// A record that the plan inserts.
    New(NewId),
}

impl Slot {
    /// The existing record, if it is one.
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

/// The shape of a format's records, as data.
#[derive(Debug)]
pub(crate) struct Schema {
    /// The kinds of actions that the format can write. Others are not offered.
    pub supports: &'static [ActionKind],
    /// A new member of a record is inserted after this one, or at the end if the record does not have it.
    pub after: Option<&'static str>,
    /// A new ID of a call or a result is inserted after the first of these members that its object has, or at the end.
    pub id_after: &'static [&'static str],
    /// Lists of a record that are removed when they become empty. Others stay.
    pub drops_empty: &'static [&'static str],
    /// The list inside a record whose items are events.
    pub list: for<'n> fn(Node<'n>) -> Option<Node<'n>>,
}

impl Schema {
    /// A schema without anything special.
    pub(crate) const PLAIN: Schema =
        Schema { supports: &[], after: None, id_after: &[], drops_empty: &[], list: |_| None };

    /// A list of messages whose host can leave out the oldest ones.
    pub(crate) const LIST: Schema = Schema {
        supports: &[
            ActionKind::EditBytes,
            ActionKind::Remove,
            ActionKind::RemovePart,
            ActionKind::MoveTogether,
            ActionKind::AnswerCall,
            ActionKind::RenameId,
            ActionKind::MoveBoundary,
        ],
        ..Schema::PLAIN
    };

    /// Records that name their parents.
    pub(crate) const TREE: Schema = Schema {
        supports: &[
            ActionKind::EditBytes,
            ActionKind::Remove,
            ActionKind::RemovePart,
            ActionKind::MoveTogether,
            ActionKind::AnswerCall,
            ActionKind::RenameId,
            ActionKind::SetLink(LinkKind::Parent),
            ActionKind::MoveBoundary,
        ],
        ..Schema::PLAIN
    };
}

/// The transcript that a plan changes.
#[derive(Copy, Clone)]
pub(crate) struct PlanSource<'a> {
    pub entries: &'a dyn Entries,
    pub records: &'a RecordCache<'a>,
    /// The pieces of a record.
    pub pieces: Pieces,
    pub layout: &'a Layout,
    pub t: &'a Transcript,
}

impl PlanSource<'_> {
    /// Reads a record again. For a record inside another one, only its own bytes.
    ///
    /// # Errors
    /// Its bytes are damaged, so that offsets in it differ from those that its reader saw, or they cannot be read.
    pub(crate) fn record(&self, event: EventId) -> Result<Rc<Record>, CannotDo> {
        let event = self.t.event(event);
        if event.state != State::Whole {
            return Err(CannotDo("a record has damaged bytes"));
        }
        self.records.at(event.at())
    }

    /// The first record whose parts are not its pieces. A change takes the n-th piece for the n-th part, so none may be.
    pub(crate) fn disagreement(&self) -> Option<EventId> {
        // The parts of a record that is not sent need not be read.
        let with_parts = self.t.events.ids().filter(|event| !self.t.event(*event).parts.is_empty());
        let mut read = with_parts.filter_map(|event| Some((event, self.record(event).ok()?)));
        let other = read.find(|(event, record)| {
            let parts = self.t.event(*event).parts.clone();
            let pieces = (self.pieces)(record.root());
            pieces.len() != parts.len() || !pieces.iter().zip(parts).all(|(a, b)| self.is(a, b))
        });
        other.map(|(event, _)| event)
    }

    /// Whether a part is this piece.
    fn is(&self, piece: &Piece<'_>, part: PartId) -> bool {
        let part = self.t.part(part);
        let is_named = matches!(part.kind, PartKind::Call | PartKind::Result);
        let id = piece.ids.iter().find_map(|id| id.node()?.utf8());
        let own = part.id.or(part.sent_id).map(|id| self.t.ids.get(id));
        piece.kind == part.kind
            && (!is_named || own == id.as_deref().map(|id| String::from_utf8_lossy(id)).as_deref())
    }
}

/// The result of a step of a plan.
pub(crate) type StepResult = Result<(), CannotDo>;

/// The bytes of a new record.
pub(crate) type NewBytes = Result<Vec<u8>, CannotDo>;

/// A link, and the record that it points to from now on.
pub(crate) type LinkTo = (LinkKind, Option<EventId>);

/// How a format writes the actions that its [`Schema`] supports.
pub(crate) trait Writer<'a> {
    /// Updates the plan after an edit of a record's bytes.
    fn after_edit(&mut self, _: &mut Plan<'a>, _: EventId, _: &[Edit]) -> StepResult {
        Ok(())
    }

    fn remove(&mut self, plan: &mut Plan<'a>, event: EventId) -> StepResult {
        plan.order.remove(event);
        Ok(())
    }

    /// Removes a call or a result. By default, removes its record.
    fn remove_part(&mut self, plan: &mut Plan<'a>, part: PartId) -> StepResult {
        self.remove(plan, plan.t.part(part).event)
    }

    /// Brings calls and results together.
    fn move_together(&mut self, _: &mut Plan<'a>, _: &[PartId]) -> StepResult {
        Err(UNSUPPORTED)
    }

    /// Inserts a result for a call, in place of an unreadable record if one is given.
    fn answer_call(&mut self, _: &mut Plan<'a>, _: PartId, _: Option<EventId>) -> StepResult {
        Err(UNSUPPORTED)
    }

    /// Gives a call and its results another ID, wherever it is stored.
    fn rename_id(&mut self, plan: &mut Plan<'a>, parts: &[PartId], to: &str) -> StepResult {
        for part in parts {
            plan.members.rename(plan.t, *part, to);
        }
        Ok(())
    }

    /// Points a link of a record to another record.
    fn set_link(&mut self, _: &mut Plan<'a>, _: EventId, _: LinkTo) -> StepResult {
        Err(UNSUPPORTED)
    }

    /// Moves the boundary of a compaction.
    fn move_boundary(&mut self, _: &mut Plan<'a>, _: &Extension<'_>) -> StepResult {
        Err(UNSUPPORTED)
    }

    /// Moves the text of one record into another one.
    fn move_text(&mut self, _: &mut Plan<'a>, _from: EventId, _into: EventId) -> StepResult {
        Err(UNSUPPORTED)
    }

    /// Gives a record the ID in its name, or a new one.
    fn assign_id(&mut self, _: &mut Plan<'a>, _: EventId) -> StepResult {
        Err(UNSUPPORTED)
    }

    /// Gives a record's file the name that follows from its content.
    fn renumber(&mut self, _: &mut Plan<'a>, _: EventId) -> StepResult {
        Err(UNSUPPORTED)
    }

    /// Sets the host's status to idle.
    fn set_idle(&mut self, _: &mut Plan<'a>, _: EventId) -> StepResult {
        Err(UNSUPPORTED)
    }

    /// Applies what follows from the new order.
    fn follow_up(&mut self, _: &mut Plan<'a>) -> StepResult {
        Ok(())
    }

    /// The bytes of a new record. `before` is the last existing record before it in storage.
    fn new_record(&self, _: &Plan<'a>, _: NewId, _before: Option<EventId>) -> NewBytes {
        Err(UNSUPPORTED)
    }

    /// Adds edits outside the records.
    fn add_edits(&self, _: &Plan<'a>, _: &mut Vec<Edit>) -> StepResult {
        Ok(())
    }
}

/// How the boundary of a compaction moves.
#[derive(Clone, Debug)]
pub(crate) struct Extension<'e> {
    /// The compaction.
    pub event: EventId,
    /// Further records that it leaves out.
    pub add: &'e [EventId],
    /// Records that it must keep.
    pub keep: &'e [EventId],
    /// The new position of its summary.
    pub offset: Option<u64>,
}

const UNSUPPORTED: CannotDo = CannotDo("this format has no place for that");

/// A plan that changes nothing yet, and the writer of its format.
pub(crate) struct Planner<'a> {
    plan: Plan<'a>,
    writer: Box<dyn Writer<'a> + 'a>,
}

impl<'a> Planner<'a> {
    pub(crate) fn new(plan: Plan<'a>, writer: impl Writer<'a> + 'a) -> Planner<'a> {
        let writer = Box::new(writer);
        Planner { plan, writer }
    }

    /// Plans the edits for the actions of one layer, all of them or none.
    pub(crate) fn edits<'x>(
        mut self,
        actions: impl IntoIterator<Item = &'x Action>,
    ) -> Result<Vec<Edit>, CannotDo> {
        let writer = &mut *self.writer;
        for action in actions {
            self.plan.apply(writer, action)?;
        }
        writer.follow_up(&mut self.plan)?;
        self.plan.finish(writer)
    }
}

#[cfg(test)]
mod tests;
