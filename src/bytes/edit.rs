//! Edits of entries, and sets of edits that do not conflict.

use super::source::{EntryId, Span};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

/// One change to a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Replaces the bytes at `at` by `with`; an empty span inserts before the byte at its start.
    Bytes { at: Span, with: Vec<u8> },
    /// Adds an entry.
    Create {
        /// Relative, with `/` between parts.
        name: String,
        bytes: Vec<u8>,
    },
    /// Removes the entry and its content.
    Remove(EntryId),
    /// Renames the entry; its content stays, or is edited by `Bytes`.
    Rename(EntryId, String),
}

impl Edit {
    /// Replaces these bytes.
    pub(crate) fn bytes(at: Span, with: Vec<u8>) -> Edit {
        Edit::Bytes { at, with }
    }
}

/// Why two edits conflict.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EditConflict {
    /// Two edits touch the same bytes, or insert at the same offset.
    #[error("two edits touch entry {} at byte {at}", entry.0)]
    Bytes {
        entry: EntryId,
        /// Offset where the later edit starts.
        at: u64,
    },
    /// A span ends before it starts.
    #[error("an edit of entry {} ends before its start, byte {}", at.entry.0, at.start)]
    Reversed { at: Span },
    /// An entry is removed and edited, or removed twice.
    #[error("entry {} is removed and edited", .0.0)]
    Removed(EntryId),
    /// An entry gets two names.
    #[error("entry {} is renamed twice", .0.0)]
    Renamed(EntryId),
    /// Two entries get the same name.
    #[error("two entries get the name {0:?}")]
    Name(String),
}

/// Edits against one state of a source that do not conflict, added group by group.
///
/// A group is added as a whole or not at all: all its edits must be disjoint from each other and
/// from those added before. An insertion at the edge of a replaced range is disjoint from it: it
/// goes before the range that starts there, and after the range that ends there.
#[derive(Clone, Debug, Default)]
pub struct EditSet {
    /// Replacements by entry, start and end.
    bytes: BTreeMap<(EntryId, u64, u64), Vec<u8>>,
    removed: BTreeSet<EntryId>,
    renamed: BTreeMap<EntryId, String>,
    created: Vec<(String, Vec<u8>)>,
    names: BTreeSet<String>,
}

/// The fields of [`EditSet`], for the patch: replacements by entry, start and end; removed;
/// renamed; created.
pub(super) type EditSetParts = (
    BTreeMap<(EntryId, u64, u64), Vec<u8>>,
    BTreeSet<EntryId>,
    BTreeMap<EntryId, String>,
    Vec<(String, Vec<u8>)>,
);

impl EditSet {
    /// Adds a group of edits, all or none.
    ///
    /// # Errors
    /// The first conflict, with an edit of this group or one added before. The set is then
    /// unchanged.
    pub fn add_group(&mut self, edits: Vec<Edit>) -> Result<(), EditConflict> {
        let mut done: Vec<UndoStep> = Vec::with_capacity(edits.len());
        for edit in edits {
            match self.add(edit) {
                Ok(undo) => done.extend(undo),
                Err(overlap) => {
                    done.into_iter().rev().for_each(|undo| self.undo(undo));
                    return Err(overlap);
                }
            }
        }
        Ok(())
    }

    pub(super) fn into_parts(self) -> EditSetParts {
        (self.bytes, self.removed, self.renamed, self.created)
    }

    fn add(&mut self, edit: Edit) -> Result<Option<UndoStep>, EditConflict> {
        match edit {
            Edit::Bytes { at, with } => self.add_bytes(at, with),
            Edit::Create { name, bytes } => {
                self.claim_name(&name)?;
                self.created.push((name, bytes));
                Ok(Some(UndoStep::Create))
            }
            Edit::Remove(entry) => {
                let edited =
                    self.bytes.range((entry, 0, 0)..=(entry, u64::MAX, u64::MAX)).next().is_some();
                if edited || self.renamed.contains_key(&entry) || !self.removed.insert(entry) {
                    return Err(EditConflict::Removed(entry));
                }
                Ok(Some(UndoStep::Remove(entry)))
            }
            Edit::Rename(entry, name) => {
                if self.removed.contains(&entry) {
                    return Err(EditConflict::Removed(entry));
                }
                if self.renamed.contains_key(&entry) {
                    return Err(EditConflict::Renamed(entry));
                }
                self.claim_name(&name)?;
                self.renamed.insert(entry, name);
                Ok(Some(UndoStep::Rename(entry)))
            }
        }
    }

    fn claim_name(&mut self, name: &str) -> Result<(), EditConflict> {
        if self.names.insert(name.to_string()) {
            Ok(())
        } else {
            Err(EditConflict::Name(name.to_string()))
        }
    }

