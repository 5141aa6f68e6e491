//! What LangGraph and LangChain say themselves, before anything is sent.

use crate::targets::errors::{At, Text};

/// Their texts: of LangGraph's own check of the messages, and of the converters of LangChain.
pub(super) const ERRORS: &[Text] = &[
    Text::new(
        "Found AIMessages with tool_calls that do not have a corresponding ToolMessage",
        &["TD101", "TD201", "TD204", "TD107", "TD102"],
        At::Nowhere,
        "calls have no ToolMessage; it names at most three of them",
    )
    .listed(),
    Text::new(
        "Dict content block must have a type key",
        &["TD410"],
        At::Nowhere,
        "a block in the shape of another provider is sent to Anthropic",
    ),
    Text::new(
        "Received multiple non-consecutive system messages",
        &["TD207"],
        At::Nowhere,
        "instructions stand in the middle",
    ),
    Text::new(
        "Unsupported message type .{0,90}RemoveMessage|KeyError: {q}remove{q}|Got unknown type",
        &["TD013", "TD410"],
        At::Nowhere,
        "a message is of a kind that cannot be sent",
    ),
    Text::new(
        "KeyError: {q}(?:toolUseId|id){q}",
        &["TD410", "TD013"],
        At::Nowhere,
        "a block lacks the id that a converter looks for",
    ),
    Text::new(
        "for ToolMessage.{0,40}tool_call_id Input should be a valid string|tool_call\\(\\) missing 1 required keyword-only argument: {q}id{q}",
        &["TD107"],
        At::Nowhere,
        "a call or a result has no id",
    ),
    Text::new(
        "json\\.decoder\\.JSONDecodeError",
        &["TD403"],
        At::Nowhere,
        "the arguments of a call are not valid JSON",
    ),
    Text::new(
        "tool_calls\\.[0-9]+\\.args Input should be a valid dictionary",
        &["TD403", "TD013"],
        At::Nowhere,
        "the arguments of a call are no object",
    ),
    Text::new(
        "Attempting to delete a message with an ID that doesn't exist",
        &["TD306"],
        At::Nowhere,
        "a message was to be removed that is not there",
    )
    .hint("Somebody tried to repair the history before, and named a message that is not in it."),
    Text::new(
        "recovered from an interrupted tool call|Recovery retry failed",
        &["TD101", "TD201", "TD204"],
        At::Nowhere,
        "a call was interrupted",
    ),
];
