//! Brings a list into a new order, as edits. Written once per kind of list, not per format.

mod files;
mod hunks;

use hunks::Hunks;
use thiserror::Error;

use super::Layout;
use crate::bytes::edit::Edit;
use crate::bytes::source::{Entries, EntryId, Span};
use crate::json::cut::RecordChange;
use crate::json::order::longest_run;
use crate::transcript::{EventId, State, Transcript, facts};

/// A record in the new order.
#[derive(Clone, Debug)]
pub enum PlacedRecord {
    Old {
        event: EventId,
        /// Changes inside the record; offsets start at its first byte.
        changes: Vec<RecordChange>,
        /// A new ID for the name of its file.
        name: Option<String>,
    },
    New {
        /// The bytes, without a line ending.
        bytes: Vec<u8>,
        /// The ID, for the name of its file; empty if it has none.
        id: String,
    },
}

impl PlacedRecord {
    fn old(&self) -> Option<EventId> {
        match self {
            PlacedRecord::Old { event, .. } => Some(*event),
            PlacedRecord::New { .. } => None,
        }
    }
}

/// Why an order cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct CannotDo(pub &'static str);

/// The edits that bring a list into this order. Records without a slot are removed.
///
/// # Errors
/// The container cannot hold the new order, or the bytes of a moved record cannot be read.
pub fn rewrite(
    entries: &dyn Entries,
    layout: &Layout,
    t: &Transcript,
    mut slots: Vec<PlacedRecord>,
) -> Result<Vec<Edit>, CannotDo> {
    if layout.is_document() {
        slots.retain(|slot| !is_rest(t, slot));
    }
    let work = Rewrite { entries, t, stays: stationary(&slots), slots };
    for (slot, stays) in work.slots.iter().zip(&work.stays) {
        let changed = matches!(slot, PlacedRecord::Old { changes, .. } if !changes.is_empty());
        let touched = !stays || changed;
        // A value that is not an object can move, but it has no members that could change.
        let whole = slot.old().is_none_or(|event| {
            t.event(event).state == State::Whole
                || (t.value_of(event, facts::BARE).is_some() && !changed)
        });
        if touched && !whole && !matches!(layout, Layout::Files(_)) {
            return Err(CannotDo("a record that must be moved or changed has damaged bytes"));
        }
    }
    match layout {
        Layout::Lines(entry) => work.lines(*entry),
        Layout::Items { entry, .. } => {
            let elements = work.elements();
            work.items(*entry, &elements)
        }
        Layout::Joined { entry, .. } => work.joined(*entry),
        Layout::Files(files) => work.files(files),
    }
}

/// Whether this is the truncated rest of a document. It is not an element: it stays where it is, after all elements.
fn is_rest(t: &Transcript, slot: &PlacedRecord) -> bool {
    slot.old().is_some_and(|event| t.event(event).state == State::Padding)
}

/// Which slots may stay where they are.
fn stationary(slots: &[PlacedRecord]) -> Vec<bool> {
    let old: Vec<Option<EventId>> = slots.iter().map(PlacedRecord::old).collect();
    longest_run(&old)
}

/// Work on a list. It gives its records away, because there may be as many new ones as old ones.
struct Rewrite<'a> {
    entries: &'a dyn Entries,
    t: &'a Transcript,
    slots: Vec<PlacedRecord>,
    stays: Vec<bool>,
}

/// A record that stays where it is, with the changes inside it.
type Kept = (EventId, Vec<RecordChange>);

