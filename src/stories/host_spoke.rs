//! S19: the host or an extension wrote a message while a tool ran.

use super::{CALL, Is, PreventsWhen, Runs, Step, Story, Time, Variant, must};
use crate::hosts;
use crate::transcript::{Code, Confidence};

const SPOKE: Step =
    must("spoke", Is::HostSpoke, "{host} or an extension wrote a message while the tool ran.");
const RESULT: Step = must("result", Is::Answer, "the tool's result was recorded.").fact();

const fn variant(certainty: Confidence, steps: &'static [Step], doubt: &'static str) -> Variant {
    Variant {
        certainty,
        given: &[],
        steps,
        so: "So the message {spoke} is between the call {call} and its result {result}.",
        doubt,
        safety: "the result and the message are kept, with the message after the result.",
        runs: Runs::Once,
    }
}

/// S24: a response failed in the meantime.
pub(super) const FAILED: Story = Story {
    code: "S24",
    name: "failed-meanwhile",
    title: "the model answered and failed while a tool was still running",
    formats: &[&hosts::PI],
    explains: &[Code::ResultNotNext, Code::SplitBatch],
    variants: &[Variant {
        so: "So the failed response {failed} ended the turn of the call {call}, and its result \
            {result} came too late. {host} does not send that response, but it still separates \
            the two.",
        safety: "the result is kept, after its call; the failed response stays in the file.",
        ..variant(
            Confidence::Certain,
            &[CALL, must("failed", Is::Failed, "a response failed or was stopped.").fact(), RESULT],
            "",
        )
    }],
    ..Story::BASE
};

pub(super) const STORY: Story = Story {
    code: "S19",
    name: "host-spoke",
    title: "the host or an extension wrote a message while a tool was running",
    formats: &[&hosts::CLAUDE_CODE, &hosts::CODEX, &hosts::PI],
    explains: &[Code::ResultNotNext, Code::SplitBatch],
    variants: &[
        variant(Confidence::Certain, &[CALL, SPOKE.when(Time::Between), RESULT], ""),
        variant(
            Confidence::Likely,
            &[CALL, SPOKE, RESULT],
            "This follows from the order of the log; the recorded times disagree.",
        ),
    ],
    prevent: &[
        (
            PreventsWhen::By(&hosts::OPENCLAW),
            "let programs that mirror deliveries wait until no tool is running \
            (openclaw/openclaw#8221).",
        ),
        (
            PreventsWhen::By(hosts::PI.host),
            "use pi 0.84.4 or newer, which holds such messages back (earendil-works/pi-mono#8476, \
            #8537).",
        ),
    ],
    ..Story::BASE
};
