//! Which record of one transcript is which of another.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;

use crate::bytes::patch::Patch;
use crate::bytes::source::{Entries, Span};

/// A record, as far as a comparison needs it.
#[derive(Clone, Debug)]
pub(crate) struct PairingItem {
    /// The record's own ID, `""` where it has none.
    pub id: String,
    /// The record's own kind, `""` where it has none.
    pub kind: String,
    /// Where people find it: its line (from 1), or its event number (from 0). `None`: it has no number.
    pub place: Option<u64>,
    /// Its bytes.
    pub at: Span,
    /// The IDs of its calls and results, of a record without an ID.
    pub calls: Vec<String>,
}

/// One of two transcripts.
#[derive(Copy, Clone)]
pub(crate) struct Side<'a> {
    /// Its bytes.
    pub entries: &'a dyn Entries,
    /// Its records in their order.
    pub items: &'a [PairingItem],
}

impl Side<'_> {
    /// The bytes of a record without the white space around it.
    pub(crate) fn bytes(&self, n: usize) -> io::Result<Vec<u8>> {
        let bytes = self.entries.fetch(self.items[n].at)?;
        Ok(bytes.trim_ascii().to_vec())
    }
}

impl Side<'_> {
    /// The bytes of a document that holds records, without them.
    pub(crate) fn around(&self, n: usize) -> io::Result<Vec<u8>> {
        let at = self.items[n].at;
        let mut inside: Vec<Span> = self
            .items
            .iter()
            .filter(|item| {
                let own = item.at;
                item.place.is_some()
                    && own.entry == at.entry
                    && own.start >= at.start
                    && own.end <= at.end
            })
            .map(|item| item.at)
            .collect();
        inside.sort_unstable_by_key(|own| own.start);
        let bytes = self.entries.fetch(at)?;
        let mut out = Vec::new();
        let mut rest = 0;
        for own in inside {
            let offset = |at_byte: u64| usize::try_from(at_byte - at.start).unwrap_or(usize::MAX);
            out.extend_from_slice(bytes.get(rest..offset(own.start)).unwrap_or_default());
            rest = offset(own.end).max(rest);
            // With the comma after it, or else before it.
            let after = bytes.get(rest..).unwrap_or_default().trim_ascii_start();
            if after.first() == Some(&b',') {
                rest = bytes.len() - after.len() + 1;
            } else if out.trim_ascii_end().last() == Some(&b',') {
                out.truncate(out.trim_ascii_end().len() - 1);
            }
        }
        out.extend_from_slice(bytes.get(rest..).unwrap_or_default());
        Ok(out.trim_ascii().to_vec())
    }
}

/// How the records of two transcripts belong together; numbers are positions in the lists of items.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Pairing {
    /// Records that both have: old, new, in the order of the new ones.
    pub both: Vec<(usize, usize)>,
    /// Records that only the old one has, in order.
    pub gone: Vec<usize>,
    /// Records that only the new one has, in order.
    pub fresh: Vec<usize>,
}

