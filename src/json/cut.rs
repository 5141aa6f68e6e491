//! Edits of a container that keep its layout: remove members, insert members and items.
//!
//! Nothing is parsed here. The results are byte ranges of the record and their replacements; all
//! other bytes stay unchanged.

mod arrange;

use std::ops::Range;

use super::node::Node;
use super::quote::quote;
use super::tape::{Flags, Kind, Tape};

pub(crate) use arrange::{ArrayItem, arrange};

/// A byte range of a record and its replacement. An empty range is an insertion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordChange {
    /// 0-based from the first byte of the record.
    pub at: Range<u32>,
    pub with: Vec<u8>,
}

impl RecordChange {
    pub(crate) fn new(at: Range<u32>, with: Vec<u8>) -> RecordChange {
        RecordChange { at, with }
    }

    fn cut(at: Range<u32>) -> RecordChange {
        RecordChange::new(at, Vec::new())
    }

    /// Inserts bytes before the byte at offset `at`.
    pub(crate) fn insert(at: u32, with: Vec<u8>) -> RecordChange {
        RecordChange::new(at..at, with)
    }
}

/// The byte ranges of a container's members or items, and of everything between its brackets. A key
/// without a value in a truncated record belongs to the latter.
fn spans_of(container: Node<'_>) -> (Vec<Range<u32>>, Range<u32>) {
    let spans = match container.kind() {
        Kind::Object => {
            container.members().map(|(key, value)| key.span().start..value.span().end).collect()
        }
        Kind::Array => container.items().map(|item| item.span()).collect(),
        _ => Vec::new(),
    };
    let Range { start, end } = container.span();
    let end = if container.is_open() { end } else { end.saturating_sub(1) };
    (spans, start.saturating_add(1).min(end)..end)
}

/// Removes a set of members of an object, or of items of an array. The result is valid JSON for any
/// set. `removed` are 0-based positions in any order; positions that do not exist are ignored.
///
/// A run of removed members before a kept one is cut up to the kept one, a run at the end from the
/// end of the last kept one. If nothing is kept, everything between the brackets is cut. The
/// changes are sorted and disjoint. In a container that is not closed, a run at the end is cut up
/// to the end of its last member.
pub(crate) fn remove_members(container: Node<'_>, removed: &[u32]) -> Vec<RecordChange> {
    let (spans, inside) = spans_of(container);
    let mut is_removed = vec![false; spans.len()];
    for &position in removed {
        if let Some(mark) = is_removed.get_mut(position as usize) {
            *mark = true;
        }
    }
    let mut changes = Vec::new();
    let mut kept: Option<&Range<u32>> = None;
    let mut run: Option<u32> = None;
    let mut last = inside.start;
    // A comma belongs to the run before a kept member, or else to the last kept one.
    for (span, is_removed) in spans.iter().zip(is_removed) {
        if is_removed {
            run = run.or(Some(span.start));
        } else {
            changes.extend(run.take().map(|start| RecordChange::cut(start..span.start)));
            kept = Some(span);
        }
        last = span.end;
    }
    match (run, kept) {
        (None, _) => {}
        (Some(_), Some(kept)) => changes.push(RecordChange::cut(kept.end..last)),
        (Some(_), None) if container.is_open() => {
            changes.push(RecordChange::cut(inside.start..last))
        }
        (Some(_), None) => changes.push(RecordChange::cut(inside)),
    }
    changes
}

/// Inserts a member into an object after the (last) member `after`, or at the end if that is `None`
/// or missing. Separators are copied from the neighbors; `raw_value` is raw JSON.
pub(crate) fn insert_member(
    object: Node<'_>,
    after: Option<&str>,
    key: &str,
    raw_value: &str,
) -> RecordChange {
    let (spans, inside) = spans_of(object);
    let keys: Vec<Node<'_>> = object.members().map(|(key, _)| key).collect();
    let position = after.and_then(|after| keys.iter().rposition(|key| key.is_str(after)));
    let place = position.map_or(spans.len(), |at| at.saturating_add(1));
    let mut member = quote(key).into_bytes();
    let neighbor = keys.get(place.saturating_sub(1)).copied();
    member.extend(colon(object, neighbor));
    member.extend(raw_value.as_bytes());
    insert(object, &spans, inside.start, place, member)
}

/// Inserts an item into an array at a 0-based position, at most its length, with the separators of
/// its neighbors; `raw` is raw JSON.
pub(crate) fn insert_item(array: Node<'_>, pos: u32, raw: &str) -> RecordChange {
    let (spans, inside) = spans_of(array);
    insert(array, &spans, inside.start, pos as usize, raw.as_bytes().to_vec())
}

/// Replaces a value by raw JSON.
pub(crate) fn replace(node: Node<'_>, raw: &str) -> RecordChange {
    RecordChange::new(node.span(), raw.as_bytes().to_vec())
}

fn insert(
    container: Node<'_>,
    spans: &[Range<u32>],
    start: u32,
    place: usize,
    new: Vec<u8>,
) -> RecordChange {
    let place = place.min(spans.len());
    let Some(before) = place.checked_sub(1).and_then(|at| spans.get(at)) else {
        return match spans.first() {
            None => RecordChange::insert(start, new),
            Some(first) => RecordChange::insert(
                first.start,
                [new, separator(container, spans, place)].concat(),
            ),
        };
    };
    RecordChange::insert(before.end, [separator(container, spans, place), new].concat())
}

/// The separator of the two members around `place`. If there are not two, the separator that the
/// layout suggests.
fn separator(container: Node<'_>, spans: &[Range<u32>], place: usize) -> Vec<u8> {
    let pair = place.clamp(1, spans.len().saturating_sub(1).max(1));
    if let (Some(left), Some(right)) = (spans.get(pair.saturating_sub(1)), spans.get(pair)) {
        return container.bytes(left.end, right.start).into_owned();
    }
    let lead = spans.first().map_or(Vec::new(), |first| {
        container.bytes(container.span().start.saturating_add(1), first.start).into_owned()
    });
    if lead.contains(&b'\n') {
        return [b",".to_vec(), lead].concat();
    }
    if colon(container, None).ends_with(b" ") { b", ".to_vec() } else { b",".to_vec() }
}

/// The separator of a key and its value: that of `key`, else of the first member in the record.
fn colon(container: Node<'_>, key: Option<Node<'_>>) -> Vec<u8> {
    let tape: &Tape = container.tape();
    let gap = key
        .or_else(|| {
            let at = tape.tokens.iter().position(|token| token.flags.has(Flags::KEY))?;
            container.sibling(u32::try_from(at).ok()?)
        })
        .and_then(|key| {
            let value = tape.tokens.get(key.index() as usize + 1)?;
            Some(container.bytes(key.span().end, value.start).into_owned())
        });
    match gap {
        Some(gap) if gap.contains(&b':') => gap,
        _ => b":".to_vec(),
    }
}

#[cfg(test)]
mod tests;
