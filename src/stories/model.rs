//! Stories as data: the words that their files are written in. Their steps are in [`step`](super::step).

use super::step::Step;
use crate::formats::{Format, Host};
use crate::transcript::{Code, Confidence};

/// A root cause.
#[derive(Debug)]
pub struct Story {
    /// The pattern's number: `P1` as in the description of OpenHands' format, `S1` of those that several hosts share.
    pub code: &'static str,
    /// The name people say: `second-server`.
    pub name: &'static str,
    /// One line.
    pub title: &'static str,
    /// The formats in which it occurs; none: every one.
    pub formats: &'static [&'static Format],
    /// What it is told of.
    pub about: About,
    /// Codes of the findings that it explains: one of them must name the call, or be the finding that it is told of.
    /// Empty: it is told of a call without a finding.
    pub explains: &'static [Code],
    /// It explains notes, too.
    pub of_notes: bool,
    /// It is told once, whatever the ways in which it shows at several places.
    pub is_one_cause: bool,
    /// It is of the whole file, so no place is named.
    pub of_whole_file: bool,
    /// The ways in which it shows; the first that fits is told.
    pub variants: &'static [Variant],
    /// What the hosts do of it, `{does}` in texts; the first that fits is told. `None`: any
    /// host.
    pub does: &'static [(Option<&'static Host>, &'static str)],
    /// How to prevent it, with the issue; the first that fits is told.
    pub prevent: &'static [(When, &'static str)],
}

impl Story {
    /// What most stories share: of every format, about a call, and nothing known that prevents it.
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
        let is_it = |of: &&Format| of.name == format.name;
        self.formats.is_empty() || self.formats.iter().any(is_it)
    }
}

/// What a story is told of.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum About {
    Call,
    /// A finding above a note that no story of a call explains. Its first call, where it names one, is the story's call.
    Finding,
}

/// When a way to prevent something is told.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum When {
    Always,
    /// When the step of this name was found.
    Found(&'static str),
    /// When this host wrote the recording, or the one that the format of this name is named for.
    By(&'static Host),
    /// When both hold: the name of the step, and the host.
    FoundBy(&'static str, &'static Host),
}

/// One way in which a root cause shows.
#[derive(Debug)]
pub struct Variant {
    /// How sure the reading is.
    pub certainty: Confidence,
    /// What must hold besides the steps.
    pub given: &'static [Given],
    /// What happened, in order; the first that must be there is the call, or a record of the finding.
    pub steps: &'static [Step],
    /// What follows from it. Empty: what the results of the call come to is said instead.
    pub so: &'static str,
    /// What else it could have been; empty where it is certain.
    pub doubt: &'static str,
    /// Whether it is safe to go on, once nothing is damaged any more. Empty: nothing is to be said.
    pub safety: &'static str,
    /// How often the tool ran.
    pub runs: Runs,
}

impl Variant {
    /// A guess that says nothing of the tools.
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
    /// The call has no answer.
    Open,
    /// The first and the last of the call's own outputs have the same bytes.
    SameOutput,
    /// By the recorded times the answer came later than the call.
    AnswerIsLater,
    /// A result on the active branch names as its parent an event that is older than the call.
    AnswerHangsBefore,
    /// No result of the call names the call's record.
    NoOwnLink,
    /// The id of the call is a number, with or without a word in front: `call_0`, `functions.bash:3`.
    CountedId,
    /// The response that made the call failed or was stopped, and the host leaves it out.
    Failed,
    /// A result of the call may belong to an earlier call with the same id that has none.
    SharesOpenId,
    /// The response that made the call was stopped.
    Stopped,
    /// Nobody can read the damaged record.
    Unreadable,
    /// Two results of the call stand in one record.
    ResultsInOne,
    /// Two calls with the call's id stand in its record.
    CallsInOne,
    /// The file of the damaged record is empty.
    Empty,
    /// The finding is of two records that share a number.
    SharedNumber,
    /// Near the damaged record the recorded times run backwards more than once.
    TimesRunBack,
    /// The fragment of a record that stops in the middle lies at the place of the finding.
    TornHere,
    /// The damaged record ends in a mark of a program that redacts.
    CutByMark,
    /// The finding is that ids were replaced.
    IdsReplaced,
    /// The finding is of this rule.
    Rule(Code),
    /// The damaged record says itself that nothing stands before it.
    SaysFirst,
    /// That record is no result.
    NoResult,
    /// The damaged record stands inside another one: in the list of an update, of a compaction.
    Inside,
    /// What is sent begins with the damaged record, or with results without a call up to it; instructions and summaries left
    /// out.
    Begins,
    /// The recording's state says that it is running or waiting.
    StateRuns,
    /// The host, as it goes on, asks the model for another answer without a message of the user.
    ModelIsNext,
}

/// How often a tool ran, for the list of effects to look after.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Runs {
    /// As often as it was asked.
    Once,
    PerhapsTwice,
    Twice,
    /// It will run again when the conversation goes on.
    Again,
    /// Once, and the model is not told.
    Unseen,
    /// Nobody knows whether it ran.
    Unknown,
}
