//! The names of records in the steps of a repair.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::extent::{RecordOrigin, Trace};
use crate::format::FormatContext;
use crate::transcript::{EventId, Part, PartId, PartKind, Place, Transcript};

/// Where records are in the source, while rounds of a repair move and remove what is before them. Users look for a record in
/// their file, not in a state between two rounds that nobody sees.
pub(super) struct SourcePlaces<'a> {
    trace: Trace<'a>,
    /// The conversation as it is in the source.
    source: &'a Transcript,
    by_start: OnceCell<BTreeMap<RecordOrigin, Place>>,
    by_id: OnceCell<HashMap<&'a str, Option<Place>>>,
}

impl<'a> SourcePlaces<'a> {
    pub(super) fn new(trace: Trace<'a>, source: &'a Transcript) -> SourcePlaces<'a> {
        SourcePlaces { trace, source, by_start: OnceCell::new(), by_id: OnceCell::new() }
    }

    /// Where a record of the changed conversation `t` is in the source.
    fn of(&self, t: &Transcript, event: EventId) -> SourcePlace {
        let known = t.event(event);
        if let Some(origin) = (self.trace)(known.at()) {
            let by_start = self.by_start.get_or_init(|| by_start(self.source));
            return match by_start.range(..=origin).next_back() {
                Some((start, place)) if *start == origin => SourcePlace::At(*place),
                Some((start, place)) if start.0 == origin.0 => SourcePlace::Within(*place),
                _ => SourcePlace::At(known.place()),
            };
        }
        // A record that was moved is inserted elsewhere; its ID is still its own.
        let by_id = self.by_id.get_or_init(|| by_id(self.source));
        let moved = known.id.and_then(|id| by_id.get(t.text(Some(id))).copied().flatten());
        moved.map_or(SourcePlace::Nowhere, SourcePlace::At)
    }
}

/// Where a record is in the source.
enum SourcePlace {
    At(Place),
    /// An earlier round made it of the last part of the record that is there.
    Within(Place),
    /// An earlier round inserted it.
    Nowhere,
}

fn by_start(source: &Transcript) -> BTreeMap<RecordOrigin, Place> {
    let events = source.events.iter();
    events.map(|event| ((event.at().entry, event.at().start), event.place())).collect()
}

/// The places of records by their IDs; `None` for an ID that several have.
fn by_id(source: &Transcript) -> HashMap<&str, Option<Place>> {
    let mut places = HashMap::new();
    for event in &source.events {
        if event.id.is_none() {
            continue;
        }
        let same = places.entry(source.text(event.id));
        same.and_modify(|place| *place = None).or_insert(Some(event.place()));
    }
    places
}

/// Names records for people.
pub(super) struct RecordNames<'a, 'p> {
    pub context: &'a FormatContext<'a>,
    /// `None`: the context is that of the source.
    pub places: Option<&'a SourcePlaces<'p>>,
}

impl RecordNames<'_, '_> {
    /// The place of a record; `None`: it is not in the source.
    pub(super) fn place(&self, event: EventId) -> Option<Place> {
        match self.source_place(event) {
            SourcePlace::At(place) | SourcePlace::Within(place) => Some(place),
            SourcePlace::Nowhere => None,
        }
    }

    fn source_place(&self, event: EventId) -> SourcePlace {
        let t = self.context.transcript;
        match self.places {
            Some(places) => places.of(t, event),
            None => SourcePlace::At(t.event(event).place()),
        }
    }

    /// `line 12`, `event 3`. A row that is one record says the same in any line.
    pub(super) fn of(&self, event: EventId) -> String {
        let t = self.context.transcript;
        let known = t.event(event);
        if let Place::Line(_) = known.place()
            && self.context.entries.is_row(known.at().entry)
        {
            return "this row".to_owned();
        }
        let unit = t.unit(event);
        match self.source_place(event) {
            SourcePlace::At(place) => format!("{unit} {}", place.number()),
            SourcePlace::Within(place) => format!("the rest of {unit} {}", place.number()),
            SourcePlace::Nowhere => "the new record".to_owned(),
        }
    }

    /// The name of a call or a result in a record that has several: `call 2 in line 12`.
    pub(super) fn numbered(&self, part: PartId) -> Option<String> {
        let Part { kind, event, .. } = *self.context.transcript.part(part);
        let word = match kind {
            PartKind::Call => "call",
            PartKind::Result => "result",
            _ => return None,
        };
        let number = self.context.part_number(part)?;
        Some(format!("{word} {number} in {}", self.of(event)))
    }
}
