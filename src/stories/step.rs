//! The steps of a story: what an event is to its call or finding, and what it tells.

use crate::transcript::Fact;
use crate::transcript::LabelRole;

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
    /// What it tells. `{tool}` and `{id}` are the call's, `{gap}` is the time from the call to its result, `{wait}` says
    /// how much later than the line before it was, `{host}` is the program, `{does}` what it does of it, `{sure}` marks what is not
    /// certain. Empty: no line.
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
    /// At least so many microseconds after the step before it.
    LongAfter(i64),
}

/// What an event is to the call of the story, or to its finding.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Is {
    Call(Branch),
    /// A placeholder for it from the host's crash recovery.
    Recovery(Branch),
    /// A placeholder for it, whoever wrote it.
    Placeholder(Branch),
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
    /// What the host itself, or an extension of it, says in somebody's place.
    HostSpoke,
    /// A call of another response, or a message of the model.
    OtherTurn,
    /// A response that failed or was stopped.
    Failed,
    /// Another call of the same response.
    Sister,
    /// The answer of another call of the same response.
    SisterAnswer,
    /// Another call with the same id.
    SameId,
    /// A call whose id has the shape of another provider than this one's.
    OtherMaker,
    /// The damaged record of the finding, else its first one.
    Damaged,
    /// A record that plays this part in the finding.
    Part(LabelRole),
    /// The nearest readable record in front of the damaged one.
    RecordBefore,
    /// A readable record.
    Record,
    /// An unreadable record.
    Unreadable,
    /// A record with this fact of [`attr`](crate::transcript::attr).
    Marked(Fact),
    /// A record of an error of the provider or the host, that says one of these.
    Failure(&'static [&'static str]),
    /// A compaction that leaves out the call or its results.
    Forgets,
}

impl Is {
    /// Whether it is a result of the call.
    pub(super) fn is_result(self) -> bool {
        use Is::{Answer, HostError, Output, Placeholder, Recovery, Rejection, Result};
        matches!(
            self,
            Recovery(_) | Placeholder(_) | Output(..) | HostError | Rejection | Result(_) | Answer
        )
    }
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
    Step {
        name,
        is,
        need,
        time: Time::Any,
        says,
        fact: false,
        aside: false,
    }
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
        Step {
            aside: true,
            ..self
        }
    }

    pub(super) const fn when(self, time: Time) -> Step {
        Step { time, ..self }
    }

    pub(super) const fn says(self, says: &'static str) -> Step {
        Step { says, ..self }
    }
}
