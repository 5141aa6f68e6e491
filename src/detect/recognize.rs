//! Recognizes a transcript, or a row of one: by its records, or as the user named it.

use super::candidates::{self, Detected, Recognized};
use super::known::{asked, named_format, recognize_as, recognize_rows, with_changed};
use super::rows;
use crate::containers::Layout;
use crate::format::head::Sample;
use crate::format::{ConversationCount, Detection, Format, FormatSign, RowFilter};

/// The format that explains a transcript best, or the named one if it is possible. `None`: not a supported format.
pub fn recognize(head: &Sample<'_>, only: Option<&'static Format>) -> Option<Detection> {
    let found = match only {
        Some(format) => recognize_as(head, format, FormatSign::Optional),
        None => candidates::detect(head).readable(),
    };
    found.or_else(|| {
        candidates::detect_damaged(head)
            .and_then(Detected::readable)
            .filter(|found| only.is_none_or(|only| only.name == found.format.name))
    })
}

/// Recognizes a transcript of a known format again.
pub(crate) fn recognize_again(head: &Sample<'_>, was: &Detection) -> Option<Detection> {
    let only = Some(was.format);
    let is_row = head.single.is_some();
    let mut detection = None;
    if is_row && was.conversations.filter() == RowFilter::All {
        detection = recognize_rows(head, only);
    }
    detection = detection.or_else(|| recognize(head, only));
    if is_row {
        detection = detection.or_else(|| named_format(head, only));
    }
    let detection = detection?;
    let detection = Detection { other: was.other, detected: was.detected, ..detection };
    Some(with_changed(detection, head))
}

/// The detection of a row that is one object, as [`recognize_rows`] detects a file of this row, and its conversations. `None`
/// if it has none, or may be something that is only known by name.
pub(crate) fn recognize_row(
    row: &Sample<'_>,
    only: Option<&'static Format>,
) -> Option<(Detection, Vec<rows::FoundConversation>)> {
    let entry = row.single?;
    let sign = FormatSign::needed_unless(only);
    let (format, inside) = asked(only)
        .find_map(|format| Some((format, rows::inside(row, format, RowFilter::All, sign)?)))?;
    if only.is_none() && candidates::may_be_named(row) {
        return None;
    }
    let detection = Detection {
        conversations: ConversationCount::EachRow(RowFilter::All),
        ..Detection::new(format, Layout::Lines(entry))
    };
    Some((detection, rows::conversations_of(row, format, || Some(inside))))
}

/// The conversations of a row that has none of its file's format, but is alone recognized as a row of another one: a log has
/// requests to several APIs.
pub(crate) fn of_another_format(row: &Sample<'_>) -> Vec<rows::FoundConversation> {
    match candidates::detect(row) {
        Detected::Is(Recognized::Read(Detection { format, .. })) if format.traits.rows => {
            rows::conversations(row, format, RowFilter::Conversations, FormatSign::Needed)
        }
        _ => Vec::new(),
    }
}
