//! Error texts of OpenAI Chat Completions, and of servers with the same dialect.

use super::{At, ErrorTable, ErrorText};
use crate::transcript::Code;

const OPEN: &[Code] = &[
    Code::UnansweredCall,
    Code::ResultNotNext,
    Code::SplitBatch,
    Code::ResultBeforeCall,
    Code::CompactionSplitPair,
    Code::PendingCall,
];
const ORPHAN: &[Code] = &[
    Code::OrphanResult,
    Code::ResultBeforeCall,
    Code::ResultNotNext,
    Code::FailedTurnWithCalls,
    Code::CompactionSplitPair,
];

/// The texts, as quoted in public reports. The number may be in the error's `param` instead.
#[rustfmt::skip]
pub(super) const TABLE: ErrorTable = ErrorTable {
    name: "openai-chat",
    title: "OpenAI Chat",
    source: "issues of openai/openai-python, langchain-ai/langchain, and vercel/ai",
    texts: &[
        ErrorText::new("did not have response messages: message\\[{n}\\]\\.role", OPEN, At::Behind, "tool calls without results after them"),
        ErrorText::new("n assistant message with {q}tool_calls{q} must be followed by tool messages(?: responding to each {q}tool_call_id{q}\\.(?: The following tool_call_ids did not have response messages: {ids})?)?", OPEN, At::Behind, "tool calls without results after them"),
        ErrorText::new("(?:insufficient tool messages following tool_calls message|tool_call_ids did not have response messages: {ids})", OPEN, At::Behind, "tool calls without results after them"),
        ErrorText::new("(?i:n assistant message with {q}tool_calls{q} must be followed|must be followed by tool messages responding to)", OPEN, At::Nowhere, "tool calls without results after them")
            .piece(),
        ErrorText::new("essages with role {q}tool{q} must be a response to a prece+ding message with {q}tool_calls", ORPHAN, At::This, "a tool result without a call before it"),
        ErrorText::new("{q}tool_call_id{q} of {q}{id}{q} not found in {q}tool_calls{q} of previous message", &[Code::LinkMismatch, Code::OrphanResult, Code::UnansweredCall], At::This, "a tool result that does not belong to the calls before it"),
        ErrorText::new("Duplicate value for {q}tool_call_id{q} of {q}{id}{q}(?:, in messages\\.?\\[{n}\\] and)?", &[Code::TwoResults, Code::ConflictingResults, Code::RepeatedCall], At::This, "a tool call has more than one result"),
        ErrorText::new("messages\\.?\\[{n}\\]\\.tool_call(?:s\\[{m}\\]\\.id|_id){q}: string too long", &[Code::BadCallId], At::This, "a tool call id that is too long"),
        ErrorText::new("messages\\.?[.\\[]{n}\\]?\\.(?:tool_calls[.\\[]{m}\\]?\\.function|function_call)\\.name{q}: string (?:does not match|too long)|does not match .{0,60}messages\\.[0-9]+\\.(?:tool_calls\\.[0-9]+\\.function|function_call)\\.name", &[Code::BadToolName], At::This, "a tool name that is rejected"),
        ErrorText::new("messages\\.?\\[{n}\\]\\.name{q}: string (?:does not match|too long)", &[Code::BadToolName], At::This, "the name of who speaks is rejected")
            .seen("langchain-ai/langchain#35054, microsoft/autogen#3017"),
        ErrorText::new("does not match .{0,60}messages\\.{n}\\.name", &[Code::BadToolName], At::This, "the name of who speaks is rejected")
            .seen("microsoft/autogen#941"),
        ErrorText::new("messages\\.?\\[{n}\\]\\.content\\[{m}\\]\\.image_url", &[Code::BadMedia], At::This, "an image that is rejected")
            .seen("Alibaba-NLP/OmniSearch#3"),
        ErrorText::new("(?:Invalid value for {q}content{q}: expected a string, got null|messages\\.?\\[{n}\\]\\.content{q}: expected [^.]{1,60}got null)", &[Code::EmptyContent, Code::MalformedRecord], At::This, "a message without content"),
        ErrorText::new("messages\\.?\\[{n}\\]\\.tool_calls{q}: empty array", &[Code::EmptyContent], At::This, "a message with an empty list of tool calls"),
        ErrorText::new("Invalid value: {q}[^'\"]{1,60}{q}\\. Supported values are: {q}system{q}", &[Code::MalformedRecord, Code::UnknownRecord], At::This, "a message with an unknown role"),
        ErrorText::new("Missing (?:required )?parameter:? {q}(?:messages\\.?\\[{n}\\]\\.)?(?:tool_calls\\[{m}\\]\\.id|tool_call_id){q}", &[Code::MissingCallId], At::This, "a tool call or tool result without an id"),
        ErrorText::new("(?:Missing required parameter: |Invalid type for ){q}messages\\.?\\[{n}\\]\\.content(?:\\[{m}\\])?|Invalid value: {q}[a-z_]+{q}\\. Supported values are: {q}text{q}", &[Code::ForeignBlock], At::This, "an unknown block type"),
        ErrorText::new("(?:Missing required parameter: |Invalid type for ){q}messages\\.?\\[{n}\\]\\.(?:tool_calls\\[{m}\\]\\.)?function\\.arguments", &[Code::MissingInput, Code::MalformedRecord], At::This, "tool call arguments that are missing or not a string"),
        ErrorText::new("(?:Missing required parameter: |Invalid type for ){q}messages\\.?\\[{n}\\]\\.(?:tool_calls\\[{m}\\]\\.)?[a-z_.]+{q}", &[Code::BadToolName, Code::MalformedRecord], At::This, "a field that is missing or has the wrong type"),
        ErrorText::new("(?:(?:Expecting .{1,60}|Unterminated string starting at|Invalid \\\\+escape[^:]{0,9}|Invalid control character at|Extra data): line [0-9]+ column [0-9]+ \\(char [0-9]+\\)|function\\.arguments{q} parameter .{0,60}must be in JSON format|failed to parse tool call arguments as json)", &[Code::BadInput], At::Nowhere, "tool call arguments that are not JSON"),
        ErrorText::new("reasoning_content{q} (?:field in the assistant message at message|is missing in assistant tool call message at) index {n}", &[Code::Thinking], At::This, "thinking is missing")
            .hint("The server wants back the `reasoning_content` of answers with tool calls, and here none lacks it: the program that sends them leaves it out."),
        ErrorText::new("reasoning_content{q} in the thinking mode must be passed back", &[Code::Thinking], At::Nowhere, "thinking is missing")
            .hint("The server wants back the `reasoning_content` of answers with tool calls, and here none lacks it: the program that sends them leaves it out."),
        ErrorText::new("tool_call_id {id} is not found", &[Code::OrphanResult, Code::UnansweredCall], At::Nowhere, "a tool result without a call before it"),
        ErrorText::new("tool_call_id is not found", &[Code::MissingCallId], At::Nowhere, "a tool result with an empty id"),
        ErrorText::new("tool call result does not follow tool call", &[Code::OrphanResult, Code::ResultNotNext, Code::ResultBeforeCall], At::Nowhere, "a tool result without a call before it"),
        ErrorText::new("tool result's tool id\\({id}\\) not found", &[Code::OrphanResult, Code::MissingCallId], At::Nowhere, "tool result without a call"),
        ErrorText::new("duplicate tool call id", &[Code::TwoResults, Code::ReusedCallId], At::Nowhere, "two tool calls or two results with the same id"),
        ErrorText::new("the message at position {n} with role {q}[a-z]{1,20}{q} must not be empty", &[Code::EmptyContent], At::This, "an empty message")
            .seen("Moonshot: MoonshotAI/kimi-code#1985, anomalyco/opencode#37887"),
        ErrorText::new("the message at position {n} with role {q}[a-z]{1,20}{q} contains an invalid part type", &[Code::ForeignBlock, Code::BadMedia], At::This, "an unknown block type")
            .seen("Moonshot: MoonshotAI/kimi-cli#788"),
        ErrorText::new("Invalid request: tokenization failed", &[Code::MalformedRecord, Code::ForeignBlock, Code::EmptyContent, Code::BadInput], At::Nowhere, "the messages have a shape that Moonshot cannot read")
            .hint("Moonshot does not say which message it means; `check --target openai-chat` looks at all of them.")
            .seen("Moonshot: moeru-ai/airi#1768, earendil-works/pi#5159"),
        ErrorText::new("messages\\.{n}{q} : for {q}role:{s}[a-z]{1,20}{q} the following must be satisfied", &[Code::ForeignBlock, Code::MalformedRecord], At::This, "a message with a field that Groq does not know, or without one that it requires")
            .seen("Groq: SimonSchubert/Kai#265, run-llama/llama_index#14701, odysseus-dev/odysseus#200"),
        ErrorText::new("messages\\[{n}\\]: missing field {q}tool_call_id", &[Code::MissingCallId], At::This, "a tool result without an id")
            .seen("DeepSeek: dnakov/anon-kode#87, smallnest/goclaw#13, FerroxLabs/wayland#170"),
        ErrorText::new("messages\\[{n}\\](?:\\.[a-z0-9_.\\[\\]]{1,60})?: missing field {q}content", &[Code::EmptyContent, Code::MalformedRecord], At::This, "a message without content")
            .seen("DeepSeek: pig-mesh/deepseek4j#40"),
        ErrorText::new("messages\\[{n}\\](?:\\.[a-z0-9_.\\[\\]]{1,60})?: missing field {q}", &[Code::MalformedRecord, Code::MissingCallId, Code::MissingInput, Code::BadToolName], At::This, "a field is missing")
            .seen("DeepSeek: dnakov/anon-kode#87"),
        ErrorText::new("messages\\[{n}\\](?:\\.[a-z0-9_.\\[\\]]{1,60})?: unknown variant {q}", &[Code::MalformedRecord, Code::ForeignBlock, Code::UnknownRecord], At::This, "a role or a block type that the server does not know")
            .seen("edison7009/EchoBird#125"),
        ErrorText::new("messages\\[{n}\\](?:\\.[a-z0-9_.\\[\\]]{1,60})?: invalid type: ", &[Code::MalformedRecord, Code::ForeignBlock, Code::EmptyContent], At::This, "a field with the wrong type")
            .seen("DeepSeek: lastmile-ai/mcp-agent#25"),
        ErrorText::new("Tool result(?:s|\\(s\\))? (?:is |are |… |\\.\\.\\. )missing for tool call(?:s|\\(s\\))? {ids}", &[Code::UnansweredCall, Code::PendingCall], At::Nowhere, "tool calls without results; the program refused to send the request"),
        ErrorText::new("(?:message history contains|Cannot provide a new user prompt when the message history contains) unprocessed tool calls", &[Code::UnansweredCall, Code::PendingCall], At::Nowhere, "tool calls without results; the program refused to send the request"),
    ],
};
