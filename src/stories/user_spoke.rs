//! P8: the user wrote while a tool ran.

use super::{CALL, Is, PreventsWhen, Runs, Step, Story, Time, Variant, must};
use crate::hosts;
use crate::transcript::{Code, Confidence};

const USER: Step = must("user", Is::UserSpoke, "the user wrote while the tool ran.");
const RESULT: Step = must("result", Is::Answer, "the tool's result was recorded.").fact();

const fn variant(certainty: Confidence, steps: &'static [Step], doubt: &'static str) -> Variant {
    Variant {
        certainty,
        given: &[],
        steps,
        so: "So the message {user} is between the call {call} and its result {result}.",
        doubt,
        safety: "the result and the message are kept, with the message after the result.",
        runs: Runs::Once,
    }
}

pub(super) const STORY: Story = Story {
    code: "P8",
    name: "user-spoke",
    title: "the user wrote while a tool was running",
    explains: &[Code::ResultNotNext, Code::SplitBatch],
    variants: &[
        variant(Confidence::Certain, &[CALL, USER.when(Time::Between), RESULT], ""),
        variant(
            Confidence::Likely,
            &[CALL, USER, RESULT],
            "This follows from the order of the log; the recorded times disagree.",
        ),
    ],
    prevent: &[
        (
            PreventsWhen::By(hosts::OPENHANDS.host),
            "send messages when no tool is running (OpenHands/software-agent-sdk#1841).",
        ),
        (PreventsWhen::By(&hosts::OPENCLAW), "send messages when no tool is running."),
        (
            PreventsWhen::By(hosts::PI.host),
            "use pi 0.84.4 or newer, which holds messages back until the tool is done \
            (earendil-works/pi-mono#8476, #8537).",
        ),
        (PreventsWhen::Always, "send messages when no tool is running."),
    ],
    ..Story::BASE
};
