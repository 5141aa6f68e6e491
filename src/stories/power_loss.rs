//! S6: NUL bytes where records should be.

use super::{About, Is, Story, Variant, may, must};
use crate::transcript::{Code, Confidence};

pub(super) const STORY: Story = Story {
    code: "S6",
    name: "power-loss",
    title: "the machine lost power, or the file system lost the last bytes",
    about: About::Finding,
    explains: &[Code::NulPadding],
    variants: &[Variant {
        certainty: Confidence::Likely,
        steps: &[
            may("before", Is::RecordBefore, "the last record before it.").fact(),
            must("nul", Is::Damaged, "NUL bytes are here instead of a record.").fact(),
        ],
        so: "So the file system kept the length of the write but not its bytes, as happens when a \
            machine loses power{sure}.",
        doubt: "A failing disk, or a program that copies or syncs files, can also leave such \
            bytes.",
        ..Variant::BASE
    }],
    ..Story::BASE
};
