//! S21: the process ended and left its status behind.

use super::{About, Is, Story, Variant, must};
use crate::hosts;
use crate::transcript::{Code, Confidence};

pub(super) const STORY: Story = Story {
    code: "S21",
    name: "left-running",
    title: "the process ended without updating its status",
    formats: &[&hosts::OPENHANDS],
    about: About::Finding,
    explains: &[Code::StuckStatus],
    variants: &[Variant {
        certainty: Confidence::Likely,
        steps: &[
            must(
                "last",
                Is::RecordBefore,
                "the last event; the saved state says that work is going on, but no process is \
                running.",
            )
            .fact(),
            must("state", Is::Damaged, ""),
        ],
        so: "So the process was killed, or its machine stopped, after {last}{sure}.",
        doubt: "It may also be a copy that was made while it was running.",
        ..Variant::BASE
    }],
    ..Story::BASE
};
