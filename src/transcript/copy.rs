//! Records of one transcript, copied into another: what several threads read is put together, and of a file in which a few
//! lines changed, only those are read again.

use std::ops::Range;

use super::diagnostic::{Action, Diagnostic, Subject};
use super::event::{Event, Link, Part, Place};
use super::facts::Transcript;
use super::ids::{Id, Interner};
use super::index::{EventId, IdRange, Idx, PartId};
use crate::bytes::edit::Edit;
use crate::bytes::source::Span;

/// A place between two records of a transcript.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Mark {
    event: EventId,
    /// How many strings were seen.
    strings: usize,
    diagnostics: usize,
}

/// How far records are moved.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shift {
    pub bytes: i64,
    pub lines: i64,
}

impl Shift {
    fn span(self, at: Span) -> Span {
        Span {
            start: at.start.saturating_add_signed(self.bytes),
            end: at.end.saturating_add_signed(self.bytes),
            ..at
        }
    }

    fn place(self, place: Place) -> Place {
        match place {
            Place::Line(line) => Place::Line(line.saturating_add_signed(self.lines)),
            other => other,
        }
    }
}

impl Transcript {
    /// An empty one whose digests can be compared with those of another.
    pub(crate) fn beside(other: &Transcript) -> Transcript {
        Transcript {
            ids: Interner::beside(&other.ids),
            ..Transcript::default()
        }
    }

    /// The place after the last record.
    pub(crate) fn mark(&self) -> Mark {
        Mark {
            event: self.events.end(),
            strings: self.ids.len(),
            diagnostics: self.diagnostics.len(),
        }
    }
}

/// Copies records of a transcript into another one.
pub(crate) struct Copier<'a> {
    from: &'a Transcript,
    /// The ids there, for those of the strings that were copied.
    ids: Vec<Option<Id>>,
}

impl<'a> Copier<'a> {
    pub(crate) fn new(from: &'a Transcript) -> Copier<'a> {
        Copier {
            from,
            ids: vec![None; from.ids.len()],
        }
    }

    /// Adds the records between two marks, with what their reader reported.
    pub(crate) fn copy(&mut self, to: &mut Transcript, marks: &Range<Mark>, shift: Shift) {
        // In the order in which the reader saw them, so that they get the numbers that it would give them.
        for string in marks.start.strings..marks.end.strings {
            self.id(to, Id::at(string));
        }
        let moved = Moved {
            shift,
            events: (marks.start.event, to.events.end()),
            parts: (self.first_part(marks.start.event), to.parts.end()),
        };
        for event in IdRange::new(marks.start.event, marks.end.event) {
            self.event(to, event, &moved);
        }
        let diagnostics = &self.from.diagnostics[marks.start.diagnostics..marks.end.diagnostics];
        to.diagnostics
            .extend(diagnostics.iter().map(|own| moved.diagnostic(own)));
    }

    /// The id of a string in the other transcript.
    fn id(&mut self, to: &mut Transcript, id: Id) -> Id {
        let slot = id.slot();
        *self.ids[slot].get_or_insert_with(|| to.ids.intern(self.from.ids.get(id)))
    }

    fn first_part(&self, event: EventId) -> PartId {
        let event = self.from.events.get(event);
        event.map_or(self.from.parts.end(), |event| event.parts.start())
    }

    fn event(&mut self, to: &mut Transcript, event: EventId, moved: &Moved) {
        let from = self.from;
        let old = from.event(event);
        let links = to.links.len() as u32;
        for Link { kind, to: name } in from.links_of(event) {
            let name = name.map(|id| self.id(to, id));
            to.links.push(Link {
                kind: *kind,
                to: name,
            });
        }
        let first_part = to.parts.end();
        for part in from.parts.slice(&old.parts) {
            let mut id = |id: Option<Id>| id.map(|id| self.id(to, id));
            let part = Part {
                event: moved.event(part.event),
                id: id(part.id),
                sent_id: id(part.sent_id),
                tool: id(part.tool),
                ..part.clone()
            };
            to.parts.push(part);
        }
        let mut values = std::mem::take(&mut to.values);
        let first_value = values.len();
        values.copy(&from.values, old.values.clone(), |id| self.id(to, id));
        to.known = to.known.with(old.facts);
        let mut id = |id: Option<Id>| id.map(|id| self.id(to, id));
        let event = Event {
            at: moved.shift.span(old.at),
            place: moved.shift.place(old.place),
            kind: id(old.kind),
            id: id(old.id),
            batch: id(old.batch),
            parts: IdRange::new(first_part, to.parts.end()),
            links: links..to.links.len() as u32,
            values: first_value..values.len(),
            within: old.within.map(|holder| moved.event(holder)),
            ..old.clone()
        };
        to.values = values;
        to.events.push(event);
    }
}

/// Where records were, and where they are now.
struct Moved {
    shift: Shift,
    events: (EventId, EventId),
    parts: (PartId, PartId),
}

impl Moved {
    fn event(&self, event: EventId) -> EventId {
        let (from, to) = self.events;
        EventId::new(to.index() + (event.index() - from.index()))
    }

    fn part(&self, part: PartId) -> PartId {
        let (from, to) = self.parts;
        PartId::new(to.index() + (part.index() - from.index()))
    }

    /// What the reader of a record reports, which is about that record only.
    fn diagnostic(&self, diagnostic: &Diagnostic) -> Diagnostic {
        let mut moved = diagnostic.clone();
        for label in &mut moved.labels {
            label.event = self.event(label.event);
        }
        for subject in moved.about.iter_mut().chain(&mut moved.covers) {
            *subject = self.subject(*subject);
        }
        for action in moved.fixes.iter_mut().flat_map(|fix| &mut fix.actions) {
            self.action(action);
        }
        moved
    }

    fn subject(&self, subject: Subject) -> Subject {
        use Subject::*;
        match subject {
            Bytes(event) => Bytes(self.event(event)),
            Name(event) => Name(self.event(event)),
            Content(event) => Content(self.event(event)),
            Parent(event) => Parent(self.event(event)),
            Leaf => Leaf,
            State => State,
            Open(part) => Open(self.part(part)),
            Orphan(part) => Orphan(self.part(part)),
            Surplus(part) => Surplus(self.part(part)),
            Identity(part) => Identity(self.part(part)),
            Place(part) => Place(self.part(part)),
        }
    }

    fn action(&self, action: &mut Action) {
        match action {
            Action::Mend { event, edits, .. } => {
                *event = self.event(*event);
                for edit in edits {
                    if let Edit::Bytes { at, .. } = edit {
                        *at = self.shift.span(*at);
                    }
                }
            }
            Action::Park(event) => *event = self.event(*event),
            Action::ParkPart(part) => *part = self.part(*part),
            other => debug_assert!(false, "a reader knows no other record: {other:?}"),
        }
    }
}

/// Whether two transcripts say the same, in the same order and with the same numbers.
#[cfg(any(test, debug_assertions))]
pub(crate) fn same_facts(a: &Transcript, b: &Transcript) -> bool {
    let facts = |t: &Transcript| {
        let texts: Vec<&str> = t.ids.all().map(|id| t.ids.get(id)).collect();
        let known = (&t.values, t.known, &t.links);
        format!(
            "{texts:?}\n{:?}\n{:?}\n{known:?}\n{:?}",
            t.events, t.parts, t.diagnostics
        )
    };
    facts(a) == facts(b)
}
