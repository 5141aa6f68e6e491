//! S26: another program, such as one that redacts, rewrote the file.

use super::{About, Given, Is, Step, Story, Variant, must};
use crate::transcript::{Code, Confidence};

const STEPS: &[Step] = &[must("record", Is::Damaged, "")];

pub(super) const STORY: Story = Story {
    code: "S26",
    name: "rewritten",
    title: "another program rewrote the file",
    about: About::Finding,
    explains: &[Code::TornTail, Code::UnreadableRecord, Code::BadHeader, Code::DuplicateRecordId],
    of_whole_file: true,
    variants: &[
        Variant {
            certainty: Confidence::Certain,
            given: &[Given::CutByMark],
            steps: STEPS,
            so: "Another program rewrote this file: {count} of its records end with marks such as \
                [REDACTED], and the rest of each is gone.",
            ..Variant::BASE
        },
        Variant {
            certainty: Confidence::Certain,
            given: &[Given::IdsReplaced],
            steps: STEPS,
            so: "Another program rewrote this file and replaced its IDs.",
            safety: "no agent can use such IDs; continue from the original, if there is one.",
            ..Variant::BASE
        },
    ],
    ..Story::BASE
};
