//! S4: a write stopped in the middle, and a later process went on behind the fragment.

use super::{About, Given, Is, Step, Story, Variant, When, may, must};
use crate::formats;
use crate::transcript::{Code, Confidence};

const BEFORE: Step = may(
    "before",
    Is::RecordBefore,
    "the last whole record before it.",
)
.fact();
const DOUBT: &str = "Two processes that write at once, or a full disk, leave the same.";

pub(super) const STORY: Story = Story {
    code: "S4",
    name: "torn-then-resumed",
    title: "the program ended while it wrote a record, and a later one went on behind the fragment",
    about: About::Finding,
    explains: &[Code::UnreadableRecord, Code::GluedRecords],
    variants: &[
        Variant {
            certainty: Confidence::Likely,
            given: &[Given::TornHere, Given::Unreadable],
            steps: &[
                BEFORE,
                must(
                    "torn",
                    Is::Damaged,
                    "the writing of this record stopped in the middle.",
                )
                .fact(),
                must("next", Is::Record, "the log goes on.").fact(),
            ],
            so: "So the program was killed while it wrote {torn}, and another run went on with {next}{sure}.",
            doubt: DOUBT,
            ..Variant::BASE
        },
        Variant {
            certainty: Confidence::Likely,
            given: &[Given::TornHere],
            steps: &[
                BEFORE,
                must(
                    "next",
                    Is::Damaged,
                    "a record was appended to the fragment of another one{wait}.",
                )
                .fact(),
            ],
            so: "So the program was killed while it wrote the record in front, and another run wrote on without a line \
                 end{sure}: such a line is lost to readers, with both records.",
            doubt: DOUBT,
            ..Variant::BASE
        },
    ],
    prevent: &[(
        When::By(formats::PI.host),
        "use pi 0.84.4 or newer, which begins a new line behind a fragment (earendil-works/pi-mono#8345).",
    )],
    ..Story::BASE
};
