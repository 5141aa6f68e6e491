//! S8: the user stopped the host while tools were running.

use super::{Given, Is, Runs, Step, Story, Variant, must, must_not};
use crate::hosts;
use crate::transcript::{Code, Confidence, facts};

const CALL: Step = super::CALL;
const STOP: Step =
    must("stop", Is::Marked(facts::STOPPED), "the user stopped {host}{wait}.").fact();
const SAFETY: &str = "the user stopped `{tool}`; the transcript does not show how far it got.";

const fn variant(steps: &'static [Step], so: &'static str) -> Variant {
    Variant {
        certainty: Confidence::Certain,
        given: &[Given::Open],
        steps,
        so,
        safety: SAFETY,
        runs: Runs::Unknown,
        ..Variant::BASE
    }
}

pub(super) const STORY: Story = Story {
    code: "S8",
    name: "cancelled-calls",
    title: "the user stopped the agent while a tool was running",
    formats: &[
        &hosts::CLAUDE_CODE,
        &hosts::CODEX,
        &hosts::COPILOT_CLI,
        &hosts::GEMINI_CLI,
        &hosts::OPENHANDS,
    ],
    explains: &[Code::UnansweredCall],
    variants: &[
        variant(
            &[
                CALL,
                must(
                    "sister",
                    Is::SisterAnswer,
                    "another call of the same response got its result.",
                )
                .fact(),
                must_not(Is::OtherTurn),
                must_not(Is::UserSpoke),
                STOP,
            ],
            "So the parallel calls were canceled halfway, and the call {call} never got a result.",
        ),
        variant(
            &[CALL, must_not(Is::OtherTurn), must_not(Is::UserSpoke), STOP],
            "So the call {call} never got a result.",
        ),
    ],
    ..Story::BASE
};
