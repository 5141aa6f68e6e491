//! Reads a transcript as a format that is known already.

use std::sync::LazyLock;

use super::rows;
use crate::containers::Layout;
use crate::format::head::Sample;
use crate::format::{Alternative, ConversationCount, Detection, Format, FormatSign, RowFilter};
use crate::hosts::ALL;

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

/// Detects a transcript of this format.
pub(super) fn recognize_as(
    head: &Sample<'_>,
    format: &'static Format,
    sign: FormatSign,
) -> Option<Detection> {
    let rows = || each_row(head, format, RowFilter::Conversations, sign);
    // A line with a whole conversation is not a record, and a list of messages is not a list of conversations.
    if head.document.is_some() && format.several(head).is_empty() {
        return detect_whole(head, format).or_else(rows);
    }
    rows().or_else(|| detect_whole(head, format))
}

fn detect_whole(head: &Sample<'_>, format: &'static Format) -> Option<Detection> {
    let layout = format.find(head)?;
    Some(Detection::new(format, layout))
}

/// Detects a transcript if the user said that each row is a conversation.
pub(crate) fn recognize_rows(
    head: &Sample<'_>,
    only: Option<&'static Format>,
) -> Option<Detection> {
    asked(only)
        .find_map(|format| each_row(head, format, RowFilter::All, FormatSign::needed_unless(only)))
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
        .filter(|other| other.name != detection.format.name && detection.format.rank >= other.rank);
    let mut unsigned = formats.filter_map(|format| Some((*format, format.traits.unsigned?)));
    let (format, (target, _)) =
        unsigned.find(|(_, (_, recognize))| match detection.conversations {
            ConversationCount::One => recognize(head).is_some(),
            ConversationCount::EachRow(_) => rows::are_all(head, *recognize),
        })?;
    Some(Alternative { target, format })
}

/// The formats that are possible, by rank.
pub(super) fn asked(only: Option<&'static Format>) -> impl Iterator<Item = &'static Format> {
    static BY_RANK: LazyLock<Vec<&Format>> = LazyLock::new(|| {
        let mut formats = ALL.to_vec();
        formats.sort_by_key(|format| format.rank);
        formats
    });
    BY_RANK.iter().copied().filter(move |format| only.is_none_or(|only| only.name == format.name))
}

/// The same for changed records: what else they may be is decided again.
pub(crate) fn with_changed(detection: Detection, head: &Sample<'_>) -> Detection {
    let other = if detection.detected { alternative(head, &detection) } else { detection.other };
    Detection { other, ..detection }
}
