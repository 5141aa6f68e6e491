//! P18: the placeholder of a second server stayed off the branch, and the event tree kept the real
//! result.

use super::second_server::SET_TO_ERROR;
use super::{
    Branch, CALL, Given, Is, NESTED, Names, PreventsWhen, Runs, Step, Story, Time, Variant, may,
    must, must_not,
};
use crate::hosts;
use crate::transcript::Confidence;

const STUB: Step = must(
    "stub",
    Is::Recovery(Branch::Off),
    "crash recovery found the call unanswered and wrote an error for it, on a branch of its own.",
)
.fact();

const fn result(names: Names) -> Step {
    must(
        "result",
        Is::Output(names, Branch::On),
        "the tool's real output was recorded, on the branch that is sent.",
    )
    .fact()
}

const fn variant(given: &'static [Given], steps: &'static [Step], runs: Runs) -> Variant {
    Variant {
        certainty: Confidence::Certain,
        given,
        steps,
        so: "The event tree kept the right one of the two: the model sees {result}, not {stub}. \
            There is nothing to do.",
        doubt: "",
        safety: "the real output is the one that is sent.",
        runs,
    }
}

pub(super) const STORY: Story = Story {
    code: "P18",
    name: "healed-itself",
    title: "crash recovery answered a call that also has a real result; the event tree kept the \
        real one",
    formats: &[&hosts::OPENHANDS],
    explains: &[],
    variants: &[
        // Everything points to a second server, so the tool was never interrupted.
        variant(
            &[Given::RecordsStatus],
            &[
                CALL,
                SET_TO_ERROR,
                NESTED,
                STUB,
                must_not(Is::Status("running")),
                must_not(Is::Spoke),
                result(Names::Own),
            ],
            Runs::Once,
        ),
        // The conversation may have gone back to the call and run it a second time.
        variant(
            &[],
            &[
                CALL,
                may(
                    "error",
                    Is::Status("error"),
                    "the conversation was loaded again and set to ERROR.",
                )
                .fact()
                .when(Time::JustBefore(1_000_000)),
                STUB,
                may("running", Is::Status("running"), "the conversation was run again.").fact(),
                result(Names::Any),
            ],
            Runs::PerhapsTwice,
        ),
    ],
    prevent: &[
        (
            PreventsWhen::Found("nested"),
            "give nested servers their own persistence folder (OpenHands/software-agent-sdk#2114).",
        ),
        (
            PreventsWhen::Always,
            "open a persistence folder with only one process at a time \
            (OpenHands/software-agent-sdk#2114).",
        ),
    ],
    ..Story::BASE
};
