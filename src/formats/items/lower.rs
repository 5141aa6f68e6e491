//! The remedies of a layer as edits: lists in a new order, changed ids, answers. Lists inside records are rewritten as
//! changes of their record.

use hashbrown::HashMap;

use super::Manner;
use super::lay::{Lay, Unit};
use crate::bytes::edit::Edit;
use crate::containers::change;
use crate::containers::rewrite::{CannotDo, Placed, changed, rewrite};
use crate::formats::FormatContext;
use crate::json::cut::{Change, Item, arrange};
use crate::transcript::{Action, EventId, PartId, PartKind, Request};

/// A record of the new order of the file.
pub(in crate::formats) struct Line {
    /// The record; `None`: a new one.
    pub event: Option<EventId>,
    /// It is new here.
    pub moved: bool,
    /// Changes of one that was there, from its first byte.
    pub changes: Vec<Change>,
    /// The bytes of a new one.
    pub bytes: Vec<u8>,
}

impl Line {
    fn new(bytes: Vec<u8>) -> Line {
        Line {
            event: None,
            moved: true,
            changes: Vec::new(),
            bytes,
        }
    }
}

/// Turns remedies into edits.
pub(in crate::formats) fn plan_edits(
    context: &FormatContext<'_>,
    request: &Request,
    manner: &Manner,
    actions: &[Action],
) -> Result<Vec<Edit>, CannotDo> {
    let mut work = Work {
        context,
        request,
        manner,
        lay: Lay::default(),
        renames: HashMap::new(),
    };
    let mut edits = Vec::new();
    for action in actions {
        work.take(action, &mut edits)?;
    }
    edits.extend(work.finish()?);
    Ok(edits)
}

struct Work<'a> {
    context: &'a FormatContext<'a>,
    request: &'a Request,
    manner: &'a Manner,
    lay: Lay,
    renames: HashMap<EventId, String>,
}

