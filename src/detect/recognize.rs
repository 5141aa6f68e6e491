//! Recognizes a transcript, or a row of one: by its records, or as the user named it.

use std::sync::LazyLock;

use super::fit::{self, Detected, Recognized};
use super::rows;
use crate::containers::Layout;
use crate::format::head::Sample;
use crate::format::{Alternative, ConversationCount, Detection, Format, FormatSign, RowFilter};
use crate::hosts::ALL;

/// The format that explains a transcript best, or the named one if it is possible. `None`: not a supported format.
pub fn recognize(head: &Sample<'_>, only: Option<&'static Format>) -> Option<Detection> {
    let read = |detected| match detected {
        Detected::Is(Recognized::Read(detection)) => Some(detection),
        _ => None,
    };
    let found = match only {
        Some(format) => recognize_as(head, format, FormatSign::Optional),
        None => read(fit::detect(head)),
    };
    found.or_else(|| {
        fit::detect_damaged(head)
            .and_then(read)
            .filter(|found| only.is_none_or(|only| only.name == found.format.name))
    })
}

/// A detection of the format that the user named, unless something suggests another container than
/// lines.
pub(crate) fn named_format(head: &Sample<'_>, only: Option<&'static Format>) -> Option<Detection> {
    let format = only?;
    // The user's choice counts where the file shows no sign of a format.
    if let Some(detection) = read_as(head, format, ConversationCount::One) {
        return Some(detection);
    }
    let entry = head.single.filter(|_| head.document.is_none())?;
    Some(Detection::new(format, Layout::Lines(entry)))
}

/// Recognizes a transcript of a known format again.
pub(crate) fn recognize_again(head: &Sample<'_>, was: &Detection) -> Option<Detection> {
    let only = Some(was.format);
    let rows = || match was.conversations.filter() {
        RowFilter::All => recognize_rows(head, only),
        RowFilter::Conversations => None,
    };
    let detection = match head.single {
        None => recognize(head, only),
        Some(_) => rows().or_else(|| recognize(head, only)).or_else(|| named_format(head, only)),
    }?;
    let detection = Detection { other: was.other, detected: was.detected, ..detection };
    Some(with_changed(detection, head))
}

/// Detects a transcript of this format.
pub(super) fn recognize_as(
    head: &Sample<'_>,
    format: &'static Format,
    sign: FormatSign,
) -> Option<Detection> {
    let whole = || {
        let layout = format.find(head)?;
        Some(Detection::new(format, layout))
    };
    // A line with a whole conversation is not a record, and a list of messages is not a list of conversations.
    match head.document {
        Some(_) if format.several(head).is_empty() => {
            whole().or_else(|| each_row(head, format, RowFilter::Conversations, sign))
        }
        _ => each_row(head, format, RowFilter::Conversations, sign).or_else(whole),
    }
}

/// Like [`recognize`], if the user said that each row is a conversation.
pub(crate) fn recognize_rows(
    head: &Sample<'_>,
    only: Option<&'static Format>,
) -> Option<Detection> {
    asked(only)
        .find_map(|format| each_row(head, format, RowFilter::All, FormatSign::needed_unless(only)))
}

/// The detection of a row that is one object, as [`recognize_rows`] detects a file of this row, and its conversations. `None`
/// if it has none, or may be something that is only known by name.
pub(crate) fn recognize_row(
    row: &Sample<'_>,
    only: Option<&'static Format>,
) -> Option<(Detection, Vec<rows::FoundConversation>)> {
    let entry = row.single?;
    let sign = FormatSign::needed_unless(only);
    let own = |format| Some((format, rows::inside(row, format, RowFilter::All, sign)?));
    let (format, inside) = asked(only).find_map(own)?;
    if only.is_none() && fit::may_be_named(row) {
        return None;
    }
    let detection = Detection {
        conversations: ConversationCount::EachRow(RowFilter::All),
        ..Detection::new(format, Layout::Lines(entry))
    };
    Some((detection, rows::conversations_of(row, format, || Some(inside))))
}

/// Detects a file of many conversations of this format.
fn each_row(
    head: &Sample<'_>,
    format: &'static Format,
    filter: RowFilter,
    sign: FormatSign,
) -> Option<Detection> {
    let layout = rows::recognize(head, format, filter, sign)?;
    let serving = head.root().and_then(|root| format.serving_agent(root, &[]));
    Some(Detection {
        conversations: ConversationCount::EachRow(filter),
        serving,
        ..Detection::new(format, layout)
    })
}

/// Reads a transcript without a sign of any format as this format, with one or many conversations as detected.
pub(crate) fn read_as(
    head: &Sample<'_>,
    format: &'static Format,
    conversations: ConversationCount,
) -> Option<Detection> {
    match conversations {
        ConversationCount::EachRow(filter) => each_row(head, format, filter, FormatSign::Optional),
        ConversationCount::One => {
            let (_, recognize) = format.traits.unsigned?;
            recognize(head).map(|layout| Detection::new(format, layout))
        }
    }
}

/// What else a transcript may be whose first messages have no sign of a format.
fn alternative(head: &Sample<'_>, detection: &Detection) -> Option<Alternative> {
    let formats = ALL
        .iter()
        .filter(|other| other.name != detection.format.name && detection.format.step >= other.step);
    let mut unsigned = formats.filter_map(|format| Some((*format, format.traits.unsigned?)));
    let (format, (target, _)) =
        unsigned.find(|(_, (_, recognize))| match detection.conversations {
            ConversationCount::One => recognize(head).is_some(),
            ConversationCount::EachRow(_) => rows::are_all(head, *recognize),
        })?;
    Some(Alternative { target, format })
}

/// The formats that are possible, by step.
fn asked(only: Option<&'static Format>) -> impl Iterator<Item = &'static Format> {
    static BY_STEP: LazyLock<Vec<&Format>> = LazyLock::new(|| {
        let mut formats = ALL.to_vec();
        formats.sort_by_key(|format| format.step);
        formats
    });
    BY_STEP.iter().copied().filter(move |format| only.is_none_or(|only| only.name == format.name))
}

/// The same for changed records: what else they may be is decided again.
pub(crate) fn with_changed(detection: Detection, head: &Sample<'_>) -> Detection {
    let other = if detection.detected { alternative(head, &detection) } else { detection.other };
    Detection { other, ..detection }
}
