//! Databases: those with sessions are opened session by session, the others are named by their tables.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::SystemTime;

use super::reason::reason;
use super::{FileOrigin, Finds, Found, name_of};
use crate::bytes::patch::Patch;
use crate::bytes::source::{EntryId, Source};
use crate::containers::database::{self, Database, DatabaseKind};
use crate::format::{Detection, Format};
use crate::stores::{
    self, DatabaseSessions, NotRead, NotScripted, Reads, RepairScripts, StoreContent,
};

/// Between the path of a database and the ID of a session in it.
const IN: char = '#';
/// How often a database is read that is written at the same time.
const TRIES: u32 = 5;
const DAMAGED: &str = "the SQLite database is damaged, and rows of any session may be missing: let SQLite recover what is left \
    (`sqlite3 OLD.db .recover | sqlite3 NEW.db`) and check that";
/// Bytes of a database whose pages are all checked, unless the user wants that of every database.
const MOST_CHECKED: u64 = 1 << 30;
const CHANGING: &str =
    "the SQLite database is being written, and changed each time that it was read: try again";
const UNFINISHED: &str = "a transaction of the SQLite database has not ended, because its host is writing or was killed: open it with \
    its host, or try again";

/// A database with sessions, as it was when one of them was opened last. If it changes, it is searched for sessions once.
#[derive(Debug)]
pub(crate) struct SharedSessions {
    newest: Mutex<Arc<DatabaseSessions>>,
    /// A damaged page, once all of them were examined.
    damaged: OnceLock<Option<u32>>,
}

impl SharedSessions {
    pub(super) fn new(sessions: DatabaseSessions) -> SharedSessions {
        let newest = Mutex::new(Arc::new(sessions));
        let damaged = OnceLock::new();
        SharedSessions { newest, damaged }
    }

