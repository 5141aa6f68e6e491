//! What Kimi Code says when it cannot go on with a session.

use crate::targets::errors::{At, ErrorText};
use crate::transcript::Code;

#[rustfmt::skip]
pub(super) const ERRORS: &[ErrorText] = &[
    ErrorText::new("(?:append-log .{1,200}|wire\\.jsonl): corrupted line [0-9]+", &[Code::GluedRecords, Code::UnreadableRecord, Code::SplitRecord, Code::NulPadding, Code::TornTail], At::Nowhere, "a line of the session cannot be read")
        .seen("MoonshotAI/kimi-code#3181"),
    ErrorText::new("Agent wire metadata is malformed", &[Code::MalformedRecord], At::Nowhere, "the first line of the session lacks a member, or has a wrong one"),
];