impl Rewrite<'_> {
    fn span(&self, event: EventId) -> Span {
        self.t.event(event).at()
    }

    /// The bytes of a record with its changes applied.
    fn bytes(&self, slot: PlacedRecord) -> Result<Vec<u8>, CannotDo> {
        match slot {
            PlacedRecord::New { bytes, .. } => Ok(bytes),
            PlacedRecord::Old { event, changes, .. } => {
                let old = self
                    .entries
                    .fetch(self.span(event))
                    .map_err(|_| CannotDo("a record cannot be read again"))?;
                Ok(apply_changes(&old, &changes))
            }
        }
    }

    /// The bytes of some records.
    fn bytes_of(&self, slots: &mut Vec<PlacedRecord>) -> Result<Vec<Vec<u8>>, CannotDo> {
        slots.drain(..).map(|slot| self.bytes(slot)).collect()
    }

    /// Calls `kept` for each record that stays, with the slots between the previous one and it; at
    /// the end, for those after the last.
    fn walk(
        &mut self,
        mut kept: impl FnMut(&Self, Option<Kept>, &mut Vec<PlacedRecord>) -> Result<(), CannotDo>,
    ) -> Result<(), CannotDo> {
        let (slots, stays) = (std::mem::take(&mut self.slots), std::mem::take(&mut self.stays));
        let mut pending = Vec::new();
        for (slot, stays) in slots.into_iter().zip(stays) {
            match slot {
                PlacedRecord::Old { event, changes, .. } if stays => {
                    kept(self, Some((event, changes)), &mut pending)?;
                    pending.clear();
                }
                slot => pending.push(slot),
            }
        }
        kept(self, None, &mut pending)
    }

    fn lines(mut self, entry: EntryId) -> Result<Vec<Edit>, CannotDo> {
        let size = self.entries.len(entry);
        let newline = self.newline();
        let mut hunks = Hunks::default();
        let mut at = 0;
        let mut old = self.t.records().peekable();
        self.walk(|work, kept, pending| {
            let event = kept.as_ref().map(|(event, _)| *event);
            let start = event.map_or(size, |event| work.span(event).start);
            let new = work.bytes_of(pending)?;
            let ended = new.iter().flat_map(|own| {
                let ending = if own.ends_with(b"\n") { b"" } else { newline };
                [own.as_slice(), ending]
            });
            let mut with = ended.collect::<Vec<_>>().concat();
            if event.is_none() && !with.is_empty() && at == size && work.last_is_unended(size) {
                // After an unterminated last line: it gets a line ending, and the new last line
                // gets none.
                with.splice(0..0, newline.iter().copied());
                with.truncate(with.len() - newline.len());
            }
            if !with.is_empty() {
                hunks.push(at, at, with);
            }
            // Records between two that stay were removed or moved. Blank lines belong to no record
            // and stay.
            while let Some(gone) = old.next_if(|gone| event.is_none_or(|event| *gone < event)) {
                let span = work.span(gone);
                if span.start >= at && span.end <= start {
                    hunks.push(span.start, span.end, Vec::new());
                }
            }
            old.next_if(|same| Some(*same) == event);
            let Some((event, changes)) = kept else { return Ok(()) };
            let span = work.span(event);
            hunks.change(span, changes);
            at = span.end;
            Ok(())
        })?;
        Ok(hunks.into_edits(entry))
    }

    fn newline(&self) -> &'static [u8] {
        let first = self
            .t
            .events
            .iter()
            .next()
            .map(|event| Span { start: event.at().end.saturating_sub(2), ..event.at() });
        let crlf =
            first.is_some_and(|at| self.entries.fetch(at).is_ok_and(|ending| ending == b"\r\n"));
        if crlf { b"\r\n" } else { b"\n" }
    }

    fn last_is_unended(&self, size: u64) -> bool {
        let Some(event) = self.t.events.iter().rev().find(|event| event.at().end == size) else {
            return false;
        };
        let at = Span { start: size.saturating_sub(1), end: size, ..event.at() };
        self.entries.fetch(at).is_ok_and(|byte| byte != b"\n")
    }

    /// The elements of the document, in order.
    fn elements(&self) -> Vec<EventId> {
        self.t.records().filter(|event| self.t.event(*event).state != State::Padding).collect()
    }

    /// Two lists that form one conversation.
    fn joined(mut self, entry: EntryId) -> Result<Vec<Edit>, CannotDo> {
        let (first, second): (Vec<EventId>, Vec<EventId>) =
            self.elements().into_iter().partition(|event| !self.is_in_second(*event));
        let start = self.second_list_start(&first, &second);
        let second_slots = self.slots.split_off(start);
        let first_slots = std::mem::take(&mut self.slots);
        let mut edits = Vec::new();
        for (slots, old) in [(first_slots, first), (second_slots, second)] {
            if slots.is_empty() && old.is_empty() {
                continue;
            }
            // A record from the other list does not stay.
            let own = slots
                .iter()
                .map(|slot| slot.old().filter(|event| old.binary_search(event).is_ok()));
            let stays = longest_run(&own.collect::<Vec<_>>());
            let list = Rewrite { entries: self.entries, t: self.t, slots, stays };
            edits.extend(list.items(entry, &old)?);
        }
        Ok(edits)
    }

    fn is_in_second(&self, event: EventId) -> bool {
        self.t.value_of(event, facts::IN_SECOND).is_some()
    }

    /// The index of the slot where the second list starts: as few records as possible change lists,
    /// a list that had records keeps at least one, and new records follow the records that they
    /// answer.
    fn second_list_start(&self, first: &[EventId], second: &[EventId]) -> usize {
        let slots = &self.slots;
        let side = |slot: &PlacedRecord| slot.old().map(|event| self.is_in_second(event));
        let mut misplaced = slots.iter().filter(|slot| side(slot) == Some(false)).count();
        let (least, most) = (
            usize::from(!first.is_empty()),
            slots.len().saturating_sub(usize::from(!second.is_empty())),
        );
        let mut best = (usize::MAX, 0);
        for at in 0..=slots.len() {
            if (least..=most).contains(&at) && misplaced <= best.0 {
                best = (misplaced, at);
            }
            match slots.get(at).and_then(side) {
                Some(true) => misplaced += 1,
                Some(false) => misplaced -= 1,
                None => {}
            }
        }
        best.1
    }

    /// Rewrites one list with the elements `old`.
    fn items(mut self, entry: EntryId, old: &[EventId]) -> Result<Vec<Edit>, CannotDo> {
        if !self.stays.contains(&true) {
            if self.t.records().any(|event| self.t.event(event).state == State::Padding) {
                return Err(CannotDo("nothing complete would be left before the cut"));
            }
            return self.replace_items(entry, old);
        }
        let separator = self.separator(old);
        let mut hunks = Hunks::default();
        let mut before: Option<EventId> = None;
        self.walk(|work, kept, pending| {
            let start = kept.as_ref().map(|(event, _)| work.span(*event).start);
            match (before, start) {
                // Before the first that stays: from the first element on.
                (None, Some(start)) => {
                    let from = old.first().map_or(start, |first| work.span(*first).start);
                    let new = work.bytes_of(pending)?;
                    let with = new.iter().flat_map(|own| [own.as_slice(), &separator]);
                    let with = with.collect::<Vec<_>>().concat();
                    if from < start || !with.is_empty() {
                        hunks.push(from, start, with);
                    }
                }
                // After one that stays: the separator before the next one that stays is kept.
                (Some(left), start) => {
                    let from = work.span(left).end;
                    let next = old
                        .get(old.partition_point(|o| *o <= left))
                        .map(|next| work.span(*next).start);
                    let new = work.bytes_of(pending)?;
                    let with = new.iter().flat_map(|own| [separator.as_slice(), own]);
                    let with = with.collect::<Vec<_>>().concat();
                    if !with.is_empty() {
                        hunks.push(from, from, with);
                    }
                    match (next, start) {
                        (Some(next), Some(start)) if next < start => {
                            hunks.push(next, start, Vec::new())
                        }
                        (Some(_), None) => {
                            let end = old.last().map_or(from, |last| work.span(*last).end);
                            hunks.push(from, end, Vec::new());
                        }
                        _ => {}
                    }
                }
                (None, None) => {}
            }
            let Some((event, changes)) = kept else { return Ok(()) };
            hunks.change(work.span(event), changes);
            before = Some(event);
            Ok(())
        })?;
        Ok(hunks.into_edits(entry))
    }

    /// Replaces all elements, because none of them stays. The white space around them is kept. An
    /// empty list would not have a recognizable format.
    fn replace_items(mut self, entry: EntryId, old: &[EventId]) -> Result<Vec<Edit>, CannotDo> {
        let (Some(first), Some(last)) = (old.first(), old.last()) else {
            return Err(CannotDo("the list has no other element"));
        };
        if self.slots.is_empty() {
            return Err(CannotDo("no element of the list would stay"));
        }
        let separator = self.separator(old);
        let mut slots = std::mem::take(&mut self.slots);
        let new = self.bytes_of(&mut slots)?;
        let at = Span { entry, start: self.span(*first).start, end: self.span(*last).end };
        Ok(vec![Edit::Bytes { at, with: new.join(separator.as_slice()) }])
    }

    /// The bytes between two elements. For a single element, a comma and the white space before the
    /// element.
    fn separator(&self, old: &[EventId]) -> Vec<u8> {
        const MOST: u64 = 4096;
        let between = match old {
            [first, second, ..] => {
                let (left, right) = (self.span(*first), self.span(*second));
                let at = Span { entry: left.entry, start: left.end, end: right.start };
                let is_short = right.start.saturating_sub(left.end) <= MOST;
                is_short.then(|| self.entries.fetch(at).ok()).flatten()
            }
            [only] => {
                let Span { entry, start: end, .. } = self.span(*only);
                let before = Span { entry, start: end.saturating_sub(MOST), end };
                self.entries.fetch(before).ok().map(|before| {
                    let blank =
                        before.iter().rev().take_while(|byte| byte.is_ascii_whitespace()).count();
                    let gap = &before[before.len() - blank..];
                    if gap.contains(&b'\n') { [b",", gap].concat() } else { b", ".to_vec() }
                })
            }
            [] => None,
        };
        between.unwrap_or_else(|| b", ".to_vec())
    }
}

/// Applies changes to the bytes of a record. The changes are in order and do not overlap.
pub fn apply_changes(old: &[u8], changes: &[RecordChange]) -> Vec<u8> {
    let mut new = Vec::with_capacity(old.len());
    let mut at = 0;
    for change in changes {
        let (from, to) = (change.at.start as usize, change.at.end as usize);
        new.extend_from_slice(old.get(at..from).unwrap_or_default());
        new.extend_from_slice(&change.with);
        at = to;
    }
    new.extend_from_slice(old.get(at..).unwrap_or_default());
    new
}

#[cfg(test)]
mod tests;
