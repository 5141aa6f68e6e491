//! S1: an answer that failed or was stopped had calls already; the host never sends it, but its results remain.

use super::{About, Given, Is, Runs, Step, Story, Variant, When, may, must};
use crate::transcript::{Confidence, LabelRole};

const STOPPED: Step =
    must("call", Is::Part(LabelRole::Call), "the model's answer was stopped; it asked for `{tool}` already.")
        .fact();
const FAILED: Step = must(
    "call",
    Is::Part(LabelRole::Call),
    "the model's answer broke off with an error; it asked for `{tool}` already.",
)
.fact();
const STUB: Step =
    may("stub", Is::Part(LabelRole::Placeholder), "a placeholder was written for the call{wait}.").fact();
const REAL: Step = must(
    "result",
    Is::Part(LabelRole::Result),
    "the tool had run all the same: its result was recorded{wait}.",
)
.fact();
const ONLY_STUB: Step =
    must("stub", Is::Part(LabelRole::Placeholder), "{host} wrote a placeholder for the call{wait}.").fact();

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
        so: "{does} So a result goes out without its call, which providers refuse.",
        safety,
        runs,
        ..Variant::BASE
    }
}

const RAN: &str =
    "`{tool}` ran although the answer failed: its effects are real, and the model does not know of them.";
const PERHAPS: &str = "whether `{tool}` ran is not recorded.";

/// The story.
pub const STORY: Story = Story {
    code: "S1",
    name: "failed-turn",
    title: "an answer failed or was stopped when it had asked for a tool, and its results stayed behind",
    formats: &["pi"],
    about: About::Finding,
    explains: &["TD203"],
    variants: &[
        variant(&[Given::Stopped], &[STOPPED, STUB, REAL], RAN, Runs::Unseen),
        variant(&[Given::Stopped], &[STOPPED, ONLY_STUB], PERHAPS, Runs::Unknown),
        variant(&[], &[FAILED, STUB, REAL], RAN, Runs::Unseen),
        variant(&[], &[FAILED, ONLY_STUB], PERHAPS, Runs::Unknown),
    ],
    does: &[
        (
            "openclaw",
            "Current versions of OpenClaw leave out the failed answer and its results in memory, older ones only the \
             answer.",
        ),
        ("", "{host} never sends an answer that failed, but sends its results."),
    ],
    of_notes: false,
    is_one_cause: false,
    prevent: &[(
        When::FoundBy("stub", "openclaw"),
        "use OpenClaw 2026.3.13 or newer, which writes no placeholders for failed answers.",
    )],
};
