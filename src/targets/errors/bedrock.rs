//! Error texts of Amazon Bedrock Converse, and of its client library before it sends.

use super::{At, ErrorTable, ErrorText};
use crate::transcript::Code;

const PREFILL: &str = "A transcript may end with an assistant message: the program sent the failed request without a new user message (structured output, a resume, or a retry).";

/// The texts, as quoted in public reports; those of the library are from its service model.
#[rustfmt::skip]
pub(super) const TABLE: ErrorTable = ErrorTable {
    name: "bedrock",
    title: "Amazon Bedrock",
    source: "botocore 1.44.5 (its service model); issues of langchain-ai/langchain-aws and strands-agents",
    texts: &[
        ErrorText::new("Expected toolResult blocks at (?:messages\\.{n}\\.content|…|\\.\\.\\.)(?: for the following Ids: {ids})?", &[Code::UnansweredCall, Code::ResultNotNext, Code::SplitBatch, Code::ResultBeforeCall, Code::TwoResults, Code::PendingCall], At::Results, "tool calls without results in the next message"),
        ErrorText::new("number of toolResult blocks at messages\\.{n}\\.content exceeds", &[Code::OrphanResult, Code::TwoResults, Code::ResultNotNext, Code::ResultBeforeCall, Code::FailedTurnWithCalls, Code::CompactionSplitPair], At::Results, "a message with more tool results than the one before it has calls"),
        ErrorText::new("The toolResult blocks at messages\\.{n}\\.content contain duplicate Ids: {ids}", &[Code::TwoResults, Code::ConflictingResults], At::Results, "a tool call has more than one result"),
        ErrorText::new("The toolUse blocks at messages\\.{n}\\.content contain duplicate Ids: {ids}", &[Code::ReusedCallId, Code::RepeatedCall, Code::RepeatedRecord], At::Call, "two tool calls with the same id in one message"),
        ErrorText::new("messages\\.{n}: Did not find [0-9]+ {q}tool_result{q} block\\(s\\) at the beginning of this message", &[Code::ResultNotNext, Code::UnansweredCall, Code::SplitBatch, Code::ResultBeforeCall, Code::PendingCall], At::Results, "a message does not start with the results of the tool calls before it"),
        ErrorText::new("messages\\.{n}: {q}tool_use{q} ids were found without {q}tool_result{q} blocks immediately after(?:: {ids})?", &[Code::UnansweredCall, Code::ResultNotNext, Code::SplitBatch, Code::ResultBeforeCall, Code::TwoResults, Code::PendingCall], At::Call, "a tool call without a result in the next message"),
        ErrorText::new("messages\\.{n}\\.content\\.{m}: unexpected {q}tool_use_id{q} found in {q}tool_result{q} blocks(?:: {ids})?", &[Code::OrphanResult, Code::TwoResults, Code::ResultNotNext, Code::ResultBeforeCall, Code::FailedTurnWithCalls, Code::CompactionSplitPair], At::This, "a tool result without a call in the message before it"),
        ErrorText::new("messages\\.{n}\\.content: Conversation blocks and tool (?:result|use) blocks cannot be provided in the same turn", &[Code::ForeignBlock], At::This, "a message with both tool results and other content"),
        ErrorText::new("A conversation must alternate between user and assistant roles", &[Code::RoleOrder, Code::SplitBatch], At::Nowhere, "consecutive messages with the same role"),
        ErrorText::new("A conversation must start with a user message", &[Code::BadStart], At::Nowhere, "the first message is not from the user"),
        ErrorText::new("(?:does not support assistant message prefill|pre-fill(?:ing)? the {q}assistant{q} response)", &[Code::EndsWithAssistant], At::Nowhere, "the request ends with an assistant message")
            .hint(PREFILL),
        ErrorText::new("The text field in the ContentBlock object at messages\\.{n}\\.content\\.{m} is blank", &[Code::EmptyContent], At::This, "a blank text"),
        ErrorText::new("The content field in the Message object at messages\\.{n} is empty", &[Code::EmptyContent], At::This, "an empty message"),
        ErrorText::new("content field at messages\\.{n}\\.content\\.{m}\\.toolResult cannot be empty", &[Code::EmptyErrorResult], At::This, "an error result without content"),
        ErrorText::new("The format of the value at messages\\.{n}\\.content\\.{m}\\.toolResult\\.content\\.[0-9]+\\.json is invalid", &[Code::MalformedRecord], At::This, "a tool result that is not a JSON object"),
        ErrorText::new("The format of the value at messages\\.{n}\\.content\\.{m}\\.toolUse\\.input is invalid", &[Code::BadInput], At::This, "tool call arguments are not an object"),
        ErrorText::new("messages\\.{n}\\.member\\.content\\.{m}\\.member\\.toolUse\\.name", &[Code::BadToolName], At::Member, "a tool name that is rejected"),
        ErrorText::new("messages\\.{n}\\.member\\.content\\.{m}\\.member\\.(?:toolUse|toolResult)\\.toolUseId", &[Code::BadCallId], At::Member, "a tool call id that is rejected"),
        ErrorText::new("document file name can only contain alphanumeric characters", &[Code::BadMedia], At::Nowhere, "a document with a name that is rejected")
            .seen("vercel/ai#20365, simonw/llm-bedrock#8"),
        ErrorText::new("Messages can.t contain duplicate document names", &[Code::BadMedia], At::Nowhere, "two documents with the same name")
            .seen("pydantic/pydantic-ai#1523, aws-samples/generative-ai-use-cases#1685"),
        ErrorText::new("You can.t include more than [0-9]+ documents in a request", &[Code::TooManyImages], At::Nowhere, "too many documents")
            .seen("aaif-goose/goose#1267"),
        ErrorText::new("The toolConfig field must be defined", &[], At::Nowhere, "the request was built without tools")
            .hint("The transcript is fine: the program that sends it must also send its tools."),
        ErrorText::new("messages\\.{n}\\.content\\.{m}\\.type: Expected {q}thinking{q} or {q}redacted_thinking{q}, but found", &[Code::Thinking], At::This, "thinking is missing")
            .hint("Only the provider can verify thinking, so the place named in the error is all that is known."),
        ErrorText::new("Missing required parameter in messages\\[{n}\\]\\.content\\[{m}\\]\\.toolUse: {q}input", &[Code::MissingInput], At::Parameter, "tool call without arguments"),
        ErrorText::new("(?:Missing required parameter in|Invalid type for parameter) messages\\[{n}\\]\\.content\\[{m}\\]\\.(?:toolUse|toolResult)(?:\\.toolUseId|: {q}toolUseId)", &[Code::MissingCallId], At::Parameter, "a tool call or tool result without an id"),
        ErrorText::new("Invalid (?:type|length) for parameter messages\\[{n}\\]\\.content\\[{m}\\]\\.toolUse\\.name", &[Code::BadToolName, Code::MalformedRecord], At::Parameter, "a tool name that is rejected"),
        ErrorText::new("(?:Missing required parameter in|Invalid (?:type|length) for parameter|tagged union structure|Unknown parameter in) messages\\[{n}\\](?:\\.content\\[{m}\\])?", &[Code::ForeignBlock, Code::MalformedRecord, Code::EmptyContent], At::Parameter, "a block with the wrong structure"),
    ],
};
