//! Composition of two patches into one.

use super::{ByteEdit, EntryChange, Patch, first_created};
use crate::bytes::source::{Entries, EntryId, Span};

pub(super) fn then(first: Patch, mut next: Patch, base: &dyn Entries) -> Patch {
    let mut joined = Patch::default();
    for (entry, change) in first.changes {
        let EntryChange::Keep { name, bytes } = change else {
            joined.changes.insert(entry, EntryChange::Remove);
            continue;
        };
        match next.changes.remove(&entry) {
            Some(EntryChange::Remove) => drop(joined.changes.insert(entry, EntryChange::Remove)),
            Some(EntryChange::Keep { name: newer, bytes: more }) => {
                let name = newer.or(name).filter(|name| name != base.name(entry));
                let bytes = trim_edits(compose_byte_edits(bytes, more), entry, base);
                joined.insert_change(entry, name, bytes);
            }
            None => joined.insert_change(entry, name, bytes),
        }
    }
    for (id, (name, bytes)) in (first_created(base)..).zip(first.created) {
        match next.changes.remove(&EntryId(id)) {
            Some(EntryChange::Remove) => {}
            Some(EntryChange::Keep { name: newer, bytes: edits }) => {
                joined.created.push((newer.unwrap_or(name), apply_edits(bytes, &edits)));
            }
            None => joined.created.push((name, bytes)),
        }
    }
    joined.changes.extend(next.changes);
    joined.created.extend(next.created);
    joined
}

/// Applies `edits` to bytes in memory.
fn apply_edits(bytes: Vec<u8>, edits: &[ByteEdit]) -> Vec<u8> {
    let offset = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(bytes.len());
    let mut out = Vec::with_capacity(bytes.len());
    let mut done = 0;
    for edit in edits {
        out.extend_from_slice(bytes.get(done..offset(edit.start)).unwrap_or_default());
        out.extend_from_slice(&edit.with);
        done = offset(edit.end);
    }
    out.extend_from_slice(bytes.get(done..).unwrap_or_default());
    out
}

/// Builds edits of the base in one pass over its bytes: keep, skip or insert.
#[derive(Default)]
struct EditBuilder {
    at: u64,
    open: Option<ByteEdit>,
    edits: Vec<ByteEdit>,
}

impl EditBuilder {
    fn keep(&mut self, count: u64) {
        if count > 0 {
            self.edits.extend(self.open.take());
            self.at = self.at.saturating_add(count);
        }
    }

    fn open(&mut self) -> &mut ByteEdit {
        let at = self.at;
        self.open.get_or_insert_with(|| ByteEdit { start: at, end: at, with: Vec::new() })
    }

    fn skip(&mut self, count: u64) {
        if count > 0 {
            self.at = self.at.saturating_add(count);
            let end = self.at;
            // The edit opened before these bytes, so it starts before them.
            self.open
                .get_or_insert_with(|| ByteEdit {
                    start: end.saturating_sub(count),
                    end,
                    with: Vec::new(),
                })
                .end = end;
        }
    }

    fn insert(&mut self, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.open().with.extend_from_slice(bytes);
        }
    }
}

/// Composes `first`, against the base, with `next`, against the result of `first`.
fn compose_byte_edits(first: Vec<ByteEdit>, next: Vec<ByteEdit>) -> Vec<ByteEdit> {
    let mut builder = EditBuilder::default();
    let mut patched =
        PatchedBytes { edits: first.into_iter(), next: None, put: Vec::new(), used: 0 };
    patched.advance();
    let mut at = 0;
    for edit in next {
        patched.consume(&mut builder, edit.start.saturating_sub(at), true);
        builder.insert(&edit.with);
        patched.consume(&mut builder, edit.end.saturating_sub(edit.start), false);
        at = edit.end;
    }
    patched.keep_rest(&mut builder);
    builder.edits.extend(builder.open.take());
    builder.edits
}

/// Walks the result of the first patch from its start.
struct PatchedBytes {
    edits: std::vec::IntoIter<ByteEdit>,
    /// The next edit of the base.
    next: Option<ByteEdit>,
    /// New bytes of the current edit, and how many of them were consumed.
    put: Vec<u8>,
    used: usize,
}

impl PatchedBytes {
    fn advance(&mut self) {
        self.next = self.edits.next();
    }

    /// Consumes `count` bytes of the result, and keeps or drops them.
    fn consume(&mut self, builder: &mut EditBuilder, mut count: u64, stay: bool) {
        while count > 0 {
            let left = self.put.get(self.used..).unwrap_or_default();
            if !left.is_empty() {
                let part = usize::try_from(count).unwrap_or(usize::MAX).min(left.len());
                if stay {
                    builder.insert(left.get(..part).unwrap_or_default());
                }
                self.used = self.used.saturating_add(part);
                count = count.saturating_sub(part as u64);
                continue;
            }
            let before =
                self.next.as_ref().map_or(u64::MAX, |edit| edit.start.saturating_sub(builder.at));
            if before == 0 {
                self.enter_edit(builder);
                continue;
            }
            let part = count.min(before);
            if stay {
                builder.keep(part)
            } else {
                builder.skip(part)
            }
            count = count.saturating_sub(part);
        }
    }

    /// Enters the next edit: its base bytes are dropped, its new bytes come next.
    fn enter_edit(&mut self, builder: &mut EditBuilder) {
        if let Some(edit) = self.next.take() {
            builder.skip(edit.end.saturating_sub(edit.start));
            self.put = edit.with;
            self.used = 0;
        }
        self.advance();
    }

    /// Keeps everything that is left.
    fn keep_rest(mut self, builder: &mut EditBuilder) {
        builder.insert(self.put.get(self.used..).unwrap_or_default());
        while let Some(edit) = self.next.take() {
            builder.keep(edit.start.saturating_sub(builder.at));
            builder.skip(edit.end.saturating_sub(edit.start));
            builder.insert(&edit.with);
            self.advance();
        }
    }
}

/// Drops equal bytes at both ends of each edit, and edits that change nothing. Reads no more of the
/// base than the edits put there. Bytes that cannot be read are left in the edit, which is correct
/// but longer.
fn trim_edits(edits: Vec<ByteEdit>, entry: EntryId, base: &dyn Entries) -> Vec<ByteEdit> {
    let edits = edits
        .into_iter()
        .map(|mut edit| {
            let most = edit.end.saturating_sub(edit.start).min(edit.with.len() as u64);
            let head = base
                .fetch(Span { entry, start: edit.start, end: edit.start.saturating_add(most) })
                .unwrap_or_default();
            let same = head.iter().zip(&edit.with).take_while(|(a, b)| a == b).count();
            edit.start = edit.start.saturating_add(same as u64);
            edit.with.drain(..same);
            let most = edit.end.saturating_sub(edit.start).min(edit.with.len() as u64);
            let tail = base
                .fetch(Span { entry, start: edit.end.saturating_sub(most), end: edit.end })
                .unwrap_or_default();
            let same =
                tail.iter().rev().zip(edit.with.iter().rev()).take_while(|(a, b)| a == b).count();
            edit.end = edit.end.saturating_sub(same as u64);
            edit.with.truncate(edit.with.len().saturating_sub(same));
            edit
        })
        .collect::<Vec<_>>();
    edits.into_iter().filter(|edit| edit.start < edit.end || !edit.with.is_empty()).collect()
}
