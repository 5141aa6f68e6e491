//! The sessions of a database: which rows belong to each.

use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, SystemTime};

use super::content::{SessionRows, StoreContent, StoredRows, TableRows};
use super::{Made, NotRead, Reading, Store, checkpoints, find, reading_of};
use crate::bytes::source::{Entries, EntryId, Source, SourceShape};
use crate::containers::database::{ColumnValue, Database, DatabaseTable};
use crate::containers::{Files, Layout, Naming};
use crate::detect;
use crate::format::Format;
use crate::format::head::Sample;
use crate::transcript::time;

/// Most bytes of the rows of one session, which are kept in memory.
pub(super) const MOST_BYTES: u64 = 512 << 20;

/// The sessions of a database that was read for them once. Only their rows' IDs are kept.
pub(crate) struct DatabaseSessions {
    database: Database,
    pub reading: &'static Reading,
    tables: Vec<DatabaseTable>,
    /// The table of sessions.
    around: Option<DatabaseTable>,
    by_id: BTreeMap<String, DatabaseSession>,
    /// Whether there are records whose session is not in the table of sessions.
    pub has_stranded: bool,
}

/// A session, by its rows.
#[derive(Default)]
struct DatabaseSession {
    /// Its row in the table of sessions.
    row: Option<i64>,
    /// The rows of its records, for each table.
    records: Vec<Vec<i64>>,
    /// When its last record was written, in microseconds.
    changed: Option<i64>,
}

impl fmt::Debug for DatabaseSessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sessions").finish_non_exhaustive()
    }
}

impl DatabaseSessions {
    /// Finds all sessions.
    ///
    /// # Errors
    /// The database, if part of a table cannot be read, so that rows may be missing in any of them.
    pub(crate) fn of(
        database: Database,
        store: &Store,
        reading: &'static Reading,
    ) -> Result<DatabaseSessions, Database> {
        let mut sessions = DatabaseSessions {
            tables: Vec::new(),
            around: None,
            reading,
            database,
            by_id: BTreeMap::new(),
            has_stranded: false,
        };
        match sessions.fill(store) {
            Some(()) => Ok(sessions),
            None => Err(sessions.database),
        }
    }

    fn fill(&mut self, store: &Store) -> Option<()> {
        let columns = |name: &str| {
            let known = store.tables.iter().find(|(table, _)| *table == name);
            known.map_or(&[][..], |(_, columns)| columns)
        };
        let table = |name: &str| find(&self.database.tables, name, columns(name)).cloned();
        let tables = self.reading.records.iter().map(|(name, _)| table(name));
        let tables = tables.collect::<Option<Vec<DatabaseTable>>>()?;
        self.around = self.reading.sessions.and_then(|(name, _)| table(name));
        self.tables = tables;
        for number in 0..self.tables.len() {
            self.add_records(number)?;
        }
        self.drop_finished();
        self.add_rows()
    }

    /// Drops the sessions of steps that have ended: those that started them were written since.
    fn drop_finished(&mut self) {
        let of_parent = |id: &str| self.by_id.get(&(self.reading.parent)(id)?);
        let ended = self
            .by_id
            .iter()
            .filter(|(id, own)| of_parent(id).is_some_and(|parent| parent.changed > own.changed));
        let ended: Vec<String> = ended.map(|(id, _)| id.clone()).collect();
        for id in ended {
            self.by_id.remove(&id);
        }
        // A document is made of the rows of the first table; of those of the others alone, there is none.
        if !self.reading.list.is_empty() {
            self.by_id.retain(|_, own| own.records.first().is_some_and(|rows| !rows.is_empty()));
        }
    }

    /// Finds the sessions of the records in a table.
    fn add_records(&mut self, number: usize) -> Option<()> {
        let table = &self.tables[number];
        let (_, time) = self.reading.records[number];
        let (key, named) = (self.reading.key, self.reading.named);
        let columns = key.iter().map(|name| table.column(name));
        let mut columns = columns.collect::<Option<Vec<usize>>>()?;
        columns.extend(table.column(time));
        let count = self.tables.len();
        let by_id = &mut self.by_id;
        self.database.scan(table, &columns, &mut |row, values| {
            let Some((id, rest)) = values.split_at_checked(key.len()) else {
                return;
            };
            let id: Option<Vec<_>> = id.iter().map(ColumnValue::text).collect();
            let Some(id) = id.filter(|id| id.first().is_some_and(|id| !id.is_empty())) else {
                return;
            };
            let id: Vec<&str> = id.iter().map(|part| &**part).collect();
            let session = by_id.entry(named(&id)).or_insert_with(|| DatabaseSession {
                records: vec![Vec::new(); count],
                ..DatabaseSession::default()
            });
            session.records[number].push(row);
            session.changed = session.changed.max(rest.first().and_then(moment));
        })
    }

