//! S5: complete records on one line, without a line ending between them.

use super::{About, Is, PreventsWhen, Story, Variant, may, must};
use crate::hosts;
use crate::transcript::Code;

pub(super) const STORY: Story = Story {
    code: "S5",
    name: "glued-lines",
    title: "records were written without a newline between them",
    about: About::Finding,
    explains: &[Code::GluedRecords],
    variants: &[Variant {
        steps: &[
            may("before", Is::RecordBefore, "the record before it.").fact(),
            must("glued", Is::Damaged, "several records are on this line.").fact(),
        ],
        so: "So a record was appended to a line without a newline{sure}. Readers that go line by \
            line lose everything on it.",
        doubt: "It may also be two processes that wrote at the same time, a program that joins files, \
            or manual editing.",
        ..Variant::BASE
    }],
    prevent: &[(
        PreventsWhen::By(hosts::PI.host),
        "use pi 0.84.4 or newer, which checks for the newline first (earendil-works/pi-mono#8345).",
    )],
    ..Story::BASE
};