    /// The sessions as they were.
    pub(super) fn get(&self) -> Arc<DatabaseSessions> {
        Arc::clone(&self.newest.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The sessions as they are now.
    ///
    /// # Errors
    /// The database cannot be read.
    fn now(&self, path: &Path) -> io::Result<Arc<DatabaseSessions>> {
        let mut newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        if newest.database().has_changed() {
            *newest = Arc::new(sessions_in(path)?);
        }
        Ok(Arc::clone(&newest))
    }
}

impl SharedSessions {
    /// Why none of the sessions is checked although they can be read. All pages are examined once.
    fn damage(&self, database: &Path) -> Option<String> {
        let damaged = || {
            for _ in 0..TRIES {
                let sessions = self.now(database).ok()?;
                let damaged = sessions.database().damaged_page();
                if damaged.is_none() || !sessions.database().has_changed() {
                    return damaged;
                }
            }
            None
        };
        let page = (*self.damaged.get_or_init(damaged))?;
        Some(format!(
            "the SQLite database is damaged in page {page}, so that its host may fail, although its sessions can be read: let \
            SQLite recover what is left (`sqlite3 OLD.db .recover | sqlite3 NEW.db`) and check that"
        ))
    }
}

/// Whether a database is so large that not all of its pages are examined.
pub(crate) fn is_large(database: &Path) -> bool {
    std::fs::metadata(database).is_ok_and(|meta| meta.len() > MOST_CHECKED)
}

/// What a database is.
pub(super) enum Opened {
    Sessions(DatabaseSessions),
    /// Why it is not checked.
    Not(String),
}

/// The path of a session in a database.
pub(crate) fn member(database: &Path, session: &str) -> PathBuf {
    let mut path = OsString::from(database);
    path.push(IN.to_string());
    path.push(session);
    path.into()
}

/// The database and the session that a path names, if there is such a database.
pub(crate) fn of_member(path: &Path) -> Option<(PathBuf, &str)> {
    let text = path.to_str()?;
    let mut places = text.match_indices(IN);
    places.find_map(|(at, _)| {
        let (database, session) = (Path::new(&text[..at]), &text[at + IN.len_utf8()..]);
        let kind = || database::kind(&Source::sample(database).ok()?, EntryId(0));
        let is_database =
            !session.is_empty() && database.is_file() && kind() == Some(DatabaseKind::Database);
        is_database.then(|| (database.to_owned(), session))
    })
}

/// The session of a database that a text names, and the record of it: `3`, or the row, as `messages:2`. The database is
/// opened only if the text may name a record.
pub(super) fn read(text: &str) -> Option<(PathBuf, Option<&str>)> {
    let (database, named) = of_member(Path::new(text))?;
    let ends = named.match_indices([':', '/']);
    if ends.clone().next().is_none() {
        return Some((text.into(), None));
    }
    let sessions = sessions_in(&database).ok()?;
    if sessions.has(named) {
        return Some((text.into(), None));
    }
    let mut ends = ends.rev();
    ends.find_map(|(at, end)| {
        let (session, record) = (&named[..at], &named[at + end.len()..]);
        let is_own = !record.is_empty() && sessions.has(session);
        is_own.then(|| (member(&database, session), Some(record)))
    })
}

/// The name of the document of a session, on every system.
pub(crate) fn document_name(session: &str) -> String {
    format!("{}.json", file_stem(session))
}

/// The name of a script for a session, on every system.
pub(crate) fn script_name(session: &str) -> String {
    format!("{}.sql", file_stem(session))
}

/// An ID in the name of a file.
fn file_stem(session: &str) -> String {
    let safe = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    session.chars().map(safe).collect()
}

/// Whether a database has one session.
pub(crate) fn is_one_session(database: &Path) -> bool {
    sessions_in(database).is_ok_and(|sessions| sessions.ids().nth(1).is_none())
}

/// When a session was written last.
pub(super) fn changed(path: &Path, known: &SharedSessions) -> Option<SystemTime> {
    known.get().changed(of_member(path)?.1)
}

/// Opens a database, without locking it or leaving a trace.
pub(super) fn open(path: &Path) -> io::Result<Opened> {
    let not = |why: &str| Ok(Opened::Not(why.to_owned()));
    for _ in 0..TRIES {
        if is_unfinished(path) {
            return not(UNFINISHED);
        }
        let Some(database) = with_its_log(path)? else {
            return not("a SQLite database whose tables cannot be read");
        };
        let Some(store) = stores::recognize(&database.tables) else {
            return not("a SQLite database of an unknown format");
        };
        let reading = match &store.reads {
            Reads::No(instead) => {
                return not(&format!("not supported yet: {}; {instead}", store.name));
            }
            Reads::Sessions(reading) => reading,
        };
        match DatabaseSessions::of(database, store, reading) {
            Ok(sessions) if sessions.database().has_changed() => {}
            Ok(sessions) => return Ok(Opened::Sessions(sessions)),
            Err(database) if database.has_changed() => {}
            Err(_) => return not(DAMAGED),
        }
    }
    not(CHANGING)
}

/// The sessions of a database.
///
/// # Errors
/// It cannot be read, or has none.
fn sessions_in(database: &Path) -> io::Result<DatabaseSessions> {
    match open(database)? {
        Opened::Sessions(sessions) => Ok(sessions),
        Opened::Not(why) => Err(io::Error::other(why)),
    }
}

/// Writes a database as one file, with what is in its log.
///
/// # Errors
/// It cannot be read, or changed in the meantime, or the copy cannot be written.
pub(crate) fn copy(database: &Path, out: &mut dyn io::Write) -> io::Result<()> {
    let sessions = sessions_in(database)?;
    sessions.database().copy(out)?;
    if sessions.database().has_changed() { Err(io::Error::other(CHANGING)) } else { Ok(()) }
}

/// A session as a source, and its format. `known`: its database as it was.
///
/// # Errors
/// The database cannot be read, or no longer has it.
pub(super) fn open_session(
    path: &Path,
    known: Option<&SharedSessions>,
) -> io::Result<(Source, &'static Format)> {
    let (database, session) = of_member(path).ok_or(io::ErrorKind::NotFound)?;
    for _ in 0..TRIES {
        let sessions = match known {
            Some(known) => known.now(&database)?,
            None => Arc::new(sessions_in(&database)?),
        };
        if !sessions.has(session) {
            let why = "the database has no such session";
            return Err(io::Error::new(io::ErrorKind::NotFound, why));
        }
        let content = sessions.content(session);
        if sessions.database().has_changed() {
            continue;
        }
        let content = content.map_err(|why| match why {
            NotRead::Damaged => io::Error::other(DAMAGED),
            NotRead::Because(why) => io::Error::other(why),
        })?;
        let main = sessions.database().main();
        let source = Source::of_database(main, content.entries, content.lines);
        return Ok((source, sessions.reading.format));
    }
    Err(io::Error::other(CHANGING))
}

/// The scripts that bring a session of a database to what a patch makes of it.
///
/// # Errors
/// Why there are none.
pub(crate) fn scripts(found: &Found, patch: &Patch) -> Result<RepairScripts, NotScripted> {
    let (database, session) = of_member(&found.path).ok_or(NotScripted::Damaged)?;
    let sessions = match &found.database {
        Some(known) => known.now(&database),
        None => sessions_in(&database).map(Arc::new),
    };
    let sessions = sessions.map_err(|why| NotScripted::Because(why.to_string()))?;
    let scripts = sessions.scripts(session, &found.source, patch)?;
    if sessions.database().has_changed() {
        return Err(NotScripted::Changed);
    }
    Ok(scripts)
}

/// A session as it would be read from other rows.
///
/// # Errors
/// It has no records.
pub(crate) fn again(found: &Found, content: StoreContent) -> io::Result<(Source, Detection)> {
    let source = Source::of_database(&found.source, content.entries, content.lines);
    let detection = detection(&source, &name_of(&found.path), found.detection.format)?;
    Ok((source, detection))
}

/// How a session of a database is read.
///
/// # Errors
/// It has no records.
pub(super) fn detection(
    source: &Source,
    name: &str,
    format: &'static Format,
) -> io::Result<Detection> {
    let layout = stores::layout(source, name, format);
    let layout = layout.ok_or_else(|| io::Error::other("the session has no records"))?;
    Ok(Detection::new(format, layout))
}

/// Whether a writer has not ended its transaction, or died in it: the file alone is not what the host would read.
pub(super) fn is_unfinished(path: &Path) -> bool {
    beside(path, "-journal").is_some_and(|file| database::is_open_journal(&file))
}

/// A database, with what its host has only in the log yet. `None`: its tables cannot be read.
pub(super) fn with_its_log(path: &Path) -> io::Result<Option<Database>> {
    Ok(Database::open(Source::file(path)?, beside(path, "-wal")))
}

/// A file next to a database: next to the file itself, even if that was named by a link.
fn beside(path: &Path, ending: &str) -> Option<Source> {
    let mut name = path.canonicalize().unwrap_or_else(|_| path.to_owned()).into_os_string();
    name.push(ending);
    Source::file(Path::new(&name)).ok()
}

impl Finds {
    /// Adds the sessions of a database, or says why it is not checked.
    pub(super) fn database(&mut self, path: &Path, origin: FileOrigin, kind: DatabaseKind) {
        if kind == DatabaseKind::Log {
            let why = "the write-ahead log of a SQLite database: name the database itself";
            return self.unread(path, origin, why.to_owned());
        }
        match open(path) {
            Ok(Opened::Sessions(sessions)) => {
                if sessions.ids().next().is_none() {
                    self.unknown(path, origin, "the database has no session: nothing to check");
                }
                if sessions.has_stranded {
                    let why = "records of sessions that are not in its table of sessions, so the host does not show them";
                    self.skip(path, why);
                }
                let ids: Vec<PathBuf> = sessions.ids().map(|id| member(path, id)).collect();
                let shared = Arc::new(SharedSessions::new(sessions));
                for session in ids {
                    self.add_session(session, Some(&shared));
                }
            }
            Ok(Opened::Not(why)) => self.unread(path, origin, why),
            Err(error) => self.miss(path, reason(&error)),
        }
    }

    /// Adds a session of a database.
    pub(super) fn add_session(&mut self, path: PathBuf, known: Option<&Arc<SharedSessions>>) {
        if self.seen.contains(&path) {
            return;
        }
        let Some((database, _)) = of_member(&path) else {
            return self.miss(&path, reason(&io::ErrorKind::NotFound.into()));
        };
        let known = match known {
            Some(known) => Arc::clone(known),
            None => match sessions_in(&database) {
                Ok(sessions) => Arc::new(SharedSessions::new(sessions)),
                Err(error) => return self.miss(&path, reason(&error)),
            },
        };
        if self.has_damage(&database, &known) {
            return;
        }
        let opened = open_session(&path, Some(&known)).and_then(|(source, format)| {
            let detection = detection(&source, &name_of(&path), format)?;
            Ok((source, detection))
        });
        match opened {
            Ok((source, detection)) => {
                let at = self.add(path, source, detection, None);
                if let Some(found) = at.and_then(|at| self.found.get_mut(at)) {
                    found.database = Some(known);
                }
            }
            Err(error) => self.miss(&path, reason(&error)),
        }
    }

    /// Whether a page of a database is damaged, whatever it holds, which is said once.
    fn has_damage(&mut self, database: &Path, sessions: &SharedSessions) -> bool {
        if !self.options.all_pages && is_large(database) {
            return false;
        }
        let Some(why) = sessions.damage(database) else {
            return false;
        };
        if !self.missed.iter().any(|missed| missed.path == database) {
            self.miss(database, why);
        }
        true
    }
}
