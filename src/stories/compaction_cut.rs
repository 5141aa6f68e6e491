//! S2: a compaction whose boundary lies between a call and its result.

use super::{About, Is, Step, Story, Variant, When, must};
use crate::formats;
use crate::transcript::{Code, Confidence, LabelRole};

const fn variant(steps: &'static [Step]) -> Variant {
    Variant {
        certainty: Confidence::Certain,
        steps,
        so: "So what belongs together is no longer sent together: one half of a pair is left out, or the summary stands \
             between the two.",
        safety: "nothing is taken out: the boundary moves to where it tears no pair.",
        ..Variant::BASE
    }
}

const CALL: Step = must(
    "call",
    Is::Part(LabelRole::Call),
    "the agent asked for `{tool}`.",
)
.fact();
const RESULT: Step = must(
    "result",
    Is::Part(LabelRole::Result),
    "the result of the call was recorded.",
)
.fact();

pub(super) const STORY: Story = Story {
    code: "S2",
    name: "compaction-cut",
    title: "a compaction cut between a call and its result",
    about: About::Finding,
    explains: &[Code::CompactionSplitPair],
    variants: &[
        variant(&[
            CALL,
            must(
                "cut",
                Is::Part(LabelRole::Compaction),
                "a compaction was made before the result was there.",
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
            "the compaction ends here, inside of what belongs together.",
        )
        .fact()]),
    ],
    prevent: &[
        (
            When::By(formats::LANGCHAIN.host),
            "let a summary begin where no pair is torn: \"Safe to compact?\" lists the places; `trim_messages` knows no \
             pairs (langchain-ai/langchain#33245).",
        ),
        (
            When::Always,
            "let a compaction cut where no call waits for its result: \"Safe to compact?\" lists the places.",
        ),
    ],
    ..Story::BASE
};
