//! S20: a converter wrote each part of one answer as a message of its own.

use super::{About, Is, Story, Variant, must};
use crate::formats;
use crate::transcript::{Code, Confidence, LabelRole};

pub(super) const STORY: Story = Story {
    code: "S20",
    name: "torn-apart",
    title: "the parts of one answer were written as messages of their own",
    formats: &[&formats::LANGCHAIN, &formats::OPENAI_CHAT],
    about: About::Finding,
    explains: &[Code::SplitBatch],
    variants: &[Variant {
        certainty: Confidence::Likely,
        steps: &[
            must(
                "first",
                Is::Part(LabelRole::Call),
                "the model asked for `{tool}`.",
            )
            .fact(),
            must(
                "next",
                Is::Part(LabelRole::Call),
                "the next call stands in a message of its own, before the results.",
            )
            .fact(),
            must(
                "result",
                Is::Part(LabelRole::Result),
                "only then the results follow.",
            )
            .fact(),
        ],
        so: "So a program that converted or stored the conversation took an answer with several calls apart{sure}.",
        doubt: "A program that asks the model again before its tools are done leaves the same.",
        safety: "each result moves behind its call; nothing is taken out.",
        ..Variant::BASE
    }],
    ..Story::BASE
};