impl Work<'_> {
    fn event(&self, part: PartId) -> EventId {
        self.context.transcript.a_part(part).event
    }

    fn take(&mut self, action: &Action, edits: &mut Vec<Edit>) -> Result<(), CannotDo> {
        match action {
            Action::Mend { edits: own, .. } => edits.extend(own.iter().cloned()),
            Action::Park(event) => self.lay.park(*event),
            Action::ParkPart(part) => self.lay.park(self.event(*part)),
            Action::Gather(parts) => self.gather(parts),
            Action::Answer { call, hole: None } => {
                self.lay.put(Unit::Answer(*call), self.event(*call));
            }
            Action::Rename { parts, to } => {
                for part in parts {
                    self.renames.insert(self.event(*part), to.clone());
                }
            }
            Action::Extend { event, keep, .. } => {
                let mut keep = keep.clone();
                keep.sort_unstable();
                keep.into_iter()
                    .for_each(|kept| self.lay.put(Unit::Old(kept), *event));
            }
            _ => return Err(CannotDo("this host has no place for that")),
        }
        Ok(())
    }

    /// Results behind their calls; where they must be next, the calls together and the results behind them.
    fn gather(&mut self, parts: &[PartId]) {
        let anywhere = self.context.target.results_anywhere && !self.request.results_next;
        if anywhere {
            let calls: Vec<PartId> = parts
                .iter()
                .copied()
                .filter(|part| self.kind(*part) == PartKind::Call)
                .collect();
            for call in &calls {
                let Some(result) = self
                    .request
                    .pairs
                    .answer(*call)
                    .filter(|result| result < call)
                else {
                    continue;
                };
                let (result, call) = (self.event(result), self.event(*call));
                let within = |event: EventId| self.context.transcript.event(event).within;
                if within(result).is_some() && within(call).is_none() {
                    self.lay.park(result);
                    self.lay.put(Unit::Lifted(result), call);
                } else {
                    self.lay.put(Unit::Old(result), call);
                }
            }
            return;
        }
        let mut events: Vec<EventId> = parts.iter().map(|part| self.event(*part)).collect();
        events.dedup();
        for pair in events.windows(2) {
            self.lay.put(Unit::Old(pair[1]), pair[0]);
        }
    }

    fn kind(&self, part: PartId) -> PartKind {
        self.context.transcript.a_part(part).kind
    }

    fn finish(&self) -> Result<Vec<Edit>, CannotDo> {
        let t = self.context.transcript;
        let ring = CannotDo("a record would have to stand in a list that it is not in");
        let mut inner = self.inner()?;
        let old: Vec<EventId> = t.records().collect();
        let order = self.lay.order(&old).ok_or(ring)?;
        let mut lines = Vec::with_capacity(order.len());
        let mut before = None;
        for unit in order {
            lines.push(match unit {
                Unit::Old(event) => {
                    let mut changes = self.renamed(event)?;
                    changes.extend(inner.remove(&event).unwrap_or_default());
                    Line {
                        event: Some(event),
                        moved: self.lay.is_moved(event),
                        changes: change::in_order(changes)?,
                        bytes: Vec::new(),
                    }
                }
                Unit::Answer(call) => Line::new(self.answer(call)?),
                Unit::Lifted(element) => Line::new(self.lifted(element, before)?),
            });
            if let Unit::Old(event) = unit {
                before = Some(event);
            }
        }
        (self.manner.number)(self.context, &mut lines);
        let slot = |line: Line| match line.event {
            Some(event) => Placed::Old {
                event,
                changes: line.changes,
                name: None,
            },
            None => Placed::New {
                bytes: line.bytes,
                id: String::new(),
            },
        };
        let slots: Vec<Placed> = lines.into_iter().map(slot).collect();
        rewrite(self.context.entries, self.context.layout, t, &slots)
    }

    fn answer(&self, call: PartId) -> Result<Vec<u8>, CannotDo> {
        (self.manner.answer)(self.context, call)
            .ok_or(CannotDo("what such a call answers cannot be made up"))
    }

    /// An element as a record behind this one.
    fn lifted(&self, element: EventId, behind: Option<EventId>) -> Result<Vec<u8>, CannotDo> {
        let bytes = changed(
            self.context.record(element)?.bytes(),
            &change::in_order(self.renamed(element)?)?,
        );
        let record = behind.and_then(|behind| (self.manner.lift)(self.context, bytes, behind));
        record.ok_or(CannotDo("an element cannot leave its list"))
    }

    /// The changes of a record whose call id is another one now.
    fn renamed(&self, event: EventId) -> Result<Vec<Change>, CannotDo> {
        let Some(to) = self.renames.get(&event) else {
            return Ok(Vec::new());
        };
        let record = self.context.record(event)?;
        let root = record.root();
        let pieces = (self.manner.pieces)(root);
        let spots = pieces.iter().flat_map(|piece| &piece.ids);
        Ok(spots.filter_map(|spot| spot.set(to, &[])).collect())
    }

    /// The changes of records whose lists change, by record.
    fn inner(&self) -> Result<HashMap<EventId, Vec<Change>>, CannotDo> {
        let t = self.context.transcript;
        let mut lists: HashMap<EventId, (Vec<EventId>, bool)> = HashMap::new();
        for event in t.with_inner() {
            let Some(holder) = t.event(event).within else {
                continue;
            };
            let (list, asked) = lists.entry(holder).or_default();
            list.push(event);
            *asked |= self.lay.concerns(event) || self.renames.contains_key(&event);
        }
        lists.retain(|_, (_, asked)| *asked);
        let mut changes = HashMap::new();
        for (holder, (list, _)) in lists {
            changes.insert(holder, self.rearranged(holder, &list)?);
        }
        Ok(changes)
    }

    fn rearranged(&self, holder: EventId, list: &[EventId]) -> Result<Vec<Change>, CannotDo> {
        let order = self
            .lay
            .order(list)
            .ok_or(CannotDo("an element cannot leave its list"))?;
        let record = self.context.record(holder)?;
        let root = record.root();
        let array = (self.manner.list)(root).ok_or(CannotDo("a list inside a record is gone"))?;
        let same = order
            .iter()
            .copied()
            .eq(list.iter().copied().map(Unit::Old));
        if same {
            let start = self.context.transcript.event(holder).at.start;
            let mut changes = Vec::new();
            for event in list
                .iter()
                .filter(|event| self.renames.contains_key(*event))
            {
                let own = self
                    .context
                    .transcript
                    .event(*event)
                    .at
                    .start
                    .saturating_sub(start);
                let own = u32::try_from(own).map_err(|_| CannotDo("a record is too long"))?;
                let moved = self.renamed(*event)?.into_iter();
                changes.extend(moved.map(|c| Change {
                    at: own + c.at.start..own + c.at.end,
                    with: c.with,
                }));
            }
            return Ok(changes);
        }
        let mut items = Vec::with_capacity(order.len());
        for unit in order {
            items.push(match unit {
                Unit::Answer(call) => Item::New(self.answer(call)?),
                Unit::Lifted(_) => return Err(CannotDo("an element cannot leave its list")),
                Unit::Old(event) if self.renames.contains_key(&event) => Item::New(changed(
                    self.context.record(event)?.bytes(),
                    &change::in_order(self.renamed(event)?)?,
                )),
                Unit::Old(event) => {
                    let at = list
                        .binary_search(&event)
                        .map_err(|_| CannotDo("an element is gone"))?;
                    Item::Old(u32::try_from(at).unwrap_or(u32::MAX))
                }
            });
        }
        Ok(arrange(array, &items))
    }
}
