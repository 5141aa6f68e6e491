//! What the SDK and its server say when they cannot go on with a conversation.

use crate::targets::errors::{At, Text};
use crate::transcript::Code;

/// Their texts.
pub(super) const ERRORS: &[Text] = &[
    Text::new(
        "KeyError: {q}{ids}{q}",
        &[Code::TwoResults, Code::OrphanResult],
        At::Nowhere,
        "the condenser looked for a call that it does not know",
    ),
    Text::new("Unknown event_id: {ids}", &[Code::BrokenParent, Code::LeafPointer, Code::RecordOrder], At::Nowhere, "a record is named that is not there"),
    Text::new("Cycle in event tree at {ids}", &[Code::ParentCycle], At::Nowhere, "the tree of records runs in a circle"),
    Text::new(
        "(?:Missing event file|Event index gap detected|Unrecognized event file name)",
        &[Code::RecordOrder, Code::UnreadableRecord],
        At::Nowhere,
        "the files of the records are not complete",
    ),
    Text::new(
        "Duplicate event ID {q}{ids}{q} found during scan|Event with ID {q}[A-Za-z0-9-]+{q} already exists",
        &[Code::DuplicateRecordId, Code::RepeatedRecord],
        At::Nowhere,
        "two records have one id",
    ),
    Text::new(
        "Parent event {q}{ids}{q} does not exist for event",
        &[Code::BrokenParent],
        At::Nowhere,
        "a record names a parent that is not there",
    ),
    Text::new(
        "(?:Unknown kind .{1,60} for openhands|Extra inputs are not permitted|Expected empty thought for multi-action events)",
        &[Code::MalformedRecord, Code::UnknownRecord, Code::ForeignBlock],
        At::Nowhere,
        "a record is not of the shape that this version reads",
    )
    .hint("An older version of the SDK may be reading what a newer one wrote."),
    Text::new(
        "Conversation ID mismatch",
        &[Code::SessionMismatch, Code::StuckStatus],
        At::Nowhere,
        "the folder holds the state of another conversation",
    ),
    Text::new(
        "(?:conversation lease is held by|conversation ownership was lost)",
        &[Code::LiveWriter],
        At::Nowhere,
        "another process holds the conversation",
    )
    .hint("Close the other process; nothing in the records is wrong because of it."),
    Text::new(
        "enforced, [0-9]+ events dropped",
        &[Code::UnansweredCall, Code::OrphanResult, Code::TwoResults, Code::ResultNotNext, Code::SplitBatch],
        At::Nowhere,
        "the SDK leaves records out each time that it loads the conversation",
    ),
];
