//! Files of a folder in a new order: what each is named.

use super::{CannotDo, PlacedRecord, Rewrite};
use crate::bytes::edit::Edit;
use crate::bytes::source::Span;
use crate::containers::files::NOWHERE;
use crate::containers::{Files, NAME_ID, Naming};
use crate::transcript::{EventId, IndexVec};

impl Rewrite<'_> {
    pub(super) fn files(mut self, files: &Files) -> Result<Vec<Edit>, CannotDo> {
        let mut edits = Vec::new();
        let mut used = IndexVec::for_each_of(&self.t.events, false);
        // Names before the first difference stay, even odd ones: no fix asked to change them.
        let mut old = self.t.records();
        let same = self
            .slots
            .iter()
            .take_while(|slot| slot.old().is_some() && slot.old() == old.next())
            .count();
        // If a fix sets a file name, wrong numbers of other files are corrected as well: two files
        // may share one.
        let sets_names =
            self.slots.iter().any(|slot| matches!(slot, PlacedRecord::Old { name: Some(_), .. }));
        let slots = std::mem::take(&mut self.slots);
        for (index, slot) in slots.into_iter().enumerate() {
            match slot {
                PlacedRecord::Old { event, changes, name } => {
                    used[event] = true;
                    let entry = self.span(event).entry;
                    for change in changes {
                        let at = Span {
                            entry,
                            start: u64::from(change.at.start),
                            end: u64::from(change.at.end),
                        };
                        edits.push(Edit::Bytes { at, with: change.with });
                    }
                    let misnumbered =
                        sets_names && self.t.event(event).place().number() != index as u64;
                    if (name.is_some() || index >= same || misnumbered) && entry != NOWHERE {
                        edits.extend(self.rename(files, event, index as u64, name.as_deref()));
                    }
                }
                PlacedRecord::New { bytes, id } => {
                    let name = files.naming.name(index as u64, &id);
                    let name = name.ok_or(CannotDo("a new record has no place in this store"))?;
                    edits.push(Edit::Create { name, bytes });
                }
            }
        }
        let removed =
            self.t.records().filter(|event| !used[*event]).map(|event| self.span(event).entry);
        edits.extend(removed.filter(|entry| *entry != NOWHERE).map(Edit::Remove));
        Ok(edits)
    }

    /// The edit that renames the file of a record, if its name changes.
    fn rename(&self, files: &Files, event: EventId, index: u64, id: Option<&str>) -> Option<Edit> {
        if files.naming == Naming::ById {
            return None;
        }
        let in_name = self.t.fact_text(event, NAME_ID);
        let id = id.or(in_name).or_else(|| self.t.event(event).id.map(|id| self.t.ids.get(id)))?;
        let entry = self.span(event).entry;
        let name = files.naming.name(index, id).filter(|name| self.entries.name(entry) != name)?;
        Some(Edit::Rename(entry, name))
    }
}
