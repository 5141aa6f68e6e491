//! S10: the host wrote a placeholder, and then the real result came. S11 is the other way round.

use super::{Branch, CALL, Given, Is, Names, Runs, Step, Story, Variant, must};
use crate::formats::{self, Format};
use crate::transcript::{Code, Confidence};

/// OpenHands has stories of its own, by what stands between.
const FORMATS: &[&Format] = &[
    &formats::ANTHROPIC,
    &formats::CONVERSE,
    &formats::CLAUDE_CODE,
    &formats::CODEX,
    &formats::GEMINI_CLI,
    &formats::GEMINI_CONTENTS,
    &formats::LANGCHAIN,
    &formats::OPENAI_CHAT,
    &formats::OPENAI_RESPONSES,
    &formats::OPENHANDS_V0,
    &formats::PI,
];

const RESULT: Is = Is::Output(Names::Any, Branch::Any);

const LATE: &[Step] = &[
    CALL,
    must(
        "stub",
        Is::Placeholder(Branch::Any),
        "no result was there, and a placeholder was written for it.",
    )
    .fact(),
    must(
        "result",
        RESULT,
        "the tool's real output was recorded{wait}.",
    )
    .fact(),
];

/// The story of a result that came late.
pub(super) const LATE_RESULT: Story = Story {
    code: "S10",
    name: "placeholder-then-result",
    title: "a placeholder was written for a call whose tool went on, and its output came later",
    formats: FORMATS,
    explains: &[Code::TwoResults, Code::ResultNotNext, Code::StrandedRecord],
    variants: &[
        Variant {
            certainty: Confidence::Certain,
            given: &[Given::AnswerIsLater],
            steps: LATE,
            safety: "`{tool}` did run, its output is kept.",
            ..Variant::BASE
        },
        Variant {
            certainty: Confidence::Likely,
            steps: LATE,
            doubt: "No times are recorded, so the order may be that of a program which put the records together.",
            safety: "`{tool}` did run, its output is kept.",
            ..Variant::BASE
        },
    ],
    ..Story::BASE
};

/// The story of a placeholder that came late.
pub(super) const LATE_PLACEHOLDER: Story = Story {
    code: "S11",
    name: "result-then-placeholder",
    title: "a placeholder was written for a call that had its result already",
    formats: FORMATS,
    explains: &[Code::TwoResults, Code::StrandedRecord],
    variants: &[Variant {
        certainty: Confidence::Likely,
        steps: &[
            CALL,
            must("result", RESULT, "its result was recorded.").fact(),
            must(
                "stub",
                Is::Placeholder(Branch::Any),
                "a placeholder was written for it all the same{wait}.",
            )
            .fact(),
        ],
        doubt: "Why the result was not seen is not recorded: a process with an older copy of the history would not see it.",
        safety: "`{tool}` did run, its output is kept.",
        runs: Runs::Once,
        ..Variant::BASE
    }],
    ..Story::BASE
};
