//! Entries that remember read errors: a file that cannot be read does not prove that its folder is
//! not a conversation.

use std::io::{self, Read};
use std::sync::{Mutex, PoisonError};

use super::reason::reason;
use crate::bytes::source::{Entries, EntryId, Span};

/// Entries, with the first error of reading them.
pub(super) struct ErrorTracking<'a> {
    entries: &'a dyn Entries,
    failed: Mutex<Option<io::Error>>,
}

impl<'a> ErrorTracking<'a> {
    pub(super) fn new(entries: &'a dyn Entries) -> ErrorTracking<'a> {
        ErrorTracking { entries, failed: Mutex::new(None) }
    }

    pub(super) fn first_error(self) -> Option<io::Error> {
        self.failed.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn note_error<T>(&self, id: EntryId, done: io::Result<T>) -> io::Result<T> {
        done.inspect_err(|error| {
            let (name, why) = (self.entries.name(id), reason(error));
            let text = if why.starts_with(name) { why } else { format!("{name}: {why}") };
            let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
            failed.get_or_insert_with(|| io::Error::other(text));
        })
    }
}

impl Entries for ErrorTracking<'_> {
    fn ids(&self) -> Vec<EntryId> {
        self.entries.ids()
    }

    fn name(&self, id: EntryId) -> &str {
        self.entries.name(id)
    }

    fn len(&self, id: EntryId) -> u64 {
        self.entries.len(id)
    }

    fn open(&self, id: EntryId) -> io::Result<Box<dyn Read + '_>> {
        let inner = self.note_error(id, self.entries.open(id))?;
        Ok(Box::new(TrackingReader { watched: self, id, inner }))
    }

    fn fetch(&self, at: Span) -> io::Result<Vec<u8>> {
        self.note_error(at.entry, self.entries.fetch(at))
    }

    fn find(&self, name: &str) -> Option<EntryId> {
        self.entries.find(name)
    }
}

struct TrackingReader<'a> {
    watched: &'a ErrorTracking<'a>,
    id: EntryId,
    inner: Box<dyn Read + 'a>,
}

impl Read for TrackingReader<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match self.inner.read(buf) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            done => self.watched.note_error(self.id, done),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::source::Source;

    /// A source of which nothing can be read.
    struct Broken(Source);

    impl Entries for Broken {
        fn ids(&self) -> Vec<EntryId> {
            self.0.ids()
        }

        fn name(&self, id: EntryId) -> &str {
            self.0.name(id)
        }

        fn len(&self, id: EntryId) -> u64 {
            self.0.len(id)
        }

        fn open(&self, _: EntryId) -> io::Result<Box<dyn Read + '_>> {
            Err(io::Error::from_raw_os_error(5))
        }

        fn fetch(&self, _: Span) -> io::Result<Vec<u8>> {
            Err(io::Error::from_raw_os_error(5))
        }
    }

    #[test]
    fn an_unreadable_folder_is_an_error() {
        let state = br#"{"id":"81625941-4327-4ac6-a9a4-4ba08aafa96f","execution_status":"idle"}"#;
        let entries = vec![("base_state.json".to_owned(), state.to_vec())];
        let finds = super::super::Finds::default();
        let known = |entries: &dyn Entries| super::super::walk::recognize(&finds, entries, "run");
        let whole = Source::memory("run", entries);
        assert!(known(&whole).unwrap().is_some());
        let error = known(&Broken(whole)).unwrap_err().to_string();
        assert!(error.starts_with("base_state.json: "), "{error}");
    }
}
