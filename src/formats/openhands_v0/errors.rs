//! What the server says when it cannot go on with a conversation.

use crate::targets::errors::{At, Text};
use crate::transcript::Code;

/// Its texts.
pub(super) const ERRORS: &[Text] = &[
    Text::new(
        "Tool call metadata should NOT be None",
        &[Code::MissingCallId, Code::UnansweredCall],
        At::Nowhere,
        "an action does not say which call it is",
    )
    .hint("The conversation may have been begun without native tool calls, and is continued with them."),
    Text::new(
        "(?:Unknown event type|Unknown observation type|Unknown action type)",
        &[Code::UnknownRecord, Code::MalformedRecord],
        At::Nowhere,
        "a record is of a kind that this version does not read",
    )
    .hint("An older version of the server may be reading what a newer one wrote."),
    Text::new(
        "Invalid configuration of the optional fields",
        &[Code::CompactionAnchor, Code::MalformedRecord],
        At::Nowhere,
        "a condensation names what it forgets in two ways, or in none",
    ),
];
