//! P9: a result that came turns later.

use super::{CALL, Given, Is, Runs, Step, Story, Time, Variant, When, may, must};
use crate::formats;
use crate::transcript::{Code, Confidence};

const STEPS: &[Step] = &[
    CALL,
    may("user", Is::UserSpoke, "the user spoke while it ran.")
        .fact()
        .when(Time::Between),
    must(
        "turn",
        Is::OtherTurn,
        "the model went on with another turn.",
    )
    .fact(),
    must(
        "result",
        Is::Answer,
        "the result of the call was recorded, {gap}.",
    ),
];

const fn variant(certainty: Confidence, given: &'static [Given], doubt: &'static str) -> Variant {
    Variant {
        certainty,
        given,
        steps: STEPS,
        so: "So other turns stand between the call {call} and its result {result}.",
        doubt,
        safety: "the result is kept, behind its call.",
        runs: Runs::Once,
    }
}

/// The story of a part of a batch.
pub(super) const HALF: Story = Story {
    code: "S23",
    name: "half-late",
    title: "a part of the results of one answer came when the conversation had gone on",
    formats: &[
        &formats::ANTHROPIC,
        &formats::CONVERSE,
        &formats::CLAUDE_CODE,
        &formats::GEMINI_CONTENTS,
        &formats::PI,
    ],
    explains: &[Code::ResultNotNext, Code::SplitBatch],
    variants: &[Variant {
        certainty: Confidence::Certain,
        given: &[],
        steps: &[
            CALL,
            must(
                "sister",
                Is::SisterAnswer,
                "another call of the same answer had its result.",
            )
            .fact(),
            must(
                "turn",
                Is::OtherTurn,
                "the model went on, although `{tool}` had none.",
            )
            .fact(),
            must(
                "result",
                Is::Answer,
                "the result of `{tool}` was recorded{wait}.",
            )
            .fact(),
        ],
        so: "So the results of one answer are torn apart by {turn}.",
        doubt: "",
        safety: "the result is kept, beside the others.",
        runs: Runs::Once,
    }],
    ..Story::BASE
};

pub(super) const STORY: Story = Story {
    code: "P9",
    name: "late-result",
    title: "the result came when the conversation had gone on",
    explains: &[Code::ResultNotNext],
    variants: &[
        variant(Confidence::Certain, &[Given::AnswerIsLater], ""),
        variant(
            Confidence::Likely,
            &[],
            "The order of the log says so; the recorded times do not.",
        ),
    ],
    prevent: &[
        (
            When::By(formats::OPENHANDS.host),
            "wait for the result before the conversation goes on (OpenHands/software-agent-sdk#2127).",
        ),
        (
            When::Always,
            "wait for the result before the conversation goes on.",
        ),
    ],
    ..Story::BASE
};
