//! A repaired session as a script of SQL, which changes its rows where they are, and a second one that takes that back.
//!
//! Nothing here writes a database: the user runs the script with SQLite itself. So it has to be right whatever the
//! database has become meanwhile, and however a client treats a statement that fails: see [`statements`].

mod aligned;
mod cells;
mod order;
mod quoted;
mod read_back;
mod rows;
mod statements;

use super::content::{SessionRows, StoreContent};
use super::sessions::DatabaseSessions;
use super::{Made, NotRead, checkpoints};
use crate::bytes::overlay::Overlay;
use crate::bytes::patch::Patch;
use crate::bytes::source::{Entries, Source, Span};
use crate::containers::database::{ColumnValue, Database, DatabaseTable, SchemaObject};
pub(super) use cells::{Cells, ColumnHolds, NewCell};
pub(super) use order::{OrderStep, RowOrder};
pub(super) use quoted::{equal, text};
pub(super) use rows::{like, with_cells};
use statements::ScriptFacts;

/// How a changed session is written into its rows.
pub(super) struct Writing {
    pub record: Cells,
    pub order: RowOrder,
    /// What a new row has besides its record, as its host writes it; all other columns have their default. `None`: no row is
    /// inserted.
    pub new: Option<&'static [(&'static str, NewCell)]>,
}

/// A row, or those of its cells that change.
#[derive(Clone, Debug)]
pub(super) struct RowState {
    pub number: i64,
    pub cells: Vec<(String, ColumnValue)>,
}

/// What happens to a row.
#[derive(Clone, Debug)]
pub(super) struct RowEdit {
    pub table: String,
    /// `None`: it is new.
    pub before: Option<RowState>,
    /// `None`: it is removed.
    pub after: Option<RowState>,
    /// Cells that say whose row it is, and stay.
    pub same: Vec<(String, ColumnValue)>,
}

/// What is to be done to the rows of a session.
#[derive(Default)]
pub(super) struct RowEdits {
    pub rows: Vec<RowEdit>,
    /// The first number that no row of this table has.
    pub free: Option<(String, i64)>,
    /// What else must hold before the repair, and before it is taken back.
    pub only_if: [Vec<String>; 2],
}

/// The scripts, and what they do.
pub(crate) struct RepairScripts {
    pub apply: String,
    pub undo: String,
    /// The triggers of the tables that change.
    pub triggers: Vec<String>,
    /// The full-text tables that these triggers write.
    pub full_text: Vec<String>,
    /// What is read of the session afterwards.
    pub after: StoreContent,
}

/// Why there is no script.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotScripted {
    #[error("the database changed after it was read: try again")]
    Changed,
    #[error("the database cannot be read")]
    Damaged,
    #[error("its texts are not stored in UTF-8")]
    Encoding,
    #[error("the row of the session itself would change")]
    SessionRow,
    #[error(
        "a row would have to be inserted into `{0}`, and it is not known what the host writes there"
    )]
    NewRow(String),
    #[error("a row would get another place, and it is not known how the host orders them")]
    Order,
    #[error(
        "rows of `{0}` would be inserted, removed, or get other numbers, and another table refers to them"
    )]
    Referenced(String),
    #[error("`{0}` of a record has no column of its own")]
    NoColumn(String),
    #[error("a row would not be the JSON that the host reads")]
    NotJson,
    #[error("its rows would not be read back as planned")]
    ReadBack,
    #[error("{0}")]
    Because(String),
}

impl From<NotRead> for NotScripted {
    fn from(why: NotRead) -> NotScripted {
        match why {
            NotRead::Damaged => NotScripted::Damaged,
            NotRead::Because(why) => NotScripted::Because(why),
        }
    }
}

impl DatabaseSessions {
    /// The scripts that bring a session of this database to what a patch of `source` makes of it.
    ///
    /// # Errors
    /// Why there are none.
    pub(crate) fn scripts(
        &self,
        id: &str,
        source: &Source,
        patch: &Patch,
    ) -> Result<RepairScripts, NotScripted> {
        let database = self.database();
        if !database.is_utf8() {
            return Err(NotScripted::Encoding);
        }
        if !is_still(source, &self.content(id)?) {
            return Err(NotScripted::Changed);
        }
        let patched = Overlay::new(source, patch);
        let (changes, after) = match self.reading.content {
            Made::Selected(_) => checkpoints::added(&self.stored(id)?, &patched)?,
            Made::All(content) => {
                let rows = self.session_rows(id)?;
                let changes = rows::changes(self, &rows, &patched, patch)?;
                let after = content(&rows::changed(&rows, &changes));
                (changes, after)
            }
            Made::Readable(content) => {
                let rows = self.session_rows(id)?;
                let changes = rows::changes(self, &rows, &patched, patch)?;
                let after = content(&rows::changed(&rows, &changes))?;
                (changes, after)
            }
        };
        if !read_back::is_planned(&patched, &after) {
            return Err(NotScripted::ReadBack);
        }
        let schema = database.schema().ok_or(NotScripted::Damaged)?;
        self.check_references(&changes, &schema)?;
        let facts = ScriptFacts::of(database, self.reading, id, &changes, &schema);
        let facts = facts.ok_or(NotScripted::Damaged)?;
        Ok(RepairScripts {
            apply: facts.apply(),
            undo: facts.undo(),
            triggers: facts.triggers.clone(),
            full_text: facts.full_text.clone(),
            after,
        })
    }

    /// Whether other tables refer to rows that come, go or get another number. Those of the store itself change together.
    fn check_references(
        &self,
        changes: &RowEdits,
        schema: &[SchemaObject],
    ) -> Result<(), NotScripted> {
        let stays = |change: &RowEdit| match (&change.before, &change.after) {
            (Some(before), Some(after)) => before.number == after.number,
            _ => false,
        };
        let tables: Vec<&str> = self.tables().map(|table| table.name.as_str()).collect();
        for change in changes.rows.iter().filter(|change| !stays(change)) {
            let mut others =
                schema.iter().filter(|own| !tables.contains(&own.table.to_lowercase().as_str()));
            if others.any(|own| own.references(&change.table)) {
                return Err(NotScripted::Referenced(change.table.clone()));
            }
        }
        Ok(())
    }
}

/// The first number that no row of a table has, or ever had.
///
/// # Errors
/// The table cannot be read.
pub(super) fn free_number(database: &Database, table: &DatabaseTable) -> Result<i64, NotScripted> {
    let most = database.last_number(table).ok_or(NotScripted::Damaged)?;
    let counted = statements::number_of(database, &table.name).ok_or(NotScripted::Damaged)?;
    let most = counted.map_or(most, |(_, number)| most.max(number));
    most.checked_add(1).ok_or(NotScripted::Order)
}

/// Whether a source still has what is read of its session.
fn is_still(source: &Source, content: &StoreContent) -> bool {
    let entries = source.ids().into_iter().map(|entry| {
        let (start, end) = (0, source.len(entry));
        let bytes = source.fetch(Span { entry, start, end }).ok()?;
        Some((source.name(entry).to_owned(), bytes))
    });
    let mut now: Vec<_> = content.entries.iter().cloned().map(Some).collect();
    let mut read: Vec<_> = entries.collect();
    now.sort();
    read.sort();
    now == read
}
