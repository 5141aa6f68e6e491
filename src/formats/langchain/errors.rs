//! What LangGraph and LangChain say themselves, before anything is sent.

use crate::targets::errors::{At, Text};
use crate::transcript::Code;

/// Their texts: of LangGraph's own check of the messages, and of the converters of LangChain.
pub(super) const ERRORS: &[Text] = &[
    Text::new(
        "Found AIMessages with tool_calls that do not have a corresponding ToolMessage",
        &[
            Code::UnansweredCall,
            Code::ResultNotNext,
            Code::ResultBeforeCall,
            Code::MissingCallId,
            Code::PendingCall,
        ],
        At::Nowhere,
        "calls have no ToolMessage; it names at most three of them",
    )
    .listed(),
    Text::new(
        "Dict content block must have a type key",
        &[Code::ForeignBlock],
        At::Nowhere,
        "a block in the shape of another provider is sent to Anthropic",
    ),
    Text::new(
        "Received multiple non-consecutive system messages",
        &[Code::RoleOrder],
        At::Nowhere,
        "instructions stand in the middle",
    ),
    Text::new(
        "Unsupported message type .{0,90}RemoveMessage|KeyError: {q}remove{q}|Got unknown type",
        &[Code::MalformedRecord, Code::ForeignBlock],
        At::Nowhere,
        "a message is of a kind that cannot be sent",
    ),
    Text::new(
        "KeyError: {q}(?:toolUseId|id){q}",
        &[Code::ForeignBlock, Code::MalformedRecord],
        At::Nowhere,
        "a block lacks the id that a converter looks for",
    ),
    Text::new(
        "for ToolMessage.{0,40}tool_call_id Input should be a valid string|tool_call\\(\\) missing 1 required keyword-only argument: {q}id{q}",
        &[Code::MissingCallId],
        At::Nowhere,
        "a call or a result has no id",
    ),
    Text::new(
        "json\\.decoder\\.JSONDecodeError",
        &[Code::BadInput],
        At::Nowhere,
        "the arguments of a call are not valid JSON",
    ),
    Text::new(
        "tool_calls\\.[0-9]+\\.args Input should be a valid dictionary",
        &[Code::BadInput, Code::MalformedRecord],
        At::Nowhere,
        "the arguments of a call are no object",
    ),
    Text::new(
        "Attempting to delete a message with an ID that doesn't exist",
        &[Code::DuplicateRecordId],
        At::Nowhere,
        "a message was to be removed that is not there",
    )
    .hint("Somebody tried to repair the history before, and named a message that is not in it."),
    Text::new(
        "recovered from an interrupted tool call|Recovery retry failed",
        &[
            Code::UnansweredCall,
            Code::ResultNotNext,
            Code::ResultBeforeCall,
        ],
        At::Nowhere,
        "a call was interrupted",
    ),
];
