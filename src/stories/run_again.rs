//! P2: a crash, an error in place of the result, a second run of the call, a second result.

use super::{
    Branch, CALL, Is, Names, PreventsWhen, Runs, STUB, Step, Story, Time, Variant, may, must,
};
use crate::hosts;
use crate::transcript::{Code, Confidence};

const STOPPED: Step =
    may("error", Is::Status("error"), "the conversation was loaded again and set to ERROR.")
        .fact()
        .when(Time::JustBefore(1_000_000));

const SECOND: Step =
    must("result", Is::Output(Names::Own, Branch::Any), "the second run delivered its output.");

const SAFETY: &str = "`{tool}` was started again after the restart; the transcript does not show \
    whether its first run did anything.";

pub(super) const STORY: Story = Story {
    code: "P2",
    name: "run-again",
    title: "a crash, an error in place of the result, and a second run of the call",
    formats: &[&hosts::OPENHANDS],
    explains: &[Code::TwoResults, Code::StrandedRecord],
    variants: &[
        Variant {
            certainty: Confidence::Certain,
            given: &[],
            steps: &[
                CALL,
                STOPPED,
                STUB,
                must(
                    "running",
                    Is::Status("running"),
                    "the conversation was run again, and the call with it.",
                ),
                SECOND,
            ],
            so: "",
            doubt: "",
            safety: SAFETY,
            runs: Runs::PerhapsTwice,
        },
        Variant {
            certainty: Confidence::Likely,
            given: &[],
            steps: &[
                CALL,
                STOPPED,
                STUB,
                must(
                    "user",
                    Is::UserSpoke,
                    "the user continued, and the next run executed the call again.",
                ),
                SECOND,
            ],
            so: "",
            doubt: "No status change between the two results proves a second run; the first one \
                may have continued instead.",
            safety: SAFETY,
            runs: Runs::PerhapsTwice,
        },
    ],
    prevent: &[(
        PreventsWhen::Always,
        "resume with OpenHands SDK 1.12.0 or newer, which accepts the error as the result and does \
        not run the call again (OpenHands/software-agent-sdk#2300).",
    )],
    ..Story::BASE
};
