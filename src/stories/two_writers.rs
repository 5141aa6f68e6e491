//! P12: two processes wrote one transcript.

use super::{About, Given, Is, PreventsWhen, Step, Story, Variant, may, must};
use crate::hosts;
use crate::transcript::{Code, Confidence, LabelRole};

const FIRST: &str = "an event was written under this number.";
const SECOND: &str = "another one was written under the same number{wait}.";

const fn shared(steps: &'static [Step]) -> Variant {
    Variant {
        certainty: Confidence::Likely,
        given: &[Given::SharedNumber],
        steps,
        so: "So two processes continued from the same event without knowing of each other{sure}.",
        doubt: "The folder may also have been joined from two copies.",
        ..Variant::BASE
    }
}

pub(super) const STORY: Story = Story {
    code: "P12",
    name: "two-writers",
    title: "two processes wrote this transcript at the same time",
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
                may("before", Is::RecordBefore, "the record before it.").fact(),
                must("first", Is::Damaged, "the recorded times run backwards around this record.")
                    .fact(),
            ],
            so: "So records of two processes alternate here{sure}.",
            doubt: "The records may also have been copied or moved by hand.",
            ..Variant::BASE
        },
    ],
    prevent: &[
        (
            PreventsWhen::By(hosts::OPENHANDS.host),
            "open a persistence folder with only one process at a time \
            (OpenHands/software-agent-sdk#1545, #2966).",
        ),
        (PreventsWhen::Always, "open a conversation with only one process at a time."),
    ],
    ..Story::BASE
};
