//! Stories as data: the words that their files are written in.

use crate::transcript::Confidence;

/// A root cause.
#[derive(Debug)]
pub struct Story {
    /// The pattern's number in the format's description: `P1`.
    pub code: &'static str,
    /// The name people say: `second-server`.
    pub name: &'static str,
    /// One line.
    pub title: &'static str,
    /// Names of the formats whose hosts behave so.
    pub formats: &'static [&'static str],
    /// Codes of the findings that it explains: one of them must name the call. Empty: it is told without a finding.
    pub explains: &'static [&'static str],
    /// The ways in which it shows; the first that fits is told.
    pub variants: &'static [Variant],
    /// How to prevent it, with the issue: the name of a step that must have been found, or "", and the text. The first
    /// that fits is told.
    pub prevent: &'static [(&'static str, &'static str)],
}

/// One way in which a root cause shows.
#[derive(Debug)]
pub struct Variant {
    /// How sure the reading is.
    pub certainty: Confidence,
    /// What must hold besides the steps.
    pub given: &'static [Given],
    /// What happened, in order; the first step is the call.
    pub steps: &'static [Step],
    /// What follows from it. Empty: what the results of the call come to is said instead.
    pub so: &'static str,
    /// What else it could have been; empty where it is certain.
    pub doubt: &'static str,
    /// Whether it is safe to go on, once nothing is damaged any more.
    pub safety: &'static str,
    /// How often the tool ran.
    pub runs: Runs,
}

/// What must hold besides the steps of a variant.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Given {
    /// The log records changes of the status at all: it was `running` somewhere.
    RecordsStatus,
    /// The host could not run the call.
    NotRunnable,
    /// The host would run the call if it saw no answer.
    Runnable,
    /// The call is the first of its response, and each of the others has no answer or is off the active branch.
    RestAbandoned,
    /// The first and the last of the call's own outputs have the same bytes.
    SameOutput,
    /// By the recorded times the answer came later than the call.
    AnswerIsLater,
    /// A result on the active branch names as its parent an event that is older than the call.
    AnswerHangsBefore,
    /// No result of the call names the call's record.
    NoOwnLink,
}

/// How often a tool ran, for the list of effects to look after.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Runs {
    /// As often as it was asked.
    Once,
    /// Perhaps twice.
    PerhapsTwice,
    /// Twice.
    Twice,
    /// It will run again when the conversation goes on.
    Again,
    /// Nobody knows whether it ran.
    Unknown,
}

/// One step of a variant.
#[derive(Copy, Clone, Debug)]
pub struct Step {
    /// What texts call its event: `{stub}` becomes the event's number.
    pub name: &'static str,
    /// What the event is.
    pub is: Is,
    /// Whether it must be there.
    pub need: Need,
    /// When it must have been written.
    pub time: Time,
    /// What it tells. `{tool}` and `{id}` are the call's, `{gap}` is the time since the call. Empty: no line.
    pub says: &'static str,
    /// It only quotes the recording: certain in every variant.
    pub fact: bool,
    /// It is said behind the line before it, not as a line of its own.
    pub aside: bool,
}

/// Whether a step must be there.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Need {
    /// The variant fits only with it.
    Must,
    /// More evidence, where it is found.
    May,
    /// The variant fits only without it.
    MustNot,
}

/// When a step must have been written, by the recorded times.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Time {
    /// Whenever.
    Any,
    /// Later than the step before it and earlier than the one behind it.
    Between,
    /// At most so many microseconds before the step behind it.
    JustBefore(i64),
}

/// What an event is to the call of the story.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Is {
    /// The call.
    Call(Branch),
    /// A placeholder for it from the host's crash recovery.
    Recovery(Branch),
    /// The tool's own output for it.
    Output(Names, Branch),
    /// An error that the host reported for it.
    HostError,
    /// A refusal of it, by a person or a hook.
    Rejection,
    /// Any result of it.
    Result(Branch),
    /// The result that counts for the next request.
    Answer,
    /// A result of any call that says in its text that this very conversation was resumed.
    Resumed,
    /// The status became this.
    Status(&'static str),
    /// The status became `finished` or `paused`.
    Stopped,
    /// A user's message.
    UserSpoke,
    /// Anybody's message.
    Spoke,
    /// A call of another response, or a message of the model.
    OtherTurn,
    /// Another call of the same response.
    Sister,
    /// Another call with the same id.
    SameId,
}

/// Where an event must hang in the conversation's tree.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Branch {
    /// Anywhere.
    Any,
    /// On the active branch.
    On,
    /// On a branch that is not the active one.
    Off,
}

/// What a result's link must name.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Names {
    /// Anything, or nothing.
    Any,
    /// The record of its call.
    Own,
    /// Another record than that of its call.
    Foreign,
}

const fn step(name: &'static str, is: Is, need: Need, says: &'static str) -> Step {
    Step { name, is, need, time: Time::Any, says, fact: false, aside: false }
}

/// A step that must be there.
pub(super) const fn must(name: &'static str, is: Is, says: &'static str) -> Step {
    step(name, is, Need::Must, says)
}

/// More evidence.
pub(super) const fn may(name: &'static str, is: Is, says: &'static str) -> Step {
    step(name, is, Need::May, says)
}

/// What must not stand between the steps around it.
pub(super) const fn must_not(is: Is) -> Step {
    step("", is, Need::MustNot, "")
}

impl Step {
    pub(super) const fn fact(self) -> Step {
        Step { fact: true, ..self }
    }

    pub(super) const fn aside(self) -> Step {
        Step { aside: true, ..self }
    }

    pub(super) const fn when(self, time: Time) -> Step {
        Step { time, ..self }
    }
}
