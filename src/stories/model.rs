//! Stories as data: the types that their files are written with. Their steps are in
//! [`step`](super::step).

use super::step::Step;
use crate::format::{Format, Host};
use crate::transcript::{Code, Confidence};

/// A root cause.
#[derive(Debug)]
pub struct Story {
    /// The number of the pattern: `P1` as in the description of the OpenHands format, `S1` for
    /// patterns of several hosts.
    pub code: &'static str,
    /// A name: `second-server`.
    pub name: &'static str,
    /// One line.
    pub title: &'static str,
    /// The formats in which it occurs; every format if empty.
    pub formats: &'static [&'static Format],
    pub about: About,
    /// Codes of the findings that it explains: such a finding must name the call, or be the
    /// explained finding. If empty, it explains a call without a finding.
    pub explains: &'static [Code],
    /// Whether it also explains notes.
    pub of_notes: bool,
    /// Whether it is reported once, even if it fits different variants at several places.
    pub is_one_cause: bool,
    /// Whether it is about the whole file, so that no place is named.
    pub of_whole_file: bool,
    /// The ways in which it shows; the first that fits is reported.
    pub variants: &'static [Variant],
    /// What hosts do about it, `{does}` in texts; the first that fits is used. `None`: any host.
    pub does: &'static [(Option<&'static Host>, &'static str)],
    /// How to prevent it, with the issue; the first that fits is used.
    pub prevent: &'static [(PreventsWhen, &'static str)],
}

impl Story {
    /// Defaults: for every format, about a call, no known prevention.
    pub(super) const BASE: Story = Story {
        code: "",
        name: "",
        title: "",
        formats: &[],
        about: About::Call,
        explains: &[],
        of_notes: false,
        is_one_cause: false,
        of_whole_file: false,
        variants: &[],
        does: &[],
        prevent: &[],
    };

    /// Whether it occurs in a format.
    pub fn is_of(&self, format: &Format) -> bool {
        self.formats.is_empty() || self.formats.iter().any(|of| of.name == format.name)
    }
}

/// What a story explains.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum About {
    Call,
    /// A finding above a note that no story of a call explains. If it names calls, the first one is
    /// the call of the story.
    Finding,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum PreventsWhen {
    Always,
    /// If the step with this name was found.
    Found(&'static str),
    /// If this host wrote the transcript.
    By(&'static Host),
    /// If both hold: the step was found, and this host wrote the transcript.
    FoundBy(&'static str, &'static Host),
}

/// One way in which a root cause shows.
#[derive(Debug)]
pub struct Variant {
    /// How sure the explanation is.
    pub certainty: Confidence,
    /// What must hold besides the steps.
    pub given: &'static [Given],
    /// What happened, in order. The first required step is the call, or a record of the finding.
    pub steps: &'static [Step],
    /// The consequence. If empty, the text describes the results of the call instead.
    pub so: &'static str,
    /// Another possible explanation; empty if it is certain.
    pub doubt: &'static str,
    /// Whether it is safe to continue after the repair; empty if there is nothing to say.
    pub safety: &'static str,
    /// How often the tool ran.
    pub runs: Runs,
}

impl Variant {
    /// Defaults: a guess, and no statement about tools.
    pub(super) const BASE: Variant = Variant {
        certainty: Confidence::Guess,
        given: &[],
        steps: &[],
        so: "",
        doubt: "",
        safety: "",
        runs: Runs::Once,
    };
}

/// A condition of a variant besides its steps.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Given {
    /// The log records status changes: it was `running` somewhere.
    RecordsStatus,
    /// The host could not run the call.
    NotRunnable,
    /// The host would run the call if it had no result.
    Runnable,
    /// The call is the first of its response, and each of the others has no result or is off the
    /// active branch.
    RestAbandoned,
    /// The call has no result.
    Open,
    /// All outputs of the call have the same bytes.
    SameOutput,
    /// By the recorded times, the result came after the call.
    AnswerIsLater,
    /// A result on the active branch has a parent that is older than the call.
    AnswerHasOlderParent,
    /// No result of the call names the call's record.
    NoOwnLink,
    /// The ID of the call is a number, with or without a prefix: `call_0`, `functions.bash:3`.
    CountedId,
    /// The response that made the call failed or was stopped, and the host leaves it out.
    Failed,
    /// A result of the call may belong to an earlier call with the same ID that has none.
    SharesOpenId,
    /// The response that made the call was stopped.
    Stopped,
    /// The damaged record is unreadable.
    Unreadable,
    /// Two results of the call are in one record.
    ResultsInOne,
    /// Two calls with the ID of the call are in its record.
    CallsInOne,
    /// The file of the damaged record is empty.
    Empty,
    /// The finding is about two records that share a number.
    SharedNumber,
    /// Near the damaged record the recorded times run backwards more than once.
    TimesRunBack,
    /// A truncated record is at the place of the finding.
    TornHere,
    /// The damaged record ends with the mark of a program that redacts.
    CutByMark,
    /// The finding is that IDs were replaced.
    IdsReplaced,
    /// The finding is of this rule.
    Rule(Code),
    /// The damaged record says that it is the first one.
    SaysFirst,
    /// The damaged record names no parent.
    NamesNoParent,
    /// The damaged record is not a result.
    NoResult,
    /// The damaged record is inside another one: in the list of an update or of a compaction.
    Inside,
    /// The request starts with the damaged record, or with results without a call up to it;
    /// instructions and summaries do not count.
    Begins,
    /// The saved state says that the conversation is running or waiting.
    StateRuns,
    /// When it continues, the host calls the model without a new user message.
    ModelIsNext,
}

/// How often a tool ran, for the list of effects to check.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Runs {
    /// As often as it was asked.
    Once,
    PerhapsTwice,
    Twice,
    /// It will run again when the conversation continues.
    Again,
    /// Once, but the model does not see the result.
    Unseen,
    /// It is unknown whether it ran.
    Unknown,
}
