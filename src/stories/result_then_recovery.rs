//! P5: crash recovery answered a call that already had its result.

use super::{Branch, CALL, Is, Names, PreventsWhen, Runs, Step, Story, Variant, must};
use crate::hosts;
use crate::transcript::{Code, Confidence};

const AFTER: Step = must(
    "stub",
    Is::Recovery(Branch::Any),
    "crash recovery did not see that result and wrote an error for the call.",
);

const SAFETY: &str = "the command ran once, and its output is kept.";

pub(super) const STORY: Story = Story {
    code: "P5",
    name: "result-then-recovery",
    title: "crash recovery wrote an error for an answered call",
    formats: &[&hosts::OPENHANDS],
    explains: &[Code::TwoResults, Code::LinkMismatch, Code::StrandedRecord],
    variants: &[
        Variant {
            certainty: Confidence::Certain,
            given: &[],
            steps: &[
                CALL,
                must(
                    "result",
                    Is::Output(Names::Foreign, Branch::Any),
                    "its result was recorded, but names another action than the call.",
                )
                .fact(),
                AFTER,
            ],
            so: "",
            doubt: "",
            safety: SAFETY,
            runs: Runs::Once,
        },
        Variant {
            certainty: Confidence::Likely,
            given: &[],
            steps: &[
                CALL,
                must("result", Is::Output(Names::Any, Branch::Any), "its result was recorded.")
                    .fact(),
                AFTER,
            ],
            so: "",
            doubt: "The result names its call; the transcript does not show why recovery \
                overlooked it.",
            safety: SAFETY,
            runs: Runs::Once,
        },
    ],
    prevent: &[(
        PreventsWhen::Always,
        "use an OpenHands SDK whose crash recovery also looks at the call IDs of results \
        (OpenHands/software-agent-sdk#3063).",
    )],
    ..Story::BASE
};
