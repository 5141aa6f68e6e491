//! S2: a compaction whose boundary is between a call and its result.

use super::{About, Is, PreventsWhen, Step, Story, Variant, must};
use crate::hosts;
use crate::transcript::{Code, Confidence, LabelRole};

const fn variant(steps: &'static [Step]) -> Variant {
    Variant {
        certainty: Confidence::Certain,
        steps,
        so: "So a call and its result are no longer sent together: one of them is left out, or \
            the summary is between them.",
        safety: "nothing is removed: the boundary moves to where it separates no call from its \
            result.",
        ..Variant::BASE
    }
}

const CALL: Step = must("call", Is::Part(LabelRole::Call), "the agent called `{tool}`.").fact();
const RESULT: Step =
    must("result", Is::Part(LabelRole::Result), "the result of the call was recorded.").fact();

pub(super) const STORY: Story = Story {
    code: "S2",
    name: "compaction-cut",
    title: "a compaction separated a call from its result",
    about: About::Finding,
    explains: &[Code::CompactionSplitPair],
    variants: &[
        variant(&[
            CALL,
            must(
                "cut",
                Is::Part(LabelRole::Compaction),
                "a compaction was made before the result came.",
            )
            .fact(),
            RESULT,
        ]),
        variant(&[
            CALL,
            RESULT,
            must(
                "cut",
                Is::Part(LabelRole::Compaction),
                "a compaction was made, with its boundary between the two.",
            )
            .fact(),
        ]),
        variant(&[must(
            "first",
            Is::Damaged,
            "the compaction ends here, between a call and its result.",
        )
        .fact()]),
    ],
    prevent: &[
        (
            PreventsWhen::By(hosts::LANGCHAIN.host),
            "cut where no call is separated from its result: `explain -v` lists safe cut points; `trim_messages` does not check that (langchain-ai/langchain#33245).",
        ),
        (
            PreventsWhen::Always,
            "compact where no call waits for its result: `explain -v` lists safe cut points.",
        ),
    ],
    ..Story::BASE
};
