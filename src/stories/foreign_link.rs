//! P3: the host runs a call again because the result's link names another record.

use super::{Branch, CALL, Given, Is, Names, PreventsWhen, Runs, Step, Story, Variant, may, must};
use crate::hosts;
use crate::transcript::{Code, Confidence};

const FOREIGN: Step = must(
    "result",
    Is::Output(Names::Foreign, Branch::On),
    "its result was recorded, but names another action: the SDK treats the call as unanswered.",
);

pub(super) const STORY: Story = Story {
    code: "P3",
    name: "foreign-action-id",
    title: "the result names another action, so the call counts as unanswered and is run again",
    formats: &[&hosts::OPENHANDS],
    explains: &[Code::TwoResults, Code::LinkMismatch],
    variants: &[
        Variant {
            certainty: Confidence::Certain,
            given: &[],
            steps: &[
                CALL,
                FOREIGN,
                may("running", Is::Status("running"), "the conversation was run again.").fact(),
                must(
                    "second",
                    Is::Output(Names::Any, Branch::On),
                    "`{tool}` was executed again and delivered a second result.",
                ),
            ],
            so: "",
            doubt: "",
            safety: "`{tool}` ran twice; the model has seen the first result.",
            runs: Runs::Twice,
        },
        Variant {
            certainty: Confidence::Certain,
            given: &[Given::NoOwnLink, Given::Runnable],
            steps: &[CALL, FOREIGN],
            so: "The provider accepts the result {result}, but the next run will execute `{tool}` again.",
            doubt: "",
            safety: "with the link fixed, `{tool}` is not run again.",
            runs: Runs::Again,
        },
    ],
    prevent: &[(
        PreventsWhen::Always,
        "the origin of such results is unknown; a program that writes events must give a result \
        the ID of its action (OpenHands/software-agent-sdk#1782, open).",
    )],
    ..Story::BASE
};
