//! Reorders an array.

use super::{RecordChange, separator, spans_of};
use crate::json::node::Node;
use crate::json::order::longest_run;

/// An item in the new order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ArrayItem {
    /// The item at this 0-based position in the old order.
    Old(u32),
    /// A new item, as raw JSON.
    New(Vec<u8>),
}

/// The changes that bring an array into this order and keep its separators. Items that are not
/// listed are removed, and as few as possible move.
pub(crate) fn arrange(array: Node<'_>, wanted: &[ArrayItem]) -> Vec<RecordChange> {
    let (spans, inside) = spans_of(array);
    let bytes = |item: &ArrayItem| match item {
        ArrayItem::Old(at) => {
            spans.get(*at as usize).map(|span| array.bytes(span.start, span.end).into_owned())
        }
        ArrayItem::New(bytes) => Some(bytes.clone()),
    };
    let old: Vec<Option<u32>> = wanted
        .iter()
        .map(|item| match item {
            ArrayItem::Old(at) => Some(*at).filter(|at| (*at as usize) < spans.len()),
            ArrayItem::New(_) => None,
        })
        .collect();
    let stays = longest_run(&old);
    let gap = separator(array, &spans, 1);
    let mut changes = Vec::new();
    let mut pending: Vec<Vec<u8>> = Vec::new();
    let mut left: Option<u32> = None;
    for (at, item) in wanted.iter().enumerate() {
        match old[at].filter(|_| stays[at]) {
            Some(kept) => {
                changes.extend(between(&spans, left, Some(kept), &pending, &gap));
                pending.clear();
                left = Some(kept);
            }
            None => pending.extend(bytes(item)),
        }
    }
    if left.is_none() {
        // Nothing stays, so everything from the first to the last item is replaced.
        let range = match (spans.first(), spans.last()) {
            (Some(first), Some(last)) => first.start..last.end,
            _ => inside.start..inside.start,
        };
        return vec![RecordChange::new(range, pending.join(gap.as_slice()))];
    }
    changes.extend(between(&spans, left, None, &pending, &gap));
    changes
}

/// The changes between two items that stay, before the first of them, or after the last.
fn between(
    spans: &[std::ops::Range<u32>],
    left: Option<u32>,
    right: Option<u32>,
    pending: &[Vec<u8>],
    gap: &[u8],
) -> Vec<RecordChange> {
    let span = |at: u32| &spans[at as usize];
    let (range, with) = match (left, right) {
        (None, Some(right)) => {
            let with = pending.iter().flat_map(|item| [item.as_slice(), gap].concat()).collect();
            (span(0).start..span(right).start, with)
        }
        (Some(left), right) => {
            let with: Vec<u8> =
                pending.iter().flat_map(|item| [gap, item.as_slice()].concat()).collect();
            let end = span(left).end;
            let next = spans.get(left as usize + 1).map(|next| next.start);
            match (right.map(|right| span(right).start), next) {
                // Keep the separator before the next item that stays.
                (Some(right), Some(next)) if next < right => {
                    let cut = RecordChange::new(next..right, Vec::new());
                    let insert = (!with.is_empty()).then_some(RecordChange::new(end..end, with));
                    return insert.into_iter().chain([cut]).collect();
                }
                (Some(_), _) => (end..end, with),
                (None, _) => (end..spans.last().map_or(end, |last| last.end), with),
            }
        }
        (None, None) => return Vec::new(),
    };
    if range.is_empty() && with.is_empty() {
        Vec::new()
    } else {
        vec![RecordChange::new(range, with)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::scan::{ScanMode, scan};

    fn arranged(array: &str, wanted: &[ArrayItem]) -> String {
        let bytes = array.as_bytes();
        let tape = scan(bytes, ScanMode::Document);
        let changes = arrange(Node::root(&tape, &bytes).unwrap(), wanted);
        assert!(changes.windows(2).all(|pair| pair[0].at.end <= pair[1].at.start), "{changes:?}");
        let mut new = bytes.to_vec();
        for change in changes.iter().rev() {
            new.splice(
                change.at.start as usize..change.at.end as usize,
                change.with.iter().copied(),
            );
        }
        String::from_utf8(new).unwrap()
    }

    fn old(order: &[u32]) -> Vec<ArrayItem> {
        order.iter().map(|at| ArrayItem::Old(*at)).collect()
    }

    #[test]
    fn items_move_come_and_go() {
        assert_eq!(arranged("[1, 2, 3]", &old(&[0, 1, 2])), "[1, 2, 3]");
        assert_eq!(arranged("[1, 2, 3]", &old(&[2, 0, 1])), "[3, 1, 2]");
        assert_eq!(arranged("[1, 2, 3]", &old(&[1])), "[2]");
        assert_eq!(arranged("[1, 2, 3]", &old(&[0, 2])), "[1, 3]");
        assert_eq!(arranged("[1, 2, 3]", &old(&[0])), "[1]");
        assert_eq!(arranged("[ 1,2 ]", &[ArrayItem::New(b"x".to_vec())]), "[ x ]");
        assert_eq!(
            arranged("[]", &[ArrayItem::New(b"x".to_vec()), ArrayItem::New(b"y".to_vec())]),
            "[x,y]"
        );
        let mut wanted = old(&[0, 2]);
        wanted.insert(1, ArrayItem::New(b"x".to_vec()));
        assert_eq!(arranged("[\n 1,\n 2,\n 3\n]", &wanted), "[\n 1,\n x,\n 3\n]");
        wanted.push(ArrayItem::New(b"y".to_vec()));
        assert_eq!(arranged("[\n 1,\n 2,\n 3\n]", &wanted), "[\n 1,\n x,\n 3,\n y\n]");
    }
}
