//! Rewrites lists inside records: the changes of the records that contain them.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::{Plan, Slot, Writer};
use crate::containers::rewrite::{CannotDo, apply_changes};
use crate::json::cut::{ArrayItem, RecordChange, arrange};
use crate::transcript::EventId;

impl<'a> Plan<'a> {
    /// The changes of the records whose lists change, by record.
    pub(super) fn inner(
        &self,
        writer: &dyn Writer<'a>,
    ) -> Result<HashMap<EventId, Vec<RecordChange>>, CannotDo> {
        let mut old: BTreeMap<EventId, Vec<Slot>> = BTreeMap::new();
        for event in self.t.with_inner() {
            if let Some(holder) = self.t.event(event).within {
                old.entry(holder).or_default().push(event.into());
            }
        }
        let mut new: HashMap<EventId, Vec<Slot>> = HashMap::new();
        for slot in self.order.stored().filter(|_| !old.is_empty()) {
            if let Some(holder) = self.within(slot) {
                new.entry(holder).or_default().push(slot);
            }
        }
        let mut changes = HashMap::new();
        for (holder, old) in old {
            let new = new.remove(&holder).unwrap_or_default();
            let own = if new == old {
                self.in_place(holder, &old)?
            } else {
                self.rearranged(writer, holder, &new)?
            };
            if !own.is_empty() {
                changes.insert(holder, own);
            }
        }
        Ok(changes)
    }

    /// The offset of an item in the record that contains it.
    fn offset(&self, holder: EventId, item: EventId) -> Result<u32, CannotDo> {
        let (from, to) = (self.t.event(holder).at(), self.t.event(item).at());
        let offset = to.start.saturating_sub(from.start);
        u32::try_from(offset).map_err(|_| CannotDo("a record is too long"))
    }

    /// The changes of items that stay where they are.
    fn in_place(&self, holder: EventId, items: &[Slot]) -> Result<Vec<RecordChange>, CannotDo> {
        let mut all = Vec::new();
        for item in items.iter().filter_map(|slot| slot.old()) {
            let changes = self.members.changes(self.source, item)?;
            let from = self.offset(holder, item)?;
            all.extend(changes.into_iter().map(|change| {
                RecordChange::new(change.at.start + from..change.at.end + from, change.with)
            }));
        }
        Ok(all)
    }

    /// Rewrites a list in its new order. Items that are not events keep their place.
    fn rearranged(
        &self,
        writer: &dyn Writer<'a>,
        holder: EventId,
        new: &[Slot],
    ) -> Result<Vec<RecordChange>, CannotDo> {
        let record = self.source.record(holder)?;
        let list = (self.members.schema().list)(record.root());
        let list = list.ok_or(CannotDo("a list inside a record is gone"))?;
        let starts = list.items().map(|item| item.span().start);
        let mut places: HashMap<u32, u32> = starts.zip(0..).collect();
        let mut items = Vec::with_capacity(new.len());
        let all = self.t.with_inner();
        let own = all.filter(|event| self.t.event(*event).within == Some(holder));
        let mut place_of = HashMap::new();
        for item in own {
            let place = places.remove(&self.offset(holder, item)?);
            place_of.insert(item, place.ok_or(CannotDo("an item of a list is gone"))?);
        }
        for slot in new {
            items.push(match slot {
                Slot::New(id) => ArrayItem::New(writer.new_record(self, *id, None)?),
                Slot::Old(item) => {
                    let changes = self.members.changes(self.source, *item)?;
                    match place_of.get(item).filter(|_| changes.is_empty()) {
                        Some(place) => ArrayItem::Old(*place),
                        None => ArrayItem::New(apply_changes(
                            self.source.record(*item)?.bytes(),
                            &changes,
                        )),
                    }
                }
            });
        }
        // Last, because their place depends on where the items before and after them went.
        let mut others: Vec<u32> = places.into_values().collect();
        others.sort_unstable();
        for other in others {
            let after =
                items.iter().position(|item| matches!(item, ArrayItem::Old(at) if *at > other));
            items.insert(after.unwrap_or(items.len()), ArrayItem::Old(other));
        }
        Ok(arrange(list, &items))
    }
}
