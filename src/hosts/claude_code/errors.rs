//! The client's errors when it cannot continue a session. It shows them instead of the provider's.

use crate::targets::errors::{At, ErrorText};
use crate::transcript::Code;

#[rustfmt::skip]
pub(super) const ERRORS: &[ErrorText] = &[
    ErrorText::new("(?:due to tool use concurrency issues|Run /rewind to recover the conversation)", &[Code::UnansweredCall, Code::ResultNotNext, Code::SplitBatch, Code::ResultBeforeCall, Code::StrandedRecord], At::Nowhere, "a tool call has no result right after it; Claude Code does not say which"),
    ErrorText::new("orphaned tool_result in conversation history", &[Code::OrphanResult, Code::CompactionSplitPair, Code::ResultNotNext, Code::ResultBeforeCall], At::Nowhere, "a tool result has no call; Claude Code does not say which"),
    ErrorText::new("duplicate tool_use ID in conversation history", &[Code::RepeatedCall, Code::ReusedCallId, Code::RepeatedRecord], At::Nowhere, "two tool calls have the same id; Claude Code does not say which"),
    ErrorText::new("(?:image in the conversation exceeds the dimension limit|could not be processed and was removed)", &[Code::BadMedia], At::Nowhere, "an image was rejected"),
    ErrorText::new("(?:PDF too large|PDF is password protected)", &[Code::BadMedia], At::Nowhere, "a document was rejected"),
    ErrorText::new("No conversation found with session ID", &[Code::MalformedRecord, Code::LeafPointer], At::Nowhere, "Claude Code does not find the session")
        .hint("the session may belong to another folder (older clients look only in the folder where it started), or it holds only metadata"),
    ErrorText::new("No conversations found to resume", &[], At::Nowhere, "the list of sessions is empty")
        .hint("Nothing is wrong with a session: the list has those of this folder, without those of `claude -p`, the SDK, sub-agents and teams. `claude --resume ID` opens one that it leaves out; the ID is the name of the file.")
        .seen("the program, 2.1.112; anthropics/claude-code#54542"),
    ErrorText::new("Failed to resume session: Cannot read properties of", &[Code::MalformedRecord], At::Nowhere, "a record has no message, or a message has no content"),
    ErrorText::new("Prompt is too long", &[], At::Nowhere, "the conversation is too long; nothing in it is broken")
        .hint("compact or shorten it in Claude Code"),
    ErrorText::new("messageId collision", &[], At::Nowhere, "a file snapshot has the id of a message, which is harmless")
        .hint("Claude Code continues; there is nothing to repair in the session"),
];
