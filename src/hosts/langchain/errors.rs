//! Errors that LangGraph and LangChain raise before anything is sent.

use crate::targets::errors::{At, ErrorText};
use crate::transcript::Code;

/// The texts of LangGraph's check of the messages, and of LangChain's converters.
#[rustfmt::skip]
pub(super) const ERRORS: &[ErrorText] = &[
    ErrorText::new("Found AIMessages with tool_calls that do not have a corresponding ToolMessage", &[Code::UnansweredCall, Code::ResultNotNext, Code::ResultBeforeCall, Code::MissingCallId, Code::PendingCall], At::Nowhere, "tool calls have no ToolMessage; the error names at most three of them")
        .listed(),
    ErrorText::new("Dict content block must have a type key", &[Code::ForeignBlock], At::Nowhere, "a block in another provider's shape is sent to Anthropic"),
    ErrorText::new("Received multiple non-consecutive system messages", &[Code::RoleOrder], At::Nowhere, "system messages in the middle of the conversation"),
    ErrorText::new("Unsupported message type .{0,90}RemoveMessage|KeyError: {q}remove{q}|Got unknown type", &[Code::MalformedRecord, Code::ForeignBlock], At::Nowhere, "a message type that cannot be sent"),
    ErrorText::new("KeyError: {q}(?:toolUseId|id){q}", &[Code::ForeignBlock, Code::MalformedRecord], At::Nowhere, "a block without the id that a converter needs"),
    ErrorText::new("for ToolMessage.{0,40}tool_call_id Input should be a valid string|tool_call\\(\\) missing 1 required keyword-only argument: {q}id{q}", &[Code::MissingCallId], At::Nowhere, "a tool call or tool result without an id"),
    ErrorText::new("json\\.decoder\\.JSONDecodeError", &[Code::BadInput], At::Nowhere, "tool call arguments are not valid JSON"),
    ErrorText::new("tool_calls\\.[0-9]+\\.args Input should be a valid dictionary", &[Code::BadInput, Code::MalformedRecord], At::Nowhere, "tool call arguments are not an object"),
    ErrorText::new("Attempting to delete a message with an ID that doesn't exist", &[Code::DuplicateRecordId], At::Nowhere, "an update removes a message that does not exist")
        .hint("An earlier attempt to repair the history named a message that does not exist."),
    ErrorText::new("recovered from an interrupted tool call|Recovery retry failed", &[Code::UnansweredCall, Code::ResultNotNext, Code::ResultBeforeCall], At::Nowhere, "a tool call was interrupted"),
];
