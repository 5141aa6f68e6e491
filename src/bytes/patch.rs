//! Patches: edits against one state of a source, in normal form.

use super::edit::EditSet;
pub(crate) use super::edit::{Edit, EditConflict};
use super::source::{Entries, EntryId, Span};
use std::collections::{BTreeMap, BTreeSet};
use std::io;

mod compose;

/// Replaces the bytes `start..end` of an entry. Offsets are those of the unpatched entry.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ByteEdit {
    /// Offset of the first replaced byte.
    pub start: u64,
    /// Offset after the last replaced byte; equal to `start` for an insertion.
    pub end: u64,
    pub with: Vec<u8>,
}

/// Edits against one state of some entries (its *base*), sorted and disjoint, with adjacent byte
/// edits merged. The default is the empty patch.
///
/// A patch does not know its base. Applied to other entries, it changes only the bytes that they
/// have.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Patch {
    changes: BTreeMap<EntryId, EntryChange>,
    created: Vec<(String, Vec<u8>)>,
}

/// What happens to one entry of the base.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum EntryChange {
    Remove,
    Keep { name: Option<String>, bytes: Vec<ByteEdit> },
}

impl Patch {
    /// A patch of these edits, all or none.
    ///
    /// # Errors
    /// Two edits conflict: their ranges overlap, they insert at one offset, one edits a removed
    /// entry, or they use one name. Whether a new name is free in the base is checked when the
    /// patch is written.
    pub fn new(edits: Vec<Edit>) -> Result<Self, EditConflict> {
        let mut taken = EditSet::default();
        taken.add_group(edits)?;
        Ok(taken.into())
    }

