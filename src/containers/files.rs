//! Folders of record files: one record per file.

use std::io::Read;

use super::RecordReader;
use super::broken::BrokenRecord;
use super::flaws::flaws;
use super::mend;
use super::{Files, FolderFile, NAME_ID, ReadError, Scan, blocking_limit};
use crate::bytes::far::LongRecord;
use crate::bytes::source::{Entries, EntryId, Span};
use crate::json::node::{Node, TapeText};
use crate::json::scan::{ScanMode, Scanner};
use crate::json::tape::{RecordEnd, Tape};
use crate::transcript::{FactValue, Place, Role, State, Transcript};

/// Longest file held in memory, in bytes. Values of a longer file are read again when they are
/// needed.
const KEEP: u64 = 8 << 20;
/// Bytes read at once from a longer file.
const CHUNK: usize = 1 << 20;

/// The entry of a missing file.
pub(crate) const NOWHERE: EntryId = EntryId(u32::MAX);

/// Reads every file of a folder in the order of the conversation, then the host's state.
pub(super) fn read(
    entries: &dyn Entries,
    files: &Files,
    reading: &RecordReader,
    t: &mut Transcript,
) -> Result<(), ReadError> {
    let mut reader = FolderReader {
        entries,
        reading,
        t,
        scan: Scan { scanner: Scanner::new(ScanMode::Document), tape: Tape::default() },
    };
    for file in &files.files {
        match file.entry {
            Some(entry) => reader.record(entry, file)?,
            None => {
                let nowhere = Span { entry: NOWHERE, start: 0, end: 0 };
                reader.t.begin(nowhere, Place::File(file.index), State::Unreadable);
            }
        }
    }
    match files.state {
        Some(entry) => reader.state(entry),
        None => Ok(()),
    }
}

struct FolderReader<'a> {
    entries: &'a dyn Entries,
    reading: &'a RecordReader,
    t: &'a mut Transcript,
    scan: Scan,
}

impl FolderReader<'_> {
    /// Scans a file, and keeps its bytes if it is short enough.
    fn scan(&mut self, entry: EntryId) -> Result<(Span, Option<Vec<u8>>), ReadError> {
        let at = Span { entry, start: 0, end: self.entries.len(entry) };
        self.scan.scanner.start(&mut self.scan.tape);
        let mut input = self.entries.open(entry)?;
        if at.end <= KEEP {
            let mut bytes = Vec::with_capacity(usize::try_from(at.end).unwrap_or(0));
            input.take(KEEP + 1).read_to_end(&mut bytes)?;
            self.scan.scanner.feed(&bytes, &mut self.scan.tape);
            self.scan.scanner.finish(&mut self.scan.tape);
            return Ok((Span { end: bytes.len() as u64, ..at }, Some(bytes)));
        }
        let mut chunk = vec![0; CHUNK];
        loop {
            let read = input.read(&mut chunk)?;
            if read == 0 || self.scan.scanner.feed(&chunk[..read], &mut self.scan.tape).is_some() {
                self.scan.scanner.finish(&mut self.scan.tape);
                return Ok((at, None));
            }
        }
    }

    fn record(&mut self, entry: EntryId, file: &FolderFile) -> Result<(), ReadError> {
        let (at, bytes) = self.scan(entry)?;
        self.check_limit(entry)?;
        let place = Place::File(file.index);
        if !matches!(self.scan.tape.end, RecordEnd::Whole) {
            let is_deep = matches!(self.scan.tape.end, RecordEnd::TooDeep { .. });
            let Some(bytes) = bytes.filter(|_| !is_deep) else {
                return self.unreadable_start(at, file);
            };
            mend::broken(
                self.t,
                &BrokenRecord { at, place, bytes, ending: None, name_id: file.id.clone() },
                self.reading,
            );
            return Ok(());
        }
        let event = self.t.begin(at, place, State::Whole);
        if let Some(id) = &file.id {
            let id = self.t.ids.intern(id);
            self.t.set_fact(NAME_ID, FactValue::Text(id));
        }
        self.with_text(at, bytes, |text, tape, reading, t| {
            if let Some(node) = Node::root(tape, text) {
                (reading.read)(node, t);
            }
            flaws(t, event, at, &tape.flaws, text, reading);
        })
    }

    /// Reads the start of a broken file that is too long or too deeply nested to search for
    /// records.
    fn unreadable_start(&mut self, at: Span, file: &FolderFile) -> Result<(), ReadError> {
        self.t.begin(at, Place::File(file.index), State::Unreadable);
        if let Some(id) = &file.id {
            let id = self.t.ids.intern(id);
            self.t.set_fact(NAME_ID, FactValue::Text(id));
        }
        self.with_text(at, None, |text, tape, reading, t| mend::beginning(t, tape, text, reading))
    }

    fn state(&mut self, entry: EntryId) -> Result<(), ReadError> {
        let (at, bytes) = self.scan(entry)?;
        self.check_limit(entry)?;
        let whole = matches!(self.scan.tape.end, RecordEnd::Whole);
        let event =
            self.t.begin(at, Place::File(0), if whole { State::Whole } else { State::Unreadable });
        self.t.newest_mut().role = Role::HostState;
        self.with_text(at, bytes, |text, tape, reading, t| {
            if let Some(node) = Node::root(tape, text) {
                (reading.read)(node, t);
            }
            if whole {
                mend::state_flaws(t, event, at, &tape.flaws, text, reading);
            }
        })
    }

    fn check_limit(&self, entry: EntryId) -> Result<(), ReadError> {
        match blocking_limit(&self.scan.tape.end) {
            Some(what) => {
                Err(ReadError::Limit { place: self.entries.name(entry).to_owned(), what })
            }
            None => Ok(()),
        }
    }

    fn with_text(
        &mut self,
        at: Span,
        bytes: Option<Vec<u8>>,
        then: impl FnOnce(&dyn TapeText, &Tape, &RecordReader, &mut Transcript),
    ) -> Result<(), ReadError> {
        let Some(bytes) = bytes else {
            let far = LongRecord::new(self.entries, at.entry, 0);
            then(&far, &self.scan.tape, self.reading, self.t);
            return far.take_error().map_or(Ok(()), |error| Err(error.into()));
        };
        then(&bytes.as_slice(), &self.scan.tape, self.reading, self.t);
        Ok(())
    }
}
