//! The transcript: all events of one conversation, filled by a format's reader record by record.

use std::ops::Range;

use super::diagnostic::Diagnostic;
use super::event::{Event, Link, LinkKind, Origin, Part, PartKind, Place, Role, State, attr};
use super::fact::{Fact, Facts, Value, Values};
use super::ids::{Id, Interner};
use super::index::{EventId, IdRange, IndexVec, PartId};
use super::replaced::Replaced;
use crate::bytes::source::{EntryId, Span};

/// One conversation, as facts.
#[derive(Default, Debug)]
pub struct Transcript {
    /// All strings.
    pub ids: Interner,
    /// The records in the order of storage; the host's state, where there is one, behind them.
    pub events: IndexVec<EventId, Event>,
    /// The parts of all events, in their order.
    pub parts: IndexVec<PartId, Part>,
    /// The links of all events, in their order.
    pub links: Vec<Link>,
    /// The values of further facts of all events, in their order.
    pub(super) values: Values,
    /// All facts that some event has.
    pub(super) known: Facts,
    /// What could not be used, as readers and containers saw it.
    pub diagnostics: Vec<Diagnostic>,
    /// Ids that another program replaced.
    pub replaced: Replaced,
}

impl Transcript {
    /// Opens the next event. Its parts, links and attributes are those pushed until the next call.
    pub fn begin(&mut self, at: Span, place: Place, state: State) -> EventId {
        let (links, values) = (self.links.len() as u32, self.values.len());
        self.events.push(Event {
            at,
            place,
            state,
            kind: None,
            id: None,
            batch: None,
            role: Role::Nobody,
            failed: false,
            time: None,
            parts: IdRange::new(self.parts.end(), self.parts.end()),
            links: links..links,
            facts: Facts::default(),
            values: values..values,
            within: None,
        })
    }

    /// Opens an event for an element of a list inside the record of event `holder`, which must be filled before. `inside`:
    /// its bytes, from the record's first one. Of a record that is not whole only that record's own place is known.
    pub fn begin_within(&mut self, holder: EventId, inside: Range<u32>, pointer: &str) -> EventId {
        let Event {
            at, place, state, ..
        } = *self.event(holder);
        let start = at.start.saturating_add(u64::from(inside.start));
        let end = at.start.saturating_add(u64::from(inside.end));
        let at = if state == State::Whole {
            Span { start, end, ..at }
        } else {
            at
        };
        let event = self.begin(at, place, state);
        self.events[event].within = Some(holder);
        let pointer = self.ids.intern(pointer);
        self.attr(attr::POINTER, Value::Text(pointer));
        event
    }

    /// The event that is being filled. Containers open it before they call a reader; an empty transcript gets one.
    pub fn newest_mut(&mut self) -> &mut Event {
        if self.events.is_empty() {
            let nowhere = Span {
                entry: EntryId(0),
                start: 0,
                end: 0,
            };
            self.begin(nowhere, Place::Item(0), State::Whole);
        }
        let newest = self.newest();
        &mut self.events[newest]
    }

    /// The event that is being filled; the first one to come, before any is.
    pub fn newest(&self) -> EventId {
        self.events.last_id().unwrap_or(EventId::FIRST)
    }

    /// A part of the open event of which nothing is known but what it is.
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

    /// Adds a part to the open event.
    pub fn part(&mut self, part: Part) {
        self.newest_mut().parts.grow();
        self.parts.push(part);
    }

    /// Adds a link to the open event.
    pub fn link(&mut self, kind: LinkKind, to: Option<Id>) {
        self.newest_mut().links.end += 1;
        self.links.push(Link { kind, to });
    }

    /// Adds a fact to the open event.
    pub fn attr(&mut self, fact: Fact, value: Value) {
        let has_value = self.values.push(fact, value);
        self.known.insert(fact);
        let event = self.newest_mut();
        event.facts.insert(fact);
        event.values.end += u32::from(has_value);
    }

    /// An event by number.
    pub fn event(&self, no: EventId) -> &Event {
        &self.events[no]
    }

    /// A part by number.
    pub fn a_part(&self, no: PartId) -> &Part {
        &self.parts[no]
    }

    /// At which position of its event a part is, from 0.
    pub fn position(&self, part: PartId) -> usize {
        self.event(self.a_part(part).event).parts.position_of(part)
    }

    /// The links of an event.
    pub fn links_of(&self, no: EventId) -> &[Link] {
        let range = &self.event(no).links;
        &self.links[range.start as usize..range.end as usize]
    }

    /// The first link of this kind.
    pub fn link_of(&self, no: EventId, kind: LinkKind) -> Option<Link> {
        self.links_of(no)
            .iter()
            .find(|link| link.kind == kind)
            .copied()
    }

    /// A fact of an event.
    pub fn attr_of(&self, no: EventId, fact: Fact) -> Option<Value> {
        let known = self.event(no).facts.contains(fact);
        known.then(|| self.values_of(no, fact).next().unwrap_or(Value::Yes))
    }

    /// The values of a fact that an event has several times.
    pub fn values_of(&self, no: EventId, fact: Fact) -> impl Iterator<Item = Value> + '_ {
        self.values.of(self.event(no).values.clone(), fact)
    }

    /// Whether any event has this fact.
    pub fn is_known(&self, fact: Fact) -> bool {
        self.known.contains(fact)
    }

    /// All values of a fact, in the order of events.
    pub fn all_values(&self, fact: Fact) -> impl Iterator<Item = Value> + '_ {
        let all = if self.is_known(fact) {
            0..self.values.len()
        } else {
            0..0
        };
        self.values.of(all, fact)
    }

    /// Whether nothing is wrong with the record of a hole but that it stops.
    pub fn is_torn(&self, hole: EventId) -> bool {
        self.attr_of(hole, attr::TORN).is_some()
    }

    /// Whether a hole may be a whole record with wrong bytes in it, so that only a person removes it.
    pub fn is_damaged(&self, hole: EventId) -> bool {
        self.attr_of(hole, attr::DAMAGED).is_some()
    }

    /// The number of the first part of this kind.
    pub fn part_of(&self, no: EventId, kind: PartKind) -> Option<PartId> {
        self.event(no)
            .parts
            .clone()
            .find(|part| self.a_part(*part).kind == kind)
    }

    /// A string, or "" where there is none.
    pub fn text(&self, id: Option<Id>) -> &str {
        id.map_or("", |id| self.ids.get(id))
    }

    /// The kind of an event, or "".
    pub fn kind(&self, no: EventId) -> &str {
        self.text(self.event(no).kind)
    }

    /// Numbers of all events that are records of the conversation: neither host state nor inside another record.
    pub fn records(&self) -> impl Iterator<Item = EventId> + '_ {
        let is_record = |event: &Event| event.role != Role::HostState && event.within.is_none();
        self.events
            .ids()
            .filter(move |no| is_record(self.event(*no)))
    }

    /// The records, and what stands inside them.
    pub fn with_inner(&self) -> impl Iterator<Item = EventId> + '_ {
        self.events
            .ids()
            .filter(|no| self.event(*no).role != Role::HostState)
    }

    /// The host's state, where it was recorded.
    pub fn host_state(&self) -> Option<EventId> {
        self.events
            .ids()
            .rev()
            .find(|no| self.event(*no).role == Role::HostState)
    }
}
