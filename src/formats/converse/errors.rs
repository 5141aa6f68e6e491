//! What Strands says of the sessions that it stores; the provider's own texts are those of Bedrock.

use crate::targets::errors::{At, Text};
use crate::transcript::Code;

/// Its texts.
pub(super) const ERRORS: &[Text] = &[
    Text::new(
        "Invalid JSON in file",
        &[Code::TornTail, Code::UnreadableRecord, Code::NulPadding],
        At::Nowhere,
        "a file of the session is torn",
    ),
    Text::new(
        "Messages directory missing from agent",
        &[Code::RecordOrder],
        At::Nowhere,
        "the folder of the messages is not there",
    ),
    Text::new(
        "Refusing to read symlink at",
        &[],
        At::Nowhere,
        "a file of the session is a link, which the host does not follow",
    )
    .hint("Nothing is wrong with the recording: put the file itself there."),
    Text::new(
        "session history has mismatched toolUse/toolResult pairing",
        &[
            Code::UnansweredCall,
            Code::OrphanResult,
            Code::ResultNotNext,
            Code::ResultBeforeCall,
        ],
        At::Nowhere,
        "calls and results do not fit; the host mends that in memory only",
    ),
    Text::new(
        "orphaned toolResult with no preceding toolUse",
        &[
            Code::OrphanResult,
            Code::ResultBeforeCall,
            Code::CompactionSplitPair,
        ],
        At::Nowhere,
        "a result has no call; the host leaves it out in memory only",
    ),
];
