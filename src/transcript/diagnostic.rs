//! What is wrong and what may be done about it, in words that no format owns.

use super::event::LinkKind;
use super::index::{EventId, PartId};
use crate::bytes::edit::Edit;
use crate::bytes::source::Span;
use crate::json::cut::Change;
use crate::transcript::Code;

/// How bad a finding is.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// A fact worth knowing; never affects the exit code.
    Note,
    /// Accepted today, but fragile or refused elsewhere.
    Warning,
    /// The host cannot load the log, or silently loses part of it.
    Error,
    /// The next request built from this log is refused by the target, every time.
    Fatal,
}

/// How sure a finding is.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confidence {
    /// A plausible reading of the recording.
    Guess,
    /// Nothing in the recording speaks against it.
    Likely,
    /// The recording proves it.
    Certain,
}

/// What a damage does to the people who use the recording.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// The provider refuses the next request.
    Refused,
    /// The host cannot open the conversation.
    LoadFails,
    /// The host opens it, but so many messages are not seen.
    Hides(u32),
    /// The host runs a call again that was answered.
    RunsAgain,
    /// Nothing by itself.
    None,
}

/// Whether a treatment may be applied without asking.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Applicability {
    /// Forced and reversible.
    Safe,
    /// Needs a guess, or gives up content that was acceptable.
    Unsafe,
    /// Never automatic.
    Manual,
}

/// The part that a record plays in a finding.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum LabelRole {
    /// The record that asks for a tool.
    Call,
    /// A record that answers.
    Result,
    /// A host's placeholder that answers.
    Placeholder,
    /// A record that stands where it must not.
    Intruder,
    /// A compaction or condensation.
    Compaction,
    /// The record that a link names.
    Parent,
    /// The host's state.
    State,
    /// The damaged record itself.
    Record,
    /// A copy of another record.
    Copy,
}

/// A record in a finding.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Label {
    /// The event.
    pub event: EventId,
    /// Its part in the story.
    pub role: LabelRole,
}

impl Label {
    /// This event in this role.
    pub(crate) fn new(event: EventId, role: LabelRole) -> Label {
        Label { event, role }
    }
}

/// What a finding is about, so that one cause is told once: a finding whose subjects are all covered by another one
/// becomes a line of that one.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Subject {
    /// The bytes of a record.
    Bytes(EventId),
    /// The name or number of a record.
    Name(EventId),
    /// The record's own members.
    Content(EventId),
    /// Where a record hangs in the tree.
    Parent(EventId),
    /// The host's pointer to the newest record.
    Leaf,
    /// The host's state.
    State,
    /// A call without an answer.
    Open(PartId),
    /// A result without a call.
    Orphan(PartId),
    /// A result too many.
    Surplus(PartId),
    /// A call or result whose id or link is wrong.
    Identity(PartId),
    /// The place of a call or a result.
    Place(PartId),
}

/// How much of a record a damage is in.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Within {
    #[default]
    Record,
    /// A block of its message.
    Block,
    /// A block inside of a result.
    InResult,
}

/// A damage as a reader, a container or a projection saw it; the rule with its code makes it a finding.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// The code of the rule that claims it: `TD001`.
    pub code: Code,
    /// What is wrong here, in our own words: no text of the recording.
    pub message: String,
    /// The records involved, the damaged one first.
    pub labels: Vec<Label>,
    /// What it is about.
    pub about: Vec<Subject>,
    /// What it explains besides.
    pub covers: Vec<Subject>,
    /// Where it differs from the rule's own severity.
    pub severity: Option<Severity>,
    /// How much of the record it is in.
    pub(crate) within: Within,
    /// How sure.
    pub confidence: Confidence,
    /// What it does.
    pub effect: Effect,
    /// What may be done, least loss first.
    pub fixes: Vec<Fix>,
}

impl Diagnostic {
    /// A certain fault of one record, with nothing to be done; fill in the rest.
    pub fn new(code: Code, message: impl Into<String>, event: EventId) -> Diagnostic {
        Diagnostic {
            code,
            message: message.into(),
            labels: vec![Label::new(event, LabelRole::Record)],
            about: Vec::new(),
            covers: Vec::new(),
            severity: None,
            within: Within::default(),
            confidence: Confidence::Certain,
            effect: Effect::None,
            fixes: Vec::new(),
        }
    }
}

/// One way to mend a finding: all of its remedies or none.
#[derive(Clone, Debug)]
pub struct Fix {
    /// Whether it may be applied without asking.
    pub class: Applicability,
    /// What is done, in order.
    pub actions: Vec<Action>,
}

impl Fix {
    /// A fix of this class.
    pub(crate) fn new(class: Applicability, actions: Vec<Action>) -> Fix {
        Fix { class, actions }
    }

    /// A safe fix.
    pub fn safe(actions: Vec<Action>) -> Fix {
        Fix::new(Applicability::Safe, actions)
    }

    /// A fix that needs `--unsafe`.
    pub fn with_guess(actions: Vec<Action>) -> Fix {
        Fix::new(Applicability::Unsafe, actions)
    }

    /// This action as the only fix, or none.
    pub(crate) fn only(class: Applicability, action: Option<Action>) -> Vec<Fix> {
        let fix = action.map(|action| Fix::new(class, vec![action]));
        fix.into_iter().collect()
    }
}

/// A step of a fix. The vocabulary is closed; each format plans the edits of its own bytes.
#[derive(Clone, Debug)]
pub enum Action {
    /// Edit the bytes of a record: split, strip, rejoin, close, escape. The container already knows the edits.
    EditBytes {
        /// The record.
        event: EventId,
        /// What is done, for people, with `{}` for the record: `split {}`, `add a newline after {}`.
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
    pub(crate) fn kind(&self) -> ActionKind {
        match self {
            Action::EditBytes { .. } => ActionKind::EditBytes,
            Action::Remove(_) => ActionKind::Remove,
            Action::RemovePart(_) => ActionKind::RemovePart,
            Action::MoveTogether(_) => ActionKind::MoveTogether,
            Action::AnswerCall {
                in_place_of: None, ..
            } => ActionKind::AnswerCall,
            Action::AnswerCall {
                in_place_of: Some(_),
                ..
            } => ActionKind::AnswerInPlace,
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
        mut changes: Vec<Change>,
    ) -> Action {
        changes.sort_by_key(|change| (change.at.start, change.at.end));
        let place = |offset: u32| at.start.saturating_add(u64::from(offset));
        let edit = |change: Change| Edit::Bytes {
            at: Span {
                start: place(change.at.start),
                end: place(change.at.end),
                ..at
            },
            with: change.with,
        };
        Action::EditBytes {
            event,
            word,
            edits: changes.into_iter().map(edit).collect(),
        }
    }
}
