//! S18: a result was recorded before the response with its call.

use super::{Branch, Is, PreventsWhen, Runs, Story, Variant, must};
use crate::hosts;
use crate::transcript::{Code, Confidence};

pub(super) const STORY: Story = Story {
    code: "S18",
    name: "result-first",
    title: "a result was recorded before the response with its call",
    explains: &[Code::ResultBeforeCall],
    variants: &[Variant {
        certainty: Confidence::Likely,
        given: &[],
        steps: &[
            must("result", Is::Result(Branch::Any), "the result of `{tool}` was recorded.").fact(),
            must(
                "call",
                Is::Call(Branch::Any),
                "the response with its call was recorded only then{wait}.",
            )
            .fact(),
        ],
        so: "So the result was written as soon as the tool was done, and the response when it was \
            complete{sure}.",
        doubt: "The records may also have been sorted or joined afterwards.",
        safety: "call and result are kept, in the right order.",
        runs: Runs::Once,
    }],
    prevent: &[(
        PreventsWhen::By(hosts::PI.host),
        "use pi 0.55.4 or newer (badlogic/pi-mono#1717).",
    )],
    ..Story::BASE
};
