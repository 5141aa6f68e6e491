//! S1: a response that failed or was stopped had already made calls. The host never sends it, but
//! sends its results.

use super::{
    Branch, Given, Is, Names, PreventsWhen, Runs, Step, Story, Variant, may, must, must_not,
};
use crate::hosts;
use crate::transcript::{Code, Confidence};

const CALL: Is = Is::Call(Branch::Any);
const ANY_STUB: Is = Is::Placeholder(Branch::Any);

const STOPPED: Step =
    must("call", CALL, "the response was stopped; it had already called `{tool}`.").fact();
const FAILED: Step =
    must("call", CALL, "the response ended with an error; it had already called `{tool}`.").fact();
const STUB: Step = may("stub", ANY_STUB, "a placeholder was written for `{tool}`{wait}.").fact();
const REAL: Step = must(
    "result",
    Is::Output(Names::Any, Branch::Any),
    "`{tool}` had run anyway: its result was recorded{wait}.",
);
const ONLY_STUB: Step =
    must("stub", ANY_STUB, "{host} wrote a placeholder for `{tool}`{wait}.").fact();
const NOTHING: Step = must_not(Is::Result(Branch::Any));

const SENT: &str = "{does} So a result is sent without its call, which providers reject.";

const fn variant(
    given: &'static [Given],
    steps: &'static [Step],
    safety: &'static str,
    runs: Runs,
) -> Variant {
    Variant {
        certainty: Confidence::Certain,
        given,
        steps,
        so: SENT,
        safety,
        runs,
        ..Variant::BASE
    }
}

const fn disputed(given: &'static [Given], steps: &'static [Step]) -> Variant {
    Variant {
        certainty: Confidence::Likely,
        doubt: "An earlier call with the same ID has no result: this one may be its own.",
        ..variant(given, steps, RAN, Runs::Unseen)
    }
}

const fn unanswered(given: &'static [Given], steps: &'static [Step]) -> Variant {
    Variant {
        so: "No result of `{tool}` was recorded, although other calls of the response have \
            results.",
        ..variant(given, steps, PERHAPS, Runs::Unknown)
    }
}

const RAN: &str = "`{tool}` ran although the response failed: its effects are real, and the model \
    does not know about them.";
const PERHAPS: &str = "the transcript does not show whether `{tool}` ran.";

pub(super) const STORY: Story = Story {
    code: "S1",
    name: "failed-turn",
    title: "a response failed or was stopped after it had called a tool, and its results are still in the session",
    formats: &[&hosts::PI],
    explains: &[Code::FailedTurnWithCalls],
    variants: &[
        disputed(&[Given::Failed, Given::Stopped, Given::SharesOpenId], &[STOPPED, STUB, REAL]),
        variant(&[Given::Failed, Given::Stopped], &[STOPPED, STUB, REAL.fact()], RAN, Runs::Unseen),
        variant(&[Given::Failed, Given::Stopped], &[STOPPED, ONLY_STUB], PERHAPS, Runs::Unknown),
        unanswered(&[Given::Failed, Given::Stopped], &[STOPPED, NOTHING]),
        disputed(&[Given::Failed, Given::SharesOpenId], &[FAILED, STUB, REAL]),
        variant(&[Given::Failed], &[FAILED, STUB, REAL.fact()], RAN, Runs::Unseen),
        variant(&[Given::Failed], &[FAILED, ONLY_STUB], PERHAPS, Runs::Unknown),
        unanswered(&[Given::Failed], &[FAILED, NOTHING]),
    ],
    does: &[
        (
            Some(&hosts::OPENCLAW),
            "Current versions of OpenClaw leave out the failed response and its results in \
            memory; older ones leave out only the response.",
        ),
        (None, "{host} never sends a failed response, but sends its results."),
    ],
    prevent: &[(
        PreventsWhen::FoundBy("stub", &hosts::OPENCLAW),
        "use OpenClaw 2026.3.13 or newer, which writes no placeholders for failed responses.",
    )],
    ..Story::BASE
};
