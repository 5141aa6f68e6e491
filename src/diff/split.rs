//! Lines that hold several records, and became one line for each.

use std::collections::HashSet;
use std::io;
use std::ops::Range;

use super::pairing::{Pairing, Side};

/// A line that was split.
pub(super) struct Split {
    /// The first of the old records on it.
    pub first: usize,
    /// Where its records are now.
    pub places: Vec<u64>,
}

/// New records that are tried for a record of a line, besides the one of its ID.
const TRIED: usize = 8;

/// Takes the records of split lines out of the pairing. A line is split where all of its records are in the new transcript,
/// each with the bytes that it had.
///
/// # Errors
/// A transcript cannot be read.
pub(super) fn take(old: Side<'_>, new: Side<'_>, pairing: &mut Pairing) -> io::Result<Vec<Split>> {
    let (mut out, mut first) = (Vec::new(), 0);
    let mut search = Search::of(old, new, pairing);
    for line in old.items.chunk_by(|a, b| a.at == b.at) {
        let records = first..first + line.len();
        first = records.end;
        if records.len() < 2 {
            continue;
        }
        if let Some(parts) = search.parts(records.clone())? {
            out.push(Split {
                first: records.start,
                places: parts.iter().filter_map(|n| new.items[*n].place).collect(),
            });
            search.taken.extend(parts);
        }
    }
    let taken = search.taken;
    if !out.is_empty() {
        let lines: HashSet<_> = out.iter().map(|split| old.items[split.first].at).collect();
        let is_on = |a: &usize| lines.contains(&old.items[*a].at);
        pairing.both.retain(|(a, b)| !is_on(a) && !taken.contains(b));
        pairing.gone.retain(|a| !is_on(a));
        pairing.fresh.retain(|b| !taken.contains(b));
    }
    Ok(out)
}

/// Where records of lines are looked for.
struct Search<'a> {
    old: Side<'a>,
    new: Side<'a>,
    /// The new record of each old one.
    partners: Vec<Option<usize>>,
    /// New records that no old one has, and how many of them lie before the line.
    fresh: Vec<usize>,
    passed: usize,
    /// New records that came from a line.
    taken: HashSet<usize>,
}

impl<'a> Search<'a> {
    fn of(old: Side<'a>, new: Side<'a>, pairing: &Pairing) -> Search<'a> {
        let mut partners = vec![None; old.items.len()];
        pairing.both.iter().for_each(|(a, b)| partners[*a] = Some(*b));
        Search {
            old,
            new,
            partners,
            fresh: pairing.fresh.clone(),
            passed: 0,
            taken: HashSet::new(),
        }
    }

    /// The new records that an old line became; `None`: not each of its records is there, byte for byte.
    fn parts(&mut self, records: Range<usize>) -> io::Result<Option<Vec<usize>>> {
        let line = self.old.bytes(records.start)?;
        let (mut found, mut from, mut passed) = (Vec::new(), 0, self.passed);
        for record in records {
            let tried = self.fresh.iter().enumerate().skip(passed).take(TRIED);
            let tried: Vec<(usize, usize)> = tried.map(|(at, n)| (at + 1, *n)).collect();
            let own = self.partners[record].map(|n| (passed, n));
            let mut part = None;
            for (after, n) in own.into_iter().chain(tried) {
                let bytes = self.new.bytes(n)?;
                let rest = line.get(from..).unwrap_or_default();
                let at = memchr::memmem::find(rest, &bytes).filter(|_| !bytes.is_empty());
                if let Some(at) = at {
                    from += at + bytes.len();
                    part = Some((after, n));
                    break;
                }
            }
            let Some((after, n)) = part else {
                return Ok(None);
            };
            passed = after;
            found.push(n);
        }
        self.passed = passed;
        Ok(Some(found))
    }
}
