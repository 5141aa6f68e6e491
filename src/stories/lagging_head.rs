//! P7: HEAD lagged behind when an event was appended.

use super::{Branch, Given, Is, PreventsWhen, Runs, Story, Variant, must};
use crate::hosts;
use crate::transcript::{Code, Confidence};

pub(super) const STORY: Story = Story {
    code: "P7",
    name: "lagging-head",
    title: "the result is on a side branch, because the pointer to the newest event was out of \
        date",
    formats: &[&hosts::OPENHANDS],
    explains: &[Code::StrandedRecord],
    variants: &[Variant {
        certainty: Confidence::Certain,
        given: &[Given::AnswerHasOlderParent],
        steps: &[
            must("call", Is::Call(Branch::Off), "the agent started `{tool}`.").fact(),
            must(
                "result",
                Is::Result(Branch::On),
                "a result was appended to an older event: the pointer to the newest one had not \
                been saved yet.",
            ),
        ],
        so: "So the result {result} is on the active branch and its call {call} is not.",
        doubt: "",
        safety: "the call is back on the branch; see the result for how far its tool got.",
        runs: Runs::Unknown,
    }],
    prevent: &[(
        PreventsWhen::Always,
        "use an OpenHands SDK that uses the newest event as the head \
        (OpenHands/software-agent-sdk#4488, for #4487).",
    )],
    ..Story::BASE
};
