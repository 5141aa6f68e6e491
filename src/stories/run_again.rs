//! P2: a crash, an error in the place of the result, the call run again, a second result.

use super::{Branch, CALL, Is, Names, Runs, STUB, Step, Story, Time, Variant, When, may, must};
use crate::formats;
use crate::transcript::{Code, Confidence};

const STOPPED: Step = may(
    "error",
    Is::Status("error"),
    "the conversation was loaded again and set to ERROR.",
)
.fact()
.when(Time::JustBefore(1_000_000));

const SECOND: Step = must(
    "result",
    Is::Output(Names::Own, Branch::Any),
    "the second run delivered its output.",
);

const SAFETY: &str = "`{tool}` was started again after the restart; whether its first run did anything is not recorded.";

pub(super) const STORY: Story = Story {
    code: "P2",
    name: "run-again",
    title: "a crash, an error in the place of the result, and the call run again",
    formats: &[&formats::OPENHANDS],
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
                    "the conversation was run again, and with it the call.",
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
                    "the user went on, and with the next run the call was run again.",
                ),
                SECOND,
            ],
            so: "",
            doubt: "No change of the status between the two results proves the second run; the first one may have \
                    gone on instead.",
            safety: SAFETY,
            runs: Runs::PerhapsTwice,
        },
    ],
    prevent: &[(
        When::Always,
        "resume with openhands-sdk 1.12.0 or newer, which takes the error for an answer and does not run the call \
         again (OpenHands/software-agent-sdk#2300).",
    )],
    ..Story::BASE
};
