//! What Codex says when it cannot go on with a thread, and what it logs.

use crate::targets::errors::{At, Text};

/// Its texts.
pub(super) const ERRORS: &[Text] = &[
    Text::new(
        "does not start with session metadata",
        &["TD011", "TD006"],
        At::Nowhere,
        "the file does not begin with the session's record",
    ),
    Text::new("empty session file", &["TD011"], At::Nowhere, "the file is empty")
        .hint("Nothing was recorded in this file."),
    Text::new(
        "(?:missing an ordinal|thread history projection for .{1,80}expected ordinal)",
        &["TD502"],
        At::Nowhere,
        "the numbers of records are not as the host expects them",
    ),
    Text::new(
        "failed to parse line as JSON",
        &["TD001", "TD002", "TD003", "TD005", "TD009"],
        At::Nowhere,
        "a line cannot be read, and is passed over",
    ),
    Text::new("stream did not contain valid UTF-8", &["TD008"], At::Nowhere, "bytes that are no UTF-8"),
    Text::new(
        "Orphan (?:function call|custom tool call|tool search) output for call id: {id}",
        &["TD103", "TD304", "TD108"],
        At::Nowhere,
        "an output without its call is dropped",
    ),
    Text::new(
        "(?:Function call|Custom tool call|Local shell call|Tool search) output is missing for call id: {id}",
        &["TD101", "TD108", "TD102"],
        At::Nowhere,
        "a call has no output, and the host makes one up",
    ),
    Text::new(
        "failed to parse thread ID",
        &["TD307"],
        At::Nowhere,
        "the name of the file is not that of a rollout",
    )
    .hint("Rename the file: rollout-<date>T<time>-<thread id>.jsonl."),
    Text::new(
        "Cannot change this thread(?:'|’)?s model provider",
        &[],
        At::Nowhere,
        "the thread belongs to another provider",
    )
    .hint("Nothing is wrong with the recording: resume it with the provider that it was made with."),
];
