//! The patch that makes one transcript of another: whole lines, compared by their fingerprints.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};
use std::io::{self, BufRead, BufReader};

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::bytes::edit::Edit;
use crate::bytes::source::{Entries, EntryId, Span};

/// A line: length and hash of its bytes with the ending.
type LineDigest = (u64, u64);

/// The edits of `old` that give `new`. The only entries of both are taken for one, else those of one name; files that
/// go and come with the same content are renamed.
///
/// # Errors
/// A transcript cannot be read.
pub(crate) fn between(old: &dyn Entries, new: &dyn Entries) -> io::Result<Vec<Edit>> {
    if let ([a], [b]) = (&old.ids()[..], &new.ids()[..]) {
        return lines(old, *a, new, *b);
    }
    let mut edits = Vec::new();
    let mut gone: HashMap<Vec<LineDigest>, Vec<EntryId>> = HashMap::new();
    for a in old.ids() {
        match new.find(old.name(a)) {
            Some(b) => edits.extend(lines(old, a, new, b)?),
            None => gone.entry(marks(old, a)?).or_default().push(a),
        }
    }
    for b in new.ids().into_iter().filter(|b| old.find(new.name(*b)).is_none()) {
        let name = new.name(b).to_owned();
        match gone.get_mut(&marks(new, b)?).and_then(Vec::pop) {
            Some(a) => edits.push(Edit::Rename(a, name)),
            None => edits.push(Edit::Create { name, bytes: all(new, b)? }),
        }
    }
    let mut gone: Vec<EntryId> = gone.into_values().flatten().collect();
    gone.sort_unstable();
    edits.extend(gone.into_iter().map(Edit::Remove));
    Ok(edits)
}

fn all(entries: &dyn Entries, entry: EntryId) -> io::Result<Vec<u8>> {
    entries.fetch(Span { entry, start: 0, end: entries.len(entry) })
}

/// The edits of one entry, line by line.
fn lines(old: &dyn Entries, a: EntryId, new: &dyn Entries, b: EntryId) -> io::Result<Vec<Edit>> {
    let (old_marks, new_marks) = (marks(old, a)?, marks(new, b)?);
    let mut numbers: HashMap<LineDigest, u32> = HashMap::new();
    let mut number = |mark: &LineDigest| {
        let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
        *numbers.entry(*mark).or_insert(next)
    };
    let old_numbers: Vec<u32> = old_marks.iter().map(&mut number).collect();
    let new_numbers: Vec<u32> = new_marks.iter().map(&mut number).collect();
    let ops = capture_diff_slices(Algorithm::Myers, &old_numbers, &new_numbers);
    let (old_starts, new_starts) = (starts(&old_marks), starts(&new_marks));
    let mut edits = Vec::new();
    for op in ops.iter().filter(|op| !matches!(op, DiffOp::Equal { .. })) {
        let (from, to) = (op.old_range(), op.new_range());
        let at = Span { entry: a, start: old_starts[from.start], end: old_starts[from.end] };
        let with =
            new.fetch(Span { entry: b, start: new_starts[to.start], end: new_starts[to.end] })?;
        edits.push(Edit::Bytes { at, with });
    }
    Ok(edits)
}

fn starts(marks: &[LineDigest]) -> Vec<u64> {
    let mut at = 0u64;
    let mut out = vec![0];
    for (len, _) in marks {
        at = at.saturating_add(*len);
        out.push(at);
    }
    out
}

/// The fingerprints of all lines; no line is kept.
fn marks(entries: &dyn Entries, entry: EntryId) -> io::Result<Vec<LineDigest>> {
    let mut from = BufReader::with_capacity(1 << 18, entries.open(entry)?);
    let mut out = Vec::new();
    let (mut len, mut hasher) = (0u64, DefaultHasher::new());
    loop {
        let piece = from.fill_buf()?;
        if piece.is_empty() {
            break;
        }
        let end = memchr::memchr(b'\n', piece).map(|at| at + 1);
        let part = &piece[..end.unwrap_or(piece.len())];
        hasher.write(part);
        let used = part.len();
        len = len.saturating_add(used as u64);
        if end.is_some() {
            out.push((len, std::mem::take(&mut hasher).finish()));
            len = 0;
        }
        from.consume(used);
    }
    if len > 0 {
        out.push((len, hasher.finish()));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::overlay::Overlay;
    use crate::bytes::patch::Patch;
    use crate::bytes::source::Source;
    use proptest::prelude::*;

    fn folder(files: &[(&str, &str)]) -> Source {
        let files =
            files.iter().map(|(name, text)| ((*name).into(), text.as_bytes().to_vec())).collect();
        Source::memory("a folder", files)
    }

    fn made(old: &Source, new: &Source) -> (Vec<Edit>, bool) {
        let edits = between(old, new).unwrap();
        let patch = Patch::new(edits.clone()).unwrap();
        let got = Overlay::new(old, &patch);
        let list = |e: &dyn Entries| -> Vec<(String, Vec<u8>)> {
            e.ids().into_iter().map(|id| (e.name(id).to_owned(), all(e, id).unwrap())).collect()
        };
        let same = if old.ids().len() == 1 && new.ids().len() == 1 {
            list(&got)[0].1 == list(new)[0].1
        } else {
            list(&got) == list(new)
        };
        (edits, same)
    }

    #[test]
    fn files_come_go_and_get_other_names() {
        let old = folder(&[("a", "1\n2\n3\n"), ("b", "x\n"), ("c", "y\n")]);
        let new = folder(&[("a", "1\n2b\n3\n"), ("d", "y\n"), ("e", "new")]);
        let (edits, same) = made(&old, &new);
        assert!(same, "{edits:?}");
        assert_eq!(edits.len(), 4);
        assert!(edits.contains(&Edit::Rename(EntryId(2), "d".into())));
        assert!(edits.contains(&Edit::Bytes {
            at: Span { entry: EntryId(0), start: 2, end: 4 },
            with: b"2b\n".to_vec()
        }));
    }

    proptest! {
        #[test]
        fn the_patch_makes_the_other(a in "([ab]{0,2}\n){0,12}[ab]{0,2}", b in "([ab]{0,2}\n){0,12}[ab]{0,2}") {
            let (edits, same) = made(&folder(&[("a", &a)]), &folder(&[("b", &b)]));
            prop_assert!(same, "{:?}", edits);
            prop_assert_eq!(edits.is_empty(), a == b);
        }
    }
}
