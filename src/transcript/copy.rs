//! Copies records of one transcript into another. This joins what several threads read, and of a file in which a few lines
//! changed, only those are read again.

use std::ops::Range;

use super::conversation::Transcript;
use super::diagnostic::{Diagnostic, Subject};
use super::event::{Event, Link, Part, Place, State, StoredPlace, StoredSpan};
use super::fix::Action;
use super::ids::{Id, Interner};
use super::index::{EventId, IdRange, Idx, IndexVec, PartId};
use crate::bytes::edit::Edit;
use crate::bytes::source::{EntryId, Span};

/// A place between two records of a transcript.
#[derive(Copy, Clone, Debug)]
pub(crate) struct RecordGap {
    event: EventId,
    /// The number of strings seen so far.
    strings: usize,
    diagnostics: usize,
}

/// How far records move in their file.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shift {
    pub bytes: i64,
    pub lines: i64,
}

impl Shift {
    fn span(self, at: Span) -> Span {
        Span::new(
            at.entry,
            at.start.saturating_add_signed(self.bytes),
            at.end.saturating_add_signed(self.bytes),
        )
    }

    fn place(self, place: Place) -> Place {
        match place {
            Place::Line(line) => Place::Line(line.saturating_add_signed(self.lines)),
            other => other,
        }
    }
}

impl Transcript {
    /// An empty transcript whose digests can be compared with those of `other`.
    pub(crate) fn with_hasher_of(other: &Transcript) -> Transcript {
        Transcript { ids: Interner::with_hasher_of(&other.ids), ..Transcript::default() }
    }

    /// Calls `each` with all IDs of an event.
    fn each_id(&self, event: EventId, mut each: impl FnMut(Id)) {
        let own = self.event(event);
        let parts = self.parts.slice(&own.parts).iter();
        let of_parts = parts.flat_map(|part| [part.id, part.sent_id, part.tool]);
        let links = self.links_of(event).iter().map(|link| link.to);
        let names = [own.kind, own.id, own.batch].into_iter();
        names.chain(of_parts).chain(links).flatten().for_each(&mut each);
        self.values.texts(self.value_range(event)).for_each(each);
    }

    /// The place after the last record.
    pub(crate) fn mark(&self) -> RecordGap {
        RecordGap {
            event: self.events.end(),
            strings: self.ids.len(),
            diagnostics: self.diagnostics.len(),
        }
    }
}

/// A line that can be copied, with the events inside it.
pub(crate) struct CopiedLine {
    pub marks: Range<RecordGap>,
    pub at: Span,
    pub line: u64,
}

/// Copies records of a transcript into another one.
pub(crate) struct Copier<'a> {
    from: &'a Transcript,
    /// The IDs in the other transcript, for the strings that were copied.
    ids: Vec<Option<Id>>,
}