    fn add_bytes(&mut self, at: Span, with: Vec<u8>) -> Result<Option<UndoStep>, EditConflict> {
        if at.start > at.end {
            return Err(EditConflict::Reversed { at });
        }
        if self.removed.contains(&at.entry) {
            return Err(EditConflict::Removed(at.entry));
        }
        if at.start == at.end && with.is_empty() {
            return Ok(None);
        }
        let key = (at.entry, at.start, at.end);
        // Ranges in the set are disjoint, so only the neighbors in the order can touch this one.
        let before = self.bytes.range((at.entry, 0, 0)..key).next_back();
        let after = self.bytes.range(key..=(at.entry, u64::MAX, u64::MAX)).next();
        let touches_before = before.is_some_and(|(&(_, _, end), _)| end > at.start);
        let touches_after = after.is_some_and(|(&(_, start, _), _)| start < at.end);
        match self.bytes.entry(key) {
            Entry::Vacant(place) if !touches_before && !touches_after => {
                place.insert(with);
                Ok(Some(UndoStep::Bytes(key)))
            }
            _ => Err(EditConflict::Bytes { entry: at.entry, at: at.start }),
        }
    }

    fn undo(&mut self, undo: UndoStep) {
        match undo {
            UndoStep::Bytes(key) => drop(self.bytes.remove(&key)),
            UndoStep::Remove(entry) => drop(self.removed.remove(&entry)),
            UndoStep::Rename(entry) => {
                if let Some(name) = self.renamed.remove(&entry) {
                    self.names.remove(&name);
                }
            }
            UndoStep::Create => {
                if let Some((name, _)) = self.created.pop() {
                    self.names.remove(&name);
                }
            }
        }
    }
}

/// How to take back one edit of a refused group.
enum UndoStep {
    Bytes((EntryId, u64, u64)),
    Remove(EntryId),
    Rename(EntryId),
    Create,
}

#[cfg(test)]
mod tests {
    use super::*;

    const E: EntryId = EntryId(0);

    fn put(start: u64, end: u64) -> Edit {
        Edit::Bytes { at: Span { entry: E, start, end }, with: b"x".to_vec() }
    }

    fn create(name: &str) -> Edit {
        Edit::Create { name: name.into(), bytes: Vec::new() }
    }

    fn added(edits: Vec<Edit>) -> Result<(), EditConflict> {
        EditSet::default().add_group(edits)
    }

    #[test]
    fn touching_edits_are_disjoint() {
        let edits = vec![put(4, 8), put(8, 9), put(4, 4), put(8, 8), put(9, 9), put(0, 4)];
        assert_eq!(added(edits.clone()), Ok(()));
        assert_eq!(added(edits.into_iter().rev().collect()), Ok(()));
    }

    #[test]
    fn overlapping_edits_are_refused_in_any_order() {
        for (a, b) in [
            ((4, 8), (7, 9)),
            ((4, 8), (4, 5)),
            ((4, 8), (5, 5)),
            ((4, 8), (4, 8)),
            ((4, 4), (4, 4)),
            ((0, 9), (3, 4)),
        ] {
            assert!(added(vec![put(a.0, a.1), put(b.0, b.1)]).is_err(), "{a:?} {b:?}");
            assert!(added(vec![put(b.0, b.1), put(a.0, a.1)]).is_err(), "{b:?} {a:?}");
        }
        assert!(added(vec![put(5, 4)]).is_err());
    }

    #[test]
    fn entries_are_edited_or_removed_and_names_given_once() {
        let rename = |name: &str| Edit::Rename(E, name.into());
        assert_eq!(added(vec![put(0, 1), Edit::Remove(E)]), Err(EditConflict::Removed(E)));
        assert_eq!(added(vec![Edit::Remove(E), put(0, 1)]), Err(EditConflict::Removed(E)));
        assert_eq!(added(vec![Edit::Remove(E), Edit::Remove(E)]), Err(EditConflict::Removed(E)));
        assert_eq!(added(vec![rename("a"), Edit::Remove(E)]), Err(EditConflict::Removed(E)));
        assert_eq!(added(vec![rename("a"), rename("b")]), Err(EditConflict::Renamed(E)));
        assert_eq!(added(vec![rename("a"), create("a")]), Err(EditConflict::Name("a".into())));
        assert_eq!(added(vec![create("a"), create("a")]), Err(EditConflict::Name("a".into())));
        assert_eq!(
            added(vec![rename("a"), put(0, 1), create("b"), Edit::Remove(EntryId(1))]),
            Ok(())
        );
    }

    #[test]
    fn a_refused_group_leaves_the_set_unchanged() {
        let mut all = EditSet::default();
        all.add_group(vec![put(0, 4)]).unwrap();
        let group = vec![
            put(6, 7),
            create("a"),
            Edit::Rename(E, "b".into()),
            Edit::Remove(EntryId(1)),
            put(3, 5),
        ];
        assert_eq!(all.add_group(group.clone()), Err(EditConflict::Bytes { entry: E, at: 3 }));
        // Every edit of the group except the one that conflicts can still be added.
        all.add_group(group[..4].to_vec()).unwrap();
    }
}
