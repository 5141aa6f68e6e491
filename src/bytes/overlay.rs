//! Reads patched entries without writing them.

use super::patch::{ByteEdit, Patch, first_created};
use super::source::{Entries, EntryId, Span, no_entry, out_of_bounds};
use std::collections::BTreeMap;
use std::io::{self, Read};

/// The entries that result from a patch. Nothing is copied: new bytes come from the patch, all
/// others from the base.
///
/// Entries of the base keep their numbers. Created entries follow the highest number of the base,
/// in order of creation.
pub struct Overlay<'a> {
    base: &'a dyn Entries,
    patch: &'a Patch,
    /// Number of the first created entry.
    first: u32,
    /// Offset in the patched entry where the new bytes of each byte edit start.
    starts: BTreeMap<EntryId, Vec<u64>>,
}

impl<'a> Overlay<'a> {
    /// `base` with `patch` applied, which must be against it. Takes time for each changed entry,
    /// and reads no bytes.
    pub fn new(base: &'a dyn Entries, patch: &'a Patch) -> Self {
        let mut starts = BTreeMap::new();
        for entry in patch.changed_entries() {
            let (mut done, mut at) = (0u64, 0u64);
            let mut list = Vec::new();
            for edit in patch.bytes_of(entry) {
                at = at.saturating_add(edit.start.saturating_sub(done));
                list.push(at);
                at = at.saturating_add(edit.with.len() as u64);
                done = edit.end;
            }
            starts.insert(entry, list);
        }
        Self { base, patch, first: first_created(base), starts }
    }

    /// Offset in the base of a byte of the patched entry; `None` if the patch inserted it.
    pub fn origin(&self, id: EntryId, at: u64) -> Option<u64> {
        if id.0 >= self.first {
            return None;
        }
        let (edits, starts) = self.edits(id);
        let Some(last) = starts.partition_point(|start| *start <= at).checked_sub(1) else {
            return Some(at);
        };
        let after = at.saturating_sub(starts[last]).checked_sub(edits[last].with.len() as u64)?;
        Some(edits[last].end.saturating_add(after))
    }

    /// Byte edits of an entry of the base, sorted and disjoint.
    pub(crate) fn byte_edits(&self, id: EntryId) -> &'a [ByteEdit] {
        self.patch.bytes_of(id)
    }

    fn created_entry(&self, id: EntryId) -> Option<&'a (String, Vec<u8>)> {
        let at = id.0.checked_sub(self.first)?;
        self.patch.created().get(usize::try_from(at).ok()?)
    }

    /// Byte edits of an entry of the base, with their offsets in the patched entry.
    fn edits(&self, id: EntryId) -> (&'a [ByteEdit], &[u64]) {
        (self.patch.bytes_of(id), self.starts.get(&id).map_or(&[], Vec::as_slice))
    }
}

