//! S25: a call is recorded twice, each time with its own result.

use super::{About, Is, Runs, Story, Time, Variant, must};
use crate::transcript::{Code, Confidence, LabelRole};

/// Microseconds after which a second result is not a copy of the first.
const LATER: i64 = 1_000_000;

pub(super) const STORY: Story = Story {
    code: "S25",
    name: "executed-again",
    title: "an answered call was recorded and executed again",
    about: About::Finding,
    explains: &[Code::RepeatedCall],
    variants: &[Variant {
        certainty: Confidence::Likely,
        given: &[],
        steps: &[
            must("call", Is::Damaged, "the agent started `{tool}`.").fact(),
            must("result", Is::Part(LabelRole::Result), "its result was recorded.").fact(),
            must("copy", Is::Part(LabelRole::Copy), "the same call was recorded again.").fact(),
            must("second", Is::Part(LabelRole::Result), "another result of it was recorded{wait}.")
                .fact()
                .when(Time::LongAfter(LATER)),
        ],
        so: "So a resumed conversation treated the call as unanswered and executed it again{sure}.",
        doubt: "It may also be the same result, written again with a new time.",
        safety: "`{tool}` probably ran twice; the first result is kept.",
        runs: Runs::PerhapsTwice,
    }],
    ..Story::BASE
};
