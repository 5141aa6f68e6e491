//! P6: a crash inside a batch; recovery answered only its first call.

use super::{Branch, Given, Is, Runs, Story, Time, Variant, may, must};
use crate::formats;
use crate::transcript::{Code, Confidence};

pub(super) const STORY: Story = Story {
    code: "P6",
    name: "crash-in-batch",
    title: "a crash inside a batch of calls, of which recovery answered only the first",
    formats: &[&formats::OPENHANDS],
    explains: &[Code::UnansweredCall, Code::StrandedRecord],
    variants: &[Variant {
        certainty: Confidence::Certain,
        given: &[Given::RestAbandoned],
        steps: &[
            must(
                "call",
                Is::Call(Branch::Any),
                "the agent started a batch of calls, `{tool}` first.",
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
                "crash recovery wrote an error for the first call of the batch, and for no other.",
            )
            .fact(),
        ],
        so: "So the other calls of the batch have no result that is sent.",
        doubt: "",
        safety: "whether the tools of the batch ran before the crash is not recorded.",
        runs: Runs::Unknown,
    }],
    ..Story::BASE
};
