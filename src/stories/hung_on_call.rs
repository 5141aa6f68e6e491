//! S22: results of parallel calls that hang beside one another instead of in a row.

use super::{About, Is, Story, Variant, When, must};
use crate::formats;
use crate::transcript::{Code, Confidence, LabelRole};

pub(super) const STORY: Story = Story {
    code: "S22",
    name: "hung-on-call",
    title: "the results of parallel calls were hung beside one another, and only one of them is on the active branch",
    formats: &[&formats::CLAUDE_CODE, &formats::PI],
    about: About::Finding,
    explains: &[Code::StrandedRecord],
    variants: &[Variant {
        certainty: Confidence::Likely,
        steps: &[
            must(
                "call",
                Is::Part(LabelRole::Call),
                "the agent asked for `{tool}`.",
            )
            .fact(),
            must(
                "result",
                Is::Part(LabelRole::Result),
                "a result was hung beside the branch that is active.",
            )
            .fact(),
        ],
        so: "So a call and its result are on different branches{sure}. {does}",
        doubt: "Somebody who went back in the tree while a tool ran leaves the same.",
        ..Variant::BASE
    }],
    does: &[
        (
            Some(formats::CLAUDE_CODE.host),
            "Clients from 2.1.80 on put the two together again, older ones leave the result out.",
        ),
        (
            Some(formats::PI.host),
            "The host sends a placeholder in the place of the result.",
        ),
    ],
    prevent: &[(
        When::By(&formats::OPENCLAW),
        "use a version of OpenClaw that hangs results in a row (openclaw/openclaw#4922).",
    )],
    ..Story::BASE
};
