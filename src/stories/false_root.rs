//! P14: history hidden after an upgrade.

use super::{About, Given, Is, PreventsWhen, Story, Variant, may, must};
use crate::hosts;
use crate::transcript::{Code, Confidence};

pub(super) const STORY: Story = Story {
    code: "P14",
    name: "false-root",
    title: "a newer SDK treated the log as empty and started it again",
    formats: &[&hosts::OPENHANDS],
    about: About::Finding,
    explains: &[Code::BrokenParent],
    variants: &[Variant {
        certainty: Confidence::Likely,
        given: &[Given::SaysFirst, Given::NoResult],
        steps: &[
            may("before", Is::RecordBefore, "the event before it.").fact(),
            must("root", Is::Damaged, "this event says that it is the first.").fact(),
        ],
        so: "So everything before it is hidden without an error: a newer SDK treated the log as empty{sure}.",
        doubt: "Editing the first message of a conversation leaves such an event on purpose.",
        ..Variant::BASE
    }],
    prevent: &[(
        PreventsWhen::Always,
        "use an OpenHands SDK with OpenHands/software-agent-sdk#4068, which fixes this (#4057).",
    )],
    ..Story::BASE
};
