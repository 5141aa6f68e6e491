//! What is wrong and how to fix it, independent of the format.

use std::borrow::{Borrow, Cow};

use serde::Serialize;

use super::Transcript;
use super::event::{PartKind, Role};
use super::fix::{Action, Fix};
use super::index::{EventId, PartId};
use crate::transcript::Code;

/// How bad a finding is.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
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
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
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
    /// Nothing for the next request of this host and provider. It is worth a line, although it is a note: another version or
    /// another provider refuses it, or the host does not offer the session.
    Elsewhere,
    /// Nothing on its own.
    None,
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

/// The parts that a problem is about, by record: it may be about all calls of a turn, in as many records.
pub(crate) struct PartsAbout(Vec<(EventId, PartId)>);

impl PartsAbout {
    pub(crate) fn of(t: &Transcript, about: &[Subject]) -> PartsAbout {
        let parts = about.iter().filter_map(Subject::part);
        let mut parts: Vec<_> = parts.map(|part| (t.part(part).event, part)).collect();
        parts.sort_by_key(|(event, _)| *event);
        PartsAbout(parts)
    }

    /// Those in a record, in the order of the subjects.
    pub(crate) fn in_record(&self, event: EventId) -> impl Iterator<Item = PartId> + '_ {
        let first = self.0.partition_point(|(own, _)| *own < event);
        let parts = self.0[first..].iter().take_while(move |(own, _)| *own == event);
        parts.map(|(_, part)| *part)
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
    /// The provider does, but others with its interface accept it.
    RejectedHere,
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
    pub message: Cow<'static, str>,
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
        message: impl Into<Cow<'static, str>>,
        subject: fn(EventId) -> Subject,
        event: EventId,
    ) -> Diagnostic {
        Diagnostic { about: vec![subject(event)], ..Diagnostic::new(code, message, event) }
    }

    /// A certain problem of one record, without fixes. The caller fills in the rest.
    pub fn new(code: Code, message: impl Into<Cow<'static, str>>, event: EventId) -> Diagnostic {
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
