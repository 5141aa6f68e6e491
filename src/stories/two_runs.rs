//! P4: two real results of one call.

use super::{Branch, CALL, Given, Is, Names, Runs, Step, Story, Variant, must};
use crate::hosts;
use crate::transcript::{Code, Confidence};

const FIRST: Step =
    must("result", Is::Output(Names::Own, Branch::On), "its output was recorded.").fact();
const fn second(names: Names, says: &'static str) -> Step {
    must("second", Is::Output(names, Branch::On), says)
}

const TWICE: Step = second(
    Names::Own,
    "another output of the same call was recorded: the tool was executed a second time.",
);

const SAFETY: &str =
    "`{tool}` probably ran twice; the first output is kept, which the model has seen.";

pub(super) const STORY: Story = Story {
    code: "P4",
    name: "two-runs",
    title: "one call has two outputs of its tool",
    formats: &[&hosts::OPENHANDS],
    explains: &[Code::TwoResults],
    variants: &[
        Variant {
            certainty: Confidence::Likely,
            given: &[Given::SameOutput],
            steps: &[
                CALL,
                FIRST,
                second(
                    Names::Any,
                    "the same output was recorded again, byte for byte: one result was written \
                    twice.",
                ),
            ],
            so: "",
            doubt: "It may also be a second run of a tool that gives the same output each time.",
            safety: "one of the two equal outputs is kept.",
            runs: Runs::PerhapsTwice,
        },
        Variant {
            certainty: Confidence::Likely,
            given: &[],
            steps: &[
                CALL,
                FIRST,
                must("stopped", Is::Stopped, "the conversation stopped.").fact(),
                must(
                    "running",
                    Is::Status("running"),
                    "it was resumed, and the answered call was executed again.",
                ),
                TWICE,
            ],
            so: "",
            doubt: "It may also be two processes on one folder.",
            safety: SAFETY,
            runs: Runs::PerhapsTwice,
        },
        Variant {
            certainty: Confidence::Likely,
            given: &[],
            steps: &[CALL, FIRST, TWICE],
            so: "",
            doubt: "The transcript does not show what started it the second time.",
            safety: SAFETY,
            runs: Runs::PerhapsTwice,
        },
        Variant {
            steps: &[
                CALL,
                FIRST,
                second(
                    Names::Foreign,
                    "another output was recorded for it, which names another action.",
                )
                .fact(),
            ],
            so: "So `{tool}` was executed a second time{sure}.",
            doubt: "It may also be the output of another call, recorded under this ID.",
            safety: "the first output of `{tool}` is kept, which the model has seen.",
            runs: Runs::PerhapsTwice,
            ..Variant::BASE
        },
    ],
    ..Story::BASE
};
