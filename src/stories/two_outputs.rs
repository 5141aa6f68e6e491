//! S12: two outputs of one call, if no status shows which of P1 to P4 it was.

use super::{Branch, CALL, Given, Is, Names, Runs, Step, Story, Variant, must};
use crate::hosts;
use crate::transcript::{Code, Confidence};

const OUTPUT: Is = Is::Output(Names::Any, Branch::Any);
const FIRST: Step = must("result", OUTPUT, "its output was recorded.").fact();

pub(super) const STORY: Story = Story {
    code: "S12",
    name: "two-outputs",
    title: "one call has two outputs",
    formats: &[
        &hosts::ANTHROPIC,
        &hosts::CONVERSE,
        &hosts::CLAUDE_CODE,
        &hosts::CODEX,
        &hosts::GEMINI_CONTENTS,
        &hosts::LANGCHAIN,
        &hosts::OPENAI_CHAT,
        &hosts::OPENAI_RESPONSES,
        &hosts::OPENHANDS_V0,
        &hosts::PI,
    ],
    explains: &[Code::TwoResults, Code::ConflictingResults],
    variants: &[
        Variant {
            certainty: Confidence::Likely,
            given: &[Given::SameOutput, Given::ResultsInOne],
            steps: &[CALL, must("result", OUTPUT, "its output is in one message twice.").fact()],
            so: "So a program added the same result to the message twice{sure}.",
            doubt: "It may also be a second run of the tool with the same output.",
            safety: "one of the two equal outputs is kept.",
            runs: Runs::PerhapsTwice,
        },
        Variant {
            certainty: Confidence::Likely,
            given: &[Given::SameOutput],
            steps: &[
                CALL,
                FIRST,
                must("second", OUTPUT, "the same output was recorded again{wait}.").fact(),
            ],
            so: "So one result was written twice{sure}, but a call may have only one result.",
            doubt: "It may also be a second run of the tool with the same output.",
            safety: "one of the two equal outputs is kept.",
            runs: Runs::PerhapsTwice,
        },
        Variant {
            steps: &[
                CALL,
                FIRST,
                must("second", OUTPUT, "another output of the same call was recorded{wait}.")
                    .fact(),
            ],
            so: "So `{tool}` ran a second time, in a resumed session or a second process{sure}, \
                but a call may have only one result.",
            doubt: "It may also be the output of another call, recorded under this ID.",
            safety: "`{tool}` may have run twice.",
            runs: Runs::PerhapsTwice,
            ..Variant::BASE
        },
    ],
    ..Story::BASE
};
