//! What Roo Code says when results do not fit the calls of a task.

use crate::targets::errors::{At, ErrorText};
use crate::transcript::Code;

#[rustfmt::skip]
pub(super) const ERRORS: &[ErrorText] = &[
    ErrorText::new(r"Detected tool_result ID mismatch\. tool_result IDs: \[{ids}\]", &[Code::OrphanResult, Code::TwoResults, Code::UnansweredCall], At::Nowhere, "results name other calls than the last message has"),
    ErrorText::new(r"Detected missing tool_result blocks\. Missing tool_use IDs: \[{ids}\]", &[Code::UnansweredCall, Code::ResultNotNext], At::Nowhere, "calls of the last message have no results"),
];
