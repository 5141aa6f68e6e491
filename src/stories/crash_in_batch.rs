//! P6: a crash inside a batch; recovery answered only its first call.

use super::{Branch, Given, Is, Runs, Story, Time, Variant, may, must};
use crate::hosts;
use crate::transcript::{Code, Confidence};

pub(super) const STORY: Story = Story {
    code: "P6",
    name: "crash-in-batch",
    title: "a crash during parallel calls, of which recovery answered only the first",
    formats: &[&hosts::OPENHANDS],
    explains: &[Code::UnansweredCall, Code::StrandedRecord],
    variants: &[Variant {
        certainty: Confidence::Certain,
        given: &[Given::RestAbandoned],
        steps: &[
            must(
                "call",
                Is::Call(Branch::Any),
                "the agent started parallel calls, `{tool}` first.",
            )
            .fact(),
            may(
                "error",
                Is::Status("error"),
                "the conversation was loaded again and set to ERROR.",
            )
            .fact()
            .when(Time::JustBefore(1_000_000)),
            must(
                "stub",
                Is::Recovery(Branch::Any),
                "crash recovery wrote an error for the first of the parallel calls, but for no \
                other.",
            )
            .fact(),
        ],
        so: "So the other parallel calls have no result that is sent.",
        doubt: "",
        safety: "the transcript does not show whether the tools ran before the crash.",
        runs: Runs::Unknown,
    }],
    ..Story::BASE
};
