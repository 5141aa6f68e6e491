//! What the client says when it cannot go on with a session: it puts its own words over the provider's.

use crate::targets::errors::{At, Text};
use crate::transcript::Code;

/// Its texts.
pub(super) const ERRORS: &[Text] = &[
    Text::new(
        "(?:due to tool use concurrency issues|Run /rewind to recover the conversation)",
        &[Code::UnansweredCall, Code::ResultNotNext, Code::SplitBatch, Code::ResultBeforeCall, Code::StrandedRecord],
        At::Nowhere,
        "a call has no result where the provider looks for it; the client hides which",
    ),
    Text::new(
        "orphaned tool_result in conversation history",
        &[Code::OrphanResult, Code::CompactionSplitPair, Code::ResultNotNext, Code::ResultBeforeCall],
        At::Nowhere,
        "a result has no call; the client hides which",
    ),
    Text::new(
        "duplicate tool_use ID in conversation history",
        &[Code::RepeatedCall, Code::ReusedCallId, Code::RepeatedRecord],
        At::Nowhere,
        "two calls have one id; the client hides which",
    ),
    Text::new(
        "(?:image in the conversation exceeds the dimension limit|could not be processed and was removed)",
        &[Code::BadMedia],
        At::Nowhere,
        "an image was refused",
    ),
    Text::new("(?:PDF too large|PDF is password protected)", &[Code::BadMedia], At::Nowhere, "a document was refused"),
    Text::new(
        "No conversation found with session ID",
        &[Code::MalformedRecord, Code::LeafPointer],
        At::Nowhere,
        "the client does not find the conversation",
    )
    .hint("the session may also be of another folder: older clients look only where it began; or nothing but metadata is in it"),
    Text::new(
        "Failed to resume session: Cannot read properties of",
        &[Code::MalformedRecord],
        At::Nowhere,
        "a record has no message, or a message has no content",
    ),
    Text::new("Prompt is too long", &[], At::Nowhere, "the conversation is too long; nothing in it is broken")
        .hint("it has to be shortened or compacted by the program that holds it"),
    Text::new(
        "messageId collision",
        &[],
        At::Nowhere,
        "a snapshot of files has the id of a message, which harms nothing",
    )
    .hint("the client goes on; nothing in the recording has to be repaired"),
];
