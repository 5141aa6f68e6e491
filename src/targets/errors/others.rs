//! Error texts of programs that hide the provider's message, and texts that do not mean damage.

use super::{At, ErrorTable, ErrorText};
use crate::transcript::Code;

/// Gateways that hide what the provider said.
#[rustfmt::skip]
pub(super) const GATEWAYS: ErrorTable = ErrorTable {
    name: "gateway",
    title: "A gateway",
    texts: &[
        ErrorText::new("(?:due to tool use concurrency issues|Improperly formed request\\.)", &[Code::UnansweredCall, Code::TwoResults, Code::OrphanResult, Code::ResultNotNext, Code::SplitBatch, Code::ResultBeforeCall, Code::ConflictingResults, Code::ReusedCallId, Code::MissingCallId, Code::EmptyContent, Code::MissingInput, Code::BadInput, Code::BadCallId], At::Nowhere, "the request was rejected; the provider's error is hidden"),
    ],
};

const ELSEWHERE: &str = "The transcript is not damaged, and repairing it does not help.";

/// Texts that no repair of a transcript helps against.
#[rustfmt::skip]
pub(super) const NO_DAMAGE: ErrorTable = ErrorTable {
    name: "none",
    title: "The provider",
    texts: &[
        ErrorText::new("(?:prompt is too long|Input is too long for requested model|maximum context length|context_length_exceeded|input length and {q}max_tokens{q} exceed context limit|Too many tokens|exceeds the maximum number of tokens)", &[], At::Nowhere, "the conversation is too long for the model")
            .hint("The transcript is not damaged: shorten or compact the conversation in the program that you use it with."),
        ErrorText::new("(?i:rate_limit_error|rate limit (?:reached|exceeded)|RateLimitError|Too Many Requests|ThrottlingException|insufficient_quota|exceeded your current quota|overloaded_error|ServiceUnavailableException)", &[], At::Nowhere, "the provider accepts no more requests for now")
            .hint(ELSEWHERE),
        ErrorText::new("(?:authentication_error|permission_error|AccessDeniedException|Your credit balance is too low|invalid x-api-key|Incorrect API key)", &[], At::Nowhere, "the provider denies access")
            .hint(ELSEWHERE),
        ErrorText::new("(?:The provided model identifier is invalid|not_found_error|The model {q}[A-Za-z0-9_./:-]{1,80}{q} does not exist|content management policy|prompt injection patterns detected|internal server error|Internal Server Error)", &[], At::Nowhere, "the provider rejects the request for another reason")
            .hint(ELSEWHERE),
        ErrorText::new("(?:tools cannot be changed mid-conversation|Cannot condense 0 events)", &[], At::Nowhere, "the host refuses for another reason")
            .hint(ELSEWHERE),
    ],
};
