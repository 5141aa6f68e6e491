//! P11: a provider restarts the numbers of its calls in each response.

use super::{Branch, Given, Is, PreventsWhen, Runs, Step, Story, Variant, must};
use crate::hosts;
use crate::transcript::{Code, Confidence};

const STEPS: &[Step] = &[
    must("call", Is::Call(Branch::Any), "the model called `{tool}` with the ID {id}.").fact(),
    must("again", Is::SameId, "it used the same ID for another call.").fact(),
];

const fn variant(certainty: Confidence, given: &'static [Given], doubt: &'static str) -> Variant {
    Variant {
        certainty,
        given,
        steps: STEPS,
        so: "So the ID no longer identifies a call{does}.",
        doubt,
        safety: "calls and results keep their content; the later ones get a new ID.",
        runs: Runs::Once,
    }
}

pub(super) const STORY: Story = Story {
    code: "P11",
    name: "repeated-ids",
    title: "the provider gave several calls the same ID",
    explains: &[Code::ReusedCallId],
    variants: &[
        Variant {
            steps: &[must(
                "call",
                Is::Call(Branch::Any),
                "the model used the ID {id} for more than one call of a response.",
            )
            .fact()],
            ..variant(
                Confidence::Likely,
                &[Given::CallsInOne],
                "A program that joins responses may have written a call twice.",
            )
        },
        variant(Confidence::Certain, &[Given::CountedId], ""),
        variant(
            Confidence::Likely,
            &[],
            "The ID is not just a counter, so part of the conversation may also have been written \
            twice.",
        ),
    ],
    does: &[
        (
            Some(hosts::OPENHANDS.host),
            ": OpenHands deletes every later result of it at the next load",
        ),
        (None, ""),
    ],
    prevent: &[(
        PreventsWhen::Always,
        "configure the proxy or model server to make tool call IDs unique.",
    )],
    ..Story::BASE
};