/// Pairs the records by id, those of one id that are alike first; those without an id, and those left over, by their
/// bytes. `beside_ours`: what a new record says besides what this program writes, if that is in it.
///
/// # Errors
/// A transcript cannot be read.
pub(crate) fn pair(
    old: Side<'_>,
    new: Side<'_>,
    beside_ours: &dyn Fn(usize) -> Option<String>,
) -> io::Result<Pairing> {
    let mut by_id: HashMap<&str, (Vec<usize>, Vec<usize>)> = HashMap::new();
    for (n, item) in old.items.iter().enumerate().filter(|(_, item)| !item.id.is_empty()) {
        by_id.entry(&item.id).or_default().0.push(n);
    }
    for (n, item) in new.items.iter().enumerate().filter(|(_, item)| !item.id.is_empty()) {
        by_id.entry(&item.id).or_default().1.push(n);
    }
    let mut partner: Vec<Option<usize>> = vec![None; new.items.len()];
    let mut used = vec![false; old.items.len()];
    let mut take = |a: usize, b: usize| {
        partner[b] = Some(a);
        used[a] = true;
    };
    let mut groups: Vec<_> = by_id.into_values().collect();
    groups.sort_unstable();
    for (mut a, mut b) in groups {
        if a.len().max(b.len()) > 1 {
            alike(old, new, &mut a, &mut b, &mut take)?;
        }
        a.into_iter().zip(b).for_each(|(a, b)| take(a, b));
    }
    let mut a: Vec<usize> = (0..used.len()).filter(|n| !used[*n]).collect();
    let mut b: Vec<usize> = (0..partner.len()).filter(|n| partner[*n].is_none()).collect();
    if !a.is_empty() && !b.is_empty() {
        alike(old, new, &mut a, &mut b, &mut |a, b| partner[b] = Some(a))?;
    }
    let both = |partner: &[Option<usize>]| {
        let pairs = partner.iter().enumerate();
        pairs.filter_map(|(b, a)| Some(((*a)?, b))).collect()
    };
    let mut pairing = Pairing { both: both(&partner), gone: a, fresh: b };
    for (a, b) in changed_in_place(old, new, &pairing, beside_ours) {
        partner[b] = Some(a);
    }
    pairing.both = both(&partner);
    pairing.fresh.retain(|b| partner[*b].is_none());
    let paired: HashSet<usize> = partner.into_iter().flatten().collect();
    pairing.gone.retain(|a| !paired.contains(a));
    Ok(pairing)
}

/// Pairs records without an ID that differ, where one of a kind took the place of another: both come right after records that
/// are a pair. What this program writes in place of a record of another call is another record, and so is what says nothing
/// else; but it may write into a message without calls.
fn changed_in_place(
    old: Side<'_>,
    new: Side<'_>,
    pairing: &Pairing,
    beside_ours: &dyn Fn(usize) -> Option<String>,
) -> Vec<(usize, usize)> {
    let gone: HashSet<usize> = pairing.gone.iter().copied().collect();
    let by_new: HashMap<usize, usize> = pairing.both.iter().map(|(a, b)| (*b, *a)).collect();
    let nameless = |item: &PairingItem| item.id.is_empty() && !item.kind.is_empty();
    let mut out: HashMap<usize, usize> = HashMap::new();
    for b in pairing.fresh.iter().copied() {
        let after = match b.checked_sub(1) {
            None => Some(0),
            Some(front) => by_new.get(&front).or(out.get(&front)).map(|a| a + 1),
        };
        let Some(a) = after.filter(|a| gone.contains(a)) else {
            continue;
        };
        let (was, is) = (&old.items[a], &new.items[b]);
        let share_call = || {
            let has_none = was.calls.is_empty() && is.calls.is_empty();
            has_none || was.calls.iter().any(|id| is.calls.contains(id))
        };
        let is_one_kind = nameless(was) && nameless(is) && was.kind == is.kind;
        if is_one_kind
            && (share_call()
                || beside_ours(b).is_none_or(|rest| was.calls.is_empty() && !rest.is_empty()))
        {
            out.insert(b, a);
        }
    }
    out.into_iter().map(|(b, a)| (a, b)).collect()
}

/// Pairs records with the same bytes and takes them off both lists.
fn alike(
    old: Side<'_>,
    new: Side<'_>,
    a: &mut Vec<usize>,
    b: &mut Vec<usize>,
    take: &mut impl FnMut(usize, usize),
) -> io::Result<()> {
    let mut known: HashMap<(usize, u64), std::collections::VecDeque<usize>> = HashMap::new();
    let mut digests = Digests::of(old);
    for n in a.iter() {
        known.entry(digests.digest(*n)?).or_default().push_back(*n);
    }
    let mut rest = Vec::new();
    let mut digests = Digests::of(new);
    for n in b.drain(..) {
        match known.get_mut(&digests.digest(n)?).and_then(std::collections::VecDeque::pop_front) {
            Some(twin) => take(twin, n),
            None => rest.push(n),
        }
    }
    *b = rest;
    *a = known.into_values().flatten().collect();
    a.sort_unstable();
    Ok(())
}

