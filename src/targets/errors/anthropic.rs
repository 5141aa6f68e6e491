//! Error texts of the Anthropic Messages API.

use super::{At, ErrorTable, ErrorText};
use crate::transcript::Code;

const SAMPLE: &str =
    "Only the provider can verify thinking, so the place named in the error is all that is known.";
const CONTENT: &[Code] = &[Code::EmptyContent];
const THINKING: &[Code] = &[Code::Thinking];
const MEDIA: &[Code] = &[Code::BadMedia];
const FOREIGN: &[Code] = &[Code::ForeignBlock];

/// The texts, as quoted in public reports.
#[rustfmt::skip]
pub(super) const TABLE: ErrorTable = ErrorTable {
    name: "anthropic",
    title: "Anthropic",
    source: "https://docs.claude.com/en/api/errors; issues of anthropics/claude-code",
    texts: &[
        ErrorText::new("messages\\.{n}: {q}tool_use{q} ids were found without {q}tool_result{q} blocks immediately after(?:: {ids})?", &[Code::UnansweredCall, Code::ResultNotNext, Code::SplitBatch, Code::ResultBeforeCall, Code::StrandedRecord, Code::TwoResults, Code::PendingCall], At::Call, "a tool call without a result in the next message"),
        ErrorText::new("messages\\.{n}: Did not find [0-9]+ {q}tool_result{q} block\\(s\\) at the beginning of this message", &[Code::UnansweredCall, Code::ResultNotNext, Code::SplitBatch, Code::ResultBeforeCall, Code::StrandedRecord, Code::PendingCall], At::Results, "a message does not start with the results of the tool calls before it"),
        ErrorText::new("{L}: unexpected {q}tool_use_id{q} found in {q}tool_result{q} blocks(?:: {ids})?", &[Code::OrphanResult, Code::TwoResults, Code::ResultNotNext, Code::ResultBeforeCall, Code::FailedTurnWithCalls, Code::CompactionSplitPair], At::This, "a tool result without a call in the message before it"),
        ErrorText::new("{L}: each {q}tool_use{q} must have a single result(?:. Found multiple {q}tool_result{q} blocks with id: {ids})?", &[Code::TwoResults, Code::ConflictingResults, Code::ResultNotNext], At::This, "a tool call has more than one result"),
        ErrorText::new("{L}: {q}tool_use{q} ids must be unique", &[Code::RepeatedCall, Code::ReusedCallId, Code::RepeatedRecord], At::This, "two tool calls have the same id"),
        ErrorText::new("Requests which include {q}tool_use{q} or {q}tool_result{q} blocks must define tools", &[], At::Nowhere, "the request was built without tools")
            .hint("The transcript is fine: the program that sends it must also send its tools."),
        ErrorText::new("{L}\\.tool_use\\.name: String should have at", &[Code::BadToolName], At::This, "a tool name that is rejected"),
        ErrorText::new("tools\\.[0-9]+\\.custom\\.name: String should match|tools: Tool names must be unique", &[], At::Nowhere, "the names of the defined tools are rejected")
            .hint("This is about the tools that the request defines, which are not in the transcript."),
        ErrorText::new("{L}\\.(?:tool_use\\.id|tool_result\\.tool_use_id|server_tool_use\\.id): String should match", &[Code::BadCallId], At::This, "a tool call id with characters that are rejected"),
        ErrorText::new("{L}\\.tool_use\\.input: Field required", &[Code::MissingInput], At::This, "tool call without arguments"),
        ErrorText::new("{L}\\.tool_use\\.input: Input should be (?:a valid|an)", &[Code::BadInput], At::This, "tool call arguments are not an object"),
        ErrorText::new("{L}\\.(?:tool_use\\.id|tool_result\\.tool_use_id): Field required", &[Code::MissingCallId], At::This, "a tool call or tool result without an id"),
        ErrorText::new("{L}\\.thinking\\.signature: Field required", THINKING, At::This, "thinking without a signature")
            .hint(SAMPLE),
        ErrorText::new("(?:A maximum of [0-9]+ blocks with cache_control may be provided|cache_control block must not come after|thinking\\.cache_control: Extra inputs)", FOREIGN, At::Nowhere, "cache breakpoints that are rejected"),
        ErrorText::new("{L}\\.[a-z_.]+: Field required", &[Code::MalformedRecord], At::This, "a field is missing"),
        ErrorText::new("messages\\.{n}\\.(?:content: Input should be a valid list|role: Field required)|messages\\.[0-9]+\\.content\\.{m}\\.text\\.text: Input should be a valid string", &[Code::MalformedRecord], At::This, "a message with the wrong structure"),
        ErrorText::new("{L}\\.[a-z_.]+: Extra inputs are not permitted", FOREIGN, At::This, "an unknown field"),
        ErrorText::new("{L}: Input tag .{0,80} found using .{0,9}type", FOREIGN, At::This, "an unknown block type"),
        ErrorText::new("messages: Unexpected role", FOREIGN, At::Nowhere, "a message with a role that is rejected"),
        ErrorText::new("messages\\.{n}: use the top-level {q}system{q} parameter", FOREIGN, At::This, "a system message at the beginning")
            .seen("LeenHawk/gproxy#209"),
        ErrorText::new("role {q}system{q} is not supported on this model", FOREIGN, At::Nowhere, "a system message that the model does not take")
            .seen("docs.rs/gproxy-transform 2.6.1, `claude_mid_conv_system`"),
        ErrorText::new("{L}: {q}[a-z_]+{q} blocks can only be in", FOREIGN, At::This, "a block in a message with the wrong role"),
        ErrorText::new("messages: first message must use the|messages: at least one message is required", &[Code::BadStart], At::Nowhere, "the first message is not from the user"),
        ErrorText::new("messages: text content blocks must", CONTENT, At::Nowhere, "an empty text"),
        ErrorText::new("{L}: all messages must have non-empty content", CONTENT, At::This, "an empty message"),
        ErrorText::new("(?:{L}\\.text: )?cache_control cannot be set for empty text blocks", CONTENT, At::This, "an empty text"),
        ErrorText::new("{L}\\.tool_result: content cannot be empty if {q}is_error{q} is true", &[Code::EmptyErrorResult], At::This, "an error result without content"),
        ErrorText::new("(?:final assistant content cannot end with trailing whitespace|does not support assistant message prefill)", &[Code::EndsWithAssistant], At::Nowhere, "the request ends with an assistant message")
            .hint("A transcript may end with an assistant message: the program sent the failed request without a new user message."),
        ErrorText::new("{L}: Invalid {q}signature{q} in {q}thinking{q} block\\.? The block is bound to a different conversation", THINKING, At::Onward, "thinking from a different conversation than the messages before it")
            .hint(SAMPLE),
        ErrorText::new("{L}: (?:{q}thinking{q} or {q}redacted_thinking{q} blocks in the latest|Invalid {q}signature{q} in {q}thinking{q} block|If an assistant message contains any thinking|The final block in an assistant message cannot be)", THINKING, At::This, "thinking that is rejected")
            .hint(SAMPLE),
        ErrorText::new("{L}\\.(?:thinking: each thinking block must contain thinking|type: Expected {q}thinking{q} or {q}redacted_thinking{q}, but found)", THINKING, At::This, "thinking is missing")
            .hint(SAMPLE),
        ErrorText::new("(?:Invalid {q}signature{q} in {q}thinking{q} block|Invalid {q}data{q} in {q}redacted_thinking{q} block|When thinking is disabled, an {q}assistant{q} message in the final|the blocks must match the parameters during the original request|{q}thinking{q} or {q}redacted_thinking{q} blocks in the latest)", THINKING, At::Nowhere, "thinking that is rejected")
            .hint(SAMPLE),
        ErrorText::new("{L}\\.(?:image\\.|pdf\\.|document\\.)?source\\.base64(?:\\.data|\\.media_type)?: ", MEDIA, At::This, "an image that is rejected"),
        ErrorText::new("(?:Could not process image|appears to be a image/|image dimensions exceed max allowed size|image exceeds [0-9.]+ MB maximum|invalid base64 data|The PDF specified was not valid|PDF cannot be empty|is password protected)", MEDIA, At::Nowhere, "an image or document that is rejected"),
        ErrorText::new("(?:Request exceeds the maximum size|request_too_large|Request too large \\(max [0-9]+{s}MB\\))", MEDIA, At::Nowhere, "the request has too many bytes, most of them images or documents")
            .hint("A request may have 32 MB. Compact the conversation, or start a new one; with `--unsafe --error`, `repair` removes the last image.")
            .seen("https://docs.claude.com/en/api/errors; anthropics/claude-code#9269, anthropics/claude-code#74048"),
        ErrorText::new("A maximum of [0-9]+ PDF pages", &[Code::TooManyImages, Code::BadMedia], At::Nowhere, "documents with too many pages")
            .seen("anthropics/claude-code#6231"),
        ErrorText::new("(?:Too much media: [0-9]+ document pages \\+ [0-9]+ images > [0-9]+|too many images and documents: [0-9]+ \\+ [0-9]+ > [0-9]+)", &[Code::TooManyImages], At::Nowhere, "the request has too many images and pages of documents"),
        ErrorText::new("{L}: unexpected {q}tool_use_id{q} found in {q}[a-z_]+_tool_result{q} blocks: {ids}", FOREIGN, At::This, "a server tool result without a call before it"),
        ErrorText::new("{L}: {q}[a-z_]+{q} tool use with id {q}{id}{q} was found without a corresponding", FOREIGN, At::This, "a server tool call without a result"),
        ErrorText::new("(?:Advisor tool result content could not be processed|Tool reference .{0,80} not found in available tools)", FOREIGN, At::Nowhere, "a block that cannot be used in this request"),
        ErrorText::new("(?:no low surrogate in string|invalid high surrogate in string)", &[Code::LoneSurrogate], At::Nowhere, "half a surrogate pair in the request"),
        // What a shell leaves of the same between double quotes.
        ErrorText::new("{L}: Invalid in block", THINKING, At::This, "thinking that is rejected")
            .hint(SAMPLE)
            .piece(),
        // Sentences of the texts above that are quoted alone, and that hosts search for.
        ErrorText::new("each {q}tool_use{q} block must have a corresponding {q}tool_result{q} block in the next message", &[Code::UnansweredCall, Code::ResultNotNext, Code::SplitBatch, Code::ResultBeforeCall, Code::StrandedRecord, Code::TwoResults, Code::PendingCall], At::Nowhere, "a tool call without a result in the next message")
            .piece(),
        ErrorText::new("each {q}tool_result{q} block must have a corresponding {q}tool_use{q} block in the previous message", &[Code::OrphanResult, Code::TwoResults, Code::ResultNotNext, Code::ResultBeforeCall, Code::FailedTurnWithCalls, Code::CompactionSplitPair], At::Nowhere, "a tool result without a call in the message before it")
            .piece(),
        ErrorText::new("(?i:Found multiple {q}tool_result{q} blocks with id)(?:: {ids})?", &[Code::TwoResults, Code::ConflictingResults, Code::ResultNotNext], At::Nowhere, "a tool call has more than one result")
            .piece(),
        ErrorText::new("(?:The block is bound to a different conversation|blocks in the latest assistant message cannot be modified|Expected {q}thinking{q}.{1,40}but found)", THINKING, At::Nowhere, "thinking that was changed")
            .hint(SAMPLE)
            .piece(),
        ErrorText::new("messages: roles must alternate", &[Code::RoleOrder], At::Nowhere, "consecutive messages with the same role"),
    ],
};
