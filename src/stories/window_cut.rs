//! S17: the start of the conversation is missing.

use super::{About, Given, Is, PreventsWhen, Story, Variant, must};
use crate::hosts;
use crate::transcript::{Code, Confidence, facts};

const DOUBT: &str = "The start may also have been removed by hand.";

pub(super) const STORY: Story = Story {
    code: "S17",
    name: "window-cut",
    title: "the start of the conversation was cut off",
    formats: &[
        &hosts::ANTHROPIC,
        &hosts::CONVERSE,
        &hosts::GEMINI_CONTENTS,
        &hosts::LANGCHAIN,
        &hosts::OPENAI_CHAT,
        &hosts::OPENAI_RESPONSES,
    ],
    about: About::Finding,
    explains: &[Code::OrphanResult, Code::BadStart],
    variants: &[
        Variant {
            certainty: Confidence::Likely,
            given: &[Given::Rule(Code::OrphanResult)],
            steps: &[
                must("summary", Is::Marked(facts::SUMMARY), "a summary replaces older messages.")
                    .fact(),
                must("first", Is::Damaged, "this result has no call.").fact(),
            ],
            so: "So the summary separated a call from its result and took the call with it{sure}.",
            doubt: DOUBT,
            ..Variant::BASE
        },
        Variant {
            certainty: Confidence::Likely,
            given: &[Given::Begins, Given::NoResult],
            steps: &[must(
                "first",
                Is::Damaged,
                "the request starts here, with a response of the model.",
            )
            .fact()],
            so: "So what came before it was cut off: by a window, a limit, or a summary that \
                replaced it{sure}.",
            doubt: DOUBT,
            ..Variant::BASE
        },
        Variant {
            certainty: Confidence::Likely,
            given: &[Given::Begins],
            steps: &[must(
                "first",
                Is::Damaged,
                "the request starts here, with a result whose call is gone.",
            )
            .fact()],
            so: "So what came before it was cut off, between a call and its result: by a window, \
                a limit, or a summary that replaced it{sure}.",
            doubt: DOUBT,
            ..Variant::BASE
        },
    ],
    prevent: &[
        (
            PreventsWhen::By(hosts::LANGCHAIN.host),
            "start the window with a user message (`trim_messages` has `start_on`, but ignores \
            pairs: langchain-ai/langchain#33245).",
        ),
        (
            PreventsWhen::Always,
            "start the window with a user message: `explain -v` lists safe cut points.",
        ),
    ],
    ..Story::BASE
};
