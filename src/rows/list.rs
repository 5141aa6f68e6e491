//! Lists the rows of a file without judging them, so that a comparison can pair them.

use crate::bytes::source::{Entries, Span};
use crate::containers::{ReadError, Scanned};
use crate::engine::{self, CheckOptions, Judged};
use crate::format::Detection;
use crate::json::scan::{ScanMode, scan};
use crate::repair::Refused;

use super::Row;
use super::inside::{self, InRow};
use super::split::{self, FilePart};
use crate::bytes::window::Window;
use crate::containers::batches::LONGEST;

/// A row, or lines without a row.
#[derive(Debug)]
pub(crate) struct ListedRow {
    pub row: Row,
    /// Where its bytes are.
    pub at: Span,
    /// Whether it is a JSON value, and so may be a conversation.
    is_row: bool,
}

/// Lists the rows of a file in order.
///
/// # Errors
/// The bytes of the file cannot be read.
pub(crate) fn list(
    entries: &dyn Entries,
    detection: &Detection,
) -> Result<Vec<ListedRow>, Refused> {
    let mut all = Vec::new();
    split::each(entries, &detection.layout, 1, &|_, _| (), &mut |part| {
        let (row, at, is_row) = match part {
            FilePart::Row { row, at, .. } => (row, at, true),
            FilePart::Beyond { row, at, .. } => (row, at, false),
            FilePart::Lines { first, at, .. } => {
                (Row { line: Some(first), ..Row::default() }, at, false)
            }
            FilePart::Document { at } => (Row::default(), at, false),
            // Already listed as a row, or as rows.
            FilePart::Unended { .. } | FilePart::Around { .. } => return Ok(()),
        };
        all.push(ListedRow { row, at, is_row });
        Ok(())
    })?;
    Ok(all)
}

/// Judges a listed row. `None` if it has no conversation or exceeds a limit.
///
/// # Errors
/// The bytes of the file cannot be read.
pub(crate) fn judge_listed<'a>(
    entries: &'a dyn Entries,
    name: &str,
    detection: &Detection,
    options: &CheckOptions,
    listed: &ListedRow,
) -> Result<Option<(Window<'a>, Judged)>, ReadError> {
    if !listed.is_row {
        return Ok(None);
    }
    let window = Window::new(entries, listed.at, None).of_row(listed.row.line);
    let size = listed.at.end - listed.at.start;
    let bytes = match listed.row.line {
        Some(_) if size <= LONGEST as u64 => Some(entries.fetch(listed.at)?),
        _ => None,
    };
    let tape = bytes.as_ref().map(|bytes| scan(bytes, ScanMode::Document));
    let scanned = bytes.as_deref().zip(tape.as_ref());
    let scanned = scanned.map(|(bytes, tape)| Scanned { bytes, tape });
    // Two rows are compared by their first conversation. The others are compared as bytes.
    let found = inside::recognize(&window, scanned, detection)?;
    let Some(InRow { detection, .. }) = found.into_iter().find(|found| found.quoted.is_none())
    else {
        return Ok(None);
    };
    match engine::judge_scanned(&window, scanned, name, &detection, options) {
        Ok(judged) => Ok(Some((window, judged))),
        Err(ReadError::Limit { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}