    /// Whether the patch changes nothing.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.created.is_empty()
    }

    /// The edits in canonical order: by entry (new name, then bytes by offset; or removal), then
    /// the created entries. `Patch::new(patch.edits())` is the same patch.
    pub fn edits(&self) -> Vec<Edit> {
        let mut edits = Vec::new();
        for (&entry, change) in &self.changes {
            match change {
                EntryChange::Remove => edits.push(Edit::Remove(entry)),
                EntryChange::Keep { name, bytes } => {
                    edits.extend(name.clone().map(|name| Edit::Rename(entry, name)));
                    edits.extend(bytes.iter().map(|edit| Edit::Bytes {
                        at: Span { entry, start: edit.start, end: edit.end },
                        with: edit.with.clone(),
                    }));
                }
            }
        }
        edits.extend(
            self.created
                .iter()
                .map(|(name, bytes)| Edit::Create { name: name.clone(), bytes: bytes.clone() }),
        );
        edits
    }

    /// The entries of the base that are edited, renamed or removed, by number.
    pub fn changed_entries(&self) -> impl Iterator<Item = EntryId> + '_ {
        self.changes.keys().copied()
    }

    /// The byte edits of an entry of the base, by offset; none for a removed entry.
    pub fn bytes_of(&self, entry: EntryId) -> &[ByteEdit] {
        match self.changes.get(&entry) {
            Some(EntryChange::Keep { bytes, .. }) => bytes,
            _ => &[],
        }
    }

    /// Whether the patch removes this entry of the base.
    pub fn removes(&self, entry: EntryId) -> bool {
        matches!(self.changes.get(&entry), Some(EntryChange::Remove))
    }

    /// The new name of an entry of the base, if it is renamed.
    pub fn new_name(&self, entry: EntryId) -> Option<&str> {
        match self.changes.get(&entry) {
            Some(EntryChange::Keep { name, .. }) => name.as_deref(),
            _ => None,
        }
    }

    /// Names and contents of the created entries, in order of creation.
    pub fn created(&self) -> &[(String, Vec<u8>)] {
        &self.created
    }

    /// Combines this patch with `next`, a patch against the entries as this one leaves them
    /// (`Overlay::new(base, &self)`). The result is against `base` and minimal: additions that
    /// `next` removes again are gone, and so are bytes that are replaced by themselves. Where
    /// `next` removes created entries, the numbers of those created later move up.
    pub fn then(self, next: Patch, base: &dyn Entries) -> Patch {
        if next.is_empty() {
            return self;
        }
        compose::then(self, next, base)
    }

    /// The patch against the patched entries (`Overlay::new(base, &self)`) that restores the base
    /// byte for byte. It holds every byte that this patch removes, and removed entries in full.
    ///
    /// # Errors
    /// The replaced bytes cannot be read, or an edit is not inside its entry.
    pub fn inverse(&self, base: &dyn Entries) -> io::Result<Patch> {
        let mut back = Patch::default();
        for (&entry, change) in &self.changes {
            match change {
                EntryChange::Remove => {
                    let whole = Span { entry, start: 0, end: base.len(entry) };
                    back.created.push((base.name(entry).to_string(), base.fetch(whole)?));
                }
                EntryChange::Keep { name, .. } => {
                    let name = name.as_ref().map(|_| base.name(entry).to_string());
                    let bytes = self.inverse_of(entry, base)?;
                    back.changes.insert(entry, EntryChange::Keep { name, bytes });
                }
            }
        }
        let first = first_created(base);
        let made = (first..).zip(&self.created).map(|(id, _)| (EntryId(id), EntryChange::Remove));
        back.changes.extend(made);
        Ok(back)
    }

    /// The inverse byte edits of one entry of the base: applied to the patched entry, they restore
    /// its bytes.
    ///
    /// # Errors
    /// As [`inverse`](Self::inverse).
    pub fn inverse_of(&self, entry: EntryId, base: &dyn Entries) -> io::Result<Vec<ByteEdit>> {
        let edits = self.bytes_of(entry);
        let mut back = Vec::with_capacity(edits.len());
        // Offsets after the previous edit, in the base and in the patched entry.
        let (mut done, mut at) = (0u64, 0u64);
        for edit in edits {
            let start = at.saturating_add(edit.start.saturating_sub(done));
            let end = start.saturating_add(edit.with.len() as u64);
            let with = base.fetch(Span { entry, start: edit.start, end: edit.end })?;
            back.push(ByteEdit { start, end, with });
            (done, at) = (edit.end, end);
        }
        Ok(back)
    }

    /// Records a change unless it is empty.
    fn insert_change(&mut self, entry: EntryId, name: Option<String>, bytes: Vec<ByteEdit>) {
        if name.is_some() || !bytes.is_empty() {
            self.changes.insert(entry, EntryChange::Keep { name, bytes });
        }
    }
}

/// The number of the first entry that a patch against `base` creates, one above the highest in the
/// base.
pub(crate) fn first_created(base: &dyn Entries) -> u32 {
    base.ids().iter().max().map_or(0, |id| id.0.saturating_add(1))
}

impl From<EditSet> for Patch {
    fn from(taken: EditSet) -> Self {
        let (bytes, removed, mut renamed, created) = taken.into_parts();
        let mut patch = Self { changes: BTreeMap::new(), created };
        patch.changes.extend(removed.into_iter().map(|entry| (entry, EntryChange::Remove)));
        let mut edits: BTreeMap<EntryId, Vec<ByteEdit>> = BTreeMap::new();
        for ((entry, start, end), with) in bytes {
            let list = edits.entry(entry).or_default();
            match list.last_mut() {
                Some(last) if last.end == start => {
                    last.end = end;
                    last.with.extend(with);
                }
                _ => list.push(ByteEdit { start, end, with }),
            }
        }
        let touched: BTreeSet<EntryId> = edits.keys().chain(renamed.keys()).copied().collect();
        for entry in touched {
            patch.insert_change(
                entry,
                renamed.remove(&entry),
                edits.remove(&entry).unwrap_or_default(),
            );
        }
        patch
    }
}

#[cfg(test)]
#[path = "patch_tests.rs"]
mod tests;
