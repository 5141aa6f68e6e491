//! S16: the host calls the model again after the model's own last message.

use super::{About, Given, Is, PreventsWhen, Step, Story, Variant, must};
use crate::hosts;
use crate::transcript::{Code, Confidence};

const LAST: Step =
    must("last", Is::Damaged, "the model gave its answer, and nothing follows it.").fact();

pub(super) const STORY: Story = Story {
    code: "S16",
    name: "asked-again",
    title: "the model is asked again after its own answer, as `response_format` does",
    formats: &[&hosts::CONVERSE, &hosts::LANGCHAIN],
    about: About::Finding,
    explains: &[Code::EndsWithAssistant],
    variants: &[
        Variant {
            certainty: Confidence::Likely,
            given: &[Given::ModelIsNext],
            steps: &[LAST],
            so: "So the next step of the graph calls the model without a new user message, as \
                `create_react_agent(response_format=…)` does{sure}. Every run of such an agent \
                fails there, and the thread stays usable.",
            doubt: "It may also be another step of the graph that calls the model.",
            ..Variant::BASE
        },
        Variant {
            steps: &[LAST],
            so: "So the request ends with the model's own message. A `response_format` that asks \
                again, a response that was stored half-written before a restart, an appended \
                summary, and a prefill option all do that{sure}.",
            doubt: "The transcript does not show which of them it was.",
            ..Variant::BASE
        },
    ],
    prevent: &[(
        PreventsWhen::By(hosts::LANGCHAIN.host),
        "instead of `response_format`, use `create_agent` with a tool strategy, or put the format \
        into the instructions: neither asks the model again.",
    )],
    ..Story::BASE
};
