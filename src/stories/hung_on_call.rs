//! S22: results of parallel calls are siblings in the tree instead of a chain.

use super::{About, Is, PreventsWhen, Story, Variant, must};
use crate::hosts;
use crate::transcript::{Code, Confidence, LabelRole};

pub(super) const STORY: Story = Story {
    code: "S22",
    name: "hung-on-call",
    title: "the results of parallel calls are on separate branches, and only one of them is active",
    formats: &[&hosts::CLAUDE_CODE, &hosts::PI],
    about: About::Finding,
    explains: &[Code::StrandedRecord],
    variants: &[Variant {
        certainty: Confidence::Likely,
        steps: &[
            must("call", Is::Part(LabelRole::Call), "the agent called `{tool}`.").fact(),
            must("result", Is::Part(LabelRole::Result), "a result was recorded on a side branch.")
                .fact(),
        ],
        so: "So a call and its result are on different branches{sure}. {does}",
        doubt: "Somebody may also have gone back in the tree while the tool ran.",
        ..Variant::BASE
    }],
    does: &[
        (
            Some(hosts::CLAUDE_CODE.host),
            "Claude Code 2.1.80 and later puts the two together again; older versions leave the \
            result out.",
        ),
        (Some(hosts::PI.host), "The host sends a placeholder in place of the result."),
    ],
    prevent: &[(
        PreventsWhen::By(&hosts::OPENCLAW),
        "use a version of OpenClaw that records results one after another \
        (openclaw/openclaw#4922).",
    )],
    ..Story::BASE
};
