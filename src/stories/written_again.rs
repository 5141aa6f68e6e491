//! S14: records that were written twice.

use super::{About, Is, Step, Story, Variant, must};
use crate::transcript::{Code, Confidence, LabelRole};

const COPY: Step = must("again", Is::Part(LabelRole::Copy), "the same was recorded again.").fact();
const SO: &str = "So part of the conversation was written again{sure}.";

pub(super) const STORY: Story = Story {
    code: "S14",
    name: "written-again",
    title: "part of the conversation was written twice",
    about: About::Finding,
    explains: &[Code::RepeatedRecord, Code::RepeatedCall],
    is_one_cause: true,
    variants: &[
        Variant {
            certainty: Confidence::Likely,
            steps: &[
                must("first", Is::Damaged, "this was recorded.").fact(),
                must("between", Is::Spoke, "the conversation continued.").fact(),
                COPY,
            ],
            so: "So a resumed session wrote part of its history again{sure}.",
            doubt: "It may also be a second process with the same history in memory.",
            ..Variant::BASE
        },
        Variant {
            steps: &[must("first", Is::Damaged, "this was recorded.").fact(), COPY],
            so: SO,
            doubt: "A repeated write, a second process, and a program that joins records all \
                leave this.",
            ..Variant::BASE
        },
    ],
    ..Story::BASE
};