/// Lengths and hashes of records. Ten thousand records on one line have the same bytes, which are read once.
struct Digests<'a> {
    side: Side<'a>,
    last: Option<(Span, (usize, u64))>,
}

impl Digests<'_> {
    fn of(side: Side<'_>) -> Digests<'_> {
        Digests { side, last: None }
    }

    fn digest(&mut self, n: usize) -> io::Result<(usize, u64)> {
        let at = self.side.items[n].at;
        if let Some((_, digest)) = self.last.filter(|(span, _)| *span == at) {
            return Ok(digest);
        }
        let bytes = self.side.bytes(n)?;
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        let digest = (bytes.len(), hasher.finish());
        self.last = Some((at, digest));
        Ok(digest)
    }
}

/// Which of the pairs changed their place among the others: all but a longest run whose order is the same. `is_still`: what
/// makes the new recording leaves this old record where it is.
pub(crate) fn moved(both: &[(usize, usize)], is_still: impl Fn(usize) -> bool) -> Vec<bool> {
    let still: Vec<bool> = both.iter().map(|(old, _)| is_still(*old)).collect();
    if !both.iter().zip(&still).filter(|(_, still)| **still).map(|((old, _), _)| *old).is_sorted() {
        return out_of_order(both);
    }
    // Between the records that stay, what is in order with all of them may stay, too.
    let mut next: Vec<usize> = Vec::with_capacity(both.len());
    let mut after = usize::MAX;
    for ((old, _), still) in both.iter().zip(&still).rev() {
        next.push(after);
        after = if *still { *old } else { after };
    }
    next.reverse();
    let (mut last, mut staying) = (None, Vec::new());
    for (n, ((old, new), still)) in both.iter().zip(&still).enumerate() {
        if *still || (last.is_none_or(|last| last < *old) && *old < next[n]) {
            staying.push((n, (*old, *new)));
        }
        last = if *still { Some(*old) } else { last };
    }
    let (places, pairs): (Vec<usize>, Vec<(usize, usize)>) = staying.into_iter().unzip();
    let mut out = vec![true; both.len()];
    let among = out_of_order(&pairs);
    places.iter().zip(among).for_each(|(n, moved)| out[*n] = moved);
    out
}

/// All pairs but a longest run whose order is the same.
fn out_of_order(both: &[(usize, usize)]) -> Vec<bool> {
    // Patience: `ends[l]` is the pair that ends the best run of length l + 1.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; both.len()];
    for (n, (old, _)) in both.iter().enumerate() {
        let length = ends.partition_point(|end| both[*end].0 < *old);
        before[n] = length.checked_sub(1).map(|shorter| ends[shorter]);
        if length == ends.len() { ends.push(n) } else { ends[length] = n }
    }
    let mut out = vec![true; both.len()];
    let mut next = ends.last().copied();
    while let Some(n) = next {
        out[n] = false;
        next = before[n];
    }
    out
}

/// Whether an edit of the patch is in these bytes of its base, rather than next to them.
pub(crate) fn is_inside(patch: &Patch, at: Span) -> bool {
    let edits = patch.bytes_of(at.entry);
    let first = edits.partition_point(|edit| edit.end <= at.start);
    let mut near = edits.get(first..).unwrap_or_default().iter();
    patch.removes(at.entry) || near.next().is_some_and(|edit| edit.start < at.end)
}

