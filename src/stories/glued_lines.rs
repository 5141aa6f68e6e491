//! S5: whole records on one line, the line end between them gone.

use super::{About, Is, Story, Variant, When, may, must};
use crate::formats;
use crate::transcript::Code;

pub(super) const STORY: Story = Story {
    code: "S5",
    name: "glued-lines",
    title: "records were written without a line end between them",
    about: About::Finding,
    explains: &[Code::GluedRecords],
    variants: &[Variant {
        steps: &[
            may("before", Is::RecordBefore, "the record before it.").fact(),
            must("glued", Is::Damaged, "several records stand on this line.").fact(),
        ],
        so: "So a record was appended behind a line that had no end{sure}. Readers that go line by line lose all that stands on \
             it.",
        doubt: "Two processes that write at once, a program that joins files, and a hand that edits them all leave this.",
        ..Variant::BASE
    }],
    prevent: &[(
        When::By(formats::PI.host),
        "use pi 0.84.4 or newer, which looks for the line end first (earendil-works/pi-mono#8345).",
    )],
    ..Story::BASE
};
