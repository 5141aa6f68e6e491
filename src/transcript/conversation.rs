//! The transcript: all events of one conversation. The reader of a format fills it record by record.

use std::ops::Range;
use std::sync::OnceLock;

use super::diagnostic::Diagnostic;
use super::digests::LateDigests;
use super::event::{
    Event, Link, LinkKind, NO_TIME, Origin, Part, PartKind, Place, Role, State, StoredPlace,
    StoredSpan,
};
use super::fact::{Fact, FactValue, Facts, Values};
use super::facts;
use super::ids::{Id, Interner};
use super::index::{EventId, IdRange, IndexVec, PartId};
use super::replaced::Replaced;
use super::time::LastDate;
use crate::bytes::source::{EntryId, Span};
use crate::json::node::Node;

/// One conversation, as facts.
#[derive(Default, Debug)]
pub struct Transcript {
    /// What its host calls a record that is not a line. `None` until its format is known.
    pub(crate) noun: Option<&'static str>,
    /// Whether its lines were made of the rows of a database.
    pub(crate) has_rows: bool,
    /// The strings of all records.
    pub ids: Interner,
    /// The records in stored order, then the host's state, if there is one.
    pub events: IndexVec<EventId, Event>,
    /// The parts of all events, in order.
    pub parts: IndexVec<PartId, Part>,
    /// The links of all events, in order.
    pub links: Vec<Link>,
    /// The values of the facts of all events, in order.
    pub(super) values: Values,
    /// The facts that at least one event has.
    pub(super) known: Facts,
    /// What readers and containers could not use.
    pub diagnostics: Vec<Diagnostic>,
    /// IDs that another program replaced.
    pub replaced: Replaced,
    pub(super) late: LateDigests,
    pub(super) last_date: LastDate,
    /// The host's state, once all records were read.
    pub(super) host_state: Option<Option<EventId>>,
    /// Whether a record has an ID, once that was asked.
    pub(super) has_ids: OnceLock<bool>,
}

/// Records that room is made for, at most.
const MOST_RESERVED: usize = 1 << 15;

