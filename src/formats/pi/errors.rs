//! What pi and OpenClaw say when they cannot go on with a session.

use crate::targets::errors::{At, Text};

/// Their texts.
pub(super) const ERRORS: &[Text] = &[
    Text::new("tool call id {ids} is duplicated", &["TD106", "TD109"], At::Nowhere, "two calls have one id"),
    Text::new(
        "contains dangling_tool_call {ids}(?: at message index {n})?",
        &["TD101", "TD102"],
        At::This,
        "a call has no result",
    ),
    Text::new(
        "contains orphan_tool_result {ids}(?: at message index {n})?",
        &["TD103", "TD203", "TD204"],
        At::This,
        "a result has no call",
    ),
    Text::new(
        "Session history looks corrupted \\(tool call input missing\\)",
        &["TD402", "TD403"],
        At::Nowhere,
        "a call has no arguments",
    ),
    Text::new(
        "must be a-z, A-Z, 0-9, with a length of 9",
        &["TD405"],
        At::Nowhere,
        "Mistral refuses the shape of a call's id",
    ),
    Text::new(
        "Session history was corrupted",
        &["TD201", "TD204", "TD101", "TD103"],
        At::Nowhere,
        "the order of calls and results was refused",
    ),
    Text::new(
        "Message ordering conflict",
        &["TD207", "TD201", "TD204", "TD101", "TD103", "TD104"],
        At::Nowhere,
        "an error about the order of messages is hidden",
    ),
    Text::new(
        "(?:is not a valid pi session|session file repair skipped: invalid session header)",
        &["TD011", "TD006"],
        At::Nowhere,
        "the file does not begin as a session",
    ),
    Text::new(
        "(?:session file repaired: dropped [0-9]+ malformed|parseJsonlEntries: skipped [0-9]+ malformed)",
        &["TD001", "TD002", "TD003", "TD004", "TD005", "TD011"],
        At::Nowhere,
        "lines cannot be read",
    ),
    Text::new(
        "(?:session file locked|timeout acquiring session store lock)",
        &["TD901", "TD503"],
        At::Nowhere,
        "another process holds the session",
    )
    .hint("Close the other process; nothing in the records is wrong because of it."),
    Text::new(
        "(?:Primary transcript header does not match|historical_transcript_deferred|active_sqlite_transcript_jsonl)",
        &["TD307"],
        At::Nowhere,
        "the file belongs to another session",
    ),
];
