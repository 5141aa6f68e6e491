//! A difference as `diff` and `repair` print it.

use std::io::{self, IsTerminal, Write};
use std::path::Path;

use super::App;
use super::streams::{self, Screen};
use crate::bytes::patch::Patch;
use crate::bytes::source::{Entries, SourceShape, Span};
use crate::diff::messages;
use crate::diff::pairing::{PairingItem, Side};
use crate::diff::raw::{self, DiffReader, Folder};
use crate::diff::records::{RecordTexts, RecordsDiff, compare};
use crate::engine::Judged;
use crate::outputs::OutputStyle;
use crate::report::redact::Redactor;
use crate::transcript::{EventId, Place, Role, State, Transcript};

/// Bytes of a record whose words are read: they are not worth the memory that a longer one takes.
const LONGEST: u64 = 256 << 10;

/// A transcript that was judged.
#[derive(Copy, Clone)]
pub struct JudgedRecording<'a> {
    /// Its bytes.
    pub entries: &'a dyn Entries,
    /// Its facts.
    pub judged: &'a Judged,
}

impl<'a> JudgedRecording<'a> {
    pub fn new(entries: &'a dyn Entries, judged: &'a Judged) -> JudgedRecording<'a> {
        JudgedRecording { entries, judged }
    }

    /// The words of a record.
    fn words(&self, event: Option<&EventId>) -> Option<String> {
        let event = *event?;
        let known = self.judged.transcript.event(event);
        let is_long = known.at().end.saturating_sub(known.at().start) > LONGEST;
        if is_long || known.state != State::Whole || known.role == Role::HostState {
            return None;
        }
        let context = self.judged.context(0, self.entries, "", false);
        let text = (self.judged.detection.format.text)(&context, event);
        text.filter(|text| !text.trim().is_empty())
    }

    /// Its records, and its host's state after them.
    fn items(&self) -> Vec<(EventId, PairingItem)> {
        let t = &self.judged.transcript;
        let records = t.events.ids();
        // A missing file of a numbered folder is a hole without bytes.
        let there = |no: &EventId| {
            t.event(*no).state != State::Padding && t.event(*no).at().end > t.event(*no).at().start
        };
        // What is inside a record is shown with the record.
        let records = records.filter(|no| t.event(*no).within.is_none());
        records
            .filter(there)
            .map(|no| {
                let event = t.event(no);
                let state = event.role == Role::HostState;
                let id = match event.state {
                    _ if state => self.entries.name(event.at().entry),
                    // What takes the place and the ID of a fragment is another record.
                    State::Unreadable => "",
                    _ => t.text(event.id),
                };
                let kind = match event.state {
                    _ if state && holds_records(t, no) => "document",
                    _ if state => "host state",
                    State::Unreadable => "fragment",
                    _ if event.kind.is_none() => kind_of(event.role),
                    _ => t.text(event.kind),
                };
                // What has an ID is paired by it.
                let parts = event.parts.clone().filter(|_| id.is_empty());
                let calls = parts.filter_map(|part| t.part(part).id);
                let item = PairingItem {
                    id: id.to_owned(),
                    kind: kind.to_owned(),
                    place: (!state).then_some(event.place().number()),
                    at: event.at(),
                    calls: calls.map(|id| t.ids.get(id).to_owned()).collect(),
                };
                (no, item)
            })
            .collect()
    }
}

/// What a record is that does not say so: who speaks in it.
fn kind_of(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
        Role::Nobody | Role::HostState => "",
    }
}

/// Whether records are inside a record of the host's state: it is a document with a list of them.
fn holds_records(t: &Transcript, state: EventId) -> bool {
    let own = t.event(state).at();
    let is_inside = |at: Span| at.entry == own.entry && own.start <= at.start && at.end <= own.end;
    let mut others = t.events.enumerated();
    others.any(|(no, event)| no != state && is_inside(event.at()))
}

/// The difference by records. `patch`, if it is known, makes the one of the other.
///
/// # Errors
/// A transcript cannot be read.
pub fn records(
    old: JudgedRecording<'_>,
    new: JudgedRecording<'_>,
    patch: Option<&Patch>,
    reader: &Redactor,
) -> io::Result<RecordsDiff> {
    let (events_a, a): (Vec<_>, Vec<_>) = old.items().into_iter().unzip();
    let (events_b, mut b): (Vec<_>, Vec<_>) = new.items().into_iter().unzip();
    if let ([was], [is]) = (&old.entries.ids()[..], &new.entries.ids()[..]) {
        // What a single file is called does not matter.
        let (was, is) = (old.entries.name(*was), new.entries.name(*is));
        let state = b.iter_mut().filter(|item| item.place.is_none());
        let named = state.filter(|item| item.id == is);
        named.for_each(|item| was.clone_into(&mut item.id));
    }
    let t = &old.judged.transcript;
    let are_lines = events_a.iter().all(|event| matches!(t.event(*event).place(), Place::Line(_)));
    let diff = compare(
        Side { entries: old.entries, items: &a },
        Side { entries: new.entries, items: &b },
        patch,
        RecordTexts { old: &|n| old.words(events_a.get(n)), new: &|n| new.words(events_b.get(n)) },
        reader,
    )?;
    Ok(RecordsDiff { are_lines, ..diff })
}

/// The difference of the requests; whether there is one. `names`: of the files or folders.
///
/// # Errors
/// A transcript cannot be read, or `out` does not take it.
pub(crate) fn requests(
    (old, new): (JudgedRecording<'_>, JudgedRecording<'_>),
    names: (&str, &str),
    out: &mut dyn Write,
    (style, reader): (&OutputStyle, &Redactor),
) -> io::Result<bool> {
    let old = messages::RequestText::of(old.entries, old.judged, names.0, reader)?;
    let new = messages::RequestText::of(new.entries, new.judged, names.1, reader)?;
    messages::write(&old, &new, out, style)
}

/// Writes the unified diff to standard output: exact bytes for a program, escaped for a person.
///
/// # Errors
/// The transcript cannot be read, or the diff not be written.
pub(crate) fn unified(
    app: &App<'_>,
    path: &Path,
    shape: SourceShape,
    base: &dyn Entries,
    patch: &Patch,
) -> io::Result<()> {
    let folder = match shape {
        SourceShape::File => Folder::of_file(path),
        SourceShape::Folder | SourceShape::Archive => Folder::new(path),
        SourceShape::Database => Folder::default(),
        SourceShape::Stream => Folder::default(),
    };
    let reader = match (io::stdout().is_terminal(), streams::stdout_color(app.options.color)) {
        (true, _) => DiffReader::Person,
        (false, true) => DiffReader::Colored,
        (false, false) => DiffReader::Program,
    };
    if reader == DiffReader::Person {
        let mut out = app.stream(Screen::Out);
        return raw::write(base, patch, &folder, reader, &mut out).and_then(|()| out.flush());
    }
    // Not through the color stripper: every byte is data.
    let mut out = io::BufWriter::new(io::stdout());
    raw::write(base, patch, &folder, reader, &mut out).and_then(|()| out.flush())
}
