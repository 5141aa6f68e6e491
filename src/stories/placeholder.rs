//! S10: the host wrote a placeholder, and then the real result came. S11: the other way round.

use super::{Branch, CALL, Given, Is, Names, Runs, Step, Story, Variant, must};
use crate::format::Format;
use crate::hosts;
use crate::transcript::{Code, Confidence};

/// OpenHands has separate stories, which depend on the records in between.
const FORMATS: &[&Format] = &[
    &hosts::ANTHROPIC,
    &hosts::CONVERSE,
    &hosts::CLAUDE_CODE,
    &hosts::CODEX,
    &hosts::GEMINI_CLI,
    &hosts::GEMINI_CONTENTS,
    &hosts::LANGCHAIN,
    &hosts::OPENAI_CHAT,
    &hosts::OPENAI_RESPONSES,
    &hosts::OPENHANDS_V0,
    &hosts::PI,
];

const RESULT: Is = Is::Output(Names::Any, Branch::Any);

const LATE: &[Step] = &[
    CALL,
    must(
        "stub",
        Is::Placeholder(Branch::Any),
        "there was no result, so a placeholder was written.",
    )
    .fact(),
    must("result", RESULT, "the tool's real output was recorded{wait}.").fact(),
];

/// S10.
pub(super) const LATE_RESULT: Story = Story {
    code: "S10",
    name: "placeholder-then-result",
    title: "a placeholder was written for a call whose tool was still running, and its output \
        came later",
    formats: FORMATS,
    explains: &[Code::TwoResults, Code::ResultNotNext, Code::StrandedRecord],
    variants: &[
        Variant {
            certainty: Confidence::Certain,
            given: &[Given::AnswerIsLater],
            steps: LATE,
            safety: "`{tool}` ran, and its output is kept.",
            ..Variant::BASE
        },
        Variant {
            certainty: Confidence::Likely,
            steps: LATE,
            doubt: "No times are recorded, so the order may come from a program that joined the \
                records.",
            safety: "`{tool}` ran, and its output is kept.",
            ..Variant::BASE
        },
    ],
    ..Story::BASE
};

/// S11.
pub(super) const LATE_PLACEHOLDER: Story = Story {
    code: "S11",
    name: "result-then-placeholder",
    title: "a placeholder was written for a call that already had its result",
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
                "a placeholder was written for it anyway{wait}.",
            )
            .fact(),
        ],
        doubt: "The transcript does not show why the result was overlooked: a process with an \
            older copy of the history would not see it.",
        safety: "`{tool}` ran, and its output is kept.",
        runs: Runs::Once,
        ..Variant::BASE
    }],
    ..Story::BASE
};
