//! Fixes: the actions of which they consist, independent of the format.

use serde::{Serialize, Serializer};

use super::event::LinkKind;
use super::index::{EventId, PartId};
use crate::bytes::edit::Edit;
use crate::bytes::source::Span;
use crate::json::cut::RecordChange;

/// Whether a fix may be applied without asking.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Applicability {
    /// There is only one way to do it, and it loses nothing.
    Safe,
    /// The same for a note, in a report: a repair does it only if its rule is named.
    OnRequest,
    /// It guesses, or gives up content that was acceptable.
    Unsafe,
    /// Never applied automatically.
    Manual,
}

impl Applicability {
    /// Its name in reports.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Applicability::Safe => "safe",
            Applicability::OnRequest => "on-request",
            Applicability::Unsafe => "unsafe",
            Applicability::Manual => "manual",
        }
    }
}

impl Serialize for Applicability {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}

/// One way to fix a finding: all of its actions, or none.
#[derive(Clone, Debug)]
pub struct Fix {
    /// Whether it may be applied without asking.
    pub applicability: Applicability,
    /// Its actions, in order.
    pub actions: Vec<Action>,
}

impl Fix {
    pub(crate) fn new(
        applicability: Applicability,
        actions: impl IntoIterator<Item = Action>,
    ) -> Fix {
        Fix { applicability, actions: actions.into_iter().collect() }
    }

    pub fn safe(actions: impl IntoIterator<Item = Action>) -> Fix {
        Fix::new(Applicability::Safe, actions)
    }

    /// A fix that is safe if there is only one way to do it; else it guesses.
    pub(crate) fn safe_if(is_only: bool, actions: impl IntoIterator<Item = Action>) -> Fix {
        if is_only { Fix::safe(actions) } else { Fix::with_guess(actions) }
    }

    /// A fix that needs `--unsafe`.
    pub fn with_guess(actions: impl IntoIterator<Item = Action>) -> Fix {
        Fix::new(Applicability::Unsafe, actions)
    }

    /// The action as the only fix, if there is an action.
    pub(crate) fn only(applicability: Applicability, action: Option<Action>) -> Vec<Fix> {
        let fix = action.map(|action| Fix::new(applicability, [action]));
        fix.into_iter().collect()
    }
}

/// What people read of edits whose reports name the members that they change.
pub(crate) const CHANGE: &str = "change {}";

/// A step of a fix. The vocabulary is closed; each format plans the edits of its own bytes.
#[derive(Clone, Debug)]
pub enum Action {
    /// Edit the bytes of a record: split, strip, rejoin, close, escape. The container already knows the edits.
    EditBytes {
        /// The record.
        event: EventId,
        /// What people read, with `{}` for the record: `split {}`, `add a newline after {}`.
        word: &'static str,
        /// The edits against the entries as they were read.
        edits: Vec<Edit>,
    },
    /// Remove a record from the transcript; the journal keeps it.
    Remove(EventId),
    /// Remove a call or a result, and its record if nothing else is in it.
    RemovePart(PartId),
    /// Bring these calls and results together, in this order, at the place of the first one.
    MoveTogether(Vec<PartId>),
    /// Answer a call with a placeholder result, after the last record of its batch or in place of an unreadable record.
    AnswerCall {
        /// The call.
        call: PartId,
        /// The unreadable record whose place, name and ID the result takes.
        in_place_of: Option<EventId>,
    },
    /// Give a call, and the results that answer it, another ID.
    RenameId {
        /// The call and results, by part.
        parts: Vec<PartId>,
        /// The new ID.
        to: String,
    },
    /// Point a link of a record to another record (`None`: to no record, because it is the first one).
    SetLink {
        /// The record that holds the link.
        event: EventId,
        /// Which link.
        link: LinkKind,
        /// The record to point to.
        to: Option<EventId>,
    },
    /// Give the children of an unreadable record the parent that this record had.
    Bypass(EventId),
    /// Move the boundary of a compaction.
    MoveBoundary {
        /// The compaction.
        event: EventId,
        /// Further records that it leaves out.
        add: Vec<EventId>,
        /// Records that it must keep.
        keep: Vec<EventId>,
        /// The new position of its summary among the sent records, if it changes.
        offset: Option<u64>,
    },
    /// Move a text that only the first record of a batch may have to that record.
    MoveText {
        /// The record that has the text.
        from: EventId,
        /// The first record of the batch.
        into: EventId,
    },
    /// Give the record the ID in its name, or a new one if its name has none.
    AssignId(EventId),
    /// Give the files of the conversation the names and numbers that follow from their content.
    Renumber(EventId),
    /// Set the host's status to idle.
    SetIdle(EventId),
}

