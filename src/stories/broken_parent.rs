//! S7: history is hidden because the parent of a record does not exist.

use super::{About, Given, Is, Step, Story, Variant, may, must};
use crate::hosts;
use crate::transcript::Code;

const BEFORE: Step = may("before", Is::RecordBefore, "the record before it in the file.").fact();
const DOUBT: &str = "The transcript does not show why: the parent may never have reached the \
    disk, a second process may have written, or the file was edited.";

pub(super) const STORY: Story = Story {
    code: "S7",
    name: "hidden-history",
    title: "the chain of records is broken, so everything before it is hidden",
    formats: &[&hosts::CLAUDE_CODE, &hosts::OPENHANDS, &hosts::PI, &hosts::QWEN_CODE],
    about: About::Finding,
    explains: &[Code::BrokenParent],
    variants: &[
        Variant {
            given: &[Given::SaysFirst],
            steps: &[
                BEFORE,
                must("child", Is::Damaged, "this record says that it is the first.").fact(),
            ],
            so: "{does} Whatever wrote {child} did not know the records before it{sure}.",
            doubt: DOUBT,
            ..Variant::BASE
        },
        Variant {
            given: &[Given::NamesNoParent],
            steps: &[BEFORE, must("child", Is::Damaged, "this record names no parent.").fact()],
            so: "{does} Whatever wrote {child} did not know the records before it, or meant to begin \
                anew{sure}.",
            doubt: DOUBT,
            ..Variant::BASE
        },
        Variant {
            steps: &[
                BEFORE,
                must("child", Is::Damaged, "this record names a parent that does not exist.")
                    .fact(),
            ],
            so: "{does} The parent was lost, or was never written to this file{sure}.",
            doubt: DOUBT,
            ..Variant::BASE
        },
    ],
    does: &[
        (
            Some(hosts::CLAUDE_CODE.host),
            "So Claude Code shows and sends only what comes after it, as if the conversation \
            started here. Newer clients bridge a parent that does not exist, but only if the record \
            before is at most 5 s older.",
        ),
        (
            Some(&hosts::OPENCLAW),
            "So the model may not see anything before it. Newer versions of OpenClaw join the \
            record to the one before it.",
        ),
        (Some(hosts::PI.host), "So pi silently leaves out everything before it."),
        (Some(hosts::QWEN_CODE.host), "So Qwen Code silently forgets everything before it."),
        (
            Some(hosts::OPENHANDS.host),
            "So the SDK does not load the conversation, or hides everything before it.",
        ),
    ],
    ..Story::BASE
};
