//! What users can do about a finding without a fix.

use crate::transcript::Code;

/// The advice for most rules.
const EDIT: &str = "edit the record; only you know what it was meant to say";

/// The advice for a finding of this rule without a fix, as part of a sentence.
pub(crate) fn advice(code: Code) -> &'static str {
    match code {
        Code::TornTail | Code::UnreadableRecord => {
            "restore the record from a backup; what it said cannot be guessed"
        }
        Code::GluedRecords => "move each record to a file of its own",
        Code::BadHeader => "restore the header from a backup; nothing else says what it was",
        Code::UnansweredCall => "restore the missing record from a backup",
        Code::OrphanResult => "restore its tool call from a backup",
        Code::ReusedCallId => "give each tool call an ID of its own, and its result the same ID",
        Code::MissingCallId => "write the ID of its tool call into the result",
        Code::BrokenParent => "make an earlier record its parent",
        Code::BadStart => "start the conversation with a user message",
        Code::DuplicateRecordId => "use the original; a copy with replaced IDs cannot be restored",
        Code::SessionMismatch => "move what follows to a file of its own; it is another session",
        Code::HostState => {
            "restore the file from a backup, or start a new conversation with a copy of the events"
        }
        _ => EDIT,
    }
}
