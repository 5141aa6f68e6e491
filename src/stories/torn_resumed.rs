//! S4: a write stopped in the middle, and a later process continued after the fragment.

use super::{About, Given, Is, PreventsWhen, Step, Story, Variant, may, must};
use crate::hosts;
use crate::transcript::{Code, Confidence};

const BEFORE: Step = may("before", Is::RecordBefore, "the last whole record before it.").fact();
const DOUBT: &str = "It may also be two processes that wrote at the same time, or a full disk.";

pub(super) const STORY: Story = Story {
    code: "S4",
    name: "torn-then-resumed",
    title: "the program ended while it wrote a record, and a later one continued after the \
        fragment",
    about: About::Finding,
    explains: &[Code::UnreadableRecord, Code::GluedRecords],
    variants: &[
        Variant {
            certainty: Confidence::Likely,
            given: &[Given::TornHere, Given::Unreadable],
            steps: &[
                BEFORE,
                must("torn", Is::Damaged, "this record was not written completely.").fact(),
                must("next", Is::Record, "the log continues.").fact(),
            ],
            so: "So the program was killed while it wrote {torn}, and another run continued with \
                {next}{sure}.",
            doubt: DOUBT,
            ..Variant::BASE
        },
        Variant {
            certainty: Confidence::Likely,
            given: &[Given::TornHere],
            steps: &[
                BEFORE,
                must("next", Is::Damaged, "a record was appended to a fragment{wait}.").fact(),
            ],
            so: "So the program was killed while it wrote the record before, and another run \
                continued on the same line{sure}. Readers lose such a line, with both records.",
            doubt: DOUBT,
            ..Variant::BASE
        },
    ],
    prevent: &[(
        PreventsWhen::By(hosts::PI.host),
        "use pi 0.84.4 or newer, which starts a new line after a fragment \
        (earendil-works/pi-mono#8345).",
    )],
    ..Story::BASE
};
