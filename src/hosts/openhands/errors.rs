//! Error texts of the SDK and its server.

use crate::targets::errors::{At, ErrorText};
use crate::transcript::Code;

#[rustfmt::skip]
pub(super) const ERRORS: &[ErrorText] = &[
    ErrorText::new("KeyError: {q}{ids}{q}", &[Code::TwoResults, Code::OrphanResult], At::Nowhere, "the condenser looked for a tool call that it does not know"),
    ErrorText::new("Unknown event_id: {ids}", &[Code::BrokenParent, Code::LeafPointer, Code::RecordOrder], At::Nowhere, "an event is named that does not exist"),
    ErrorText::new("Cycle in event tree at {ids}", &[Code::ParentCycle], At::Nowhere, "the event tree has a cycle"),
    ErrorText::new("(?:Missing event file|Event index gap detected|Unrecognized event file name)", &[Code::RecordOrder, Code::UnreadableRecord], At::Nowhere, "event files are missing"),
    ErrorText::new("Duplicate event ID {q}{ids}{q} found during scan|Event with ID {q}[A-Za-z0-9-]+{q} already exists", &[Code::DuplicateRecordId, Code::RepeatedRecord], At::Nowhere, "two events have the same id"),
    ErrorText::new("Parent event {q}{ids}{q} does not exist for event", &[Code::BrokenParent], At::Nowhere, "an event names a parent that does not exist"),
    ErrorText::new("(?:Unknown kind .{1,60} for openhands|Extra inputs are not permitted|Expected empty thought for multi-action events)", &[Code::MalformedRecord, Code::UnknownRecord, Code::ForeignBlock], At::Nowhere, "an event has a shape that this version cannot read")
        .hint("An older SDK may be reading what a newer one wrote."),
    ErrorText::new("Conversation ID mismatch", &[Code::HostState, Code::SessionMismatch, Code::StuckStatus], At::Nowhere, "the folder holds the state of a different conversation"),
    ErrorText::new("(?:conversation lease is held by|conversation ownership was lost)", &[Code::LiveWriter], At::Nowhere, "another process has the conversation open")
        .hint("Close the other process; the records themselves are fine."),
    ErrorText::new("enforced, [0-9]+ events dropped", &[Code::UnansweredCall, Code::OrphanResult, Code::TwoResults, Code::ResultNotNext, Code::SplitBatch], At::Nowhere, "the SDK leaves out events each time it loads the conversation"),
];
