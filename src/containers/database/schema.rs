//! The schema as it is stored: what has to be the same when somebody writes into the database later.

use super::columns;
use super::{Database, SCHEMA, word};

/// Where the first page has the version that the application gave its tables.
const USER_VERSION: usize = 60;
/// The text encoding UTF-8.
const UTF_8: u32 = 1;

/// A table, an index, a view or a trigger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SchemaObject {
    pub kind: String,
    pub name: String,
    /// The table that it is, or belongs to.
    pub table: String,
    /// Its statement; `None` for an index that SQLite made itself.
    pub statement: Option<String>,
}

impl SchemaObject {
    /// Whether it belongs to a table, whose name is lowercase.
    pub(crate) fn is_of(&self, table: &str) -> bool {
        self.table.to_lowercase() == table
    }

    /// Whether it refers to a table by a foreign key.
    pub(crate) fn references(&self, table: &str) -> bool {
        self.statement.as_deref().is_some_and(|own| columns::references(own, table))
    }

    /// The column that is another name of the number of a row.
    pub(crate) fn number_column(&self) -> Option<String> {
        columns::number(self.statement.as_deref()?)
    }
}

impl Database {
    /// All objects of the schema. `None`: they cannot be read.
    pub(crate) fn schema(&self) -> Option<Vec<SchemaObject>> {
        let mut objects = Vec::new();
        self.walk(SCHEMA, None, &mut |cell| {
            let row = cell.read(&self.pages)?;
            let text = |column| row.value(Some(column)).text().map(|text| text.into_owned());
            objects.push(SchemaObject {
                kind: text(0)?,
                name: text(1)?,
                table: text(2)?,
                statement: text(4),
            });
            Some(())
        })?;
        Some(objects)
    }

    /// `PRAGMA user_version`.
    pub(crate) fn user_version(&self) -> Option<i32> {
        word(&self.pages.get(SCHEMA)?, USER_VERSION).map(u32::cast_signed)
    }

    /// Whether its texts are stored in UTF-8.
    pub(crate) fn is_utf8(&self) -> bool {
        self.pages.encoding == UTF_8
    }
}
