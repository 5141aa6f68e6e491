//! S12: two outputs of one call, where no status tells which of P1 to P4 it was.

use super::{Branch, CALL, Given, Is, Names, Runs, Step, Story, Variant, must};
use crate::formats;
use crate::transcript::{Code, Confidence};

const OUTPUT: Is = Is::Output(Names::Any, Branch::Any);
const FIRST: Step = must("result", OUTPUT, "its output was recorded.").fact();

pub(super) const STORY: Story = Story {
    code: "S12",
    name: "two-outputs",
    title: "one call has two outputs",
    formats: &[
        &formats::ANTHROPIC,
        &formats::CONVERSE,
        &formats::CLAUDE_CODE,
        &formats::CODEX,
        &formats::GEMINI_CONTENTS,
        &formats::LANGCHAIN,
        &formats::OPENAI_CHAT,
        &formats::OPENAI_RESPONSES,
        &formats::OPENHANDS_V0,
        &formats::PI,
    ],
    explains: &[Code::TwoResults, Code::ConflictingResults],
    variants: &[
        Variant {
            certainty: Confidence::Likely,
            given: &[Given::SameOutput, Given::ResultsInOne],
            steps: &[
                CALL,
                must("result", OUTPUT, "its output stands twice in one message.").fact(),
            ],
            so: "So a program put the same result into the message twice{sure}.",
            doubt: "A tool that was run twice and gave the same output would look the same.",
            safety: "one of the two equal outputs is kept.",
            runs: Runs::PerhapsTwice,
        },
        Variant {
            certainty: Confidence::Likely,
            given: &[Given::SameOutput],
            steps: &[
                CALL,
                FIRST,
                must(
                    "second",
                    OUTPUT,
                    "the same output was recorded once more{wait}.",
                )
                .fact(),
            ],
            so: "So one result was written twice{sure}, and a call may be answered once.",
            doubt: "A tool that was run again and gave the same output would look the same.",
            safety: "one of the two equal outputs is kept.",
            runs: Runs::PerhapsTwice,
        },
        Variant {
            steps: &[
                CALL,
                FIRST,
                must(
                    "second",
                    OUTPUT,
                    "another output of the same call was recorded{wait}.",
                )
                .fact(),
            ],
            so: "So `{tool}` was run a second time, by a resumed session or a second process{sure}, and a call may be answered \
                 once.",
            doubt: "An output of another call that got the wrong id would look the same.",
            safety: "`{tool}` may have run twice.",
            runs: Runs::PerhapsTwice,
            ..Variant::BASE
        },
    ],
    ..Story::BASE
};
