//! The conversations of a row, and where in it they are.

use super::quoted::Quoted;
use crate::bytes::source::{Entries, Span};
use crate::bytes::window::{ENTRY, Window};
use crate::containers::batches::LONGEST;
use crate::containers::{Layout, ReadError, Scanned, pointer};
use crate::detect::of_another_format;
use crate::detect::rows::{self, FoundConversation};
use crate::format::head::Sample;
use crate::format::{Detection, FormatSign};
use crate::json::node::Owned;
use crate::json::scan::{ScanMode, scan};
use crate::json::tape::RecordEnd;
use std::borrow::Cow;
use std::io;

/// Levels below a list of rows that are examined: a row, its list, a message.
pub(super) const INSIDE: usize = 4;

/// A conversation of a row, before it is judged.
pub(super) struct InRow {
    pub(super) part: Option<String>,
    pub(super) detection: Detection,
    pub(super) quoted: Option<Quoted>,
}

/// Recognizes the conversations in a row.
pub(super) fn recognize(
    window: &Window<'_>,
    scanned: Option<Scanned<'_>>,
    detection: &Detection,
) -> Result<Vec<InRow>, ReadError> {
    let found = find(window, scanned, detection)?;
    Ok(in_row(window, detection, found.into_iter())?)
}

pub(super) fn find(
    window: &Window<'_>,
    scanned: Option<Scanned<'_>>,
    detection: &Detection,
) -> Result<Vec<FoundConversation>, ReadError> {
    let sample = match scanned {
        Some(Scanned { bytes, tape }) => Sample::of_scanned(window, bytes, Cow::Borrowed(tape)),
        None => whole_sample(window)?,
    };
    let filter = detection.conversations.filter();
    let sign = FormatSign::Optional;
    let found = rows::conversations(&sample, detection.format, filter, sign);
    if !found.is_empty() {
        return Ok(found);
    }
    let other = if detection.detected { of_another_format(&sample) } else { Vec::new() };
    Ok(if other.is_empty() { rows::without_messages(&sample, detection.format) } else { other })
}

pub(super) fn in_row(
    window: &Window<'_>,
    detection: &Detection,
    found: impl ExactSizeIterator<Item = FoundConversation>,
) -> io::Result<Vec<InRow>> {
    let is_alone = found.len() == 1;
    found
        .map(|FoundConversation { format, layout, text, serving }| {
            let part = match &text {
                Some(text) => Some(pointer(&text.path)),
                None => Some(part_of(&layout)).filter(|_| !is_alone),
            };
            let quoted = text.map(|text| Quoted::new(window, text)).transpose()?;
            let detection = Detection {
                other: detection.other,
                serving: serving.or(detection.serving),
                is_row: true,
                ..Detection::new(format, layout)
            };
            Ok(InRow { part, detection, quoted })
        })
        .collect()
}

/// The sample of a row that is not in memory. One that is longer than a sample is read as a whole, because what comes after the
/// first conversation counts, too.
fn whole_sample<'a>(window: &'a Window<'_>) -> io::Result<Sample<'a>> {
    let sample = Sample::of_file(window, ENTRY, window.name(ENTRY))?;
    let cut = sample.document.as_ref();
    let is_cut = cut.is_some_and(|(_, tape)| matches!(tape.end, RecordEnd::Torn));
    if !is_cut || window.len(ENTRY) > LONGEST as u64 {
        return Ok(sample);
    }
    let (entry, start, end) = (ENTRY, 0, window.len(ENTRY));
    let bytes = window.fetch(Span { entry, start, end })?;
    let tape = scan(&bytes, ScanMode::Document);
    Ok(Sample::of_scanned(window, Owned(bytes), Cow::Owned(tape)))
}

/// The pointer of the list that only this conversation has.
fn part_of(layout: &Layout) -> String {
    match layout {
        Layout::Items { path, .. } => pointer(path),
        Layout::Joined { lists: [_, own], .. } => pointer(own),
        Layout::Lines(_) | Layout::Files(_) => String::new(),
    }
}
