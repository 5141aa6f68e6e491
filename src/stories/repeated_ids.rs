//! P11: a provider that numbers its calls anew in each response.

use super::{Branch, Is, Runs, Story, Variant, must};
use crate::transcript::Confidence;

/// The story.
pub const STORY: Story = Story {
    code: "P11",
    name: "repeated-ids",
    title: "the provider gave one id to several calls",
    formats: &["openhands"],
    explains: &["TD106"],
    variants: &[Variant {
        certainty: Confidence::Certain,
        given: &[],
        steps: &[
            must("call", Is::Call(Branch::Any), "the model called `{tool}` with the id {id}.").fact(),
            must("again", Is::SameId, "it used the same id for another call.").fact(),
        ],
        so: "So the id no longer tells the calls apart: OpenHands deletes every later result of it at the next load.",
        doubt: "",
        safety: "each call and its result keep their content, the later ones under a new id.",
        runs: Runs::Once,
    }],
    prevent: &[("", "have the proxy in front of the model make the ids of calls unique.")],
};
