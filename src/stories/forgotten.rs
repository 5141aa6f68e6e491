//! P15: the last resort of the SDK: it forgets what it cannot send.

use super::{CALL, Is, Runs, Step, Story, Variant, may, must, must_not};
use crate::hosts;
use crate::transcript::{Code, Confidence, facts};

const ASKED: Step = must(
    "asked",
    Is::Marked(facts::ASKS_COMPACTION),
    "a condensation was requested, but not by the user.",
);

pub(super) const STORY: Story = Story {
    code: "P15",
    name: "repaired-by-forgetting",
    title: "the SDK condensed the conversation to get rid of what it could not send",
    formats: &[&hosts::OPENHANDS],
    explains: &[
        Code::UnansweredCall,
        Code::OrphanResult,
        Code::TwoResults,
        Code::SplitBatch,
        Code::CompactionSplitPair,
    ],
    of_notes: true,
    variants: &[Variant {
        certainty: Confidence::Likely,
        given: &[],
        steps: &[
            CALL,
            may("error", Is::Marked(facts::FAILURE), "the conversation ended in an error.").fact(),
            must_not(Is::UserSpoke),
            ASKED,
            must("cut", Is::Forgets, "a condensation left the call out.").fact(),
        ],
        so: "So what could not be sent is forgotten, along with much else: that is the SDK's last \
            resort{sure}.",
        doubt: "It may also be a condensation that was due anyway.",
        safety: "what was forgotten is still in the log, but the model does not see it.",
        runs: Runs::Once,
    }],
    ..Story::BASE
};
