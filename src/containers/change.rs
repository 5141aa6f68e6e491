//! Changes inside one record: it is read again, and no change touches another. Nothing else of the record changes.

use super::rewrite::CannotDo;
use crate::bytes::edit::Edit;
use crate::bytes::source::{Entries, Span};
use crate::json::cut::Change;
use crate::json::node::{Node, Owned};
use crate::json::scan::{Mode, scan};
use crate::transcript::{EventId, State, Transcript};

/// The bytes of a record; of one inside another without what stands around it.
///
/// # Errors
/// Its bytes are damaged, or gone.
pub(crate) fn bytes(
    entries: &dyn Entries,
    t: &Transcript,
    event: EventId,
) -> Result<Owned, CannotDo> {
    let record = t.event(event);
    if record.state != State::Whole {
        return Err(CannotDo("a record that must be changed has damaged bytes"));
    }
    entries
        .fetch(record.at)
        .map(Owned)
        .map_err(|_| CannotDo("a record cannot be read again"))
}

/// What `make` changes of a record, from its first byte, as it comes.
///
/// # Errors
/// As [`bytes`] and `make`.
pub(crate) fn changes(
    entries: &dyn Entries,
    t: &Transcript,
    event: EventId,
    make: impl FnOnce(Node<'_>) -> Result<Vec<Change>, CannotDo>,
) -> Result<Vec<Change>, CannotDo> {
    let bytes = bytes(entries, t, event)?;
    let tape = scan(&bytes.0, Mode::Document);
    make(Node::root(&tape, &bytes).ok_or(CannotDo("a record cannot be read again"))?)
}

/// The changes of one record in the order of their places.
///
/// # Errors
/// Two touch each other.
pub(crate) fn in_order(mut changes: Vec<Change>) -> Result<Vec<Change>, CannotDo> {
    sort(&mut changes);
    disjoint(changes)
}

/// As [`in_order`], where several may have asked for the same change.
///
/// # Errors
/// Two that differ touch each other.
pub(crate) fn in_order_once(mut changes: Vec<Change>) -> Result<Vec<Change>, CannotDo> {
    sort(&mut changes);
    changes.dedup();
    disjoint(changes)
}

fn sort(changes: &mut [Change]) {
    changes.sort_by_key(|change| (change.at.start, change.at.end));
}

fn disjoint(changes: Vec<Change>) -> Result<Vec<Change>, CannotDo> {
    let touch = changes
        .windows(2)
        .any(|pair| pair[0].at.end > pair[1].at.start);
    if touch {
        Err(CannotDo("two changes of one record touch each other"))
    } else {
        Ok(changes)
    }
}

/// The changes of the record that stands here as edits of its entry.
pub(crate) fn edits(at: Span, changes: Vec<Change>) -> impl Iterator<Item = Edit> {
    let place = move |offset: u32| at.start + u64::from(offset);
    changes.into_iter().map(move |change| Edit::Bytes {
        at: Span {
            start: place(change.at.start),
            end: place(change.at.end),
            ..at
        },
        with: change.with,
    })
}
