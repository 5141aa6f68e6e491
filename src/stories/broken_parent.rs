//! S7: history is hidden behind a record whose parent is not there.

use super::{About, Given, Is, Step, Story, Variant, may, must};
use crate::formats;
use crate::transcript::Code;

const BEFORE: Step = may(
    "before",
    Is::RecordBefore,
    "the record in front of it in the recording.",
)
.fact();
const DOUBT: &str = "Why is not recorded: the parent may never have reached the disk, a second process may have written, or \
                     the file was edited.";

pub(super) const STORY: Story = Story {
    code: "S7",
    name: "hidden-history",
    title: "the chain of records is broken, and what stands above is not reached",
    formats: &[&formats::CLAUDE_CODE, &formats::OPENHANDS, &formats::PI],
    about: About::Finding,
    explains: &[Code::BrokenParent],
    variants: &[
        Variant {
            given: &[Given::SaysFirst],
            steps: &[
                BEFORE,
                must(
                    "child",
                    Is::Damaged,
                    "this record says that nothing stands before it.",
                )
                .fact(),
            ],
            so: "{does} Whoever wrote {child} did not know of what stands above{sure}.",
            doubt: DOUBT,
            ..Variant::BASE
        },
        Variant {
            steps: &[
                BEFORE,
                must(
                    "child",
                    Is::Damaged,
                    "this record names a parent that is nowhere in the recording.",
                )
                .fact(),
            ],
            so: "{does} The parent was lost, or never written here{sure}.",
            doubt: DOUBT,
            ..Variant::BASE
        },
    ],
    does: &[
        (
            Some(formats::CLAUDE_CODE.host),
            "So Claude Code shows and sends only what hangs below, as if the conversation began here; newer clients bridge \
             a missing parent only where the record in front is at most 5 s older.",
        ),
        (
            Some(&formats::OPENCLAW),
            "So what is above may be lost to the model; newer versions of OpenClaw join the record to the one in front.",
        ),
        (
            Some(formats::PI.host),
            "So pi leaves out what stands above, without a word.",
        ),
        (
            Some(formats::OPENHANDS.host),
            "So the SDK does not load the conversation, or shows nothing of what stands above.",
        ),
    ],
    ..Story::BASE
};
