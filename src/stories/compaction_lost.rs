//! S3: a compaction, or a step back, names a record that is not there.

use super::{About, Is, Story, Variant, must};
use crate::formats;
use crate::transcript::{Code, Confidence};

pub(super) const STORY: Story = Story {
    code: "S3",
    name: "compaction-lost",
    title: "a compaction names a record that is not in the recording",
    about: About::Finding,
    explains: &[Code::CompactionAnchor],
    variants: &[
        Variant {
            certainty: Confidence::Likely,
            steps: &[
                must("hole", Is::Unreadable, "nobody can read this record.").fact(),
                must(
                    "cut",
                    Is::Damaged,
                    "{does} names a record that is not there.",
                )
                .fact(),
            ],
            so: "So what {cut} names was in {hole}{sure}, and what it should keep is no longer sent.",
            doubt: "It may name another record, which was taken out.",
            ..Variant::BASE
        },
        Variant {
            steps: &[must(
                "cut",
                Is::Damaged,
                "{does} names a record that is not there.",
            )
            .fact()],
            so: "So what it should keep is no longer sent. The record was taken out of the file, or never reached it{sure}.",
            doubt: "The log does not show which of the two.",
            ..Variant::BASE
        },
    ],
    does: &[
        (Some(formats::GEMINI_CLI.host), "the step back"),
        (None, "the compaction"),
    ],
    ..Story::BASE
};
