//! P10: an unknown tool in the middle of a batch.

use super::{CALL, Given, Is, Runs, Story, Variant, must};
use crate::hosts;
use crate::transcript::{Code, Confidence};

pub(super) const STORY: Story = Story {
    code: "P10",
    name: "unknown-tool",
    title: "one of several parallel calls could not be run, and its error was written between the \
        other calls",
    formats: &[&hosts::OPENHANDS],
    explains: &[Code::SplitBatch],
    variants: &[Variant {
        certainty: Confidence::Certain,
        given: &[Given::NotRunnable],
        steps: &[
            super::Step { says: "the model called `{tool}`, which the SDK could not run.", ..CALL },
            must("result", Is::HostError, "the SDK wrote its error at once.").fact(),
            must(
                "sister",
                Is::Sister,
                "another call of the same response was recorded after that error.",
            )
            .fact(),
        ],
        so: "So the calls of one response are separated, which the provider rejects. This is a \
            bug in OpenHands SDK 1.58.0.",
        doubt: "",
        safety: "the tool that could not be run had no effect; the others ran once.",
        runs: Runs::Once,
    }],
    ..Story::BASE
};
