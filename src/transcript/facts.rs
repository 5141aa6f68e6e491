//! The transcript: all events of one conversation, filled by a format's reader record by record.

use std::ops::Range;

use super::event::{
    Attr, Event, EventNo, Link, LinkKind, Origin, Part, PartKind, PartNo, Place, Role, State, Value, attr,
};
use super::fault::Fault;
use super::ids::{Id, Interner};
use crate::bytes::source::Span;

/// One conversation, as facts.
#[derive(Default, Debug)]
pub struct Transcript {
    /// All strings.
    pub ids: Interner,
    /// The records in the order of storage; the host's state, where there is one, behind them.
    pub events: Vec<Event>,
    /// The parts of all events, in their order.
    pub parts: Vec<Part>,
    /// The links of all events, in their order.
    pub links: Vec<Link>,
    /// Further facts of all events, in their order.
    pub attrs: Vec<Attr>,
    /// What could not be used, as readers and containers saw it.
    pub faults: Vec<Fault>,
}

impl Transcript {
    /// Opens the next event. Its parts, links and attributes are those pushed until the next call.
    pub fn begin(&mut self, at: Span, place: Place, state: State) -> EventNo {
        let (parts, links, attrs) =
            (self.parts.len() as u32, self.links.len() as u32, self.attrs.len() as u32);
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
            parts: parts..parts,
            links: links..links,
            attrs: attrs..attrs,
            within: None,
        });
        self.events.len() as u32 - 1
    }

    /// Opens an event for an element of a list inside the record of event `holder`, which must be filled before. `inside`:
    /// its bytes, from the record's first one. Of a record that is not whole only that record's own place is known.
    pub fn begin_within(&mut self, holder: EventNo, inside: Range<u32>, pointer: &str) -> EventNo {
        let Event { at, place, state, .. } = *self.event(holder);
        let start = at.start.saturating_add(u64::from(inside.start));
        let end = at.start.saturating_add(u64::from(inside.end));
        let at = if state == State::Whole { Span { start, end, ..at } } else { at };
        let event = self.begin(at, place, state);
        self.events[event as usize].within = Some(holder);
        let pointer = self.ids.intern(pointer);
        self.attr(attr::POINTER, Value::Text(pointer));
        event
    }

    /// The event that is being filled.
    pub fn current(&mut self) -> Option<&mut Event> {
        self.events.last_mut()
    }

    /// A part of the open event of which nothing is known but what it is.
    pub fn blank_part(&self, kind: PartKind) -> Part {
        Part {
            kind,
            event: (self.events.len() as EventNo).saturating_sub(1),
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
        self.parts.push(part);
        if let Some(event) = self.events.last_mut() {
            event.parts.end += 1;
        }
    }

    /// Adds a link to the open event.
    pub fn link(&mut self, kind: LinkKind, to: Option<Id>) {
        self.links.push(Link { kind, to });
        if let Some(event) = self.events.last_mut() {
            event.links.end += 1;
        }
    }

    /// Adds a fact to the open event.
    pub fn attr(&mut self, name: &'static str, value: Value) {
        self.attrs.push(Attr { name, value });
        if let Some(event) = self.events.last_mut() {
            event.attrs.end += 1;
        }
    }

    /// An event by number.
    pub fn event(&self, no: EventNo) -> &Event {
        &self.events[no as usize]
    }

    /// A part by number.
    pub fn a_part(&self, no: PartNo) -> &Part {
        &self.parts[no as usize]
    }

    /// The links of an event.
    pub fn links_of(&self, no: EventNo) -> &[Link] {
        let range = &self.event(no).links;
        &self.links[range.start as usize..range.end as usize]
    }

    /// The first link of this kind.
    pub fn link_of(&self, no: EventNo, kind: LinkKind) -> Option<Link> {
        self.links_of(no).iter().find(|link| link.kind == kind).copied()
    }

    /// The facts of an event that its format names.
    pub fn attrs_of(&self, no: EventNo) -> &[Attr] {
        let range = &self.event(no).attrs;
        &self.attrs[range.start as usize..range.end as usize]
    }

    /// A fact of an event by its format's name.
    pub fn attr_of(&self, no: EventNo, name: &str) -> Option<Value> {
        self.attrs_of(no).iter().find(|attr| attr.name == name).map(|attr| attr.value)
    }

    /// Whether nothing is wrong with the record of a hole but that it stops.
    pub fn is_torn(&self, hole: EventNo) -> bool {
        self.attr_of(hole, attr::TORN).is_some()
    }

    /// Whether a hole may be a whole record with wrong bytes in it, so that only a person removes it.
    pub fn is_damaged(&self, hole: EventNo) -> bool {
        self.attr_of(hole, attr::DAMAGED).is_some()
    }

    /// The number of the first part of this kind.
    pub fn part_of(&self, no: EventNo, kind: PartKind) -> Option<PartNo> {
        self.event(no).parts.clone().find(|part| self.a_part(*part).kind == kind)
    }

    /// A string, or "" where there is none.
    pub fn text(&self, id: Option<Id>) -> &str {
        id.map_or("", |id| self.ids.get(id))
    }

    /// The kind of an event, or "".
    pub fn kind(&self, no: EventNo) -> &str {
        self.text(self.event(no).kind)
    }

    /// Numbers of all events that are records of the conversation: neither host state nor inside another record.
    pub fn records(&self) -> impl Iterator<Item = EventNo> + '_ {
        let is_record = |event: &Event| event.role != Role::HostState && event.within.is_none();
        (0..self.events.len() as u32).filter(move |no| is_record(self.event(*no)))
    }

    /// The records, and what stands inside them.
    pub fn with_inner(&self) -> impl Iterator<Item = EventNo> + '_ {
        (0..self.events.len() as u32).filter(|no| self.event(*no).role != Role::HostState)
    }

    /// The host's state, where it was recorded.
    pub fn host_state(&self) -> Option<EventNo> {
        (0..self.events.len() as u32).rev().find(|no| self.event(*no).role == Role::HostState)
    }
}
