//! P13: killed while writing, or the disk was full.

use super::{About, Given, Is, Step, Story, Variant, may, must};
use crate::hosts;
use crate::transcript::{Code, Confidence};

const STEPS: &[Step] = &[
    may("before", Is::RecordBefore, "the last record that is whole.").fact(),
    must("torn", Is::Damaged, "this record was not written completely.").fact(),
];

const DOUBT: &str = "It may also be a full disk, or a copy that was made in the middle of a write.";

const STILL: &str = "So the program was killed while it wrote{sure}: its state still says that it \
    is running. {does}";
const KILLED: &str = "So the program was killed while it wrote{sure}. {does}";

const fn killed(given: &'static [Given], so: &'static str) -> Variant {
    Variant {
        certainty: Confidence::Likely,
        given,
        steps: STEPS,
        so,
        doubt: DOUBT,
        ..Variant::BASE
    }
}

pub(super) const STORY: Story = Story {
    code: "P13",
    name: "torn-write",
    title: "the program ended while it wrote a record",
    about: About::Finding,
    explains: &[Code::TornTail, Code::UnreadableRecord, Code::BadHeader],
    is_one_cause: true,
    variants: &[
        killed(&[Given::Rule(Code::TornTail), Given::StateRuns], STILL),
        killed(&[Given::Rule(Code::TornTail)], KILLED),
        Variant {
            certainty: Confidence::Likely,
            given: &[Given::Empty],
            steps: &[
                may("before", Is::RecordBefore, "the last event that is whole.").fact(),
                must(
                    "torn",
                    Is::Damaged,
                    "a file was created for this event, but nothing was written to it.",
                )
                .fact(),
            ],
            so: KILLED,
            doubt: DOUBT,
            ..Variant::BASE
        },
        killed(&[Given::Rule(Code::BadHeader), Given::TornHere, Given::StateRuns], STILL),
        killed(&[Given::Rule(Code::BadHeader), Given::TornHere], KILLED),
    ],
    does: &[
        (
            Some(hosts::OPENHANDS.host),
            "Such a record keeps the SDK from loading the conversation (OpenHands/software-agent-sdk#3754).",
        ),
        (
            Some(hosts::GEMINI_CLI.host),
            "Gemini CLI appends its next record to the fragment, and then both are lost: repair \
            the file before the next start.",
        ),
        (
            Some(hosts::QWEN_CODE.host),
            "Qwen Code appends its next record to the fragment, and then both are lost, with everything \
            before them: repair the file before the next start.",
        ),
        (
            Some(hosts::COPILOT_CLI.host),
            "Copilot CLI 1.0.102 deletes it from the file when it resumes the session: repair the file before.",
        ),
        (
            Some(hosts::PI.host),
            "pi before 0.84.4 appends its next record to the fragment, and then both are lost.",
        ),
        (Some(hosts::CODEX.host), "Codex skips it and starts a new line after it."),
        (Some(hosts::CLAUDE_CODE.host), "Claude Code skips it."),
        (None, ""),
    ],
    ..Story::BASE
};
