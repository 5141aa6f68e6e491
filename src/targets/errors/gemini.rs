//! Error texts of Gemini: the Gemini API and Vertex AI.

use super::{At, ErrorTable, Text};
use crate::transcript::Code;

const BUILT: &str = "A recording that is in order was not what was sent: the program trimmed the history, or runs with an older state of it.";
const SIGNATURE: &str = "Newer models want the signature of the first call of each step behind the user's last words; calls that another model made have none. --target gemini looks for them, and repair --unsafe writes the word that skips the check.";

/// The texts, as quoted in public reports. Most name neither a location nor a call.
pub(super) const TABLE: ErrorTable = ErrorTable {
    name: "gemini",
    title: "Gemini",
    texts: &[
        Text::new(
            "function response turn comes? immediately after a function call turn\\. And the number of function response parts",
            &[Code::OrphanResult, Code::ResultBeforeCall, Code::ResultNotNext, Code::SplitBatch, Code::UnansweredCall, Code::TwoResults],
            At::Nowhere,
            "a result stands elsewhere than directly behind its call, or there are not as many",
        )
        .hint(BUILT),
        Text::new(
            "number of function response parts (?:is|should be) equal to",
            &[Code::UnansweredCall, Code::TwoResults, Code::ConflictingResults, Code::SplitBatch, Code::OrphanResult, Code::ResultNotNext, Code::PendingCall],
            At::Nowhere,
            "calls and results are not as many",
        )
        .hint(BUILT),
        Text::new(
            "function call turn comes? immediately after a user turn",
            &[Code::RoleOrder, Code::BadStart, Code::ResultNotNext, Code::ResultBeforeCall],
            At::Nowhere,
            "a call stands where the user or a result should",
        )
        .hint(BUILT),
        Text::new(
            "function response turn comes? immediately after a function call turn",
            &[Code::OrphanResult, Code::ResultBeforeCall, Code::ResultNotNext, Code::SplitBatch],
            At::Nowhere,
            "a result stands elsewhere than directly behind its call",
        )
        .hint(BUILT),
        Text::new(
            "missing a {q}thought_signature{q} in functionCall parts(?:.{0,400}?position {n})?",
            &[Code::Thinking],
            At::Member,
            "a call has no signature of its thinking",
        )
        .hint(SIGNATURE),
        Text::new(
            "in the {n}\\. content block is missing a {q}thought_signature",
            &[Code::Thinking],
            At::Member,
            "a call has no signature of its thinking",
        )
        .hint(SIGNATURE),
        Text::new(
            "(?i:thought signature is not valid|corrupted thought signature)",
            &[Code::Thinking],
            At::Nowhere,
            "a signature is another model's, or was altered",
        )
        .hint("A signature can only be proved by its provider; those of the current turn are meant."),
        Text::new(
            "contents\\[{n}\\]\\.parts: contents\\.parts must not be empty",
            &[Code::EmptyContent, Code::MalformedRecord],
            At::This,
            "a turn has no parts",
        ),
        Text::new(
            "contents\\[{n}\\]\\.parts\\[{m}\\]\\.data: required oneof",
            &[Code::EmptyContent, Code::ForeignBlock, Code::MalformedRecord],
            At::This,
            "a part has nothing in it",
        ),
        Text::new(
            "(?:must include at least one parts field|Model input cannot be empty|must have a text parameter|contents is not specified)",
            &[Code::EmptyContent],
            At::Nowhere,
            "nothing is said",
        ),
        Text::new(
            "multiturn requests alternate between user and model",
            &[Code::RoleOrder],
            At::Nowhere,
            "two turns of one role stand together",
        ),
        Text::new(
            "(?:Requests ending with a model turn|multiturn requests ends? with a user role)",
            &[Code::EndsWithAssistant, Code::ResultNotNext],
            At::Nowhere,
            "the request ends with a turn of the model, or with words behind a result",
        )
        .hint("A recording that ends with an answer is in order: the failed request was built without a new turn of the user."),
        Text::new(
            "Please use a valid role",
            &[Code::MalformedRecord, Code::ForeignBlock],
            At::Nowhere,
            "a turn has a role that is none",
        ),
        Text::new(
            "contents\\[{n}\\]\\.parts\\[{m}\\]\\.function_(?:call|response)\\.name: ",
            &[Code::BadToolName, Code::MalformedRecord],
            At::This,
            "a tool's name is missing or refused",
        ),
        Text::new(
            "\\[FIELD_INVALID\\] Invalid function name",
            &[Code::BadToolName, Code::MalformedRecord],
            At::Nowhere,
            "a tool's name is refused",
        ),
        Text::new(
            "Invalid value at {q}contents\\[{n}\\]\\.parts\\[{m}\\]\\.function_(?:call\\.args|response\\.response)",
            &[Code::BadInput, Code::MalformedRecord],
            At::This,
            "the arguments of a call, or what a result says, are no object",
        ),
        Text::new(
            "Proto field is not repeating, cannot start list",
            &[Code::BadInput, Code::MalformedRecord],
            At::Nowhere,
            "a list stands where an object should",
        ),
        Text::new(
            "Unknown name {q}[^\"' ]{1,80}{q} at {q}contents\\[{n}\\](?:\\.parts\\[{m}\\])?",
            &[Code::ForeignBlock],
            At::This,
            "a turn has a member that the API does not know",
        ),
        Text::new(
            "(?:Unable to process input image|Provided image is not valid)",
            &[Code::BadMedia],
            At::Nowhere,
            "an image is refused",
        ),
        Text::new(
            "(?i:lone surrogate|(?:^|[^a])invalid utf-?8)",
            &[Code::LoneSurrogate, Code::InvalidUtf8],
            At::Nowhere,
            "a text is no Unicode",
        ),
    ],
};
