//! S19: the host itself, or an extension of it, wrote a message while a tool ran.

use super::{CALL, Is, Runs, Step, Story, Time, Variant, When, must};
use crate::formats;
use crate::transcript::{Code, Confidence};

const SPOKE: Step = must(
    "spoke",
    Is::HostSpoke,
    "the host or an extension of it wrote a message while the tool ran.",
);
const RESULT: Step = must("result", Is::Answer, "the tool's result was recorded.").fact();

const fn variant(certainty: Confidence, steps: &'static [Step], doubt: &'static str) -> Variant {
    Variant {
        certainty,
        given: &[],
        steps,
        so: "So the message {spoke} stands between the call {call} and its result {result}.",
        doubt,
        safety: "the result and the message are kept, the message behind the result.",
        runs: Runs::Once,
    }
}

/// The story of an answer that failed meanwhile.
pub(super) const FAILED: Story = Story {
    code: "S24",
    name: "failed-meanwhile",
    title: "the model answered and failed while a tool was still running",
    formats: &[&formats::PI],
    explains: &[Code::ResultNotNext, Code::SplitBatch],
    variants: &[Variant {
        so: "So the failed answer {failed} closed the turn of the call {call}, and its result {result} came too late. {host} does \
             not send that answer, but it parts the two all the same.",
        safety: "the result is kept, behind its call; the failed answer stays in the recording.",
        ..variant(
            Confidence::Certain,
            &[
                CALL,
                must(
                    "failed",
                    Is::Failed,
                    "an answer of the model failed or was stopped.",
                )
                .fact(),
                RESULT,
            ],
            "",
        )
    }],
    ..Story::BASE
};

pub(super) const STORY: Story = Story {
    code: "S19",
    name: "host-spoke",
    title: "the host or an extension wrote a message while a tool was running",
    formats: &[&formats::CLAUDE_CODE, &formats::CODEX, &formats::PI],
    explains: &[Code::ResultNotNext, Code::SplitBatch],
    variants: &[
        variant(
            Confidence::Certain,
            &[CALL, SPOKE.when(Time::Between), RESULT],
            "",
        ),
        variant(
            Confidence::Likely,
            &[CALL, SPOKE, RESULT],
            "The order of the log says so; the recorded times do not.",
        ),
    ],
    prevent: &[
        (
            When::By(&formats::OPENCLAW),
            "let what mirrors deliveries wait until no tool is running (openclaw/openclaw#8221).",
        ),
        (
            When::By(formats::PI.host),
            "use pi 0.84.4 or newer, which lets such messages wait (earendil-works/pi-mono#8476, #8537).",
        ),
    ],
    ..Story::BASE
};
