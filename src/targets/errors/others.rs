//! Error texts of programs that hide the provider's message, and texts that do not mean damage.

use super::{At, ErrorTable, ErrorText};
use crate::transcript::Code;

/// What may be behind a text that hides the provider's error.
const ANY_DAMAGE: &[Code] = &[
    Code::UnansweredCall,
    Code::TwoResults,
    Code::OrphanResult,
    Code::ResultNotNext,
    Code::SplitBatch,
    Code::ResultBeforeCall,
    Code::ConflictingResults,
    Code::ReusedCallId,
    Code::MissingCallId,
    Code::EmptyContent,
    Code::MissingInput,
    Code::BadInput,
    Code::BadCallId,
];

/// Gateways that hide what the provider said.
#[rustfmt::skip]
pub(super) const GATEWAYS: ErrorTable = ErrorTable {
    name: "gateway",
    title: "a gateway",
    source: "anthropics/claude-code#5705, kirodotdev/Kiro#9355",
    texts: &[
        ErrorText::new("due to tool use concurrency issues", ANY_DAMAGE, At::Nowhere, "the request was rejected; the provider's error is hidden"),
        ErrorText::new("Improperly formed request\\.", ANY_DAMAGE, At::Nowhere, "the request was rejected; the service of Amazon Q and Kiro does not say why")
            .hint("The service says this of every request that it does not accept, also of one with a large image, a tool of an MCP server, or a file that is added to each prompt. If a new conversation gets the same answer, the transcript is not the cause.")
            .seen("aws/amazon-q-developer-cli#1852, aws/amazon-q-developer-cli#2015, aws/amazon-q-developer-cli#2078"),
    ],
};

/// What SQLite says of a database.
#[rustfmt::skip]
pub(super) const DATABASES: ErrorTable = ErrorTable {
    name: "sqlite",
    title: "SQLite",
    source: "https://www.sqlite.org/rescode.html",
    texts: &[
        ErrorText::new("(?:SQLITE_CORRUPT|database disk image is malformed)", &[Code::HostState], At::Nowhere, "the database is damaged")
            .hint("The damage is in the pages of the database, not in what a session says: `check` on the database names the page. End the program that has it open, copy the file together with its `-wal`, and let `sqlite3 COPY .recover` write what is left into a new one.")
            .seen("https://www.sqlite.org/recovery.html; anomalyco/opencode#30157, anomalyco/opencode#37821"),
        ErrorText::new("(?:SQLITE_NOTADB|file is not a database|file is encrypted or is not a database)", &[Code::HostState], At::Nowhere, "the file is not a database, or it is encrypted")
            .hint("Look whether something else was written over the file, and restore it from a backup.")
            .seen("anomalyco/opencode#37821"),
        ErrorText::new("(?:SQLITE_BUSY|database is locked)", &[Code::LiveWriter], At::Nowhere, "another process has the database open")
            .hint("Nothing is damaged: end the other process, or wait for it."),
    ],
};

const ELSEWHERE: &str = "The transcript is not damaged, and repairing it does not help.";

/// Texts that no repair of a transcript helps against.
#[rustfmt::skip]
pub(super) const NO_DAMAGE: ErrorTable = ErrorTable {
    name: "none",
    title: "a provider",
    source: "https://docs.claude.com/en/api/errors, https://console.groq.com/docs/errors",
    texts: &[
        ErrorText::new("(?:prompt is too long|Input is too long for requested model|maximum context length|context_length_exceeded|input length and {q}max_tokens{q} exceed context limit|Too many tokens|exceeds the maximum number of tokens|exceeded model token limit)", &[], At::Nowhere, "the conversation is too long for the model")
            .hint("The transcript is not damaged: shorten or compact the conversation in the program that you use it with."),
        ErrorText::new("(?i:Request Entity Too Large|Payload Too Large|Content Too Large)", &[], At::Nowhere, "the request has too many bytes for the server or a proxy")
            .hint("The transcript is not damaged: compact the conversation, or raise the limit of the proxy.")
            .seen("https://console.groq.com/docs/errors; anthropics/claude-code#10314"),
        ErrorText::new("(?i:overloaded_error|529 overloaded)", &[], At::Nowhere, "the provider is overloaded")
            .hint("The transcript is not damaged: wait, and send the message again.")
            .seen("https://docs.claude.com/en/api/errors; anthropics/claude-code#39745, anthropics/claude-code#81327"),
        ErrorText::new("(?:Failed to call a function\\. Please adjust your prompt|tool_use_failed)", &[], At::Nowhere, "the model wrote a tool call that the server could not read")
            .hint("The transcript is not damaged, because the call was not recorded: send the message again.")
            .seen("Groq: anomalyco/opencode#1018, vercel/ai#6916"),
        ErrorText::new("(?i:rate_limit_error|rate limit (?:reached|exceeded)|RateLimitError|Too Many Requests|ThrottlingException|insufficient_quota|exceeded your current quota|ServiceUnavailableException|capacity_exceeded)", &[], At::Nowhere, "the provider accepts no more requests for now")
            .hint(ELSEWHERE),
        ErrorText::new("(?:authentication_error|permission_error|AccessDeniedException|Your credit balance is too low|invalid x-api-key|Incorrect API key)", &[], At::Nowhere, "the provider denies access")
            .hint(ELSEWHERE),
        ErrorText::new("(?:The provided model identifier is invalid|not_found_error|The model {q}[A-Za-z0-9_./:-]{1,80}{q} does not exist|content management policy|prompt injection patterns detected|internal server error|Internal Server Error|Request timed out)", &[], At::Nowhere, "the provider rejects the request for another reason")
            .hint(ELSEWHERE),
        ErrorText::new("(?:tools cannot be changed mid-conversation|Cannot condense 0 events)", &[], At::Nowhere, "the host refuses for another reason")
            .hint(ELSEWHERE),
    ],
};
