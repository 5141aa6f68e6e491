//! S15: the conversation moved from one provider to another.

use super::{Branch, Is, Runs, Step, Story, Variant, must};
use crate::transcript::{Code, Confidence};

const OWN: Step =
    must("call", Is::Call(Branch::Any), "the model called `{tool}` with the ID {id}.").fact();
const OTHER: Step =
    must("other", Is::OtherMaker, "this call has an ID in another provider's style.").fact();

const fn variant(steps: &'static [Step]) -> Variant {
    Variant {
        certainty: Confidence::Likely,
        given: &[],
        steps,
        so: "So the conversation moved from one provider to another{sure}, and the second one \
            does not accept what the first one produced.",
        doubt: "A gateway may also have changed the IDs of some calls.",
        safety: "",
        runs: Runs::Once,
    }
}

pub(super) const STORY: Story = Story {
    code: "S15",
    name: "provider-switch",
    title: "the conversation moved from one provider to another",
    explains: &[Code::ReusedCallId, Code::BadCallId, Code::ForeignBlock],
    variants: &[variant(&[OTHER, OWN]), variant(&[OWN, OTHER])],
    ..Story::BASE
};