impl Transcript {
    /// What a record is called that is not a line.
    pub fn noun(&self) -> &'static str {
        self.noun.unwrap_or("record")
    }

    /// What the number of a record counts, as people read it.
    pub fn unit(&self, event: EventId) -> &'static str {
        match self.event(event).place() {
            Place::Line(_) if self.has_rows => "record",
            Place::Line(_) => "line",
            Place::File(_) | Place::Item(_) => self.noun(),
        }
    }

    /// Makes room for this many more records with about one part, one value and one new string each. The lists of a
    /// conversation would grow over and over, each time with a copy. Those of a very long one still do: what it has is not
    /// known before it is read.
    pub(crate) fn reserve(&mut self, records: usize) {
        // One more for the host's state, which a document may have next to its records.
        let records = records.saturating_add(1).min(MOST_RESERVED);
        self.events.reserve(records);
        self.parts.reserve(records);
        self.values.reserve(records);
        self.ids.reserve(records);
    }

    /// All records were read: gives back the room that was made for more, and finds what is asked for with each record.
    pub(crate) fn end(&mut self) {
        self.host_state = Some(self.host_state());
        self.events.shrink_to_fit();
        self.parts.shrink_to_fit();
        self.links.shrink_to_fit();
        self.values.shrink_to_fit();
        self.ids.shrink_to_fit();
    }

    /// Starts the next event. Parts, links and facts that are added before the next call belong to it.
    pub fn begin(&mut self, at: Span, place: Place, state: State) -> EventId {
        let (links, values) = (self.links.len() as u32, self.values.len());
        self.events.push(Event {
            span: StoredSpan::new(at),
            place: StoredPlace::new(place),
            state,
            kind: None,
            id: None,
            batch: None,
            role: Role::Nobody,
            failed: false,
            time: NO_TIME,
            parts: IdRange::new(self.parts.end(), self.parts.end()),
            links,
            facts: Facts::default(),
            values,
            within: None,
        })
    }

    /// Starts an event for an element of a list inside the record of `holder`, which must be complete. `inside` is its
    /// range of bytes in that record. If the record is not whole, the element gets the span of the record.
    pub fn begin_within(&mut self, holder: EventId, inside: Range<u32>, pointer: &str) -> EventId {
        let (at, place, state) = {
            let holder = self.event(holder);
            (holder.at(), holder.place(), holder.state)
        };
        let start = at.start.saturating_add(u64::from(inside.start));
        let end = at.start.saturating_add(u64::from(inside.end));
        let at = if state == State::Whole { Span { start, end, ..at } } else { at };
        let event = self.begin(at, place, state);
        self.events[event].within = Some(holder);
        let pointer = self.ids.intern(pointer);
        self.set_fact(facts::POINTER, FactValue::Text(pointer));
        event
    }

    /// The current event. Containers start it before they call a reader; if there is none, this starts one.
    #[inline]
    pub fn newest_mut(&mut self) -> &mut Event {
        if self.events.is_empty() {
            let nowhere = Span::new(EntryId(0), 0, 0);
            self.begin(nowhere, Place::Item(0), State::Whole);
        }
        let newest = self.newest();
        &mut self.events[newest]
    }

    /// The current event, or the ID of the first one if none was started.
    pub fn newest(&self) -> EventId {
        self.events.last_id().unwrap_or(EventId::FIRST)
    }

    /// A part for the current event, with default values.
    pub fn blank_part(&self, kind: PartKind) -> Part {
        Part {
            kind,
            event: self.newest(),
            id: None,
            sent_id: None,
            tool: None,
            origin: Origin::Real,
            blank: false,
            bad_input: false,
            runnable: kind == PartKind::Call,
            reports_error: false,
            digest: 0,
        }
    }

    /// Adds a part to the current event.
    pub fn add_part(&mut self, part: Part) {
        self.newest_mut().parts.grow();
        self.parts.push(part);
    }

    /// Adds a link to the current event.
    pub fn add_link(&mut self, kind: LinkKind, to: Option<Id>) {
        self.newest_mut();
        self.links.push(Link { kind, to });
    }

    /// Microseconds since 1970 of the text of a string; `None` if it is not a time.
    pub(crate) fn time(&mut self, text: &[u8]) -> Option<i64> {
        self.last_date.parse_utf8(text)
    }

    /// The ID of the text of a string; `None` for any other value.
    pub(crate) fn intern(&mut self, text: Node<'_>) -> Option<Id> {
        let text = text.utf8()?;
        Some(self.ids.intern_utf8(&text))
    }

    /// Adds the text of a string to the current event as the value of a fact; nothing for any other value.
    pub(crate) fn set_text(&mut self, fact: Fact, text: Option<Node<'_>>) {
        if let Some(text) = text.and_then(|text| self.intern(text)) {
            self.set_fact(fact, FactValue::Text(text));
        }
    }

    /// Adds a fact to the current event.
    pub fn set_fact(&mut self, fact: Fact, value: FactValue) {
        self.newest_mut().facts.insert(fact);
        self.values.push(fact, value);
        self.known.insert(fact);
    }

    /// The event with this ID.
    pub fn event(&self, event: EventId) -> &Event {
        &self.events[event]
    }

    /// The part with this ID.
    pub fn part(&self, event: PartId) -> &Part {
        &self.parts[event]
    }

    /// The position of a part in its event, from 0.
    pub fn position(&self, part: PartId) -> usize {
        self.event(self.part(part).event).parts.position_of(part)
    }

    /// The links of an event.
    pub fn links_of(&self, event: EventId) -> &[Link] {
        &self.links[self.link_range(event)]
    }

    /// The range of an event's links in [`Transcript::links`].
    pub(super) fn link_range(&self, event: EventId) -> Range<usize> {
        let next = self.events.get(event.next());
        let end = next.map_or(self.links.len(), |next| next.links as usize);
        self.event(event).links as usize..end
    }

    /// The range of an event's values in [`Transcript::values`].
    pub(super) fn value_range(&self, event: EventId) -> Range<u32> {
        let next = self.events.get(event.next());
        let end = next.map_or(self.values.len(), |next| next.values);
        self.event(event).values..end
    }

    /// The first link of this kind.
    pub fn link_of(&self, event: EventId, kind: LinkKind) -> Option<Link> {
        self.links_of(event).iter().find(|link| link.kind == kind).copied()
    }

    /// The ID that its link of this kind points to.
    pub(crate) fn linked(&self, event: EventId, kind: LinkKind) -> Option<Id> {
        self.link_of(event, kind)?.to
    }

    /// The value of a fact of an event.
    #[inline]
    pub fn value_of(&self, event: EventId, fact: Fact) -> Option<FactValue> {
        let known = self.event(event).facts.contains(fact);
        known.then(|| self.known_value(event, fact))
    }

    /// The value of a fact that an event has.
    fn known_value(&self, event: EventId, fact: Fact) -> FactValue {
        self.values_of(event, fact).next().unwrap_or(FactValue::Yes)
    }

    /// Whether an event has this fact.
    pub(crate) fn has(&self, event: EventId, fact: Fact) -> bool {
        self.event(event).facts.contains(fact)
    }

    /// The value of a fact, if it is a string.
    pub(crate) fn fact_id(&self, event: EventId, fact: Fact) -> Option<Id> {
        self.value_of(event, fact)?.id()
    }

    /// Those of all values of a fact that are strings.
    pub(crate) fn fact_ids(&self, event: EventId, fact: Fact) -> impl Iterator<Item = Id> + '_ {
        self.values_of(event, fact).filter_map(FactValue::id)
    }

    /// The value of a fact as text, if it is a string.
    pub(crate) fn fact_text(&self, event: EventId, fact: Fact) -> Option<&str> {
        Some(self.ids.get(self.fact_id(event, fact)?))
    }

    /// The value of a fact, if it is a number.
    pub(crate) fn fact_number(&self, event: EventId, fact: Fact) -> Option<i64> {
        match self.value_of(event, fact)? {
            FactValue::Number(number) => Some(number),
            _ => None,
        }
    }

    /// All values of a fact that an event has several times.
    pub fn values_of(&self, event: EventId, fact: Fact) -> impl Iterator<Item = FactValue> + '_ {
        self.values.of(self.value_range(event), fact)
    }

    /// Whether any event has this fact.
    pub fn is_known(&self, fact: Fact) -> bool {
        self.known.contains(fact)
    }

    /// The values of a fact in all events, in order.
    pub fn all_values(&self, fact: Fact) -> impl Iterator<Item = FactValue> + '_ {
        let all = if self.is_known(fact) { 0..self.values.len() } else { 0..0 };
        self.values.of(all, fact)
    }

    /// Those of them that are strings.
    pub(crate) fn all_texts(&self, fact: Fact) -> impl Iterator<Item = &str> {
        let texts = self.all_values(fact).filter_map(FactValue::id);
        texts.map(|id| self.ids.get(id))
    }

    /// Whether only the end of an unreadable record is missing.
    pub fn is_torn(&self, event: EventId) -> bool {
        self.value_of(event, facts::TORN).is_some()
    }

    /// Whether an unreadable record may be whole except for some wrong bytes. No fix removes such a record by itself.
    pub fn is_damaged(&self, event: EventId) -> bool {
        self.value_of(event, facts::DAMAGED).is_some()
    }

    /// The parts of this kind.
    pub(crate) fn parts_of(
        &self,
        event: EventId,
        kind: PartKind,
    ) -> impl DoubleEndedIterator<Item = PartId> + Clone + '_ {
        let parts = self.event(event).parts.clone();
        parts.filter(move |part| self.part(*part).kind == kind)
    }

    /// The first part of this kind.
    pub fn part_of(&self, event: EventId, kind: PartKind) -> Option<PartId> {
        self.parts_of(event, kind).next()
    }

    /// The string of an ID, or "" for `None`.
    pub fn text(&self, id: Option<Id>) -> &str {
        id.map_or("", |id| self.ids.get(id))
    }

    /// The kind of an event, or "" if it has none.
    pub fn kind(&self, event: EventId) -> &str {
        self.text(self.event(event).kind)
    }

    /// All events that are records of their own: neither host state nor inside another record.
    pub fn records(&self) -> impl DoubleEndedIterator<Item = EventId> + '_ {
        self.with_inner().filter(|event| self.event(*event).within.is_none())
    }

    /// The records, and the events inside them.
    pub fn with_inner(&self) -> impl DoubleEndedIterator<Item = EventId> + '_ {
        self.events.ids().filter(|event| !self.is_host_state(*event))
    }

    /// Whether a record can be read, as it is or as a safe repair would leave it.
    pub(crate) fn is_readable(&self, event: EventId) -> bool {
        matches!(self.event(event).state, State::Whole | State::Recovered)
    }

    /// Whether an event is a header, or another state that a host keeps with the records.
    pub fn is_host_state(&self, event: EventId) -> bool {
        self.event(event).role == Role::HostState
    }

    /// Whether the result of a call is recorded in the host's state, but not among the messages.
    pub fn is_recorded_elsewhere(&self, call: PartId) -> bool {
        let id = self.part(call).id;
        let state = self.is_known(facts::RECORDED).then(|| self.host_state()).flatten();
        state.is_some_and(|state| {
            self.values_of(state, facts::RECORDED)
                .any(|value| matches!(value, FactValue::Text(own) if Some(own) == id))
        })
    }

    /// Whether any record has an ID.
    pub(crate) fn has_record_ids(&self) -> bool {
        *self.has_ids.get_or_init(|| self.records().any(|event| self.event(event).id.is_some()))
    }

    /// The host's state, if it was recorded.
    pub fn host_state(&self) -> Option<EventId> {
        if let Some(known) = self.host_state {
            return known;
        }
        self.events.ids().rev().find(|event| self.is_host_state(*event))
    }
}