    /// Finds the row of each session. Those without one do not exist for their host.
    fn add_rows(&mut self) -> Option<()> {
        let (Some(table), Some((_, id))) = (&self.around, self.reading.sessions) else {
            return Some(());
        };
        let by_id = &mut self.by_id;
        self.database.scan(table, &[table.column(id)?], &mut |row, values| {
            let id = values.first().and_then(ColumnValue::text);
            if let Some(session) = id.and_then(|id| by_id.get_mut(&*id)) {
                session.row = Some(row);
            }
        })?;
        let all = self.by_id.len();
        self.by_id.retain(|_, session| session.row.is_some());
        self.has_stranded = self.by_id.len() < all;
        Some(())
    }

    /// The IDs of all sessions, sorted.
    pub(crate) fn ids(&self) -> impl Iterator<Item = &str> {
        self.by_id.keys().map(String::as_str)
    }

    pub(crate) fn has(&self, id: &str) -> bool {
        self.by_id.contains_key(id)
    }

    /// When the last record of a session was written.
    pub(crate) fn changed(&self, id: &str) -> Option<SystemTime> {
        let micros = u64::try_from(self.by_id.get(id)?.changed?).ok()?;
        SystemTime::UNIX_EPOCH.checked_add(Duration::from_micros(micros))
    }

    pub(crate) fn database(&self) -> &Database {
        &self.database
    }

    /// The transcript of a session.
    ///
    /// # Errors
    /// It does not exist, or cannot be read.
    pub(crate) fn content(&self, id: &str) -> Result<StoreContent, NotRead> {
        match self.reading.content {
            Made::All(content) => self.session_rows(id).map(|rows| content(&rows)),
            Made::Readable(content) => self.session_rows(id).and_then(|rows| content(&rows)),
            Made::Selected(content) => content(&self.stored(id)?),
        }
    }

    /// The tables with the records of sessions.
    pub(super) fn tables(&self) -> impl Iterator<Item = &DatabaseTable> {
        self.tables.iter().chain(&self.around)
    }

    /// A session whose rows are not read yet.
    ///
    /// # Errors
    /// It does not exist.
    pub(super) fn stored<'r>(&'r self, id: &str) -> Result<StoredRows<'r>, NotRead> {
        let session = self.by_id.get(id).ok_or(NotRead::Damaged)?;
        let records = self.tables.iter().zip(&session.records);
        let tables = records.map(|(table, ids)| (table, &ids[..])).collect();
        Ok(StoredRows { database: &self.database, tables, added: None })
    }

    /// All rows of a session.
    ///
    /// # Errors
    /// It does not exist, or one of them cannot be read.
    pub(super) fn session_rows<'r>(&'r self, id: &'r str) -> Result<SessionRows<'r>, NotRead> {
        let session = self.by_id.get(id).ok_or(NotRead::Damaged)?;
        let records = self.tables.iter().zip(&session.records);
        self.rows(id, session, records).ok_or(NotRead::Damaged)
    }

    /// All rows of a session. `None`: one of them cannot be read.
    fn rows<'r>(
        &'r self,
        id: &'r str,
        session: &DatabaseSession,
        records: impl Iterator<Item = (&'r DatabaseTable, &'r Vec<i64>)>,
    ) -> Option<SessionRows<'r>> {
        let of = |table, ids: &[i64]| {
            let rows = self.database.rows(table, ids, MOST_BYTES)?;
            Some(TableRows { table, rows })
        };
        let tables = records.map(|(table, ids)| of(table, ids)).collect::<Option<_>>()?;
        let around = match (&self.around, session.row) {
            (Some(table), Some(row)) => Some(of(table, &[row])?),
            _ => None,
        };
        Some(SessionRows { id, around, tables })
    }
}

/// When a row was written, in microseconds: hosts store seconds, also with a fraction, milliseconds or a text in UTC.
fn moment(value: &ColumnValue) -> Option<i64> {
    const MILLISECONDS: i64 = 100_000_000_000;
    if let ColumnValue::Real(seconds) = value {
        return Some((seconds * 1e6) as i64);
    }
    match value.integer() {
        Some(number) if number < MILLISECONDS => number.checked_mul(1_000_000),
        Some(number) => number.checked_mul(1000),
        None => {
            value.text().and_then(|text| checkpoints::time(&text).or_else(|| time::parse(&text)))
        }
    }
}

/// Where the records of a session are in the source that was made of it.
pub(crate) fn layout(source: &Source, name: &str, format: &'static Format) -> Option<Layout> {
    debug_assert_eq!(source.shape(), SourceShape::Database);
    if source.has_rows() {
        return Some(Layout::Lines(EntryId(0)));
    }
    if let Some(list) = reading_of(format).map(|reading| reading.list)
        && !list.is_empty()
    {
        return Some(Layout::enclosed(EntryId(0), list.to_vec()));
    }
    let head = Sample::of_names(source, name);
    let found = detect::recognize(&head, Some(format));
    match found?.layout {
        Layout::Files(files) => Some(Layout::Files(Files { naming: Naming::InDatabase, ..files })),
        other => Some(other),
    }
}
