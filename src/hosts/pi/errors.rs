//! Error texts of pi and OpenClaw.

use crate::targets::errors::{At, ErrorText};
use crate::transcript::Code;

#[rustfmt::skip]
pub(super) const ERRORS: &[ErrorText] = &[
    ErrorText::new("tool call id {ids} is duplicated", &[Code::ReusedCallId, Code::RepeatedCall], At::Nowhere, "two tool calls have the same id"),
    ErrorText::new("contains dangling_tool_call {ids}(?: at message index {n})?", &[Code::UnansweredCall, Code::PendingCall], At::This, "tool call without a result"),
    ErrorText::new("contains orphan_tool_result {ids}(?: at message index {n})?", &[Code::OrphanResult, Code::FailedTurnWithCalls, Code::ResultBeforeCall], At::This, "tool result without a call"),
    ErrorText::new("Session history looks corrupted \\(tool call input missing\\)", &[Code::MissingInput, Code::BadInput], At::Nowhere, "tool call without arguments"),
    ErrorText::new("must be a-z, A-Z, 0-9, with a length of 9", &[Code::BadCallId], At::Nowhere, "Mistral rejects the shape of a tool call id"),
    ErrorText::new("Session history was corrupted", &[Code::ResultNotNext, Code::ResultBeforeCall, Code::UnansweredCall, Code::OrphanResult], At::Nowhere, "the order of tool calls and results was rejected"),
    ErrorText::new("Message ordering conflict", &[Code::RoleOrder, Code::ResultNotNext, Code::ResultBeforeCall, Code::UnansweredCall, Code::OrphanResult, Code::TwoResults], At::Nowhere, "an error about message order, in other words"),
    ErrorText::new("(?:is not a valid pi session|session file repair skipped: invalid session header)", &[Code::BadHeader, Code::ByteOrderMark], At::Nowhere, "the file does not begin with a session header"),
    ErrorText::new("(?:session file repaired: dropped [0-9]+ malformed|parseJsonlEntries: skipped [0-9]+ malformed)", &[Code::TornTail, Code::UnreadableRecord, Code::GluedRecords, Code::SplitRecord, Code::NulPadding, Code::BadHeader], At::Nowhere, "some lines cannot be read"),
    ErrorText::new("(?:session file locked|timeout acquiring session store lock)", &[Code::LiveWriter, Code::StuckStatus], At::Nowhere, "another process has the session open")
        .hint("Close the other process; the records themselves are fine."),
    ErrorText::new("(?:Primary transcript header does not match|historical_transcript_deferred|active_sqlite_transcript_jsonl)", &[Code::SessionMismatch], At::Nowhere, "the file belongs to a different session"),
];
