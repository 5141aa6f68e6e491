//! Databases, identified by their tables. None is supported yet.

use std::path::{Path, PathBuf};

use crate::bytes::source::{Entries, EntryId, Shape, Source};
use crate::containers::database::{self, Kind};
use crate::formats::stores;

/// What a database file is, and why it is not checked.
pub(super) fn describe(kind: Kind, path: &Path, source: &Source) -> String {
    if kind == Kind::Log {
        return "the write-ahead log of a SQLite database: name the database itself".to_owned();
    }
    let entry = EntryId(0);
    let log = (source.shape() == Shape::File)
        .then(|| beside(path))
        .and_then(|log| Source::file(&log).ok());
    let log = log.as_ref().map(|log| (log as &dyn Entries, entry));
    let tables = database::tables((source, entry), log);
    match tables.as_deref().map(stores::recognize) {
        None => "a SQLite database whose tables cannot be read".to_owned(),
        Some(None) => "a SQLite database of an unknown format".to_owned(),
        Some(Some(store)) => format!("not supported yet: {}; {}", store.name, store.instead),
    }
}

/// Path of a database's write-ahead log: next to the file itself, even if that was named by a link.
fn beside(path: &Path) -> PathBuf {
    let mut name = path
        .canonicalize()
        .unwrap_or_else(|_| path.to_owned())
        .into_os_string();
    name.push("-wal");
    name.into()
}
