//! S6: NUL bytes where records should be.

use super::{About, Is, Story, Variant, may, must};
use crate::transcript::{Code, Confidence};

pub(super) const STORY: Story = Story {
    code: "S6",
    name: "power-loss",
    title: "the machine lost power, or the file system its last bytes",
    about: About::Finding,
    explains: &[Code::NulPadding],
    variants: &[Variant {
        certainty: Confidence::Likely,
        steps: &[
            may(
                "before",
                Is::RecordBefore,
                "the last record in front of it.",
            )
            .fact(),
            must(
                "nul",
                Is::Damaged,
                "NUL bytes stand here, where only records are written.",
            )
            .fact(),
        ],
        so: "So the file system kept the length of what was written and not its bytes, as it does when a machine loses \
             power{sure}.",
        doubt: "A failing disk, or a program that copies or syncs files, leaves such bytes as well.",
        ..Variant::BASE
    }],
    ..Story::BASE
};