/// Whether no edit of the patch is in these bytes of its base.
pub fn untouched(patch: &Patch, at: Span) -> bool {
    let edits = patch.bytes_of(at.entry);
    let first = edits.partition_point(|edit| edit.end < at.start);
    edits.get(first).is_none_or(|edit| edit.start > at.end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::source::{EntryId, Source};

    fn side(lines: &[&str]) -> (Source, Vec<PairingItem>) {
        let mut at = 0;
        let mut items = Vec::new();
        for (n, line) in lines.iter().enumerate() {
            let end = at + line.len() as u64;
            let id = line.split(' ').next().unwrap().trim_start_matches('?').to_owned();
            let id = if line.starts_with('?') { String::new() } else { id };
            items.push(PairingItem {
                id,
                kind: String::new(),
                place: Some(n as u64 + 1),
                at: Span { entry: EntryId(0), start: at, end },
                calls: Vec::new(),
            });
            at = end;
        }
        (Source::memory("f", vec![("f".into(), lines.concat().into_bytes())]), items)
    }

    fn pairs(old: &[&str], new: &[&str]) -> Pairing {
        let (a, b) = (side(old), side(new));
        pair(Side { entries: &a.0, items: &a.1 }, Side { entries: &b.0, items: &b.1 }, &|_| None)
            .unwrap()
    }

    #[test]
    fn a_document_is_read_without_its_records() {
        let source = Source::memory("f", vec![("f".into(), b"ab{\"m\":[1,2],\"z\":3}".to_vec())]);
        let item = |start, end, place| PairingItem {
            id: String::new(),
            kind: String::new(),
            place,
            at: Span { entry: EntryId(0), start, end },
            calls: Vec::new(),
        };
        // It begins after other bytes.
        let items = [item(2, 19, None), item(8, 9, Some(1)), item(10, 11, Some(2))];
        let side = Side { entries: &source, items: &items };
        assert_eq!(side.around(0).unwrap(), b"{\"m\":[],\"z\":3}");
    }

    #[test]
    fn ids_pair_and_the_rest_pairs_by_bytes() {
        let got = pairs(&["a 1", "b 1", "?x", "c 1"], &["b 2", "?x", "a 1", "d 1"]);
        assert_eq!(
            got,
            Pairing { both: vec![(1, 0), (2, 1), (0, 2)], gone: vec![3], fresh: vec![3] }
        );
    }

    #[test]
    fn of_equal_ids_those_alike_pair_first() {
        let got = pairs(&["a 1", "a 2", "a 3"], &["a 3", "a 9"]);
        assert_eq!(got, Pairing { both: vec![(2, 0), (0, 1)], gone: vec![1], fresh: vec![] });
    }

    #[test]
    fn the_fewest_records_move() {
        assert_eq!(
            moved(&[(0, 0), (3, 1), (1, 2), (2, 3)], |_| false),
            [false, true, false, false]
        );
        assert_eq!(moved(&[(2, 0), (1, 1), (0, 2)], |_| false), [true, true, false]);
        assert_eq!(moved(&[], |_| false), [false; 0]);
        // The two could be swapped either way; one is left where it is.
        assert_eq!(moved(&[(1, 0), (0, 1)], |old| old == 1), [false, true]);
        assert_eq!(moved(&[(1, 0), (0, 1)], |old| old == 0), [true, false]);
    }

    #[test]
    fn an_edit_at_the_edge_touches() {
        use crate::bytes::patch::Edit;
        let span = |start, end| Span { entry: EntryId(0), start, end };
        let patch = Patch::new(vec![Edit::Bytes { at: span(10, 20), with: Vec::new() }]).unwrap();
        assert!(untouched(&patch, span(0, 9)) && untouched(&patch, span(21, 30)));
        assert!(
            !untouched(&patch, span(0, 10))
                && !untouched(&patch, span(20, 30))
                && !untouched(&patch, span(12, 13))
        );
        assert!(untouched(&patch, Span { entry: EntryId(1), start: 0, end: 100 }));
    }
}
