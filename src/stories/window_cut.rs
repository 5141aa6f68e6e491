//! S17: the beginning of the list is gone.

use super::{About, Given, Is, Story, Variant, When, must};
use crate::formats;
use crate::transcript::{Code, Confidence, attr};

const DOUBT: &str = "A beginning that somebody took out looks the same.";

pub(super) const STORY: Story = Story {
    code: "S17",
    name: "window-cut",
    title: "the beginning of the conversation was cut off",
    formats: &[
        &formats::ANTHROPIC,
        &formats::CONVERSE,
        &formats::GEMINI_CONTENTS,
        &formats::LANGCHAIN,
        &formats::OPENAI_CHAT,
        &formats::OPENAI_RESPONSES,
    ],
    about: About::Finding,
    explains: &[Code::OrphanResult, Code::BadStart],
    variants: &[
        Variant {
            certainty: Confidence::Likely,
            given: &[Given::Rule(Code::OrphanResult)],
            steps: &[
                must(
                    "summary",
                    Is::Marked(attr::SUMMARY),
                    "a summary stands in the place of older messages.",
                )
                .fact(),
                must(
                    "first",
                    Is::Damaged,
                    "this result answers a call that is not there.",
                )
                .fact(),
            ],
            so: "So the summary was cut in the middle of a pair, and took the call with it{sure}.",
            doubt: DOUBT,
            ..Variant::BASE
        },
        Variant {
            certainty: Confidence::Likely,
            given: &[Given::Begins, Given::NoResult],
            steps: &[must(
                "first",
                Is::Damaged,
                "what is sent begins here, with an answer of the model.",
            )
            .fact()],
            so: "So what stood in front of it was cut off: by a window, a limit, or a summary that took its place{sure}.",
            doubt: DOUBT,
            ..Variant::BASE
        },
        Variant {
            certainty: Confidence::Likely,
            given: &[Given::Begins],
            steps: &[must(
                "first",
                Is::Damaged,
                "what is sent begins here, with a result whose call is gone.",
            )
            .fact()],
            so: "So what stood in front of it was cut off, in the middle of a pair: by a window, a limit, or a summary that \
                 took its place{sure}.",
            doubt: DOUBT,
            ..Variant::BASE
        },
    ],
    prevent: &[
        (
            When::By(formats::LANGCHAIN.host),
            "let the window begin with a message of the user (`trim_messages` has `start_on`; of pairs it knows nothing, \
             langchain-ai/langchain#33245).",
        ),
        (
            When::Always,
            "let a window begin with a message of the user: \"Safe to compact?\" lists the places.",
        ),
    ],
    ..Story::BASE
};
