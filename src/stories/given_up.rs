//! S9: the user continued although a call has no result.

use super::{Given, Is, PreventsWhen, Runs, Step, Story, Time, Variant, must, must_not};
use crate::hosts;
use crate::transcript::{Code, Confidence};

/// Microseconds after which nobody waits for a tool anymore: a user who writes then has come back.
const LONG: i64 = 600_000_000;

const CALL: Step = super::CALL;
const USER: Step =
    must("user", Is::UserSpoke, "the user continued{wait}; the call had no result.").fact();

const fn variant(steps: &'static [Step], so: &'static str, doubt: &'static str) -> Variant {
    Variant {
        certainty: Confidence::Likely,
        given: &[Given::Open],
        steps,
        so,
        doubt,
        safety: "the transcript does not show whether `{tool}` ran.",
        runs: Runs::Unknown,
    }
}

pub(super) const STORY: Story = Story {
    code: "S9",
    name: "given-up",
    title: "the conversation continued before a call had its result",
    explains: &[Code::UnansweredCall],
    variants: &[
        variant(
            &[CALL, must_not(Is::OtherTurn), USER.when(Time::LongAfter(LONG))],
            "So the program ended while `{tool}` ran, and the conversation was resumed without \
            its result{sure}.",
            "The tool may also have hung until the user wrote.",
        ),
        variant(
            &[CALL, must_not(Is::OtherTurn), USER],
            "So the user ended the wait for the tool by writing{sure}.",
            "The program may also have ended while the tool ran and been restarted.",
        ),
    ],
    prevent: &[(
        PreventsWhen::By(hosts::LANGCHAIN.host),
        "answer open calls before the user's next message, as PatchToolCallsMiddleware of deepagents does.",
    )],
    ..Story::BASE
};
