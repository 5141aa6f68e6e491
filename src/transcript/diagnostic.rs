//! What is wrong and how to fix it, independent of the format.

use std::borrow::Borrow;

use super::Transcript;
use super::event::{LinkKind, PartKind, Role};
use super::index::{EventId, PartId};
use crate::bytes::edit::Edit;
use crate::bytes::source::Span;
use crate::json::cut::RecordChange;
use crate::transcript::Code;

/// How bad a finding is.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing; never affects the exit status.
    Note,
    /// Accepted here, but fragile or rejected elsewhere.
    Warning,
    /// The host cannot load the transcript, or silently loses part of it.
    Error,
    /// The target rejects every next request built from this transcript.
    Fatal,
}

/// How sure a finding is.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confidence {
    /// A plausible interpretation of the transcript.
    Guess,
    /// Nothing in the transcript contradicts it.
    Likely,
    /// The transcript proves it.
    Certain,
}

/// What a problem does to the session.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// The provider rejects the next request.
    Refused,
    /// The host cannot open the conversation.
    LoadFails,
    /// The host opens it, but drops this many messages.
    Hides(u32),
    /// The host runs a call again that already has a result.
    RunsAgain,
    /// Nothing on its own.
    None,
}

/// Whether a fix may be applied without asking.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Applicability {
    /// There is only one way to do it, and it loses nothing.
    Safe,
    /// It guesses, or gives up content that was acceptable.
    Unsafe,
    /// Never applied automatically.
    Manual,
}

/// The role of a record in a finding.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum LabelRole {
    /// The record with the tool call.
    Call,
    /// A record with a tool result.
    Result,
    /// A record with a placeholder of the host as the result.
    Placeholder,
    /// A record where it must not be.
    Intruder,
    /// A compaction or condensation.
    Compaction,
    /// The record that a link points to.
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
    /// Its role in the finding.
    pub role: LabelRole,
    /// Which of its calls or results is meant, if one is.
    pub part: Option<PartId>,
}

impl Label {
    pub(crate) fn new(event: EventId, role: LabelRole) -> Label {
        Label { event, role, part: None }
    }

    /// A label for a call or a result.
    pub(crate) fn of(t: &Transcript, part: PartId, role: LabelRole) -> Label {
        Label { part: Some(part), ..Label::new(t.part(part).event, role) }
    }

    /// A label for each of these records.
    pub(crate) fn all(
        events: impl IntoIterator<Item = impl Borrow<EventId>>,
        role: LabelRole,
    ) -> Vec<Label> {
        let events = events.into_iter();
        events.map(|event| Label::new(*event.borrow(), role)).collect()
    }

    /// Labels for records of calls and results.
    pub(crate) fn halves(t: &Transcript, events: impl Iterator<Item = EventId>) -> Vec<Label> {
        let role = |event| match t.event(event).role {
            Role::Tool => LabelRole::Result,
            _ => LabelRole::Call,
        };
        events.map(|event| Label::new(event, role(event))).collect()
    }
}

/// What a finding is about, so that one cause is reported once: a finding whose subjects are all covered by another
/// one becomes a line of that one.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Subject {
    /// The bytes of a record.
    Bytes(EventId),
    /// The name or number of a record.
    Name(EventId),
    /// The record's own members.
    Content(EventId),
    /// The own members of a part.
    Part(PartId),
    /// The parent of a record.
    Parent(EventId),
    /// The host's pointer to the newest record.
    Leaf,
    /// The host's state.
    State,
    /// A call without a result.
    Open(PartId),
    /// A result without a call.
    Orphan(PartId),
    /// A second or further result of a call.
    Surplus(PartId),
    /// A call or result whose ID or link is wrong.
    Identity(PartId),
    /// The place of a call or a result.
    Place(PartId),
}

impl Subject {
    /// The part that it is about.
    pub(crate) fn part(&self) -> Option<PartId> {
        match self {
            Subject::Part(part)
            | Subject::Open(part)
            | Subject::Orphan(part)
            | Subject::Surplus(part)
            | Subject::Identity(part)
            | Subject::Place(part) => Some(*part),
            _ => None,
        }
    }
}

/// The part of a record that a problem affects.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Within {
    #[default]
    Record,
    /// A block of its message.
    Block,
    /// A block inside a result.
    InResult,
    /// No record: bytes that are a line of their own.
    Nothing,
}

