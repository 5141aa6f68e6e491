//! What Gemini CLI says when it cannot go on with a chat.

use crate::targets::errors::{At, Text};

/// Its texts.
pub(super) const ERRORS: &[Text] = &[
    Text::new(
        "No previous sessions found for this project",
        &["TD011", "TD006", "TD003", "TD002"],
        At::Nowhere,
        "no chat of this project can be loaded",
    )
    .hint("A chat is only found in the folder of its project; one without its first record is not listed."),
    Text::new(
        "Invalid session identifier {q}",
        &["TD011", "TD006"],
        At::Nowhere,
        "no chat with this id can be loaded",
    )
    .hint("The id is looked for among the chats of the project of the current folder."),
    Text::new(
        "Checkpoint file is invalid or corrupted",
        &["TD001", "TD002", "TD006"],
        At::Nowhere,
        "a saved history cannot be read",
    ),
];
