//! What the server says when it cannot go on with a conversation.

use crate::targets::errors::{At, Text};

/// Its texts.
pub(super) const ERRORS: &[Text] = &[
    Text::new(
        "Tool call metadata should NOT be None",
        &["TD107", "TD101"],
        At::Nowhere,
        "an action does not say which call it is",
    )
    .hint("The conversation may have been begun without native tool calls, and is continued with them."),
    Text::new(
        "(?:Unknown event type|Unknown observation type|Unknown action type)",
        &["TD010", "TD013"],
        At::Nowhere,
        "a record is of a kind that this version does not read",
    )
    .hint("An older version of the server may be reading what a newer one wrote."),
    Text::new(
        "Invalid configuration of the optional fields",
        &["TD305", "TD013"],
        At::Nowhere,
        "a condensation names what it forgets in two ways, or in none",
    ),
];
