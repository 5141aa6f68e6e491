//! What Qwen Code says when it cannot go on with a chat.

use crate::targets::errors::{At, ErrorText};
use crate::transcript::Code;

#[rustfmt::skip]
pub(super) const ERRORS: &[ErrorText] = &[
    ErrorText::new("Transcript records contain multiple session ids", &[Code::SessionMismatch], At::Nowhere, "the file has records of several sessions"),
    ErrorText::new("unrecoverable history gap", &[Code::BrokenParent, Code::GluedRecords, Code::UnreadableRecord], At::Nowhere, "the parent of a record is not in the file, so everything before it is lost"),
    ErrorText::new("(?:Recovered [0-9]+ record\\(s\\) from malformed line|Failed to parse line in)", &[Code::GluedRecords, Code::TornTail, Code::UnreadableRecord, Code::SplitRecord, Code::NulPadding], At::Nowhere, "a line of the file cannot be read"),
];
