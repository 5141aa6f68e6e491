//! S9: the user went on, and a call has no result.

use super::{Given, Is, Runs, Step, Story, Time, Variant, When, must, must_not};
use crate::formats;
use crate::transcript::{Code, Confidence};

/// Microseconds after which nobody waits for a tool: whoever speaks then has come back.
const LONG: i64 = 600_000_000;

const CALL: Step = super::CALL;
const USER: Step = must(
    "user",
    Is::UserSpoke,
    "the user went on{wait}; the call had no result.",
)
.fact();

const fn variant(steps: &'static [Step], so: &'static str, doubt: &'static str) -> Variant {
    Variant {
        certainty: Confidence::Likely,
        given: &[Given::Open],
        steps,
        so,
        doubt,
        safety: "whether `{tool}` ran is not recorded.",
        runs: Runs::Unknown,
    }
}

pub(super) const STORY: Story = Story {
    code: "S9",
    name: "given-up",
    title: "the conversation went on before the result of a call was there",
    explains: &[Code::UnansweredCall],
    variants: &[
        variant(
            &[
                CALL,
                must_not(Is::OtherTurn),
                USER.when(Time::LongAfter(LONG)),
            ],
            "So the program ended while `{tool}` ran, and the conversation was taken up again without its result{sure}.",
            "The tool may also have hung until the user spoke.",
        ),
        variant(
            &[CALL, must_not(Is::OtherTurn), USER],
            "So the call was given up when the user spoke{sure}.",
            "The program may also have ended while the tool ran, and been started again.",
        ),
    ],
    prevent: &[(
        When::By(formats::LANGCHAIN.host),
        "answer open calls before the user's next message, as PatchToolCallsMiddleware of deepagents does.",
    )],
    ..Story::BASE
};