/// What is known of one instance of a problem, and makes it better or worse than its rule says. The severity that follows
/// is decided by the rules.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Instance {
    /// The provider rejects every request with it.
    Rejected,
    /// The host stops at it.
    Stops,
    /// The host drops messages because of it.
    Dropped,
    /// It is on a branch that is not sent, or keeps something there.
    OffPath,
    /// The host corrects it, or continues correctly in spite of it.
    Corrected,
    /// The host reads past it.
    Ignored,
    /// This host or provider accepts it; another client, version or provider may not.
    Elsewhere,
    /// It is damage, but not for the client or the provider that is checked.
    Spared,
    /// Nothing is lost or rejected.
    Harmless,
}

/// The records in which a problem could be. It counts as a habit of the program that wrote the file, rather than as damage, if
/// it is in nearly all of them.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum HabitPlaces {
    /// All messages.
    Messages,
    /// Messages with tool calls.
    Calls,
    /// Messages with tool results.
    Results,
    /// Messages with thinking.
    Thinking,
}

impl HabitPlaces {
    pub(crate) const ALL: &'static [HabitPlaces] =
        &[HabitPlaces::Messages, HabitPlaces::Calls, HabitPlaces::Results, HabitPlaces::Thinking];

    /// The parts that such a record has; `None`: any.
    pub(crate) fn kind(self) -> Option<PartKind> {
        match self {
            HabitPlaces::Messages => None,
            HabitPlaces::Calls => Some(PartKind::Call),
            HabitPlaces::Results => Some(PartKind::Result),
            HabitPlaces::Thinking => Some(PartKind::Thinking),
        }
    }

    /// What people call them.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            HabitPlaces::Messages => "messages",
            HabitPlaces::Calls => "messages with tool calls",
            HabitPlaces::Results => "messages with tool results",
            HabitPlaces::Thinking => "messages with thinking",
        }
    }
}

/// A problem that a reader, a container, a format or a request check reports. The rule with its code makes it a finding.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// The code of the rule that reports it: `TD001`.
    pub code: Code,
    /// What is wrong, without any text of the transcript.
    pub message: String,
    /// The records involved, the damaged one first.
    pub labels: Vec<Label>,
    /// What it is about.
    pub about: Vec<Subject>,
    /// What else it explains.
    pub covers: Vec<Subject>,
    /// What makes it better or worse than its rule says.
    pub(crate) instance: Option<Instance>,
    /// The part of the record that it affects.
    pub(crate) within: Within,
    /// If it is about how something is written: the records in which it could be. `None`: it is never a habit.
    pub(crate) habit: Option<HabitPlaces>,
    /// How sure.
    pub confidence: Confidence,
    /// What it does.
    pub effect: Effect,
    /// How to fix it, least loss first.
    pub fixes: Vec<Fix>,
}

impl Diagnostic {
    /// A certain problem of one record, about this of it, without fixes.
    pub(crate) fn about(
        code: Code,
        message: impl Into<String>,
        subject: fn(EventId) -> Subject,
        event: EventId,
    ) -> Diagnostic {
        Diagnostic { about: vec![subject(event)], ..Diagnostic::new(code, message, event) }
    }

    /// A certain problem of one record, without fixes. The caller fills in the rest.
    pub fn new(code: Code, message: impl Into<String>, event: EventId) -> Diagnostic {
        Diagnostic {
            code,
            message: message.into(),
            labels: vec![Label::new(event, LabelRole::Record)],
            about: Vec::new(),
            covers: Vec::new(),
            instance: None,
            within: Within::default(),
            habit: None,
            confidence: Confidence::Certain,
            effect: Effect::None,
            fixes: Vec::new(),
        }
    }
}

impl Diagnostic {
    /// Adds labels for these records.
    pub(crate) fn label(
        &mut self,
        events: impl IntoIterator<Item = impl Borrow<EventId>>,
        role: LabelRole,
    ) {
        self.labels.extend(Label::all(events, role));
    }

    /// Gives it one fix, which is safe.
    pub(crate) fn fix_safely(&mut self, actions: impl IntoIterator<Item = Action>) {
        self.fixes = vec![Fix::safe(actions)];
    }

    /// Gives it one fix, which is safe if there is only one way to do it; else it guesses.
    pub(crate) fn fix_safely_if(
        &mut self,
        is_only: bool,
        actions: impl IntoIterator<Item = Action>,
    ) {
        self.fixes = vec![Fix::safe_if(is_only, actions)];
    }

    /// Gives it one fix, which needs `--unsafe`.
    pub(crate) fn fix_with_guess(&mut self, actions: impl IntoIterator<Item = Action>) {
        self.fixes = vec![Fix::with_guess(actions)];
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
        let place = |offset: u32| at.start.saturating_add(u64::from(offset));
        Action::edits(
            event,
            word,
            changes
                .into_iter()
                .map(|change| {
                    Edit::bytes(
                        Span { start: place(change.at.start), end: place(change.at.end), ..at },
                        change.with,
                    )
                })
                .collect(),
        )
    }
}
