//! A value that was scanned already, and what is too large to be read.

use crate::json::scan::Scanner;
use crate::json::tape::{RecordEnd, Tape};

/// A scanner with its tape, reused for all records.
pub(crate) struct Scan {
    pub(crate) scanner: Scanner,
    pub(crate) tape: Tape,
}

impl Scan {
    /// For records that are lines.
    pub(crate) fn of_lines() -> Scan {
        Scan { scanner: Scanner::of_lines(), tape: Tape::for_bytes(1 << 12) }
    }
}

/// A complete value in memory that was already scanned.
#[derive(Copy, Clone)]
pub(crate) struct Scanned<'a> {
    pub bytes: &'a [u8],
    pub tape: &'a Tape,
}

impl<'a> Scanned<'a> {
    /// `None` if a reader has to examine the bytes again, because they have flaws or start with
    /// something other than the value.
    pub(super) fn clean(self) -> Option<Scanned<'a>> {
        let is_clean = matches!(self.tape.end, RecordEnd::Whole) && self.tape.flaws.is_empty();
        let starts = matches!(self.bytes.first(), Some(b'{' | b'['));
        Some(self).filter(|_| is_clean && starts)
    }
}

/// Why a tape must not be used as a record.
pub(crate) fn limit(end: &RecordEnd) -> Option<&'static str> {
    match end {
        RecordEnd::TooDeep { .. } => Some("nested deeper than 1024 levels"),
        _ => blocking_limit(end),
    }
}

/// Why the records after this one cannot be found.
pub(super) fn blocking_limit(end: &RecordEnd) -> Option<&'static str> {
    matches!(end, RecordEnd::TooLong).then_some("a record of 4 GiB or more than 4 million values")
}
