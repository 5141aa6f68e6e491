//! S13: Gemini CLI doubles the results of a session when it resumes it.

use super::{About, Given, Is, Step, Story, Variant, must};
use crate::formats;
use crate::transcript::{Code, Confidence, LabelRole};

const CALL: Step = must(
    "call",
    Is::Part(LabelRole::Call),
    "the model asked for `{tool}`.",
)
.fact();
const SO: &str = "So {host} was resumed here: a resume writes the whole chat again, with each response in its call and once more \
                  as a message of the user's. The next resume sends both.";

pub(super) const STORY: Story = Story {
    code: "S13",
    name: "doubled-by-resume",
    title: "a resume of the chat recorded the responses of its tools twice",
    formats: &[&formats::GEMINI_CLI],
    about: About::Finding,
    explains: &[Code::TwoResults],
    variants: &[
        Variant {
            certainty: Confidence::Certain,
            given: &[Given::Inside],
            steps: &[CALL
                .says("the chat was written again as a whole, `{tool}` with its responses in it.")],
            so: SO,
            safety: "each response is kept once.",
            ..Variant::BASE
        },
        Variant {
            certainty: Confidence::Likely,
            steps: &[CALL],
            so: "So its response is recorded twice: in the call, and as a message of the user's, which is what a resume of \
                 {host} writes{sure}.",
            doubt: "A program that puts chats together would leave the same.",
            safety: "each response is kept once.",
            ..Variant::BASE
        },
    ],
    ..Story::BASE
};
