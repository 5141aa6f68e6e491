//! S3: a compaction or a step back names a record that does not exist.

use super::{About, Is, Story, Variant, must};
use crate::hosts;
use crate::transcript::{Code, Confidence};

pub(super) const STORY: Story = Story {
    code: "S3",
    name: "compaction-lost",
    title: "a compaction names a record that does not exist",
    about: About::Finding,
    explains: &[Code::CompactionAnchor],
    variants: &[
        Variant {
            certainty: Confidence::Likely,
            steps: &[
                must("hole", Is::Unreadable, "this record cannot be read.").fact(),
                must("cut", Is::Damaged, "this names a record that does not exist.").fact(),
            ],
            so: "The record that {cut} names was in {hole}{sure}. {does}",
            doubt: "It may name another record, which was removed.",
            ..Variant::BASE
        },
        Variant {
            steps: &[must("cut", Is::Damaged, "this names a record that does not exist.").fact()],
            so: "{does} The record was removed from the file, or never written to it{sure}.",
            doubt: "The transcript does not show which of the two.",
            ..Variant::BASE
        },
    ],
    does: &[
        (
            Some(hosts::OPENCODE.host),
            "So opencode sends everything, also what the summary should replace.",
        ),
        (None, "So what it should keep is no longer sent."),
    ],
    ..Story::BASE
};
