//! P16: a call was rejected, but its tool's output was recorded.

use super::{Branch, CALL, Is, Names, Runs, Step, Story, Variant, must};
use crate::hosts;
use crate::transcript::{Code, Confidence};

const REFUSED: Step = must("refusal", Is::Rejection, "the call was rejected.").fact();
const RAN: Step =
    must("result", Is::Output(Names::Any, Branch::Any), "the output of `{tool}` was recorded.")
        .fact();

const SAFETY: &str = "`{tool}` ran although the call was rejected: its effects are real.";

const fn variant(steps: &'static [Step]) -> Variant {
    Variant {
        certainty: Confidence::Certain,
        given: &[],
        steps,
        so: "",
        doubt: "",
        safety: SAFETY,
        runs: Runs::Once,
    }
}

pub(super) const STORY: Story = Story {
    code: "P16",
    name: "rejected-yet-ran",
    title: "a call was rejected, but its tool ran anyway",
    formats: &[&hosts::OPENHANDS],
    explains: &[Code::TwoResults, Code::StrandedRecord],
    variants: &[variant(&[CALL, REFUSED, RAN]), variant(&[CALL, RAN, REFUSED])],
    ..Story::BASE
};