/// An action without its records. A format lists the kinds that it can write.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum ActionKind {
    EditBytes,
    Remove,
    RemovePart,
    MoveTogether,
    /// A result after the batch of its call.
    AnswerCall,
    /// A result in place of an unreadable record.
    AnswerInPlace,
    RenameId,
    SetLink(LinkKind),
    Bypass,
    MoveBoundary,
    MoveText,
    AssignId,
    Renumber,
    SetIdle,
}

impl Action {
    /// Edits bytes. In what people read, `{}` is the record.
    pub(crate) fn edits(event: EventId, word: &'static str, edits: Vec<Edit>) -> Action {
        Action::EditBytes { event, word, edits }
    }

    /// Gives a call, and the results that answer it, another ID.
    pub(crate) fn rename_id(parts: Vec<PartId>, to: String) -> Action {
        Action::RenameId { parts, to }
    }

    /// Answers a call after its batch.
    pub(crate) fn answer_call(call: PartId) -> Action {
        Action::AnswerCall { call, in_place_of: None }
    }

    /// Moves the boundary of a compaction so that it keeps these records.
    pub(crate) fn keep(event: EventId, keep: Vec<EventId>) -> Action {
        Action::MoveBoundary { event, add: Vec::new(), keep, offset: None }
    }

    /// Moves the boundary of a compaction so that it leaves out these records, too.
    pub(crate) fn leave_out(event: EventId, add: Vec<EventId>) -> Action {
        Action::MoveBoundary { event, add, keep: Vec::new(), offset: None }
    }

    /// Moves the summary of a compaction to this position.
    pub(crate) fn move_summary(event: EventId, offset: Option<u64>) -> Action {
        Action::MoveBoundary { event, add: Vec::new(), keep: Vec::new(), offset }
    }

    /// Sets the parent of a record.
    pub(crate) fn set_parent(event: EventId, to: Option<EventId>) -> Action {
        let link = LinkKind::Parent;
        Action::SetLink { event, link, to }
    }

    pub(crate) fn kind(&self) -> ActionKind {
        match self {
            Action::EditBytes { .. } => ActionKind::EditBytes,
            Action::Remove(_) => ActionKind::Remove,
            Action::RemovePart(_) => ActionKind::RemovePart,
            Action::MoveTogether(_) => ActionKind::MoveTogether,
            Action::AnswerCall { in_place_of: None, .. } => ActionKind::AnswerCall,
            Action::AnswerCall { in_place_of: Some(_), .. } => ActionKind::AnswerInPlace,
            Action::RenameId { .. } => ActionKind::RenameId,
            Action::SetLink { link, .. } => ActionKind::SetLink(*link),
            Action::Bypass(_) => ActionKind::Bypass,
            Action::MoveBoundary { .. } => ActionKind::MoveBoundary,
            Action::MoveText { .. } => ActionKind::MoveText,
            Action::AssignId(_) => ActionKind::AssignId,
            Action::Renumber(_) => ActionKind::Renumber,
            Action::SetIdle(_) => ActionKind::SetIdle,
        }
    }

    /// Changes of the record at `at`. They may come in any order and must be disjoint.
    pub fn edit_bytes(
        event: EventId,
        at: Span,
        word: &'static str,
        mut changes: Vec<RecordChange>,
    ) -> Action {
        changes.sort_by_key(|change| (change.at.start, change.at.end));
        let edits = changes.into_iter().map(|change| {
            let start = at.start.saturating_add(u64::from(change.at.start));
            let end = at.start.saturating_add(u64::from(change.at.end));
            Edit::bytes(Span { start, end, ..at }, change.with)
        });
        Action::edits(event, word, edits.collect())
    }
}
