//! The steps of a story: how an event relates to its call or finding, and the text for it.

use crate::transcript::{Fact, LabelRole};

/// One step of a variant.
#[derive(Copy, Clone, Debug)]
pub struct Step {
    /// The name of its event in texts: `{stub}` becomes the number of the event.
    pub name: &'static str,
    /// What the event is.
    pub is: Is,
    pub need: StepNeed,
    /// When it must have been recorded.
    pub time: Time,
    /// The text. `{tool}` and `{id}` are those of the call, `{gap}` is the time from the call to
    /// its result, `{wait}` the time since the line before it, `{host}` the program, `{does}` what
    /// the host does about it, and `{sure}` marks what is not certain. If empty, the step has no
    /// line.
    pub says: &'static str,
    /// Whether it only quotes the transcript, so that it is certain in every variant.
    pub fact: bool,
    /// Whether its text is appended to the line before it.
    pub aside: bool,
}

/// Whether a step is required.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum StepNeed {
    /// The variant fits only with it.
    Must,
    /// Additional evidence.
    May,
    /// The variant fits only without it.
    MustNot,
}

/// When a step must have been recorded, by its time.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Time {
    /// Whenever.
    Any,
    /// After the step before it and before the step after it.
    Between,
    /// At most this many microseconds before the next step.
    JustBefore(i64),
    /// At least this many microseconds after the previous step.
    LongAfter(i64),
}

/// How an event relates to the call of the story, or to its finding.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Is {
    Call(Branch),
    /// A placeholder for the call from the host's crash recovery.
    Recovery(Branch),
    /// A placeholder for the call, whoever wrote it.
    Placeholder(Branch),
    /// The output of the tool.
    Output(Names, Branch),
    /// An error of the host in place of a result.
    HostError,
    /// A rejection of the call, by a person or a hook.
    Rejection,
    /// Any result of the call.
    Result(Branch),
    /// The result that counts for the next request.
    Answer,
    /// A result of any call whose text says that this conversation was resumed.
    Resumed,
    /// The status became this.
    Status(&'static str),
    /// The status became `finished` or `paused`.
    Stopped,
    UserSpoke,
    /// A message of the user or the model.
    Spoke,
    /// A message that the host or an extension wrote in the place of the user or the model.
    HostSpoke,
    /// A call of another response, or a message of the model.
    OtherTurn,
    /// A response that failed or was stopped.
    Failed,
    /// Another call of the same response.
    Sister,
    /// The result of another call of the same response.
    SisterAnswer,
    /// Another call with the same ID.
    SameId,
    /// A call whose ID has the shape of another provider's IDs.
    OtherMaker,
    /// The damaged record of the finding, else its first one.
    Damaged,
    /// A record with this role in the finding.
    Part(LabelRole),
    /// The last readable record before the damaged one.
    RecordBefore,
    /// A readable record.
    Record,
    Unreadable,
    /// A record with this fact of [`facts`](crate::transcript::facts).
    Marked(Fact),
    /// A recorded error of the provider or the host that contains one of these texts.
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

/// The branch that an event must be on.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Branch {
    /// Anywhere.
    Any,
    /// On the active branch.
    On,
    /// On a branch that is not the active one.
    Off,
}

/// What the link of a result must name.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Names {
    /// Anything, or nothing.
    Any,
    /// The record of its call.
    Own,
    /// Another record than that of its call.
    Foreign,
}

const fn step(name: &'static str, is: Is, need: StepNeed, says: &'static str) -> Step {
    Step { name, is, need, time: Time::Any, says, fact: false, aside: false }
}

/// A required step.
pub(super) const fn must(name: &'static str, is: Is, says: &'static str) -> Step {
    step(name, is, StepNeed::Must, says)
}

/// Additional evidence.
pub(super) const fn may(name: &'static str, is: Is, says: &'static str) -> Step {
    step(name, is, StepNeed::May, says)
}

/// What must not occur between the neighboring steps.
pub(super) const fn must_not(is: Is) -> Step {
    step("", is, StepNeed::MustNot, "")
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

    pub(super) const fn says(self, says: &'static str) -> Step {
        Step { says, ..self }
    }
}
