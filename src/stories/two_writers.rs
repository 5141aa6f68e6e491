//! P12: two processes wrote one recording.

use super::{About, Given, Is, Step, Story, Variant, When, may, must};
use crate::formats;
use crate::transcript::{Code, Confidence, LabelRole};

const FIRST: &str = "an event was written under this number.";
const SECOND: &str = "another one was written under the same number{wait}.";

const fn shared(steps: &'static [Step]) -> Variant {
    Variant {
        certainty: Confidence::Likely,
        given: &[Given::SharedNumber],
        steps,
        so: "So two processes counted on from the same event, each without knowing of the other{sure}.",
        doubt: "A folder that was put together from two copies looks the same.",
        ..Variant::BASE
    }
}

pub(super) const STORY: Story = Story {
    code: "P12",
    name: "two-writers",
    title: "two processes wrote this recording at the same time",
    about: About::Finding,
    explains: &[
        Code::RecordOrder,
        Code::DuplicateRecordId,
        Code::GluedRecords,
        Code::SplitRecord,
        Code::BrokenParent,
        Code::ParentCycle,
    ],
    variants: &[
        shared(&[
            must("first", Is::Damaged, FIRST).fact(),
            must("second", Is::Part(LabelRole::Copy), SECOND).fact(),
        ]),
        shared(&[
            must("first", Is::Part(LabelRole::Copy), FIRST).fact(),
            must("second", Is::Damaged, SECOND).fact(),
        ]),
        Variant {
            given: &[Given::TimesRunBack],
            steps: &[
                may("before", Is::RecordBefore, "the record in front of it.").fact(),
                must(
                    "first",
                    Is::Damaged,
                    "around this record the recorded times run backwards.",
                )
                .fact(),
            ],
            so: "So records of two processes stand here in turns{sure}.",
            doubt: "Records that were copied or moved by hand keep their times, too.",
            ..Variant::BASE
        },
    ],
    prevent: &[
        (
            When::By(formats::OPENHANDS.host),
            "let one process at a time open a persistence folder (OpenHands/software-agent-sdk#1545, #2966).",
        ),
        (
            When::Always,
            "let one process at a time open a conversation.",
        ),
    ],
    ..Story::BASE
};
