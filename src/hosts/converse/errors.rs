//! Errors of Strands about the sessions that it stores. The provider's errors are those of Bedrock.

use crate::targets::errors::{At, ErrorText};
use crate::transcript::Code;

#[rustfmt::skip]
pub(super) const ERRORS: &[ErrorText] = &[
    ErrorText::new("Invalid JSON in file", &[Code::TornTail, Code::UnreadableRecord, Code::NulPadding], At::Nowhere, "a session file is cut off"),
    ErrorText::new("Messages directory missing from agent", &[Code::RecordOrder], At::Nowhere, "the messages folder is missing"),
    ErrorText::new("Refusing to read symlink at", &[], At::Nowhere, "a session file is a symbolic link, which Strands does not follow")
        .hint("Nothing is wrong with the session: replace the link with the file itself."),
    ErrorText::new("session history has mismatched toolUse/toolResult pairing", &[Code::UnansweredCall, Code::OrphanResult, Code::ResultNotNext, Code::ResultBeforeCall], At::Nowhere, "tool calls and results do not match; Strands fixes that in memory only"),
    ErrorText::new("orphaned toolResult with no preceding toolUse", &[Code::OrphanResult, Code::ResultBeforeCall, Code::CompactionSplitPair], At::Nowhere, "a tool result has no call; Strands leaves it out in memory only"),
];
