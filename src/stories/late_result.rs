//! P9: a result that came turns later.

use super::{CALL, Given, Is, PreventsWhen, Runs, Step, Story, Time, Variant, may, must};
use crate::hosts;
use crate::transcript::{Code, Confidence};

const STEPS: &[Step] = &[
    CALL,
    may("user", Is::UserSpoke, "the user wrote while it ran.").fact().when(Time::Between),
    must("turn", Is::OtherTurn, "the model continued with another turn.").fact(),
    must("result", Is::Answer, "the result of the call was recorded, {gap}."),
];

const fn variant(certainty: Confidence, given: &'static [Given], doubt: &'static str) -> Variant {
    Variant {
        certainty,
        given,
        steps: STEPS,
        so: "So other turns are between the call {call} and its result {result}.",
        doubt,
        safety: "the result is kept, after its call.",
        runs: Runs::Once,
    }
}

/// S23: only some results of a batch came late.
pub(super) const HALF: Story = Story {
    code: "S23",
    name: "half-late",
    title: "some results of one response came after the conversation had continued",
    formats: &[
        &hosts::ANTHROPIC,
        &hosts::CONVERSE,
        &hosts::CLAUDE_CODE,
        &hosts::GEMINI_CONTENTS,
        &hosts::PI,
    ],
    explains: &[Code::ResultNotNext, Code::SplitBatch],
    variants: &[Variant {
        certainty: Confidence::Certain,
        given: &[],
        steps: &[
            CALL,
            must("sister", Is::SisterAnswer, "another call of the same response got its result.")
                .fact(),
            must("turn", Is::OtherTurn, "the model continued, although `{tool}` had none.").fact(),
            must("result", Is::Answer, "the result of `{tool}` was recorded{wait}.").fact(),
        ],
        so: "So {turn} separates the results of one response.",
        doubt: "",
        safety: "the result is kept, next to the others.",
        runs: Runs::Once,
    }],
    ..Story::BASE
};

pub(super) const STORY: Story = Story {
    code: "P9",
    name: "late-result",
    title: "the result came after the conversation had continued",
    explains: &[Code::ResultNotNext],
    variants: &[
        variant(Confidence::Certain, &[Given::AnswerIsLater], ""),
        variant(
            Confidence::Likely,
            &[],
            "This follows from the order of the log; the recorded times disagree.",
        ),
    ],
    prevent: &[
        (
            PreventsWhen::By(hosts::OPENHANDS.host),
            "wait for the result before you continue (OpenHands/software-agent-sdk#2127).",
        ),
        (PreventsWhen::Always, "wait for the result before you continue."),
    ],
    ..Story::BASE
};
