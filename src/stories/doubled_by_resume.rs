//! S13: Gemini CLI duplicates the results of a session when it resumes it.

use super::{About, Given, Is, Step, Story, Variant, must};
use crate::hosts;
use crate::transcript::{Code, Confidence, LabelRole};

const CALL: Step = must("call", Is::Part(LabelRole::Call), "the model called `{tool}`.").fact();
const SO: &str = "So {host} was resumed here: a resume writes the whole chat again, with each \
    tool result in its call and again as a user message. The next resume sends both.";

pub(super) const STORY: Story = Story {
    code: "S13",
    name: "doubled-by-resume",
    title: "a resume of the chat recorded tool results twice",
    formats: &[&hosts::GEMINI_CLI],
    about: About::Finding,
    explains: &[Code::TwoResults],
    variants: &[
        Variant {
            certainty: Confidence::Certain,
            given: &[Given::Inside],
            steps: &[
                CALL.says("the whole chat was written again, with `{tool}` and its results in it.")
            ],
            so: SO,
            safety: "each result is kept once.",
            ..Variant::BASE
        },
        Variant {
            certainty: Confidence::Likely,
            steps: &[CALL],
            so: "So its result is recorded twice: in the call and as a user message, which is \
                what a resume of {host} writes{sure}.",
            doubt: "It may also be a program that joins chats.",
            safety: "each result is kept once.",
            ..Variant::BASE
        },
    ],
    ..Story::BASE
};
