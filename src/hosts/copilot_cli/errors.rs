//! What Copilot CLI says when it cannot go on with a session.

use crate::targets::errors::{At, ErrorText};
use crate::transcript::Code;

#[rustfmt::skip]
pub(super) const ERRORS: &[ErrorText] = &[
    ErrorText::new("Session file is corrupted \\(line [0-9]+: (?:Unterminated|Unexpected|Bad|Expected)", &[Code::TornTail, Code::UnreadableRecord, Code::GluedRecords, Code::SplitRecord, Code::NulPadding, Code::RawLineSeparator], At::Nowhere, "a line of the session cannot be read"),
    ErrorText::new("(?:Session file is corrupted \\(line|invalid session event envelope)", &[Code::MalformedRecord, Code::MissingCallId, Code::TornTail], At::Nowhere, "an event of the session lacks a member, or has a wrong one"),
    ErrorText::new("Session file is corrupted or incompatible|found but could not be loaded", &[Code::BadHeader, Code::MalformedRecord], At::Nowhere, "the session does not begin with its header"),
    ErrorText::new("No session or task matched", &[], At::Nowhere, "no session has this id")
        .hint("The id may be of another computer, or of another `COPILOT_HOME`."),
];
