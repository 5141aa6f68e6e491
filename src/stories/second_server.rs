//! P1: another server resumed the running conversation.

use super::{
    Branch, CALL, Given, Is, NESTED, Names, PreventsWhen, Runs, STUB, Step, Story, Time, Variant,
    may, must, must_not,
};
use crate::hosts;
use crate::transcript::{Code, Confidence};

/// The status change that a server writes when it loads a conversation whose status is `running`.
pub(super) const SET_TO_ERROR: Step = may(
    "error",
    Is::Status("error"),
    "another process resumed this conversation and set it to ERROR.",
)
.when(Time::JustBefore(1_000_000));

const STEPS: &[Step] = &[
    CALL,
    SET_TO_ERROR,
    NESTED,
    STUB,
    must_not(Is::Status("running")),
    must_not(Is::Spoke),
    must(
        "result",
        Is::Output(Names::Own, Branch::Any),
        "the command, never interrupted, delivered its real output.",
    ),
];

pub(super) const STORY: Story = Story {
    code: "P1",
    name: "second-server",
    title: "another process resumed the conversation while a tool was running",
    formats: &[&hosts::OPENHANDS],
    explains: &[Code::TwoResults, Code::StrandedRecord],
    variants: &[
        Variant {
            certainty: Confidence::Certain,
            given: &[Given::RecordsStatus],
            steps: STEPS,
            so: "",
            doubt: "",
            safety: "the command ran once, and its output is kept.",
            runs: Runs::Once,
        },
        Variant {
            certainty: Confidence::Likely,
            given: &[],
            steps: STEPS,
            so: "",
            doubt: "It may also be a crash followed by a second run of the call: this log has no status \
                changes.",
            safety: "the command ran, and its output is kept; it likely ran only once.",
            runs: Runs::PerhapsTwice,
        },
    ],
    prevent: &[
        (
            PreventsWhen::Found("nested"),
            "give nested servers their own persistence folder (OpenHands/software-agent-sdk#2114).",
        ),
        (
            PreventsWhen::Always,
            "open a persistence folder with only one process at a time; agent servers with leases \
            ensure that themselves (OpenHands/software-agent-sdk#2114, #2966).",
        ),
    ],
    ..Story::BASE
};
