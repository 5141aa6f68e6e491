//! Changes inside one record, which leave the rest of it unchanged.

use super::rewrite::CannotDo;
use crate::bytes::edit::Edit;
use crate::bytes::source::Span;
use crate::json::cut::RecordChange;

/// Sorts the changes of one record.
///
/// # Errors
/// Two changes overlap.
pub(crate) fn in_order(mut changes: Vec<RecordChange>) -> Result<Vec<RecordChange>, CannotDo> {
    sort(&mut changes);
    disjoint(changes)
}

/// Like [`in_order`], but drops duplicates.
///
/// # Errors
/// Two different changes overlap.
pub(crate) fn in_order_once(mut changes: Vec<RecordChange>) -> Result<Vec<RecordChange>, CannotDo> {
    sort(&mut changes);
    changes.dedup();
    disjoint(changes)
}

fn sort(changes: &mut [RecordChange]) {
    changes.sort_by_key(|change| (change.at.start, change.at.end));
}

fn disjoint(changes: Vec<RecordChange>) -> Result<Vec<RecordChange>, CannotDo> {
    let overlap = changes.windows(2).any(|pair| pair[0].at.end > pair[1].at.start);
    if overlap { Err(CannotDo("two changes of one record touch each other")) } else { Ok(changes) }
}

/// Converts changes of the record at `at` into edits of its entry.
pub(crate) fn edits(at: Span, changes: Vec<RecordChange>) -> impl Iterator<Item = Edit> {
    changes.into_iter().map(move |change| {
        let range = [change.at.start, change.at.end];
        let [start, end] = range.map(|offset| at.start + u64::from(offset));
        Edit::Bytes { at: Span { start, end, ..at }, with: change.with }
    })
}
