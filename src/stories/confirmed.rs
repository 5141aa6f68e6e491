//! P17: the log is healthy, and the SDK sends the wrong request.

use super::{CALL, Is, PreventsWhen, Runs, Story, Variant, must};
use crate::hosts;
use crate::transcript::{Code, Confidence};

/// How providers reject such a request.
const REFUSED: &[&str] = &["number of toolResult blocks", "system,user,tool,tool"];

pub(super) const STORY: Story = Story {
    code: "P17",
    name: "confirm-and-resume",
    title: "the log is healthy; the SDK sent a wrong request after a confirmation",
    formats: &[&hosts::OPENHANDS],
    explains: &[Code::PendingCall],
    of_notes: true,
    variants: &[Variant {
        certainty: Confidence::Likely,
        given: &[],
        steps: &[
            CALL,
            must(
                "waiting",
                Is::Status("waiting_for_confirmation"),
                "it waited for a confirmation.",
            )
            .fact(),
            must(
                "error",
                Is::Failure(REFUSED),
                "the provider rejected a request because of its tool results.",
            )
            .fact(),
        ],
        so: "So the transcript is not damaged: the SDK (1.58.0 and earlier) sends an extra result \
            when a call was confirmed and the conversation resumed{sure}.",
        doubt: "The request itself was not recorded.",
        safety: "reload the conversation and continue.",
        runs: Runs::Once,
    }],
    prevent: &[(PreventsWhen::Always, "see OpenHands/software-agent-sdk#4532 for a fix.")],
    ..Story::BASE
};
