//! Error texts of the Anthropic Messages API.

use super::{At, ErrorTable, Text};
use crate::transcript::Code;

const SAMPLE: &str = "Thinking can only be proved by its provider: the place that the text names is all that is known.";
const CONTENT: &[Code] = &[Code::EmptyContent];
const THINKING: &[Code] = &[Code::Thinking];
const MEDIA: &[Code] = &[Code::BadMedia];
const FOREIGN: &[Code] = &[Code::ForeignBlock];

/// The texts, as quoted in public reports.
pub(super) const TABLE: ErrorTable = ErrorTable {
    name: "anthropic",
    title: "Anthropic",
    texts: &[
        Text::new(
            "messages\\.{n}: {q}tool_use{q} ids were found without {q}tool_result{q} blocks immediately after(?:: {ids})?",
            &[Code::UnansweredCall, Code::ResultNotNext, Code::SplitBatch, Code::ResultBeforeCall, Code::StrandedRecord, Code::TwoResults, Code::PendingCall],
            At::Call,
            "a call has no result in the next message",
        ),
        Text::new(
            "messages\\.{n}: Did not find [0-9]+ {q}tool_result{q} block\\(s\\) at the beginning of this message",
            &[Code::UnansweredCall, Code::ResultNotNext, Code::SplitBatch, Code::ResultBeforeCall, Code::StrandedRecord, Code::PendingCall],
            At::Results,
            "a message does not begin with the results of the calls before it",
        ),
        Text::new(
            "{L}: unexpected {q}tool_use_id{q} found in {q}tool_result{q} blocks(?:: {ids})?",
            &[Code::OrphanResult, Code::TwoResults, Code::ResultNotNext, Code::ResultBeforeCall, Code::FailedTurnWithCalls, Code::CompactionSplitPair],
            At::This,
            "a result has no call in the message before it",
        ),
        Text::new(
            "{L}: each {q}tool_use{q} must have a single result(?:. Found multiple {q}tool_result{q} blocks with id: {ids})?",
            &[Code::TwoResults, Code::ConflictingResults, Code::ResultNotNext],
            At::This,
            "a tool call has more than one result",
        ),
        Text::new(
            "{L}: {q}tool_use{q} ids must be unique",
            &[Code::RepeatedCall, Code::ReusedCallId, Code::RepeatedRecord],
            At::This,
            "two tool calls have the same id",
        ),
        Text::new(
            "Requests which include {q}tool_use{q} or {q}tool_result{q} blocks must define tools",
            &[],
            At::Nowhere,
            "the request was built without tools",
        )
        .hint("Nothing is wrong with the recording; the program that sends it has to send its tools too."),
        Text::new("{L}\\.tool_use\\.name: String should have at", &[Code::BadToolName], At::This, "a tool's name is refused"),
        Text::new(
            "tools\\.[0-9]+\\.custom\\.name: String should match|tools: Tool names must be unique",
            &[],
            At::Nowhere,
            "the names of the tools are refused",
        )
        .hint("The tools of the request are meant, which no recording holds."),
        Text::new(
            "{L}\\.(?:tool_use\\.id|tool_result\\.tool_use_id|server_tool_use\\.id): String should match",
            &[Code::BadCallId],
            At::This,
            "a call's id has characters that are refused",
        ),
        Text::new("{L}\\.tool_use\\.input: Field required", &[Code::MissingInput], At::This, "tool \
            call without arguments"),
        Text::new(
            "{L}\\.tool_use\\.input: Input should be (?:a valid|an)",
            &[Code::BadInput],
            At::This,
            "tool call arguments are not an object",
        ),
        Text::new(
            "{L}\\.(?:tool_use\\.id|tool_result\\.tool_use_id): Field required",
            &[Code::MissingCallId],
            At::This,
            "a tool call or tool result without an id",
        ),
        Text::new("{L}\\.thinking\\.signature: Field required", THINKING, At::This, "thinking has no signature")
            .hint(SAMPLE),
        Text::new(
            "(?:A maximum of [0-9]+ blocks with cache_control may be provided|cache_control block must not come after|thinking\\.cache_control: Extra inputs)",
            FOREIGN,
            At::Nowhere,
            "marks for the cache are refused",
        ),
        Text::new("{L}\\.[a-z_.]+: Field required", &[Code::MalformedRecord], At::This, "a member is missing"),
        Text::new(
            "messages\\.{n}\\.(?:content: Input should be a valid list|role: Field required)|messages\\.[0-9]+\\.content\\.{m}\\.text\\.text: Input should be a valid string",
            &[Code::MalformedRecord],
            At::This,
            "a message is not of the shape that is asked for",
        ),
        Text::new("{L}\\.[a-z_.]+: Extra inputs are not permitted", FOREIGN, At::This, "a member is not known"),
        Text::new("{L}: Input tag .{0,80} found using .{0,9}type", FOREIGN, At::This, "a kind of block is not known"),
        Text::new("messages: Unexpected role", FOREIGN, At::Nowhere, "a message has a role that is refused"),
        Text::new(
            "{L}: {q}[a-z_]+{q} blocks can only be in",
            FOREIGN,
            At::This,
            "a block stands in a message of the wrong role",
        ),
        Text::new(
            "messages: first message must use the|messages: at least one message is required",
            &[Code::BadStart],
            At::Nowhere,
            "the first message is not the user's",
        ),
        Text::new("messages: text content blocks must", CONTENT, At::Nowhere, "a text is empty"),
        Text::new("{L}: all messages must have non-empty content", CONTENT, At::This, "a message is empty"),
        Text::new(
            "(?:{L}\\.text: )?cache_control cannot be set for empty text blocks",
            CONTENT,
            At::This,
            "a text is empty",
        ),
        Text::new(
            "{L}\\.tool_result: content cannot be empty if {q}is_error{q} is true",
            &[Code::EmptyErrorResult],
            At::This,
            "a result that reports an error is empty",
        ),
        Text::new(
            "(?:final assistant content cannot end with trailing whitespace|does not support assistant message prefill)",
            &[Code::EndsWithAssistant],
            At::Nowhere,
            "the request ends with a message of the model",
        )
        .hint("A recording that ends with an answer is in order: the failed request was built without a new message of the user."),
        Text::new(
            "{L}: Invalid {q}signature{q} in {q}thinking{q} block\\.? The block is bound to a different conversation",
            THINKING,
            At::Onward,
            "thinking was made for another conversation than what stands before it now",
        )
        .hint(SAMPLE),
        Text::new(
            "{L}: (?:{q}thinking{q} or {q}redacted_thinking{q} blocks in the latest|Invalid {q}signature{q} in {q}thinking{q} block|If an assistant message contains any thinking|The final block in an assistant message cannot be)",
            THINKING,
            At::This,
            "thinking is refused",
        )
        .hint(SAMPLE),
        Text::new(
            "{L}\\.(?:thinking: each thinking block must contain thinking|type: Expected {q}thinking{q} or {q}redacted_thinking{q}, but found)",
            THINKING,
            At::This,
            "thinking is missing",
        )
        .hint(SAMPLE),
        Text::new(
            "(?:Invalid {q}signature{q} in {q}thinking{q} block|Invalid {q}data{q} in {q}redacted_thinking{q} block|When thinking is disabled, an {q}assistant{q} message in the final|the blocks must match the parameters during the original request|{q}thinking{q} or {q}redacted_thinking{q} blocks in the latest)",
            THINKING,
            At::Nowhere,
            "thinking is refused",
        )
        .hint(SAMPLE),
        Text::new(
            "{L}\\.(?:image\\.|pdf\\.|document\\.)?source\\.base64(?:\\.data|\\.media_type)?: ",
            MEDIA,
            At::This,
            "an image is refused",
        ),
        Text::new(
            "(?:Could not process image|appears to be a image/|image dimensions exceed max allowed size|image exceeds [0-9.]+ MB maximum|invalid base64 data|The PDF specified was not valid|PDF cannot be empty|is password protected|A maximum of [0-9]+ PDF pages|Request exceeds the maximum size)",
            MEDIA,
            At::Nowhere,
            "an image or a document is refused",
        ),
        Text::new(
            "(?:Too much media: [0-9]+ document pages \\+ [0-9]+ images > [0-9]+|too many images and documents: [0-9]+ \\+ [0-9]+ > [0-9]+)",
            &[Code::TooManyImages],
            At::Nowhere,
            "the request has too many images and pages of documents",
        ),
        Text::new(
            "{L}: unexpected {q}tool_use_id{q} found in {q}[a-z_]+_tool_result{q} blocks: {ids}",
            FOREIGN,
            At::This,
            "a result of a server's tool has no call before it",
        ),
        Text::new(
            "{L}: {q}[a-z_]+{q} tool use with id {q}{id}{q} was found without a corresponding",
            FOREIGN,
            At::This,
            "a call of a server's tool has no result",
        ),
        Text::new(
            "(?:Advisor tool result content could not be processed|Tool reference .{0,80} not found in available tools)",
            FOREIGN,
            At::Nowhere,
            "a block cannot be used in this request",
        ),
        Text::new(
            "(?:no low surrogate in string|invalid high surrogate in string)",
            &[Code::LoneSurrogate],
            At::Nowhere,
            "half a character stands in the request",
        ),
        // Sentences of the texts above that are quoted alone, and that hosts search for.
        Text::new(
            "each {q}tool_use{q} block must have a corresponding {q}tool_result{q} block in the next message",
            &[Code::UnansweredCall, Code::ResultNotNext, Code::SplitBatch, Code::ResultBeforeCall, Code::StrandedRecord, Code::TwoResults, Code::PendingCall],
            At::Nowhere,
            "a call has no result in the next message",
        )
        .piece(),
        Text::new(
            "each {q}tool_result{q} block must have a corresponding {q}tool_use{q} block in the previous message",
            &[Code::OrphanResult, Code::TwoResults, Code::ResultNotNext, Code::ResultBeforeCall, Code::FailedTurnWithCalls, Code::CompactionSplitPair],
            At::Nowhere,
            "a result has no call in the message before it",
        )
        .piece(),
        Text::new(
            "(?i:Found multiple {q}tool_result{q} blocks with id)(?:: {ids})?",
            &[Code::TwoResults, Code::ConflictingResults, Code::ResultNotNext],
            At::Nowhere,
            "a tool call has more than one result",
        )
        .piece(),
        Text::new(
            "(?:The block is bound to a different conversation|blocks in the latest assistant message cannot be modified|Expected {q}thinking{q}.{1,40}but found)",
            THINKING,
            At::Nowhere,
            "thinking is not as it was answered",
        )
        .hint(SAMPLE)
        .piece(),
        Text::new("messages: roles must alternate", &[Code::RoleOrder], At::Nowhere, "two messages of one role stand together"),
    ],
};