impl Entries for Overlay<'_> {
    fn has_rows(&self) -> bool {
        self.base.has_rows()
    }

    fn row_name(&self, id: EntryId, line: u64) -> Option<&str> {
        let is_as_it_was = self.patch.bytes_of(id).is_empty();
        self.base.row_name(id, line).filter(|_| is_as_it_was)
    }

    fn ids(&self) -> Vec<EntryId> {
        let mut ids = self.base.ids();
        let renames = ids.iter().any(|&id| self.patch.new_name(id).is_some());
        ids.retain(|&id| !self.patch.removes(id));
        ids.extend((self.first..).zip(self.patch.created()).map(|(id, _)| EntryId(id)));
        if renames || !self.patch.created().is_empty() {
            ids.sort_by(|&a, &b| self.name(a).cmp(self.name(b)));
        }
        ids
    }

    fn name(&self, id: EntryId) -> &str {
        if let Some((name, _)) = self.created_entry(id) {
            return name;
        }
        if self.patch.removes(id) {
            return "";
        }
        self.patch.new_name(id).unwrap_or_else(|| self.base.name(id))
    }

    fn first_lines_beside(&self, ending: &str) -> Vec<Vec<u8>> {
        self.base.first_lines_beside(ending)
    }

    fn first_line(&self, id: EntryId) -> u64 {
        self.base.first_line(id)
    }

    fn is_row(&self, id: EntryId) -> bool {
        self.base.is_row(id)
    }

    fn check_members(&self) -> io::Result<()> {
        self.base.check_members()
    }

    fn loss(&self, id: EntryId) -> Option<&'static str> {
        // An edited entry is written again as a whole.
        self.base.loss(id).filter(|_| self.patch.bytes_of(id).is_empty())
    }

    fn len(&self, id: EntryId) -> u64 {
        if let Some((_, bytes)) = self.created_entry(id) {
            return bytes.len() as u64;
        }
        if self.patch.removes(id) {
            return 0;
        }
        let (edits, starts) = self.edits(id);
        let len = self.base.len(id);
        let Some((last, start)) = edits.last().zip(starts.last()) else {
            return len;
        };
        start.saturating_add(last.with.len() as u64).saturating_add(len.saturating_sub(last.end))
    }

    fn open(&self, id: EntryId) -> io::Result<Box<dyn Read + '_>> {
        if let Some((_, bytes)) = self.created_entry(id) {
            return Ok(Box::new(&bytes[..]));
        }
        if self.patch.removes(id) {
            return Err(no_entry(id));
        }
        let base = self.base.open(id)?;
        let edits = self.patch.bytes_of(id);
        if edits.is_empty() {
            return Ok(base);
        }
        if edits.last().is_some_and(|last| last.end > self.base.len(id)) {
            return Err(out_of_bounds());
        }
        Ok(Box::new(PatchedReader { base, edits, at: 0, put: &[] }))
    }

    fn fetch(&self, at: Span) -> io::Result<Vec<u8>> {
        if at.start > at.end || at.end > self.len(at.entry) {
            return Err(out_of_bounds());
        }
        if let Some((_, bytes)) = self.created_entry(at.entry) {
            return Ok(slice(bytes, at.start, at.end).to_vec());
        }
        let (edits, starts) = self.edits(at.entry);
        if edits.is_empty() {
            return self.base.fetch(at);
        }
        // Start at the last edit that begins at or before the span, and alternate between its new
        // bytes and the base bytes after it.
        let mut next = starts.partition_point(|&start| start <= at.start).saturating_sub(1);
        let mut out = Vec::new();
        let mut place = at.start;
        if starts.get(next).is_some_and(|&start| at.start < start) {
            let end = at.end.min(starts[next]);
            out = self.base.fetch(Span { entry: at.entry, start: at.start, end })?;
            place = end;
        }
        while let Some((edit, &start)) =
            edits.get(next).zip(starts.get(next)).filter(|_| place < at.end)
        {
            let after = start.saturating_add(edit.with.len() as u64);
            out.extend_from_slice(slice(
                &edit.with,
                place.saturating_sub(start),
                at.end.saturating_sub(start),
            ));
            place = place.max(after.min(at.end));
            next = next.saturating_add(1);
            let stop = starts.get(next).copied().unwrap_or(u64::MAX).min(at.end);
            if place < stop {
                let shift = |offset: u64| edit.end.saturating_add(offset.saturating_sub(after));
                out.extend(self.base.fetch(Span {
                    entry: at.entry,
                    start: shift(place),
                    end: shift(stop),
                })?);
                place = stop;
            }
        }
        Ok(out)
    }
}

/// `bytes[start..end]`, cut to what exists.
fn slice(bytes: &[u8], start: u64, end: u64) -> &[u8] {
    let offset = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(bytes.len());
    bytes.get(offset(start)..offset(end)).unwrap_or_default()
}

/// Reads an entry of the base from its start, with edits applied.
struct PatchedReader<'a> {
    base: Box<dyn Read + 'a>,
    /// Edits that come next.
    edits: &'a [ByteEdit],
    /// Offset in the base.
    at: u64,
    /// New bytes not yet handed out.
    put: &'a [u8],
}

impl Read for PatchedReader<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if buf.is_empty() {
            return Ok(0);
        }
        loop {
            if !self.put.is_empty() {
                return self.put.read(buf);
            }
            let Some(edit) = self.edits.first() else {
                return self.base.read(buf);
            };
            if self.at < edit.start {
                let left =
                    usize::try_from(edit.start.saturating_sub(self.at)).unwrap_or(usize::MAX);
                let most = left.min(buf.len());
                let got = self.base.read(&mut buf[..most])?;
                if got == 0 {
                    return Err(out_of_bounds());
                }
                self.at = self.at.saturating_add(got as u64);
                return Ok(got);
            }
            let gone = edit.end.saturating_sub(self.at);
            if io::copy(&mut self.base.by_ref().take(gone), &mut io::sink())? < gone {
                return Err(out_of_bounds());
            }
            self.at = edit.end;
            self.put = &edit.with;
            self.edits = self.edits.get(1..).unwrap_or_default();
        }
    }
}
