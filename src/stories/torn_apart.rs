//! S20: a converter wrote each part of one response as a separate message.

use super::{About, Is, Story, Variant, must};
use crate::hosts;
use crate::transcript::{Code, Confidence, LabelRole};

pub(super) const STORY: Story = Story {
    code: "S20",
    name: "torn-apart",
    title: "the parts of one response were written as separate messages",
    formats: &[&hosts::LANGCHAIN, &hosts::OPENAI_CHAT],
    about: About::Finding,
    explains: &[Code::SplitBatch],
    variants: &[Variant {
        certainty: Confidence::Likely,
        steps: &[
            must("first", Is::Part(LabelRole::Call), "the model called `{tool}`.").fact(),
            must(
                "next",
                Is::Part(LabelRole::Call),
                "the next call is in a separate message, before the results.",
            )
            .fact(),
            must("result", Is::Part(LabelRole::Result), "the results follow only then.").fact(),
        ],
        so: "So a program that converted or stored the conversation split a response with several \
            calls{sure}.",
        doubt: "It may also be a program that calls the model again before its tools are done.",
        safety: "each result moves to after its call; nothing is removed.",
        ..Variant::BASE
    }],
    ..Story::BASE
};
