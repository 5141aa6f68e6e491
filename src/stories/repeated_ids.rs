//! P11: a provider that numbers its calls anew in each response.

use super::{Branch, Given, Is, Runs, Step, Story, Variant, When, must};
use crate::formats;
use crate::transcript::{Code, Confidence};

const STEPS: &[Step] = &[
    must(
        "call",
        Is::Call(Branch::Any),
        "the model called `{tool}` with the id {id}.",
    )
    .fact(),
    must("again", Is::SameId, "it used the same id for another call.").fact(),
];

const fn variant(certainty: Confidence, given: &'static [Given], doubt: &'static str) -> Variant {
    Variant {
        certainty,
        given,
        steps: STEPS,
        so: "So the id no longer tells the calls apart{does}.",
        doubt,
        safety: "each call and its result keep their content, the later ones under a new id.",
        runs: Runs::Once,
    }
}

pub(super) const STORY: Story = Story {
    code: "P11",
    name: "repeated-ids",
    title: "the provider gave one id to several calls",
    explains: &[Code::ReusedCallId],
    variants: &[
        Variant {
            steps: &[must(
                "call",
                Is::Call(Branch::Any),
                "the model used the id {id} for more than one call of an answer.",
            )
            .fact()],
            ..variant(
                Confidence::Likely,
                &[Given::CallsInOne],
                "A program that puts answers together may have written a call twice.",
            )
        },
        variant(Confidence::Certain, &[Given::CountedId], ""),
        variant(
            Confidence::Likely,
            &[],
            "The id is none that only counts, so a part of the conversation may also have been written twice.",
        ),
    ],
    does: &[
        (
            Some(formats::OPENHANDS.host),
            ": OpenHands deletes every later result of it at the next load",
        ),
        (None, ""),
    ],
    prevent: &[(
        When::Always,
        "have the proxy or the server in front of the model make the ids of calls unique.",
    )],
    ..Story::BASE
};
