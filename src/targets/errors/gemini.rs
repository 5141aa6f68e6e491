//! Error texts of Gemini: the Gemini API and Vertex AI.

use super::{At, ErrorTable, ErrorText};
use crate::transcript::Code;

const BUILT: &str = "If the transcript is healthy, the program sent something else: it trimmed the history, or has an older version of it in memory.";
const SIGNATURE: &str = "Newer models require a signature on the first function call of each step after the last user message; calls that another model made have none. `--target gemini` finds them, and `repair --unsafe` adds a value that skips the check.";

/// The texts, as quoted in public reports. Most name neither a location nor a call.
#[rustfmt::skip]
pub(super) const TABLE: ErrorTable = ErrorTable {
    name: "gemini",
    title: "Gemini",
    source: "issues of google-gemini/gemini-cli and googleapis/python-genai",
    texts: &[
        ErrorText::new("function response turn comes? immediately after a function call turn\\. And the number of function response parts", &[Code::OrphanResult, Code::ResultBeforeCall, Code::ResultNotNext, Code::SplitBatch, Code::UnansweredCall, Code::TwoResults], At::Nowhere, "a function response that does not directly follow its call, or a different number of them")
            .hint(BUILT),
        ErrorText::new("number of function response parts (?:is|should be) equal to", &[Code::UnansweredCall, Code::TwoResults, Code::ConflictingResults, Code::SplitBatch, Code::OrphanResult, Code::ResultNotNext, Code::PendingCall], At::Nowhere, "different numbers of calls and results")
            .hint(BUILT),
        ErrorText::new("function call turn comes? immediately after a user turn", &[Code::RoleOrder, Code::BadStart, Code::ResultNotNext, Code::ResultBeforeCall], At::Nowhere, "a function call that does not follow a user turn or a function response")
            .hint(BUILT),
        ErrorText::new("function response turn comes? immediately after a function call turn", &[Code::OrphanResult, Code::ResultBeforeCall, Code::ResultNotNext, Code::SplitBatch], At::Nowhere, "a function response that does not directly follow its call")
            .hint(BUILT),
        ErrorText::new("missing a {q}thought_signature{q} in functionCall parts(?:.{0,400}?position {n})?", &[Code::Thinking], At::Member, "a function call without a thought signature")
            .hint(SIGNATURE),
        ErrorText::new("in the {n}\\. content block is missing a {q}thought_signature", &[Code::Thinking], At::Member, "a function call without a thought signature")
            .hint(SIGNATURE),
        ErrorText::new("(?i:thought signature is not valid|corrupted thought signature)", &[Code::Thinking], At::Nowhere, "a thought signature from another model, or one that was changed")
            .hint("Only the provider can verify a signature; this is about those in the current turn."),
        ErrorText::new("contents\\[{n}\\]\\.parts: contents\\.parts must not be empty", &[Code::EmptyContent, Code::MalformedRecord], At::This, "a turn without parts"),
        ErrorText::new("contents\\[{n}\\]\\.parts\\[{m}\\]\\.data: required oneof", &[Code::EmptyContent, Code::ForeignBlock, Code::MalformedRecord], At::This, "an empty part"),
        ErrorText::new("(?:must include at least one parts field|Model input cannot be empty|must have a text parameter|contents is not specified)", &[Code::EmptyContent], At::Nowhere, "an empty request"),
        ErrorText::new("multiturn requests alternate between user and model", &[Code::RoleOrder], At::Nowhere, "consecutive turns with the same role"),
        ErrorText::new("(?:Requests ending with a model turn|multiturn requests ends? with a user role)", &[Code::EndsWithAssistant, Code::ResultNotNext], At::Nowhere, "the request ends with a model turn, or with text after a function response")
            .hint("A transcript may end with a model turn: the program sent the failed request without a new user turn."),
        ErrorText::new("Please use a valid role", &[Code::MalformedRecord, Code::ForeignBlock], At::Nowhere, "a turn with an unknown role"),
        ErrorText::new("contents\\[{n}\\]\\.parts\\[{m}\\]\\.function_(?:call|response)\\.name: ", &[Code::BadToolName, Code::MalformedRecord], At::This, "a tool name that is missing or rejected"),
        ErrorText::new("\\[FIELD_INVALID\\] Invalid function name", &[Code::BadToolName, Code::MalformedRecord], At::Nowhere, "a tool name that is rejected"),
        ErrorText::new("Invalid value at {q}contents\\[{n}\\]\\.parts\\[{m}\\]\\.function_(?:call\\.args|response\\.response)", &[Code::BadInput, Code::MalformedRecord], At::This, "the arguments of a call or the content of a response are not an object"),
        ErrorText::new("Proto field is not repeating, cannot start list", &[Code::BadInput, Code::MalformedRecord], At::Nowhere, "a list in place of an object"),
        ErrorText::new("Unknown name {q}[^\"' ]{1,80}{q} at {q}contents\\[{n}\\](?:\\.parts\\[{m}\\])?", &[Code::ForeignBlock], At::This, "a turn with a field that the API does not know"),
        ErrorText::new("(?:Unable to process input image|Provided image is not valid)", &[Code::BadMedia], At::Nowhere, "an image that is rejected"),
        ErrorText::new("(?i:lone surrogate|(?:^|[^a])invalid utf-?8)", &[Code::LoneSurrogate, Code::InvalidUtf8], At::Nowhere, "a text that is not valid Unicode"),
    ],
};
