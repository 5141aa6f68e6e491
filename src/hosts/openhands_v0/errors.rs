//! What the server says when it cannot go on with a conversation.

use crate::targets::errors::{At, ErrorText};
use crate::transcript::Code;

#[rustfmt::skip]
pub(super) const ERRORS: &[ErrorText] = &[
    ErrorText::new("Tool call metadata should NOT be None", &[Code::MissingCallId, Code::UnansweredCall], At::Nowhere, "an action has no tool call metadata")
        .hint("The conversation may have been started without native tool calls and continued with them."),
    ErrorText::new("(?:Unknown event type|Unknown observation type|Unknown action type)", &[Code::UnknownRecord, Code::MalformedRecord], At::Nowhere, "an event kind that this version cannot read")
        .hint("An older server may be reading what a newer one wrote."),
    ErrorText::new("Invalid configuration of the optional fields", &[Code::CompactionAnchor, Code::MalformedRecord], At::Nowhere, "a condensation names what it forgets in two ways, or not at all"),
];
