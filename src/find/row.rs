//! Transcripts that have no path: rows of standard input, and bytes in memory.

use std::path::{Path, PathBuf};

use super::located::{Found, Located};
use super::{FileOrigin, FindOptions, Finds, Missed};
use crate::bytes::source::{Entries, EntryId, Source};
use crate::containers::Scanned;
use crate::containers::batches::LONGEST;
use crate::detect::{self, rows};
use crate::format::head::Sample;
use crate::format::{Detection, Format};
use crate::json::scan::{ScanMode, scan};
use crate::json::tape::{RecordEnd, Tape};

/// A row of standard input.
#[derive(Debug)]
pub(crate) struct FoundRow {
    pub found: Found,
    /// The tokens of its line and its conversations, if it is one object with any.
    object: Option<(Tape, Vec<rows::FoundConversation>)>,
}

impl FoundRow {
    /// Its line without the ending, if that was scanned, and the conversations in it.
    pub(crate) fn scanned(&self) -> Option<(Scanned<'_>, &[rows::FoundConversation])> {
        let bytes = line_of(&self.found.source)?;
        let (tape, conversations) = self.object.as_ref()?;
        Some((Scanned { bytes, tape }, conversations))
    }
}

/// The only line of a source in memory, without its ending.
fn line_of(source: &Source) -> Option<&[u8]> {
    let bytes = source.in_memory(EntryId(0))?;
    let line = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    Some(line.strip_suffix(b"\r").unwrap_or(line))
}

/// Recognizes the conversation in a row of standard input, which is this line of it.
///
/// # Errors
/// It is of no known format.
pub(crate) fn find_row(
    bytes: Vec<u8>,
    line: u64,
    target: &str,
    options: FindOptions,
) -> Result<FoundRow, Missed> {
    let source = Source::row_of_stdin(bytes, line);
    let (found, object) = match recognize_object(&source, options.only) {
        Some((detection, tape, conversations)) => {
            let found =
                Found { path: PathBuf::from("-"), source, detection, parent: None, database: None };
            (found, Some((tape, conversations)))
        }
        None => (find_source(source, target, options)?, None),
    };
    Ok(FoundRow { found, object })
}

/// Recognizes the transcript in bytes that have no path.
///
/// # Errors
/// It is of no known format.
pub(crate) fn find_bytes(
    bytes: Vec<u8>,
    target: &str,
    options: FindOptions,
) -> Result<Found, Missed> {
    find_source(Source::row_of_stdin(bytes, 1), target, options)
}

/// Recognizes a row that is one object, and scans it only once. `None`: anything else, which [`look`](super::kind::look) recognizes.
fn recognize_object(
    source: &Source,
    only: Option<&'static Format>,
) -> Option<(Detection, Tape, Vec<rows::FoundConversation>)> {
    let line = line_of(source).filter(|line| line.len() <= LONGEST && line.starts_with(b"{"))?;
    let tape = scan(line, ScanMode::Line);
    if !matches!(tape.end, RecordEnd::Whole) {
        return None;
    }
    let mut sample = Sample::of_line(source, "-", line, tape);
    let (detection, conversations) = detect::recognize_row(&sample, only)?;
    let (_, tape) = sample.records.pop()?;
    Some((detection, tape.into_owned(), conversations))
}

/// Recognizes the transcript in a source that has no path.
fn find_source(source: Source, target: &str, options: FindOptions) -> Result<Found, Missed> {
    let is_told = options.only.is_some();
    let mut finds = Finds { options, ..Finds::default() };
    let path = Path::new("-");
    finds.source(path, source, FileOrigin::Named);
    if !is_told {
        finds.prefer(target);
    }
    let found = finds.found.pop().and_then(Located::into_found);
    found.ok_or_else(|| {
        let missed = finds.missed.pop();
        missed.unwrap_or_else(|| Missed::new(path, "no transcript"))
    })
}