impl<'a> Copier<'a> {
    pub(crate) fn new(from: &'a Transcript) -> Copier<'a> {
        Copier { from, ids: vec![None; from.ids.len()] }
    }

    /// The lines of an entry that were read as they are and that no diagnostic is about, in order.
    pub(crate) fn records(from: &Transcript, entry: EntryId) -> Vec<CopiedLine> {
        let mut is_reported = IndexVec::for_each_of(&from.events, false);
        for label in from.diagnostics.iter().flat_map(|own| &own.labels) {
            is_reported[label.event] = true;
        }
        let mut records: Vec<(CopiedLine, bool)> = Vec::new();
        let mut strings = 0;
        for (event, own) in from.events.enumerated() {
            let before = strings;
            // Strings are numbered in the order in which they were first seen.
            from.each_id(event, |id| strings = strings.max(id.index() + 1));
            let mark = |event, strings| RecordGap { event, strings, diagnostics: 0 };
            let end = mark(event.next(), strings);
            let is_plain = own.state == State::Whole && !is_reported[event];
            match (records.last_mut(), own.place()) {
                (Some((record, all_plain)), _) if own.within.is_some() => {
                    record.marks.end = end;
                    *all_plain &= is_plain;
                }
                (_, Place::Line(line)) if own.at().entry == entry => {
                    let record = CopiedLine { marks: mark(event, before)..end, at: own.at(), line };
                    records.push((record, is_plain));
                }
                _ => {}
            }
        }
        let plain = records.into_iter().filter(|(_, is_plain)| *is_plain);
        plain.map(|(record, _)| record).collect()
    }

    /// Copies the records between two marks, with the diagnostics of their reader.
    pub(crate) fn copy(&mut self, to: &mut Transcript, marks: &Range<RecordGap>, shift: Shift) {
        // In the order in which the reader saw them, so that they get the same numbers as if `to` had been read directly.
        for string in marks.start.strings..marks.end.strings {
            self.id(to, Id::new(string));
        }
        let moved = Moved {
            shift,
            events: (marks.start.event, to.events.end()),
            parts: (self.first_part(marks.start.event), to.parts.end()),
        };
        for event in IdRange::new(marks.start.event, marks.end.event) {
            self.event(to, event, &moved);
        }
        to.copy_late_digests(self.from);
        let diagnostics = &self.from.diagnostics[marks.start.diagnostics..marks.end.diagnostics];
        to.diagnostics.extend(diagnostics.iter().map(|own| moved.diagnostic(own)));
    }

    /// The ID of a string in the other transcript.
    fn id(&mut self, to: &mut Transcript, id: Id) -> Id {
        let slot = id.index();
        *self.ids[slot].get_or_insert_with(|| to.ids.intern_from(&self.from.ids, id))
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
            to.links.push(Link { kind: *kind, to: name });
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
        values.copy(&from.values, from.value_range(event), |id| self.id(to, id));
        to.known = to.known.with(old.facts);
        let mut id = |id: Option<Id>| id.map(|id| self.id(to, id));
        let event = Event {
            span: StoredSpan::new(moved.shift.span(old.at())),
            place: StoredPlace::new(moved.shift.place(old.place())),
            kind: id(old.kind),
            id: id(old.id),
            batch: id(old.batch),
            parts: IdRange::new(first_part, to.parts.end()),
            links,
            values: first_value,
            within: old.within.map(|holder| moved.event(holder)),
            ..old.clone()
        };
        to.values = values;
        to.events.push(event);
    }
}

/// The first IDs of copied records, in the old and in the new transcript.
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

    /// The diagnostic of a reader, which is only about the record that it read.
    fn diagnostic(&self, diagnostic: &Diagnostic) -> Diagnostic {
        let mut moved = diagnostic.clone();
        for label in &mut moved.labels {
            label.event = self.event(label.event);
            label.part = label.part.map(|part| self.part(part));
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
            Part(part) => Part(self.part(part)),
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
            Action::EditBytes { event, edits, .. } => {
                *event = self.event(*event);
                for edit in edits {
                    if let Edit::Bytes { at, .. } = edit {
                        *at = self.shift.span(*at);
                    }
                }
            }
            Action::Remove(event) => *event = self.event(*event),
            Action::RemovePart(part) => *part = self.part(*part),
            other => debug_assert!(false, "not an action of a reader: {other:?}"),
        }
    }
}

/// Whether two transcripts have the same facts in the same order. The numbers of their IDs may differ, and a digest that one
/// of them put off is not compared.
pub(crate) fn same_facts(a: &Transcript, b: &Transcript) -> bool {
    let facts = |t: &Transcript, other: &Transcript| {
        let known = (&t.values, t.known, &t.links);
        let mut parts = t.parts.clone();
        for (id, part) in parts.enumerated_mut() {
            if other.parts.get(id).is_some_and(|other| other.digest == 0) {
                part.digest = 0;
            }
        }
        let all = format!("{:?}{parts:?}{known:?}{:?}", t.events, t.diagnostics);
        let mut pieces = all.split("Id(");
        let mut facts = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            let (number, rest) = piece.split_once(')').unwrap_or_default();
            // The number of an `EntryId` is compared as it is.
            if facts.ends_with(char::is_alphabetic) {
                facts.push_str(number);
            } else if let Some(slot) = number.parse::<usize>().ok().and_then(|n| n.checked_sub(1)) {
                facts.push_str(t.ids.get(Id::new(slot)));
            }
            facts.push_str(rest);
        }
        facts
    };
    facts(a, b) == facts(b, a)
}
