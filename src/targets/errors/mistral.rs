//! Error texts of Mistral and of servers that use its tokenizer package. They name IDs and roles,
//! never a location.

use super::{At, ErrorTable, ErrorText};
use crate::transcript::Code;

/// The texts, as quoted in public reports and in mistral-common 1.13.1.
#[rustfmt::skip]
pub(super) const TABLE: ErrorTable = ErrorTable {
    name: "mistral",
    title: "Mistral",
    source: "mistral-common 1.13.1",
    texts: &[
        ErrorText::new("Not the same number of function calls and responses", &[Code::UnansweredCall, Code::OrphanResult, Code::TwoResults, Code::SplitBatch, Code::ResultNotNext, Code::ResultBeforeCall], At::Nowhere, "different numbers of calls and results"),
        ErrorText::new("Unexpected role {q}(?:RoleEnum\\.)?tool{q}", &[Code::OrphanResult, Code::ResultBeforeCall, Code::ResultNotNext], At::Nowhere, "a tool result where no call is waiting for one"),
        ErrorText::new("Unexpected role {q}user{q} after role {q}tool{q}", &[Code::UnansweredCall, Code::ResultNotNext, Code::RoleOrder], At::Nowhere, "user message directly after a tool result"),
        ErrorText::new("Unexpected role {q}system{q} after role {q}(?:assistant|tool){q}", &[Code::RoleOrder], At::Nowhere, "system messages in the middle of the conversation"),
        ErrorText::new("Expected last role User or Tool", &[Code::EndsWithAssistant], At::Nowhere, "the request ends with an assistant message")
            .hint("A transcript may end like this: your next message makes the request valid."),
        ErrorText::new("Tool call id was but must be", &[Code::MissingCallId], At::Nowhere, "a tool call or result with an empty id"),
        ErrorText::new("Tool call id was {id} but must be", &[Code::BadCallId, Code::MissingCallId], At::Nowhere, "a tool call id that is not nine letters and digits"),
        ErrorText::new("Tool call id (?:has to be defined|must be a non-empty)", &[Code::MissingCallId], At::Nowhere, "a tool call or tool result without an id"),
        ErrorText::new("Unexpected tool call id {id} in tool results", &[Code::OrphanResult, Code::UnansweredCall, Code::LinkMismatch], At::Nowhere, "a tool result that does not belong to the calls before it"),
        ErrorText::new("Duplicate tool call id {id} in tool results", &[Code::TwoResults, Code::ConflictingResults], At::Nowhere, "a tool call has more than one result"),
        ErrorText::new("Duplicate tool call id {id} in assistant message", &[Code::ReusedCallId, Code::RepeatedCall], At::Nowhere, "two tool calls with the same id in one message"),
        ErrorText::new("Assistant message must have either content or tool_calls, but not (?:none|both)", &[Code::EmptyContent], At::Nowhere, "assistant message without text or tool calls"),
        ErrorText::new("Function name was .{0,200}but must be", &[Code::BadToolName], At::Nowhere, "a tool name that is rejected"),
        ErrorText::new("Assistant message with prefix True must be last message", &[Code::EndsWithAssistant], At::Nowhere, "a prefill for the model before the last message"),
        ErrorText::new("(?:Unexpected role {q}[A-Za-z_.-]{1,40}{q}|Input should be {q}assistant{q})", &[Code::MalformedRecord, Code::UnknownRecord], At::Nowhere, "a message with an unknown role"),
    ],
};
